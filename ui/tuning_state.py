"""The Tuning page's state: the view, the decision on the ladder and the bias that is set.

Query keys, all optional; Replay links here with ``hand``, ``ply`` and the bias: ``view``; ``hand``
and ``ply``; ``technique``, ``model``, ``c_bt``, ``k``, ``w``, ``delay``; ``iterations``, ``seed``;
and those of :mod:`ui.sweep_state`. A point of the frontier sets the bias.
"""

from __future__ import annotations

import time

import streamlit as st

from analysis.ladder import C_BT_RUNGS, K_CHOICES, W_RUNGS
from analysis.sweeps import DIRECT, NONE, Setting
from spades.errors import SpadesError
from spades.human import model_names
from spades.search import BiasSettings
from spades.search.bias import KNOWLEDGE, TECHNIQUES
from spades.search.search import STANDARD_ITERATIONS
from ui import sweep_state
from ui.address import Address, write_address
from ui.hands import DEFAULT_HAND, find_hand, shipped_hands

VIEWS = {"ladder": "Ladder", "frontier": "Frontier", "run": "Run a sweep"}
ITERATION_CHOICES = (100, 500, 1000, 2500, 5000, 10_000)
DELAYS = ("1", "2", "5", "10", "20", "50", "100", "200", "500", "1000", "2000", "root", "inf")
MAX_SEED = 2**31 - 1
LATE_SECONDS = 3.0
FIRST_PLY = 20  # a lead of the default hand where humans and search differ
DEFAULTS: dict[str, str | int | float] = {
    "view": "ladder",
    "hand": DEFAULT_HAND,
    "ply": FIRST_PLY,
    "technique": KNOWLEDGE,
    "model": BiasSettings.model,
    "c_bt": BiasSettings.c_bt,
    "k": BiasSettings.k,
    "w": BiasSettings.w,
    "delay": BiasSettings.delay,
    "iterations": STANDARD_ITERATIONS,
    "seed": 0,
    **sweep_state.DEFAULTS,
}
BIAS = ("technique", "model", "c_bt", "k", "w", "delay")


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
    if is_here and (given == written or _is_late(given)):
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


def _is_late(given: dict[str, str]) -> bool:
    """Whether this is the address that was written over a moment ago, and no link.

    A browser sends its address with every click; a quick one may come before it knows the new one.
    """
    left, since = st.session_state.get(key("left"), (None, 0.0))
    return given == left and time.monotonic() - since < LATE_SECONDS


def _values(address: Address) -> dict[str, object]:
    return {
        "view": address.choice("view", tuple(VIEWS), "ladder"),
        "hand": _hand(address),
        "ply": address.integer("ply", 0, 51, FIRST_PLY),
        "technique": address.choice("technique", TECHNIQUES, KNOWLEDGE),
        "model": address.choice("model", model_names(), BiasSettings.model),
        "c_bt": _nearest(address, "c_bt", C_BT_RUNGS, BiasSettings.c_bt),
        "k": _nearest(address, "k", K_CHOICES, BiasSettings.k),
        "w": _nearest(address, "w", W_RUNGS, BiasSettings.w),
        "delay": address.choice("delay", DELAYS, BiasSettings.delay),
        "iterations": _nearest(address, "iterations", ITERATION_CHOICES, STANDARD_ITERATIONS),
        "seed": address.integer("seed", 0, MAX_SEED, 0),
        **sweep_state.read(address),
    }


def nearest_of(choices: tuple, wanted: float):
    return min(choices, key=lambda choice: abs(choice - wanted))


def _nearest(address: Address, name: str, choices: tuple, usual: float):
    """The nearest of the choices that the page offers."""
    wanted = address.number(name, choices[0], choices[-1], usual)
    nearest = nearest_of(choices, wanted)
    if nearest != wanted:
        offered = ", ".join(f"{choice:g}" for choice in choices)
        address.complaints.append(
            f"The link says {name}={wanted:g}; this page offers {offered}. Shown: {nearest:g}."
        )
    return nearest


def _hand(address: Address) -> str:
    name = address.given.get("hand", DEFAULT_HAND)
    try:
        find_hand(name)
    except SpadesError as error:
        address.complaints.append(f"{error}. Shown: {DEFAULT_HAND}.")
        return next(iter(shipped_hands()))
    return name


def is_first_look() -> bool:
    """Whether the page shows what a link asked for, and nothing has been chosen since."""
    return key("written") not in st.session_state


def complain(complaint: str) -> None:
    """Say that the link asked for something that isn't there."""
    if complaint not in get("complaints"):
        get("complaints").append(complaint)


def take_setting(setting: Setting) -> None:
    """Make a sweep's setting the ladder's, at the nearest values that it offers.

    The unbiased search is a bias of strength 0, direct imitation the strongest there is. What a
    setting doesn't say stays as it is.
    """
    strength = {NONE: C_BT_RUNGS[0], DIRECT: C_BT_RUNGS[-1]}.get(setting.technique)
    put("technique", KNOWLEDGE if strength is not None else setting.technique)
    c_bt = setting.c_bt if strength is None else strength
    for name, choices, wanted in (
        ("c_bt", C_BT_RUNGS, c_bt),
        ("k", K_CHOICES, setting.k),
        ("w", W_RUNGS, setting.w),
    ):
        if wanted is not None:
            put(name, nearest_of(choices, wanted))
    if setting.delay is not None:
        put("delay", _nearest_delay(str(setting.delay)))
    if setting.model in model_names():
        put("model", setting.model)


def _nearest_delay(delay: str) -> str:
    if delay in DELAYS:
        return delay
    return str(nearest_of(tuple(int(one) for one in DELAYS if one.isdigit()), int(delay)))


def write_state() -> None:
    """Bring the address up to date with what is shown."""
    before = st.session_state.get(key("written"))
    values = {name: get(name) for name in DEFAULTS}
    write_address(values | sweep_state.written(values), DEFAULTS)
    put("written", st.query_params.to_dict())
    if before is not None and get("written") != before:
        put("left", (before, time.monotonic()))
        put("complaints", [])  # the reader has moved on


def bias() -> BiasSettings:
    """The bias that the controls say."""
    return BiasSettings(
        get("technique"), get("model"), float(get("c_bt")), float(get("k")), get("w"), get("delay")
    )
