"""The prompts of all roles as they are sent, byte for byte: a change that is not meant to touch prompts must not.

`prompts.json` holds digests of them by role. After a change that is meant to touch them write it anew:
`SUMMQ_REWRITE_PROMPTS=1 python -m pytest tests/compatibility/test_prompts_as_sent.py`.
"""

import hashlib
import json
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import dspy
import pytest

from summq.eval.data import Row
from summq.eval.metrics import make_metric
from summq.eval.preference import Judge, Pair
from summq.programs import SummQ
from summq.programs.baselines import BASELINES
from summq.programs.runtime.adapter import DocumentFirstAdapter
from summq.programs.runtime.role import Role
from summq.programs.runtime.session import session
from summq.programs.systems import build_system
from summq.signatures import Document, GradeAnswers, KeyedAnswer

HERE = Path(__file__).parent
DIGESTS = HERE / "prompts.json"
ORCHARD = Document.of((HERE / "v0.1.0" / "orchard.md").read_text("utf-8"))
SIX = {"multiple_choice": 2, "true_false": 2, "short_answer": 2}
ERRING = "offline:generator=0.3,reviewer=0.3,examinee=0.3,seed=4"


def prompts_sent(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Digests of what each role is sent in runs of all programs, whose replies are the same each time."""
    sent: dict[str, set[str]] = defaultdict(set)
    format = DocumentFirstAdapter.format

    def recorded(adapter: DocumentFirstAdapter, *args: Any, **kwargs: Any) -> Any:
        messages = format(adapter, *args, **kwargs)
        digest = hashlib.sha256(json.dumps(messages, sort_keys=True).encode()).hexdigest()
        sent[dspy.settings.get("role") or "none"].add(digest[:16])
        return messages

    monkeypatch.setattr(DocumentFirstAdapter, "format", recorded)
    with session(ERRING, cache_dir=""):
        for faithful in (False, True):
            SummQ.preset("combo_r", target_words=60, questions=SIX, paper_faithful=faithful)(document=ORCHARD)
        for name in BASELINES:
            build_system(name, 40)(document=ORCHARD)
        Role(GradeAnswers, "grader")(given=[KeyedAnswer(number=1, question="When?", key="1936", given="in 1936")])
        Judge()(pair=Pair("1", ORCHARD, "It froze.", "It bloomed."), criterion="c", meaning="Which is truer?")
        make_metric("faithfulness").score(
            "Edith Carrow planted 312 pear trees. It froze in 1936.", Row("1", ORCHARD, ())
        )
    return {role: sorted(digests) for role, digests in sorted(sent.items())}


@pytest.mark.slow
def test_every_role_is_sent_the_prompts_that_are_on_record(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = prompts_sent(monkeypatch)
    if os.environ.get("SUMMQ_REWRITE_PROMPTS"):
        DIGESTS.write_text(json.dumps(sent, indent=1) + "\n")
    assert sent == json.loads(DIGESTS.read_text())
    assert len(sent) >= 29
