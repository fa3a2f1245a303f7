"""What Replay's address says of the round browser: its log, which rounds, which page of them."""

from __future__ import annotations

from spades.notation.log_store import list_logs
from ui.shared.address import Address

FILTERS = {
    "all": "Every round",
    "nil": "With a nil",
    "failed": "With a failed nil",
    "set": "A side went set",
}
MAX_GAME_NAME = 100  # characters
MAX_PAGE = 1_000_000
BROWSE_DEFAULTS: dict[str, str | int | float | bool] = {
    "browse_log": "",  # the log on the table, or the first one
    "browse": "all",
    "browse_game": "",
    "browse_page": 1,
}


def log_names() -> list[str]:
    """The logs whose rounds can be looked through."""
    return [entry.name for entry in list_logs() if not entry.problem]


def read_browse(address: Address) -> dict[str, str | int | float | bool]:
    """The values that a link gives, complaints for those it can't."""
    return {
        "browse_log": _read_log(address),
        "browse": address.choice("browse", tuple(FILTERS), "all"),
        "browse_game": address.given.get("browse_game", "")[:MAX_GAME_NAME],
        "browse_page": address.integer("browse_page", 1, MAX_PAGE, 1),
    }


def _read_log(address: Address) -> str:
    name = address.given.get("browse_log", "")
    if name and name not in (names := log_names()):
        there = ", ".join(names) or "none"
        address.complaints.append(
            f"The link says browse_log={name[:40]}; there are: {there}. Shown: the usual one."
        )
        return ""
    return name
