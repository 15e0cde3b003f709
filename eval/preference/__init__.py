"""Comparing two systems pair by pair, by a language model as judge or by people."""

from summq.eval.preference.answers import human_verdicts, read_answers, write_study
from summq.eval.preference.comparison import judge_pairs, judge_report, write_judgements
from summq.eval.preference.judge import CRITERIA, Judge, Judgement, criteria_of
from summq.eval.preference.labels import read_labels
from summq.eval.preference.pairs import Pair, Summaries, paired_runs
from summq.eval.preference.sheets import Key, read_key, write_sheets
from summq.eval.preference.verdicts import JudgeReport, verdict_on

__all__ = [
    "CRITERIA",
    "Judge",
    "JudgeReport",
    "Judgement",
    "Key",
    "Pair",
    "Summaries",
    "criteria_of",
    "human_verdicts",
    "judge_pairs",
    "judge_report",
    "paired_runs",
    "read_answers",
    "read_key",
    "read_labels",
    "verdict_on",
    "write_judgements",
    "write_sheets",
    "write_study",
]
