"""The Data page's values, bound to its address."""

from spades.core.cards import SEAT_NAMES
from ui.shared.address import Field, PageState
from ui.shared.codecs import TEXT, Choice, Integer
from ui.shared.log_fields import LOG
from ui.shared.views import View, view_field

SEATS = [name.lower() for name in SEAT_NAMES.values()]
SEARCHER = Field(TEXT, "ismcts:iterations=2500")
GENERATE = {
    "north": SEARCHER,
    "east": SEARCHER,
    "south": Field(TEXT, "human"),
    "west": SEARCHER,
    "count": Field(Integer(1, 1_000_000), 100),
    "unit": Field(Choice(("games", "rounds")), "games"),
    "seed": Field(Integer(0, 2**31 - 1), 0),
    "name": Field(TEXT, "simulated"),
}
# The token of a study's owner is in the address of that view alone: the bar shows everybody the
# address at which a job was started.
VIEWS = {
    "logs": View("Logs", "ui.data.logs:show_logs", ["log"]),
    "import": View("Import", "ui.data.logs:show_import", []),
    "generate": View("Generate", "ui.data.logs:show_generate", list(GENERATE)),
    "studies": View("Studies", "ui.data.studies:show", ["owner"]),
}
page = PageState(
    "data",
    {"view": view_field(VIEWS), "log": LOG, **GENERATE, "owner": Field(TEXT, "")},
    files=("log",),
)
