"""What the address says of the "why this card" panels: which are open, and how they are set."""

from __future__ import annotations

from spades.belief import DETERMINIZERS
from ui.shared.address import Address

SEARCH_COUNTS = (20, 100, 300, 1000)
DEAL_COUNTS = (100, 300, 1000)
TRIAL_COUNTS = (200, 1000, 5000)
DEALINGS = tuple(DETERMINIZERS)
AS_SEARCH = "search"  # whatever the search of the decision table deals by
PANEL_DEALINGS = (AS_SEARCH, *DEALINGS)
POLICIES = ("srp", "wrp", "human", "random")
WHY_DEFAULTS: dict[str, str | int | float | bool] = {
    "stability": False,
    "searches": 100,
    "deals": False,
    "deal_count": 300,
    "dealing": AS_SEARCH,
    "deal": 1,
    "whatif": False,
    "trials": 1000,
    "whatif_dealing": AS_SEARCH,
    "policy": "srp",
}


def read_why(address: Address) -> dict[str, str | int | float | bool]:
    """The values that a link gives, complaints for those it can't."""
    return {
        "stability": address.flag("stability"),
        "searches": _count(address, "searches", SEARCH_COUNTS),
        "deals": address.flag("deals"),
        "deal_count": _count(address, "deal_count", DEAL_COUNTS),
        "dealing": address.choice("dealing", PANEL_DEALINGS, AS_SEARCH),
        "deal": address.integer("deal", 1, max(DEAL_COUNTS), 1),
        "whatif": address.flag("whatif"),
        "trials": _count(address, "trials", TRIAL_COUNTS),
        "whatif_dealing": address.choice("whatif_dealing", PANEL_DEALINGS, AS_SEARCH),
        "policy": address.choice("policy", POLICIES, "srp"),
    }


def _count(address: Address, name: str, choices: tuple[int, ...]) -> int:
    offered = tuple(str(choice) for choice in choices)
    return int(address.choice(name, offered, str(WHY_DEFAULTS[name])))
