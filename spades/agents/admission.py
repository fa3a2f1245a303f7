"""The one place where a text runs code that it names: ``py:module.Name``.

A text may name a player, a bidder, and the model of an option: ``ismcts:bias=puct,model=py:m.f``.
Commands call ``admit`` for the agents that their user has typed, and the functions of
``import spades`` for those that they are called with. Pages, tables and readers of files don't
import this module, which ``tests/test_layers.py`` holds: there a text is looked up only.
"""

import re

from spades.agents.own import BidderCode, PlayerCode
from spades.core.own_code import PREFIX, OwnCode
from spades.human.own import PriorCode

_MODEL = re.compile(rf"=\s*({PREFIX}[\w.]+)")


def admit(*texts: str) -> None:
    """Import what agents' texts name by ``py:``, so that ``parse_agent`` knows it from now on.

    A module is imported once a process; ``ProgramError`` says what is wrong with one."""
    for text in texts:
        player, _, bidder = (part.strip() for part in text.partition("+"))
        _admit(PlayerCode, player)
        _admit(BidderCode, bidder)
        for name in _MODEL.findall(text):
            _admit(PriorCode, name)


def admit_models(*names: str) -> None:
    """Import the models among these that are named by ``py:``, as ``admit`` does."""
    for name in names:
        _admit(PriorCode, name)


def _admit(role: type[OwnCode], name: str) -> None:
    if name.startswith(PREFIX) and role.registered(name) is None:
        role.load(name)
