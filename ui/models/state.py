"""The Models page's values, bound to its address. ``data``: a log; nothing: simulated rounds."""

from analysis.plots.models import MEASURES
from spades.human import model_names
from spades.notation.log_store import list_logs
from ui.shared.address import Choice, Field, Fields, Integer, PageState

VIEWS = {
    "compare": "Comparison",
    "one": "One model",
    "train": "Train",
    "weights": "Weights and moves",
}
MODULES = {"compare": "compare", "one": "one", "train": "one", "weights": "compare"}
FRESH = ""
ROUND_CHOICES = (200, 1000, 5000)
MAX_SEED = 2**31 - 1


def log_names() -> list[str]:
    return [entry.name for entry in list_logs() if not entry.problem]


def log_labels(simulated: str) -> dict[str, str]:
    """What a model is measured or trained on; ``simulated``: the name of simulated rounds."""
    return {simulated: "Simulated rounds", **{name: name for name in log_names()}}


FIELDS = Fields(
    {
        "view": Field(Choice(VIEWS), "compare"),
        "measure": Field(Choice(MEASURES), "share_of_ceiling"),
        "model": Field(Choice(model_names), "devlin2016"),
        "data": Field(Choice(lambda: (FRESH, *log_names())), FRESH),
        "rounds": Field(Choice(ROUND_CHOICES), 1000),
        "seed": Field(Integer(0, MAX_SEED), 202),
    }
)

page = PageState("models", FIELDS)
key, get, put = page.key, page.get, page.put
