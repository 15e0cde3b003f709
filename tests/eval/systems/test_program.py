"""Programs as systems of an evaluation."""

import pytest

from summq.eval.data import Row
from summq.eval.systems.program import Program
from summq.programs import SummQ
from summq.programs.documents import load_document
from summq.programs.errors import BudgetSpent
from summq.programs.runtime.session import session
from tests.documents import HARBOUR


@pytest.mark.slow
@pytest.mark.parametrize("max_calls", [4, 60])
def test_a_summary_that_a_budget_cut_short_is_not_measured(max_calls: int) -> None:
    document = load_document(str(HARBOUR))
    system = Program("solo", "summq-solo", lambda words: SummQ.preset("solo", target_words=words, max_iterations=1))
    row = Row(id="harbour", document=document, references=())
    with session("offline", cache_dir="", max_calls=max_calls):
        if max_calls == 4:
            with pytest.raises(BudgetSpent, match="stopped within a document"):
                system.summarize(row, 100)
        else:
            assert system.summarize(row, 100).summary
