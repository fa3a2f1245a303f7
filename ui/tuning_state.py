"""The Tuning page's state: the bias looked at, the sweep looked at, and the form for a new one.

The bias that the ladder shows and that a point of the frontier sets: ``technique``, ``c_bt`` and
``k`` (floats), ``w`` (int), ``delay`` (text) and ``model``; session keys begin with ``tuning_``.
"""

from __future__ import annotations

import streamlit as st

from analysis.sweep_views import ACCURACY_ALL, CLOSENESS, HEAT, WIN_RATE
from analysis.sweeps import DIRECT, NONE, Setting
from spades.search.bias import MAX_W, BiasSettings
from ui.address import Address, write_address

TECHNIQUES = ("knowledge", "experience")
CHARTS = {"frontier": "Frontier", "heat": "Heat map", "time": "Time"}
MAX_SEED = 2**31 - 1
MAX_COUNT = 1_000_000
MAX_C_BT, MAX_K = 1e6, 1e9
BIAS: dict[str, str | int | float] = {
    "technique": TECHNIQUES[0],
    "c_bt": BiasSettings.c_bt,
    "k": BiasSettings.k,
    "w": BiasSettings.w,
    "delay": BiasSettings.delay,
    "model": BiasSettings.model,
}
VIEW: dict[str, str | int | float] = {
    "sweep": "devlin-fig1",
    "chart": "frontier",
    "x": ACCURACY_ALL.name,
    "heat": WIN_RATE.name,
    "family": "",
    "point": "",
}
FORM_TEXTS: dict[str, str | int | float] = {
    "sweep_techniques": "knowledge",
    "sweep_models": "devlin2016",
    "sweep_c_bt": "0.03, 0.1",
    "sweep_k": "100, 1000",
    "sweep_w": "10",
    "sweep_delay": "1",
    "sweep_budget": "2500",
    "sweep_log": "human-south",
    "sweep_name": "my sweep",
}
FORM_NUMBERS = {
    "sweep_games": (0, MAX_COUNT, 40),
    "sweep_decisions": (0, MAX_COUNT, 1000),
    "sweep_rounds": (0, MAX_COUNT, 100),
    "sweep_seed": (0, MAX_SEED, 1),
    "sweep_iterations": (1, 1_000_000, 2500),
}
DEFAULTS: dict[str, str | int | float] = {
    **BIAS,
    **VIEW,
    **FORM_TEXTS,
    **{name: default for name, (_, _, default) in FORM_NUMBERS.items()},
}
LISTS = ("sweep_techniques", "sweep_models")
SEPARATOR = "|"


def key(name: str) -> str:
    """Session key of one of this page's values."""
    return f"tuning_{name}"


def get(name: str):
    return st.session_state[key(name)]


def put(name: str, value: object) -> None:
    st.session_state[key(name)] = value


def read_state() -> list[str]:
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
    for name, value in _values(address).items():
        put(name, value)
    put("complaints", address.complaints)
    return address.complaints


def _values(address: Address) -> dict[str, object]:
    given = address.given
    values: dict[str, object] = {
        "technique": address.choice("technique", TECHNIQUES, TECHNIQUES[0]),
        "c_bt": address.number("c_bt", 0.0, MAX_C_BT, BiasSettings.c_bt),
        "k": address.number("k", 1e-9, MAX_K, BiasSettings.k),
        "w": address.integer("w", 0, MAX_W, BiasSettings.w),
        "chart": address.choice("chart", tuple(CHARTS), "frontier"),
        "x": address.choice("x", tuple(CLOSENESS), ACCURACY_ALL.name),
        "heat": address.choice("heat", tuple(HEAT), WIN_RATE.name),
    }
    for name, (low, high, default) in FORM_NUMBERS.items():
        values[name] = address.integer(name, low, high, default)
    for name, default in DEFAULTS.items():
        text = given.get(name, str(default))
        values.setdefault(name, text.split(SEPARATOR) if name in LISTS else text)
    return values


def is_first_look() -> bool:
    """Whether the page shows what a link asked for, and nothing has been chosen since."""
    return key("written") not in st.session_state


def complain(complaint: str) -> None:
    """Say that the link asked for something that isn't there."""
    if complaint not in get("complaints"):
        get("complaints").append(complaint)


def write_state() -> None:
    """Bring the address up to date."""
    values = {name: get(name) for name in DEFAULTS}
    for name in LISTS:
        values[name] = SEPARATOR.join(values[name])
    before = st.session_state.get(key("written"))
    write_address(values, DEFAULTS)
    put("written", st.query_params.to_dict())
    if before is not None and get("written") != before:
        put("complaints", [])  # the reader has moved on


def take_setting(setting: Setting) -> None:
    """Make a sweep's setting the ladder's; what it doesn't say stays as it is.

    The unbiased search is a bias of strength 0, direct imitation one that overrules the search.
    """
    if setting.technique in (NONE, DIRECT):
        put("technique", TECHNIQUES[0])
        put("c_bt", 0.0 if setting.technique == NONE else 1e6)
    else:
        put("technique", setting.technique)
    for name in ("c_bt", "k", "w", "model"):
        if (value := getattr(setting, name)) is not None:
            put(name, value)
    if setting.delay is not None:
        put("delay", str(setting.delay))
