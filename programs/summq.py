"""SummQ (Algorithm 1): summaries and quizzes are drafted side by side, reviewed, examined, and drafted again."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Self, cast

import dspy

from summq.programs.artifact import State, adapted, apply_state, read_manifest, read_state
from summq.programs.config import SummQConfig
from summq.programs.coverage import unproven
from summq.programs.craft import SUMMARY, Craft, SummaryBrief, SummaryDraft, is_short
from summq.programs.digest import Digester, Reading
from summq.programs.documents import as_document
from summq.programs.errors import BudgetSpent, ShortDocument
from summq.programs.examine import Examinee, ExamOutcome, Verification
from summq.programs.feedback import with_blame, without_text
from summq.programs.generate import Generate
from summq.programs.iterations import Ending, Run, carried_over, iteration_record
from summq.programs.quiz_craft import QUIZ, QuizBrief, QuizDraft
from summq.programs.review import Review
from summq.programs.runtime.parallel import parallel, together
from summq.programs.runtime.prefix import Primer
from summq.programs.runtime.replies import attempt
from summq.programs.runtime.role import Role
from summq.programs.runtime.usage import Meter
from summq.programs.savings import total_savings, with_savings
from summq.programs.text.words import count_words, numbered
from summq.signatures import (
    Document,
    Generation,
    Iteration,
    LostAgent,
    Quiz,
    ReviewRecord,
    RewriteToLength,
    StopReason,
    SummQResult,
)

UNREVIEWED = ReviewRecord(annotations=[], grouped_by="none", outcomes=[], issues=[])
Scorer = Callable[[Document, str], float]
"""What a summary of a document is worth; higher is better."""


class _Load:
    """`program.load(file)` is DSPy's; `SummQ.load(DIR)` is what `from_artifact` was called in version 0.1.0."""

    def __get__(self, program: "SummQ | None", owner: "type[SummQ]") -> Callable[..., Any]:
        return owner.from_artifact if program is None else partial(dspy.Module.load, program)


class SummQ(dspy.Module):
    """Turns a long document into a summary, and a quiz that the summary was examined with.

    A `dspy.Module` like any other: `SummQ.preset("combo")(document=text)` returns a `dspy.Prediction` with `summary`
    (str), `quiz` (Quiz or None), `exam` (Exam or None) and `result` (SummQResult). It runs on the LM of `dspy.settings`
    and on those of `role_lms`; `summq.session` sets both up. `SummQ.from_artifact(DIR)` makes a compiled
    program.

    With `return_iteration="best"` the attribute `scorer` decides which iteration is returned (for instance
    `ExamineeMetric.scorer`), or without one the last quiz.
    """

    load = _Load()

    def __init__(self, config: SummQConfig | None = None) -> None:
        super().__init__()
        self.config = config = config or SummQConfig()
        self.scorer: Scorer | None = None
        # Saved programs address a predictor by the first attribute that leads to it (`summary_generators[0].draft`, not
        # `generate_summary.generators[0].draft`): the agents are set before the modules that hold them, too.
        generate, review = _summary_stream(config)
        self.summary_generators = generate.generators
        self.summary_reviewers = review.reviewers
        if config.summary_generators > 1:
            self.summary_aggregator, self.summary_ranker = generate.aggregator, generate.ranker
        if config.summary_reviewers > 1:
            self.summary_grouper = review.grouper
        self.generate_summary, self.review_summary = generate, review
        if config.quiz_stream:
            generate_quiz, review_quiz = _quiz_stream(config)
            self.quiz_generators = generate_quiz.generators
            self.quiz_reviewers = review_quiz.reviewers
            if config.quiz_generators > 1:
                self.quiz_aggregator, self.quiz_ranker = generate_quiz.aggregator, generate_quiz.ranker
            if config.quiz_reviewers > 1:
                self.quiz_grouper = review_quiz.grouper
            self.generate_quiz, self.review_quiz = generate_quiz, review_quiz
            self.examinee = Examinee(config.seed, open_book=config.verify_quiz, blind=config.blind_control)
        if config.rewrite:
            self.rewriter = Role(RewriteToLength, "rewriter")
        self.digester = Digester()

    @classmethod
    def preset(cls, name: str, *, paper_faithful: bool = False, **overrides: Any) -> Self:
        """A program of a preset: `solo`, `combo` or `combo_r`; see `SummQConfig.preset`."""
        return cls(SummQConfig.preset(name, paper_faithful=paper_faithful, **overrides))

    @classmethod
    def from_artifact(cls, folder: str | Path) -> Self:
        """The program that `summq compile` left in `folder`.

        Raises:
            DataError: No such folder, or prompts of another shape or version.
        """
        folder = Path(folder)
        manifest = read_manifest(folder)
        program = cls(manifest.config)
        apply_state(program, read_state(folder), manifest, folder)
        return program

    def load_state(self, state: State, *, allow_unsafe_lm_state: bool = False) -> None:
        """Take over the prompts of a saved program, also of one that an earlier version saved."""
        super().load_state(adapted(state, self.dump_state()), allow_unsafe_lm_state=allow_unsafe_lm_state)

    def forward(self, document: str | Document) -> dspy.Prediction:
        """Summarise one document.

        Raises:
            ShortDocument: A warning, where the document is no longer than its summary is to be.
            DocumentError: The document is empty, or the text is the name of a file.
            AgentsLost: Too few agents of a component replied.
            BudgetSpent: The budget ended before there was a summary.
        """
        document = as_document(document)
        self._warn_if_short(document)
        meter = Meter(parent=dspy.settings.get("meter"))
        primer = Primer() if self.config.prime_prefix else None
        ahead = self.config.head_start
        with dspy.context(meter=meter, document_key=document.key, primer=primer, head_start=ahead):
            run = self._iterate(self.digester(document))
            result = self._finish(run).model_copy(update={"usage": meter.usage()})
        return dspy.Prediction(summary=result.summary, quiz=result.quiz, exam=result.exam, result=result)

    async def aforward(self, document: str | Document) -> dspy.Prediction:
        """The same, awaited: for `await program.acall(document=...)`."""
        prediction: dspy.Prediction = await dspy.asyncify(type(self).forward)(self, document)
        return prediction

    def _warn_if_short(self, document: Document) -> None:
        wanted = self.config.target_words
        if is_short(document, wanted):
            name, words = document.id or "the document", numbered(count_words(document.text), "word")
            warnings.warn(
                f"{name} has {words}, no more than the {wanted} that its summary is to have: set target_words to fewer",
                ShortDocument,
                stacklevel=2,
            )

    def _iterate(self, reading: Reading) -> Run:
        """Algorithm 1 up to its stop."""
        run = Run(reading)
        place = {"document_name": reading.original.id, "iterations": self.config.max_iterations}
        for t in range(1, self.config.max_iterations + 1):
            try:
                with dspy.context(**place, iteration=t):  # for those who watch
                    run.iterations.append(self._iteration(run, run.last, reviewed=self.config.reviews_iteration(t)))
            except BudgetSpent:
                if run.last is None and not run.written:
                    raise
                if run.last is None:
                    run.iterations.append(iteration_record(run, self.config.target_words, run.written[0], UNREVIEWED))
                return replace(run, stop_reason="budget")
            unheard = self.config.reviews and not self.config.reviews_iteration(t)
            stop_reason = None if unheard else self._stop(run.iterations)
            if stop_reason:
                return replace(run, stop_reason=stop_reason)
        return replace(run, stop_reason="max_iterations")

    def _iteration(self, run: Run, previous: Iteration | None, *, reviewed: bool) -> Iteration:
        """Lines 1 to 3: generate both, review both, examine, and say who is to blame."""
        summary, quiz = together(lambda: self._write_summary(run, previous), lambda: self._write_quiz(run, previous))
        if quiz is None:
            review = self._review_summary(run, summary.chosen, None) if reviewed else UNREVIEWED
            return iteration_record(run, self.config.target_words, summary, review)
        summary_review, quiz_review, outcome, verified, blind = together(
            lambda: self._review_summary(run, summary.chosen, quiz.chosen) if reviewed else UNREVIEWED,
            lambda: self._review_quiz(run, quiz.chosen, summary.chosen, reviewed=reviewed),
            lambda: self.examinee(quiz=quiz.chosen, summary=summary.chosen),
            lambda: self._verify(run, quiz.chosen),
            lambda: self._try_blind(run, quiz.chosen),
        )
        run.verified.update(verified.holds)
        run.known.update(blind.holds)
        exam = without_text(outcome.exam, quiz.chosen, run.known)
        exam = with_blame(exam, quiz.chosen, quiz_review.issues, run.verified, verified=self.config.verify_quiz)
        lost = [*outcome.lost, *verified.lost, *blind.lost]
        return iteration_record(run, self.config.target_words, summary, summary_review, quiz, quiz_review, exam, lost)

    def _write_summary(self, run: Run, previous: Iteration | None) -> Generation[str]:
        brief = SummaryBrief(run.reading.document, self.config.target_words, self.config.check_length)
        if previous is None:
            run.written.append(self.generate_summary(brief))
            return run.written[0]
        if not previous.summary_feedback and not self.config.every_call:
            return carried_over(previous.summary)
        return cast("Generation[str]", self.generate_summary(brief, previous.summary, previous.summary_feedback))

    def _write_quiz(self, run: Run, previous: Iteration | None) -> Generation[Quiz] | None:
        if not self.config.quiz_stream:
            return None
        reading = run.reading
        brief = QuizBrief(reading.document, self.config.questions, reading.windows, reading.original)
        if previous is None or previous.quiz is None:
            return cast("Generation[Quiz]", self.generate_quiz(brief))
        if not previous.quiz_feedback:  # a quiz revision replaces what was criticised
            return carried_over(previous.quiz)
        return cast("Generation[Quiz]", self.generate_quiz(brief, previous.quiz, previous.quiz_feedback))

    def _review_summary(self, run: Run, summary: str, quiz: Quiz | None) -> ReviewRecord:
        draft = SummaryDraft(summary, quiz.sheet() if quiz else [])
        return cast(ReviewRecord, self.review_summary(run.reading.document, draft))

    def _review_quiz(self, run: Run, quiz: Quiz, summary: str, *, reviewed: bool) -> ReviewRecord:
        if not reviewed:
            return UNREVIEWED.model_copy(update={"issues": unproven(quiz)})
        draft = QuizDraft(quiz, summary)
        return cast(ReviewRecord, self.review_quiz(run.reading.document, draft, unproven(quiz)))

    def _verify(self, run: Run, quiz: Quiz) -> Verification:
        """Which questions an examinee with the document at hand answers as their keys say; each is tried once a run."""
        if not self.config.verify_quiz:
            return Verification({}, [])
        return self.examinee.verify([q for q in quiz.questions if q not in run.verified], run.reading.windows)

    def _try_blind(self, run: Run, quiz: Quiz) -> Verification:
        """Which questions an examinee without any text answers as their keys say; each is tried once a run."""
        if not self.config.blind_control:
            return Verification({}, [])
        return self.examinee.without_text([q for q in quiz.questions if q not in run.known])

    def _take_quiz(self, run: Run, quiz: Quiz, summary: str) -> ExamOutcome:
        """The exam of a summary after the last iteration, without what can be answered without any text."""
        outcome: ExamOutcome = self.examinee(quiz=quiz, summary=summary)
        return replace(outcome, exam=without_text(outcome.exam, quiz, run.known))

    def _stop(self, iterations: Sequence[Iteration]) -> StopReason | None:
        """Why to stop: line 4, and unless only that is wanted the further reasons below; None to go on.

        Where there is a quiz, line 4 needs an exam with scored answers.
        """
        last, bar = iterations[-1], self.config.accept_accuracy
        accuracy = last.exam.accuracy if last.exam else None
        if not last.summary_feedback and not last.quiz_feedback and (last.exam is None or accuracy is not None):
            return "no_feedback"
        if bar is None:
            return None
        if accuracy is not None and accuracy >= bar and not last.review_issues:
            return "accepted"
        if len(iterations) > 1 and (last.summary, last.quiz) == (iterations[-2].summary, iterations[-2].quiz):
            return "unchanged"
        return None

    def _finish(self, run: Run) -> SummQResult:
        """What is returned: the last summary or the best, rewritten to length if wanted, with its exam."""
        last, stop_reason = run.iterations[-1], run.stop_reason
        ending = Ending(last.summary, last.exam, returned=len(run.iterations) - 1)
        try:
            if self.config.return_iteration == "best" and last.quiz is not None and len(run.iterations) > 1:
                ending = self._best(run, last.quiz)
            if self.config.rewrite:
                ending = self._rewritten(ending)
            if ending.rewritten and last.quiz is not None:
                ending = ending.examined(self._take_quiz(run, last.quiz, ending.summary))
        except BudgetSpent:
            stop_reason = "budget"
        iterations = with_savings(run.iterations, run.reading.document, self.config)
        return SummQResult(
            **vars(ending),
            quiz=last.quiz,
            wanted=self.config.questions if last.quiz else None,
            wanted_words=self._wanted_words(run, ending),
            iterations=iterations,
            stop_reason=stop_reason,
            digested=run.reading.passages,
            digest=run.reading.notes,
            savings=total_savings(iterations),
        )

    def _best(self, run: Run, quiz: Quiz) -> Ending:
        """The summary that does best in the last quiz, or by the scorer if there is one; the latest among equals."""
        summaries = [iteration.summary for iteration in run.iterations]
        outcomes = parallel(lambda summary: self._take_quiz(run, quiz, summary), summaries)
        scores = [outcome.exam.accuracy or 0.0 for outcome in outcomes]
        if self.scorer is not None:
            score, document = self.scorer, run.reading.original
            scores = parallel(lambda summary: score(document, summary), summaries)
        best = max(range(len(scores)), key=lambda k: (scores[k], k))
        lost = [agent for outcome in outcomes for agent in outcome.lost]
        return Ending(summaries[best], outcomes[best].exam, returned=best, lost=lost)

    def _wanted_words(self, run: Run, ending: Ending) -> int:
        """The length that the summary should have; no longer than the document."""
        wanted = self.config.rewrite_words if ending.rewritten else None
        return SummaryBrief(run.reading.document, wanted or self.config.target_words).wanted_words

    def _rewritten(self, ending: Ending) -> Ending:
        """The ending at the wanted length, unexamined; as it was if the rewriter is lost."""
        words = self.config.rewrite_words or self.config.target_words
        rewritten = attempt("rewriter", lambda: self.rewriter(summary=ending.summary, target_words=words).rewritten)
        if isinstance(rewritten, LostAgent):
            return replace(ending, lost=[*ending.lost, rewritten])
        return replace(ending, summary=rewritten, exam=None, rewritten=True)


def _summary_stream(config: SummQConfig) -> "tuple[Generate[str], Review]":
    return _stream(config, SUMMARY, config.summary_generators, config.summary_reviewers)


def _quiz_stream(config: SummQConfig) -> "tuple[Generate[Quiz], Review]":
    craft = replace(QUIZ, at_once=config.questions_at_once)
    return _stream(config, craft, config.quiz_generators, config.quiz_reviewers)


def _stream(
    config: SummQConfig, craft: Craft[Any, Any], writers: int, reviewers: int
) -> "tuple[Generate[Any], Review]":
    generate = Generate[Any](craft, writers, config.economy, every_call=config.every_call, seed=config.seed)
    return generate, Review(craft, reviewers, config.debate_rounds, config.economy, every_call=config.every_call)


def complete(prediction: dspy.Prediction) -> dspy.Prediction:
    """What a program, SummQ or another, returned, for whoever measures it.

    Raises:
        BudgetSpent: The budget ended within the run; what there is of it is no summary to be measured.
    """
    result: SummQResult | None = prediction.get("result")
    if result and result.cut_short:
        raise BudgetSpent("stopped within a document: a limit on calls or cost was reached; raise it to continue")
    return prediction


__all__ = ["SummQ", "complete"]
