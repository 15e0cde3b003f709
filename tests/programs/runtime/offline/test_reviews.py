"""Reviewers find what is wrong and leave alone what is sound; votes follow the document."""

from typing import Any

import pytest

from summq.programs.quiz_craft import QuizDraft
from summq.programs.runtime.offline import OfflineEngine
from summq.programs.text.sentences import split_sentences
from summq.signatures import (
    CheckSentences,
    CritiqueSummary,
    DebateIssues,
    DecideIssues,
    Document,
    DraftSummary,
    GroupIssues,
    JudgeSummaries,
    NumberedIssue,
    Question,
    Quiz,
    RankSummaries,
    ReviewQuiz,
    ReviewSummary,
    Sentence,
    SheetItem,
    VoteSummary,
)

TRUE = "The company paid 90,000 guilders a year and employed 210 dockers, most of whom had been fishermen before."
FALSE = TRUE.replace("90,000", "75,000")
DENIED = "The harbour museum never opened in the old customs house in 1985."
SOUND = Question(
    kind="short_answer",
    question="Which number completes the statement: “The company paid 90,000 guilders and employed ____ dockers”?",
    answer="210",
    evidence=TRUE,
)


def issues_in(ask: Any, document: Document, summary: str, questions: Any = ()) -> list[tuple[str, str]]:
    found = ask(ReviewSummary, document=document, summary=summary, questions=list(questions)).found
    return [(issue.kind, issue.target) for issue in found.issues]


def faults_in(ask: Any, document: Document, *questions: Question) -> list[tuple[str, str]]:
    found = ask(ReviewQuiz, document=document, quiz=Quiz(questions=list(questions)), summary="A summary.").found
    return [(issue.kind, issue.target) for issue in found.issues]


@pytest.mark.parametrize("wrong", [FALSE, DENIED])
def test_finds_a_changed_figure_and_a_denial(harbour: Document, ask: Any, wrong: str) -> None:
    assert ("factual_error", wrong) in issues_in(ask, harbour, f"{wrong} A strike closed the port for eleven weeks.")


def test_finds_no_errors_and_repetitions_in_an_extract(harbour: Document, ask: Any) -> None:
    summary = ask(DraftSummary, document=harbour, target_words=120).summary

    assert {kind for kind, _ in issues_in(ask, harbour, summary)} <= {"omission"}


def test_the_whole_document_as_a_summary_has_no_issues(harbour: Document, ask: Any) -> None:
    assert issues_in(ask, harbour, harbour.text, [SheetItem(number=1, kind=SOUND.kind, question=SOUND.question)]) == []


def test_finds_what_is_said_twice(harbour: Document, ask: Any) -> None:
    assert ("redundancy", TRUE) in issues_in(ask, harbour, f"{TRUE} {TRUE}")


def test_finds_questions_that_the_summary_does_not_answer(harbour: Document, ask: Any) -> None:
    sheet = [SheetItem(number=1, kind=SOUND.kind, question=SOUND.question)]

    assert ("omission", SOUND.question) in issues_in(ask, harbour, "The museum opened in 1985.", sheet)
    assert ("omission", SOUND.question) not in issues_in(ask, harbour, TRUE, sheet)


def test_evidence_is_a_sentence_of_the_document(harbour: Document, ask: Any) -> None:
    found = ask(ReviewSummary, document=harbour, summary=f"{FALSE} {DENIED}", questions=[]).found.issues

    assert found
    assert all(issue.evidence in harbour.text for issue in found)


def test_a_sound_question_has_no_faults(harbour: Document, ask: Any) -> None:
    assert faults_in(ask, harbour, SOUND) == []


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"answer": "90"}, "wrong_answer"),
        ({"evidence": "The company owned nine cranes on the western quay."}, "unanswerable"),
        ({"answer": "dockers"}, "trivial"),
        ({"kind": "multiple_choice", "options": ("210", "210", "38", "15")}, "ambiguous"),
    ],
)
def test_finds_faulty_questions(harbour: Document, ask: Any, change: dict[str, Any], kind: str) -> None:
    assert (kind, "1") in faults_in(ask, harbour, SOUND.model_copy(update=change))


def test_finds_a_question_asked_twice(harbour: Document, ask: Any) -> None:
    assert faults_in(ask, harbour, SOUND, SOUND) == [("duplicate", "2")]


def contested(**issue: Any) -> NumberedIssue:
    return NumberedIssue(id="1.1", explanation="so", **issue)


@pytest.mark.parametrize(
    ("issue", "upheld"),
    [
        (contested(kind="factual_error", target=FALSE), True),
        (contested(kind="factual_error", target="A strike closed the port for eleven weeks."), False),
        (contested(kind="redundancy", target=FALSE), False),
        (
            contested(kind="omission", target="the museum", evidence="The harbour museum opened in the old customs"),
            True,
        ),
        (contested(kind="omission", target="the cathedral of Utrecht", evidence="The cathedral burned down."), False),
    ],
)
def test_upholds_true_issues_and_rejects_invented_ones(
    harbour: Document, ask: Any, issue: NumberedIssue, upheld: bool
) -> None:
    draft = f"{FALSE} A strike closed the port for eleven weeks."
    votes = ask(DecideIssues, document=harbour, draft=draft, contested=[issue], heard=[]).votes.verdicts
    arguments = ask(DebateIssues, document=harbour, draft=draft, contested=[issue], heard=[]).debate.arguments

    assert [(vote.issue, vote.uphold) for vote in votes] == [("1.1", upheld)]
    assert [argument.uphold for argument in arguments] == [upheld]


@pytest.mark.parametrize("quoted", [True, False])
def test_arguments_quote_what_the_issue_does_not_quote_already(harbour: Document, ask: Any, quoted: bool) -> None:
    sentence = next(s for s in split_sentences(harbour.text) if "nineteen fishing boats" in s)
    issue = contested(kind="omission", target="restored nineteen fishing boats", evidence=sentence if quoted else "")
    (argument,) = ask(DebateIssues, document=harbour, draft=FALSE, contested=[issue], heard=[]).debate.arguments
    assert argument.evidence == ("" if quoted else sentence)


@pytest.mark.parametrize(("answer", "upheld"), [("90", True), ("210", False)])
def test_votes_on_an_exam_as_it_is_shown(harbour: Document, ask: Any, answer: str, upheld: bool) -> None:
    draft = QuizDraft(Quiz(questions=[SOUND.model_copy(update={"answer": answer})]), "").text
    issue = contested(kind="wrong_answer", target="question 1")
    votes = ask(DecideIssues, document=harbour, draft=draft, contested=[issue], heard=[]).votes.verdicts

    assert [vote.uphold for vote in votes] == [upheld]


def test_groups_issues_about_the_same_words(ask: Any) -> None:
    issues = [
        NumberedIssue(id="1.1", kind="omission", target="the pension fund of the dockers", explanation="missing"),
        NumberedIssue(id="2.1", kind="omission", target="pension fund for the dockers", explanation="left out"),
        NumberedIssue(id="2.2", kind="omission", target="Queen Juliana", explanation="missing"),
    ]

    assert list(ask(GroupIssues, issues=issues).same.groups) == [["1.1", "2.1"]]


def test_an_erring_reviewer_misses_true_issues_and_invents_false_ones(harbour: Document, ask_of: Any) -> None:
    erring = ask_of(OfflineEngine(rates={"reviewer": 1.0}))
    summary = "A strike closed the port for eleven weeks."

    assert issues_in(erring, harbour, summary) == [("factual_error", summary)]
    assert ("factual_error", FALSE) not in issues_in(erring, harbour, f"{summary} {FALSE}")[1:]


GOOD = "The engineer Pieter Adema designed a wall of concrete blocks. A strike closed the port for eleven weeks."
POOR = "The harbour lies near a village with a church, two inns and a mill that nobody has used for a long time."


def test_ranks_and_votes_by_what_the_document_says(harbour: Document, ask: Any) -> None:
    given = {"document": harbour, "target_words": 20}

    assert ask(RankSummaries, **given, candidates={"A": POOR, "B": GOOD}).best == "B"
    assert ask(VoteSummary, **given, first=POOR, second=GOOD).better == "second"
    assert ask(VoteSummary, **given, first=GOOD, second=POOR).better == "first"


def test_an_erring_voter_takes_the_worse(harbour: Document, ask_of: Any) -> None:
    erring = ask_of(OfflineEngine(rates={"voter": 1.0}))

    assert erring(VoteSummary, document=harbour, target_words=20, first=POOR, second=GOOD).better == "first"


def test_the_judge_sees_no_difference_between_equals(harbour: Document, ask: Any) -> None:
    def verdict(first: str, second: str) -> str:
        reply = ask(JudgeSummaries, document=harbour, first=first, second=second, criterion="coverage: what matters")
        return str(reply.verdict)

    assert verdict(GOOD, GOOD) == "tie"
    assert (verdict(GOOD, POOR), verdict(POOR, GOOD)) == ("first", "second")


def test_checks_each_sentence(harbour: Document, ask: Any) -> None:
    texts = [TRUE, FALSE, "Penguins breed on the lighthouse roof."]
    sentences = [Sentence(number=n, text=text) for n, text in enumerate(texts, 1)]
    checks = ask(CheckSentences, document=harbour, sentences=sentences).checked.checks

    assert [(check.number, check.support) for check in checks] == [
        (1, "supported"),
        (2, "contradicted"),
        (3, "not_found"),
    ]


def test_a_critic_lists_only_false_statements(harbour: Document, ask: Any) -> None:
    critique = ask(CritiqueSummary, document=harbour, summary=f"{TRUE} {FALSE}").critique

    assert [item.statement for item in critique.false_statements] == [FALSE]
