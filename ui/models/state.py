"""The Models page's state: the view, the measure compared, the model looked at and its data.

Query keys, all optional: ``view``, ``measure``, ``model``, ``data`` (a log's name, none:
simulated rounds), ``rounds``, ``seed``.
"""

from __future__ import annotations

from analysis.plots.models import MEASURES
from spades.human import model_names
from ui.shared.address import Address
from ui.shared.old_page_state import PageState

VIEWS = {
    "compare": "Comparison",
    "one": "One model",
    "train": "Train",
    "weights": "Weights and moves",
}
FRESH = ""
ROUND_CHOICES = (200, 1000, 5000)
MAX_SEED = 2**31 - 1
DEFAULTS: dict[str, str | int] = {
    "view": "compare",
    "measure": "share_of_ceiling",
    "model": "devlin2016",
    "data": FRESH,
    "rounds": 1000,
    "seed": 202,
}


_page = PageState("models", DEFAULTS)
key, get, put = _page.key, _page.get, _page.put


def read_state(logs: list[str]) -> list[str]:
    """Fill the session from the address where it says something new; what was wrong with it."""
    return _page.read(lambda address: _values(address, logs))


def _values(address: Address, logs: list[str]) -> dict[str, object]:
    return {
        "view": address.choice("view", tuple(VIEWS), "compare"),
        "measure": address.choice("measure", tuple(MEASURES), "share_of_ceiling"),
        "model": address.choice("model", model_names(), "devlin2016"),
        "data": address.choice("data", (FRESH, *logs), FRESH),
        "rounds": int(address.choice("rounds", tuple(map(str, ROUND_CHOICES)), "1000")),
        "seed": address.integer("seed", 0, MAX_SEED, 202),
    }


def write_state() -> None:
    """Bring the address up to date with what is shown."""
    _page.write({name: get(name) for name in DEFAULTS})
