"""How well each way of dealing explains the true hidden cards: the stored scores.

``experiments/score_beliefs.py`` measures them and says how.
"""

from functools import lru_cache
from pathlib import Path

from spades.belief.determinizations.network import NetworkDeterminization
from spades.belief.determinizations.posterior import PosteriorDeterminization
from spades.core.documents import Document, read_json
from spades.core.errors import SpadesError
from spades.core.paths import DATA, stored_table

TABLE = DATA / "tables" / "belief_scores.json"
COMMAND = "python -m experiments.score_beliefs"

NETWORK_TOLD = f"{NetworkDeterminization.name}, told who plays"
POSTERIOR_TOLD = f"{PosteriorDeterminization.name}, told who plays"
OTHER_FLOORS = ("biased: 0.3", "biased: 1")
"""Biased deals with other floors than 0.02: no paper prints one."""
DEALT_FIRST = "cards dealt first, by the bids"
DEALT_LAST = "cards dealt last, by the table"
NO_RULE = "no rule at all"


def load_scores(path: Path = TABLE) -> Document | None:
    """The stored table, read again when it changes; None where it hasn't been made."""
    if not path.exists():
        return None
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=1)
def _read(path: Path, changed: int) -> Document:
    with stored_table(path, COMMAND, SpadesError):
        return dict(read_json(path))
