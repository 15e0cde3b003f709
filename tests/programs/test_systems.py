"""Systems are built by name, to one length, with options that are checked."""

import pytest

from summq.programs.errors import ConfigError
from summq.programs.runtime.session import session
from summq.programs.summq import SummQ
from summq.programs.systems import SYSTEMS, build_system
from tests.planted import halls


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_turns_a_document_into_a_summary_offline(name: str) -> None:
    with session("offline", cache_dir=""):
        summary = build_system(name, 60)(document=halls(40)).summary
    assert 40 <= len(summary.split()) <= 72


def test_presets_take_the_keys_of_the_configuration() -> None:
    combo = build_system("summq-combo", 60, max_iterations=5)
    assert isinstance(combo, SummQ)
    assert (combo.config.max_iterations, combo.config.target_words, combo.config.quiz_generators) == (5, 60, 3)
    without = build_system("summq-no-quiz", 60)
    assert isinstance(without, SummQ)
    assert not without.config.quiz_stream


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("direkt", {}, "unknown system 'direkt': there are direct, hm-sr"),
        ("direct", {"passes": 2}, "direct has no option 'passes'"),
        ("hm-sr", {"passes": 0}, "hm-sr: passes: has to be greater than or equal to 1, not 0"),
        ("refine", {"passage_tokens": "many"}, "refine: passage_tokens: has to be a valid integer"),
        ("lead", {"unit": "pages"}, "lead: unit: has to be 'sentences' or 'words', not 'pages'"),
        ("summq-solo", {"max_iterations": 0}, "max_iterations"),
        ("summq-solo", {"iterations": 3}, "unknown config key 'iterations'"),
    ],
)
def test_a_wrong_name_or_option_is_one_line(name: str, options: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError) as error:
        build_system(name, 60, **options)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
