"""What every model of human play offers, by scikit-learn's conventions.

``__init__`` only stores its arguments, under their own names; what is learned, or read from a
publication, ends in an underscore. A model sees observations, never a hidden hand.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spades.observation import Observation


class HumanModel(ABC):
    """A probability for every card that a human in this seat may play."""

    name: str

    @abstractmethod
    def predict_proba(self, observations: Sequence[Observation]) -> NDArray[np.float64]:
        """How likely a human plays each card, shape (n, 52), by dense index of the deck.

        Illegal cards are exactly 0, each row sums to 1. Raises
        :class:`~spades.errors.IllegalPlayError` for a seat that isn't to play.
        """
