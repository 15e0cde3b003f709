"""How often an offline agent errs, for tests and simulations: repeatably, drawn from the request itself."""

import hashlib
from dataclasses import dataclass, fields

from summq.programs.errors import BackboneError


@dataclass(frozen=True)
class Rates:
    """The chance, 0 to 1, that an agent of a kind errs in one item of its reply.

    A generator plants a wrong fact or key; a reviewer misses a true issue, and as often invents one; a voter (ranker,
    judge) takes the worse; an examinee answers wrong; a grader marks the wrong way.
    """

    generator: float = 0.0
    reviewer: float = 0.0
    voter: float = 0.0
    examinee: float = 0.0
    grader: float = 0.0

    @classmethod
    def of(cls, given: dict[str, float]) -> "Rates":
        """Rates by the kind of agent.

        Raises:
            BackboneError: For an unknown kind, or a rate that is not from 0 to 1.
        """
        kinds = [field.name for field in fields(cls)]
        for kind, rate in given.items():
            if kind not in kinds:
                raise BackboneError(f"offline: no error rate for {kind!r}; there is one for each of {', '.join(kinds)}")
            if not 0 <= rate <= 1:
                raise BackboneError(f"offline: the error rate of {kind} is {rate}; it must be from 0 to 1")
        return cls(**given)


@dataclass(frozen=True)
class Dice:
    """Chances that depend on nothing but the seed, the request and the item: no order, no threads, no state."""

    seed: int
    request: bytes

    @classmethod
    def of(cls, seed: int, request: str) -> "Dice":
        """The dice of one request."""
        return cls(seed, hashlib.blake2b(request.encode("utf-8", "surrogatepass"), digest_size=16).digest())

    def draw(self, item: str) -> float:
        """A number from 0 up to 1 for this item."""
        said = f"{self.seed}\n{item}".encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.blake2b(said + self.request, digest_size=8).digest(), "big") / 2**64

    def errs(self, rate: float, item: str) -> bool:
        """Whether an agent with this error rate errs in this item."""
        return rate > 0 and self.draw(item) < rate


__all__ = ["Dice", "Rates"]
