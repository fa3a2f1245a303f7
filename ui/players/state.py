"""The Players page's values, bound to its address, and the controls that its views share."""

from analysis.people.identify import USUAL_MODELS
from analysis.people.players import players_of
from analysis.people.plays_like import DECISIONS
from spades.core.errors import SpadesError
from ui.shared.address import Field, PageState
from ui.shared.codecs import TEXT, Choice, Integer
from ui.shared.records import log_shown_first, opened, readable_logs
from ui.shared.widgets import NO_LOGS, row

VIEWS = {
    "rates": "Rates",
    "model": "One player's model",
    "who": "Who played this?",
    "like": "Plays like",
}
"""Each has a module here, whose ``show`` draws it."""
COHORT = "four-humans"

page = PageState(
    "players",
    {
        "view": Field(Choice(VIEWS), "rates"),
        "log": Field(Choice(readable_logs), lambda _: log_shown_first(), is_always_written=True),
        "player": Field(TEXT, ""),
        "model": Field(TEXT, ""),  # a player's, among the user's own
        "cohort": Field(Choice(readable_logs), lambda _: log_shown_first(COHORT)),
        "models": Field(TEXT, USUAL_MODELS),
        "prior": Field(TEXT, ""),  # odds of each model; '': even
        "first": Field(Integer(0, 10_000_000), 0),  # of the player's rounds
        "rounds": Field(Integer(1, 200), 10),
        "decisions": Field(Choice((100, DECISIONS, 1_000)), DECISIONS),
    },
    files=("log", "cohort"),
)


def pick_player() -> tuple[str, str]:
    """The chosen log and player, '' if the log names nobody. Raises ``SpadesError`` for a log that
    can't be read."""
    if not readable_logs():
        raise SpadesError(NO_LOGS)
    with row():
        log = page.select("Log", "log", list(readable_logs()), width=260)
        labels = {
            player.name: f"{player.name} ({player.games:,} games)"
            for player in players_of(opened(log))
        }
        page.settle("player", labels, next(iter(labels), ""))
        player = page.select("Player", "player", labels, width=320)
    return log, player or ""
