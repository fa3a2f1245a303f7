"""The one place where a text runs code that it names: ``py:module.Name``.

Commands call ``admit`` for the agents that their user has typed, and the functions of
``import spades`` for those that they are called with. Pages, tables and readers of files don't
import this module, which ``tests/test_layers.py`` holds: there a text is looked up only.
"""

from spades.agents.own import BidderCode, PlayerCode
from spades.core.own_code import PREFIX


def admit(*texts: str) -> None:
    """Import what agents' texts name by ``py:``, so that ``parse_agent`` knows it from now on.

    A module is imported once a process; ``ProgramError`` says what is wrong with one."""
    for text in texts:
        player, _, bidder = (part.strip() for part in text.partition("+"))
        for role, name in ((PlayerCode, player), (BidderCode, bidder)):
            if name.startswith(PREFIX) and role.registered(name) is None:
                role.load(name)
