"""The examinee reads nothing but summary and questions; nobody who writes a summary learns a key."""

import json
import re

import pytest

from summq.programs import SummQ
from summq.programs.documents import load_document
from summq.programs.examine import Examinee
from summq.programs.runtime.offline import OfflineEngine
from summq.programs.text.sentences import split_sentences
from summq.signatures import Question, Quiz
from tests.documents import HARBOUR
from tests.planted import Asked, Outputs, Overheard, halls, on, planted, question, sentence

SHORT = {"short_answer": 6, "multiple_choice": 0, "true_false": 0}


def words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def with_another_key(asked: Question, evidence: str = "Elsewhere.") -> Question:
    keys = {"true_false": "false", "short_answer": "nobody knows", "multiple_choice": asked.options[-1:]}
    return asked.model_copy(update={"answer": "".join(keys[asked.kind]), "evidence": evidence, "section": "part 9"})


@pytest.mark.parametrize("kind", ["multiple_choice", "true_false", "short_answer"])
def test_no_byte_of_key_or_evidence_reaches_the_examinee(kind: str) -> None:
    quiz = Quiz(questions=[question(hall, kind) for hall in range(1, 9)])
    requests = set()
    for sat in (quiz, Quiz(questions=[with_another_key(q) for q in quiz.questions])):
        with planted() as engine:
            Examinee()(quiz=sat, summary="A summary.")
        requests.add(engine.of("examinee")[0].text)
    assert len(requests) == 1


@pytest.mark.slow
def test_no_sentence_reaches_the_examinee_that_neither_summary_nor_question_quotes() -> None:
    document = load_document(str(HARBOUR))
    engine = Overheard(OfflineEngine())
    with on(engine):
        result = SummQ.preset("combo", target_words=200)(document=document).result
    sat = [asked for asked in engine.asked if asked.role == "examinee"]
    assert len(sat) == len(result.iterations) > 1
    for asked, iteration in zip(sat, result.iterations, strict=True):
        assert asked["summary"] == iteration.summary
        rest = words(asked.text.replace(asked.shown("summary"), "").replace(asked.shown("questions"), ""))
        sentences = [s for s in split_sentences(document.text) if len(s.split()) > 5]
        assert len(sentences) > 20
        assert not [s for s in sentences if words(s) in rest]
        sheet = json.loads(asked["questions"])
        assert all(item.keys() == {"number", "kind", "question", "options"} for item in sheet)


def test_those_who_review_the_summary_see_no_key() -> None:
    requests = set()
    for changed in (question, lambda hall: with_another_key(question(hall), sentence(hall + 20))):
        with planted({"quiz_generator.draft": {"quiz": [changed(hall) for hall in range(1, 7)]}}) as engine:
            SummQ.preset("solo", questions=SHORT, max_iterations=1)(document=halls())
        requests.add(engine.of("summary_reviewer.review")[0].text)
    assert len(requests) == 1


def told_to_the_next_writer(given: str, key: str) -> Asked:
    """What the summary generator is asked after an examinee has answered every question with `given`."""

    def fail(asked: Asked) -> Outputs:
        return {
            "sheet": {"answers": [{"number": i["number"], "answer": given} for i in json.loads(asked["questions"])]}
        }

    quiz = {"quiz": [question(hall, answer=f"{key} {hall}") for hall in range(1, 7)]}
    with planted({"examinee": fail, "quiz_generator.draft": quiz}) as engine:
        SummQ.preset("solo", questions=SHORT, max_iterations=2, verify_quiz=False, check_length=False)(document=halls())
    (asked,) = engine.of("summary_generator.revise")
    return asked


def test_feedback_depends_on_neither_key_nor_answer() -> None:
    told = told_to_the_next_writer("not in the summary", "lamps")
    assert [issue["target"] for issue in json.loads(told["feedback"])] == [
        question(hall).question for hall in range(1, 7)
    ]
    assert told_to_the_next_writer("A GUESS", "SECRET").text == told.text
    assert "SECRET" not in told.text
