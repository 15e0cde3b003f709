"""What is compared: programs by name, compiled programs, anybody's predictions, and what people wrote."""

from summq.eval.systems.base import Identity, System, Written
from summq.eval.systems.specs import OTHER_SYSTEMS, Connect, make_systems

__all__ = ["OTHER_SYSTEMS", "Connect", "Identity", "System", "Written", "make_systems"]
