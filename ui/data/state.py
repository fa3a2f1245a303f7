"""The Data page's state: the view, the log looked at, and the form that generates one."""

from spades.core.cards import SEAT_NAMES, SEATS
from ui.shared.address import Choice, Field, Fields, Integer, PageState, Text

VIEWS = {"logs": "Logs", "import": "Import", "generate": "Generate"}
UNITS = ("games", "rounds")
MAX_GAMES = 1_000_000
MAX_SEED = 2**31 - 1
SEAT_QUERY = {seat: SEAT_NAMES[seat].lower() for seat in SEATS}
USUAL_AGENT = "ismcts:iterations=2500"
FORM = {
    **dict.fromkeys(SEAT_QUERY.values(), Field(Text(), USUAL_AGENT)),
    "south": Field(Text(), "human"),
    "count": Field(Integer(1, MAX_GAMES), 100),
    "unit": Field(Choice(UNITS), "games"),
    "seed": Field(Integer(0, MAX_SEED), 0),
    "name": Field(Text(), "simulated"),
}
FIELDS = Fields({"tab": Field(Choice(VIEWS), "logs"), "log": Field(Text(), ""), **FORM})
SHOWN = {"logs": ("log",), "import": (), "generate": tuple(FORM)}

page = PageState("data", FIELDS)
key, get, put = page.key, page.get, page.put
