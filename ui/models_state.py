"""The Models page's state: the view, the measure compared, the model looked at and its data.

Query keys, all optional: ``view``, ``measure``, ``model``, ``data`` (a log's name, none: fresh
simulated rounds), ``rounds``, ``seed``; of a training: ``architecture``, ``train_on``.
"""

from __future__ import annotations

import streamlit as st

from analysis.plots.models import MEASURES
from spades.human import model_names
from ui.address import Address, write_address

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


def key(name: str) -> str:
    """Session key of one of this page's values."""
    return f"models_{name}"


def get(name: str):
    return st.session_state[key(name)]


def put(name: str, value: object) -> None:
    st.session_state[key(name)] = value


def read_state(logs: list[str]) -> list[str]:
    """Fill the session from the address where it says something new; what was wrong with it."""
    given = st.query_params.to_dict()
    written = st.session_state.get(key("written"))
    is_here = all(key(name) in st.session_state for name in DEFAULTS)
    if is_here and given == written:
        for name in DEFAULTS:  # kept while its control is not on the page
            put(name, get(name))
        return get("complaints")
    if is_here and not given:
        given = written or {}  # back through the sidebar
    address = Address(given)
    values = {
        "view": address.choice("view", tuple(VIEWS), "compare"),
        "measure": address.choice("measure", tuple(MEASURES), "share_of_ceiling"),
        "model": address.choice("model", model_names(), "devlin2016"),
        "data": address.choice("data", (FRESH, *logs), FRESH),
        "rounds": int(address.choice("rounds", tuple(map(str, ROUND_CHOICES)), "1000")),
        "seed": address.integer("seed", 0, MAX_SEED, 202),
    }
    for name, value in values.items():
        put(name, value)
    put("complaints", address.complaints)
    return address.complaints


def write_state() -> None:
    """Bring the address up to date with what is shown."""
    before = st.session_state.get(key("written"))
    write_address({name: get(name) for name in DEFAULTS}, DEFAULTS)
    put("written", st.query_params.to_dict())
    if before is not None and get("written") != before:
        put("complaints", [])  # the reader has moved on
