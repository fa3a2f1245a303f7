"""The Players page's values, bound to its address, and the controls that its views share."""

from analysis.people.players import players_of
from spades.notation.log_store import list_logs
from ui.shared.address import TEXT, Choice, Field, PageState
from ui.shared.records import opened
from ui.shared.widgets import row

VIEWS = {"model": "One player's model"}
"""Each has a module here, whose ``show`` draws it."""
SHOWN_FIRST = "human-south"


def log_names() -> list[str]:
    """The readable logs, ``SHOWN_FIRST`` first."""
    names = [entry.name for entry in list_logs() if entry.is_readable]
    return sorted(names, key=lambda name: name != SHOWN_FIRST)


page = PageState(
    "players",
    {
        "view": Field(Choice(VIEWS), "model"),
        "log": Field(Choice(log_names), SHOWN_FIRST, is_always_written=True),
        "player": Field(TEXT, ""),
        "model": Field(TEXT, ""),  # of a player, one's own
    },
    files=("log",),
)


def pick_player() -> tuple[str, str]:
    """The log and the player chosen, '' where the log names nobody; ``SpadesError`` for a log that
    can't be read."""
    with row():
        log = page.select("Log", "log", width=260)
        known = {one.name: f"{one.name} ({one.games:,} games)" for one in players_of(opened(log))}
        page.settle("player", known, next(iter(known), ""))
        player = page.select("Player", "player", known, width=320)
    return log, player or ""
