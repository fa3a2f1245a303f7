"""The Data page's state: the view, the log looked at, and the form that generates one."""

from __future__ import annotations

import streamlit as st

from spades.core.cards import SEAT_NAMES, SEATS
from ui.shared.address import Address, write_address
from ui.shared.page_state import WrittenAddress

VIEWS = {"logs": "Logs", "import": "Import", "generate": "Generate"}
UNITS = ("games", "rounds")
MAX_GAMES = 1_000_000
MAX_SEED = 2**31 - 1
SEAT_QUERY = {seat: SEAT_NAMES[seat].lower() for seat in SEATS}
USUAL_AGENT = "ismcts:iterations=2500"
DEFAULTS: dict[str, str | int] = {
    "tab": "logs",
    "log": "",
    **dict.fromkeys(SEAT_QUERY.values(), USUAL_AGENT),
    "south": "human",
    "count": 100,
    "unit": "games",
    "seed": 0,
    "name": "simulated",
}
_address = WrittenAddress("data")


def key(name: str) -> str:
    """Session key of one of this page's values."""
    return f"data_{name}"


def get(name: str):
    return st.session_state[key(name)]


def get_log() -> str:
    """The log looked at; empty for none."""
    return get("log")


def put_log(name: str) -> None:
    st.session_state[key("log")] = name


def read_state() -> list[str]:
    """Fill the session from the address where it says something new; what was wrong with it."""
    given = st.query_params.to_dict()
    is_here = all(key(name) in st.session_state for name in DEFAULTS)
    if is_here and not _address.is_link(given):
        for name in DEFAULTS:  # kept while its control is not on the page
            st.session_state[key(name)] = get(name)
        return st.session_state[key("complaints")]
    given = given or _address.last or {}  # back through the sidebar
    _address.follow(given)
    address = Address(given)
    values = {
        "tab": address.choice("tab", tuple(VIEWS), "logs"),
        "count": address.integer("count", 1, MAX_GAMES, int(DEFAULTS["count"])),
        "unit": address.choice("unit", UNITS, "games"),
        "seed": address.integer("seed", 0, MAX_SEED, 0),
    }
    for name, default in DEFAULTS.items():
        if name not in values:
            values[name] = given.get(name, str(default))
    for name, value in values.items():
        st.session_state[key(name)] = value
    st.session_state[key("complaints")] = address.complaints
    return address.complaints


def write_state() -> None:
    """Bring the address up to date with the view shown and what it depends on."""
    shown = {"logs": ("log",), "generate": tuple(name for name in DEFAULTS if name != "log")}
    names = ("tab", *shown.get(get("tab"), ()))
    write_address({name: get(name) for name in names}, DEFAULTS)
    _address.keep()
