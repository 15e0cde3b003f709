"""What BERTScore needs from an encoder."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Encoder(Protocol):
    """A frozen transformer that reads at most `window` tokens of a text at once.

    A text's tokens stand between `prefix` and `suffix` (as [CLS] and [SEP]); tokens in `unweighted` can be matched, but
    do not count in the mean. `identity` is what must be printed beside a score: model, layer and versions.
    """

    @property
    def identity(self) -> str: ...
    @property
    def layer(self) -> int: ...
    @property
    def window(self) -> int: ...
    @property
    def prefix(self) -> tuple[int, ...]: ...
    @property
    def suffix(self) -> tuple[int, ...]: ...
    @property
    def unweighted(self) -> frozenset[int]: ...

    def token_ids(self, text: str) -> list[int]:
        """The tokens of the whole text, without prefix and suffix, never cut."""

    def vectors(self, token_ids: Sequence[int]) -> Vectors:
        """A row for each of the given tokens (prefix and suffix included), from one reading by the model."""


__all__ = ["Encoder", "Vectors"]
