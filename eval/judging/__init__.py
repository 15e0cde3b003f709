"""Comparing two systems pair by pair: by a language model as judge."""

from summq.eval.judging.criteria import CRITERIA, criteria_of
from summq.eval.judging.judge import Judge, Judgement, Winner
from summq.eval.judging.pairs import Pair, Summaries, load_documents, pairs_of, read_summaries
from summq.eval.judging.report import write_judgements
from summq.eval.judging.run import judge_pairs, judge_report
from summq.eval.judging.verdicts import JudgeReport, Verdict, verdict_on

__all__ = [
    "CRITERIA",
    "Judge",
    "JudgeReport",
    "Judgement",
    "Pair",
    "Summaries",
    "Verdict",
    "Winner",
    "criteria_of",
    "judge_pairs",
    "judge_report",
    "load_documents",
    "pairs_of",
    "read_summaries",
    "verdict_on",
    "write_judgements",
]
