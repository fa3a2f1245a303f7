"""Spades: rules, records, models of human play, search, agents, and analyses of decisions.

>>> import spades
>>> (record,) = spades.read("bug-report-335")
>>> seen = record.observation(24)
>>> result = spades.search(seen, iterations=2500, seed=1)
>>> human = spades.shipped("devlin2016").probabilities(seen)
>>> for row in result.cards:
...     print(row.card, row.visits, f"{human[row.card]:.0%}")
S9 356 5%
ST 487 1%
SQ 352 1%
SK 340 1%
S2 316 2%
H4 276 44%
C8 373 44%

What is listed here is imported when it is asked for. The rooms below, from ``spades.core`` on, have
all the rest; data flows one way between them, and ``tests/test_layers.py`` fails otherwise.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analysis.library import analyse as analyse
    from analysis.library import play_match as play_match
    from spades.agents.own import register_bidder as register_bidder
    from spades.agents.own import register_player as register_player
    from spades.core.cards import Card as Card
    from spades.core.cards import Hand as Hand
    from spades.core.observation import Observation as Observation
    from spades.core.records import Record as Record
    from spades.human import register_prior as register_prior
    from spades.library import shipped as shipped
    from spades.notation import read as read
    from spades.search import search as search

__version__ = "0.2.0"

_HOMES = {
    "Card": ("spades.core.cards", "Card"),
    "Hand": ("spades.core.cards", "Hand"),
    "Observation": ("spades.core.observation", "Observation"),
    "Record": ("spades.core.records", "Record"),
    "analyse": ("analysis.library", "analyse"),
    "play_match": ("analysis.library", "play_match"),
    "read": ("spades.notation", "read"),
    "register_bidder": ("spades.agents.own", "register_bidder"),
    "register_player": ("spades.agents.own", "register_player"),
    "register_prior": ("spades.human", "register_prior"),
    "shipped": ("spades.library", "shipped"),
}
"""Where each name is from. ``search`` isn't here: it is the room ``spades.search``, which can be
called."""

__all__ = [
    "Card", "Hand", "Observation", "Record", "analyse", "play_match", "read", "register_bidder",
    "register_player", "register_prior", "search", "shipped",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "search":
        return import_module("spades.search")
    if name not in _HOMES:
        raise AttributeError(f"module 'spades' has no {name!r}; it has {', '.join(__all__)}")
    module, own_name = _HOMES[name]
    value = getattr(import_module(module), own_name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
