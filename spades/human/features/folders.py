"""Training examples of logs larger than memory: the plays of a folder, in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spades.core.errors import Refusal
from spades.core.kernel import BoolArray
from spades.core.logs import KnownGames, KnownRounds
from spades.human.features.logs import HUMANS, Examples, examples_of_kind

if TYPE_CHECKING:  # pyarrow takes a while to import
    from spades.notation.log_folder import LogFolder

ROUNDS_A_PART = 4_096


class ExampleParts:
    """The decisions of a folder's rounds in parts, each of which is read whenever it is asked for.

    Rounds that repeat an earlier one are left out; ``refused``: rounds that break a rule. ``seats``
    as in ``examples_of_log``. Raises ``InvalidRecordError`` for a part that can't be read, and for
    a game with rounds in two parts.

    >>> from spades.core.paths import DATA
    >>> from spades.notation.log_folder import open_folder
    >>> parts = ExampleParts(open_folder(DATA / "logs"))
    >>> examples = parts.read(0)
    >>> parts.n_rounds > 0, examples.views.shape == (len(examples), 24)
    (True, True)
    """

    def __init__(self, folder: LogFolder, seats: str = HUMANS) -> None:
        self.folder = folder
        self.seats = seats
        self.refused: list[Refusal] = []
        self.n_rounds = 0
        self._numbers = list(folder.together(ROUNDS_A_PART))
        self._is_new: list[BoolArray] = []
        rounds = KnownRounds()
        games = KnownGames()
        for numbers in self._numbers:
            log, refusals = folder.read(*numbers)
            games.add(log, folder.path.name)
            is_new = ~rounds.repeated(log)
            self.refused += refusals
            self.n_rounds += int(is_new.sum())
            self._is_new.append(is_new)

    def __len__(self) -> int:
        return len(self._numbers)

    def read(self, i: int) -> Examples:
        """The examples of a part, in order; may be none."""
        log, _ = self.folder.read(*self._numbers[i])
        return examples_of_kind(log.take(self._is_new[i]), self.seats)
