"""A study with people: blinded sheets out, filled sheets in."""

from summq.eval.human.answers import HumanAnswer, HumanVerdict, human_verdicts, read_answers
from summq.eval.human.report import write_study
from summq.eval.human.sheets import Key, read_key, write_sheets

__all__ = [
    "HumanAnswer",
    "HumanVerdict",
    "Key",
    "human_verdicts",
    "read_answers",
    "read_key",
    "write_sheets",
    "write_study",
]
