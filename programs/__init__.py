"""How the roles work together: Algorithms 1 to 3 of the paper, and the baselines."""

from summq.programs.config import Economy, SummQConfig
from summq.programs.generate import Generate
from summq.programs.review import Review
from summq.programs.summq import SummQ

__all__ = ["Economy", "Generate", "Review", "SummQ", "SummQConfig"]
