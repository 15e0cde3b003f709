"""What is compared: programs by name, compiled programs, anybody's predictions, and what people wrote."""

from summq.eval.systems.base import System, Written
from summq.eval.systems.specs import make_systems

__all__ = ["System", "Written", "make_systems"]
