"""The Tuning page's state: the view, the decision on the ladder and the bias that is set.

Query keys, all optional; Replay links here with ``hand``, ``ply`` and the bias: ``view``; ``hand``
and ``ply``; ``technique``, ``model``, ``c_bt``, ``k``, ``w``, ``delay``; ``iterations``, ``seed``;
and those of ``ui.tuning.sweep_state``. A point of the frontier sets the bias.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from analysis.decisions.ladder import C_BT_RUNGS, K_CHOICES, W_RUNGS
from analysis.sweeps.sweep import DIRECT, NONE, Setting
from spades.core.cards import SEAT_NAMES, SEATS
from spades.core.errors import SpadesError
from spades.core.records import RoundRecord
from spades.human import model_names
from spades.search import BiasSettings
from spades.search.bias import KNOWLEDGE, NEVER, ROOT_ONLY, TECHNIQUES, TESTED_DELAYS
from spades.search.search import STANDARD_ITERATIONS
from ui.replay.state import MAX_C_BT, MAX_K, MAX_W_OFFERED
from ui.shared.address import Address
from ui.shared.hands import DEFAULT_HAND, find_hand, shipped_hands
from ui.shared.old_page_state import PageState
from ui.tuning import sweep_state

VIEWS = {"ladder": "Ladder", "frontier": "Frontier", "run": "Run a sweep"}
ITERATION_CHOICES = (100, 500, 1000, 2500, 5000, 10_000)
DELAYS = (*TESTED_DELAYS, ROOT_ONLY, NEVER)
MAX_SEED = 2**31 - 1
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
MAX_ITERATIONS = 100_000
SCALES: dict[str, tuple] = {
    "c_bt": C_BT_RUNGS,
    "k": K_CHOICES,
    "w": W_RUNGS,
    "iterations": ITERATION_CHOICES,
}
LIMITS = {
    "c_bt": (0.0, MAX_C_BT),
    "k": (1.0, MAX_K),
    "w": (0, MAX_W_OFFERED),
    "iterations": (1, MAX_ITERATIONS),
}
"""As on Replay, where links lead to and come from."""
BIAS = ("technique", "model", "c_bt", "k", "w", "delay")


_page = PageState("tuning", DEFAULTS)
key, get, put, complain = _page.key, _page.get, _page.put, _page.complain


def read_state() -> list[str]:
    """Fill the session from the address where it says something new; what was wrong with it."""
    return _page.read(_values)


def _values(address: Address) -> dict[str, object]:
    hand = _hand(address)
    values = {
        "view": address.choice("view", tuple(VIEWS), "ladder"),
        "hand": hand,
        "ply": _ply(address, find_hand(hand)),
        "technique": address.choice("technique", TECHNIQUES, KNOWLEDGE),
        "model": address.choice("model", model_names(), BiasSettings.model),
        "c_bt": address.number("c_bt", *LIMITS["c_bt"], BiasSettings.c_bt),
        "k": address.number("k", *LIMITS["k"], BiasSettings.k),
        "w": address.integer("w", *LIMITS["w"], BiasSettings.w),
        "delay": address.choice("delay", DELAYS, BiasSettings.delay),
        "iterations": address.integer("iterations", *LIMITS["iterations"], STANDARD_ITERATIONS),
        "seed": address.integer("seed", 0, MAX_SEED, 0),
        **sweep_state.read(address),
    }
    for name in SCALES:
        values[name] = _give(name, values[name])
    return values


def nearest_of(choices: Sequence, wanted: float):
    return min(choices, key=lambda choice: abs(choice - wanted))


def stops(name: str) -> list:
    """What a control offers: its usual values, and the one that a link or a sweep gave."""
    return sorted({*SCALES[name], st.session_state.get(key(f"given_{name}"), get(name))})


def _give(name: str, value):
    """A value to be offered beside the usual ones; of those, the one that equals it."""
    given = next((usual for usual in SCALES[name] if usual == value), value)
    put(f"given_{name}", given)
    return given


def open_decisions(record: RoundRecord) -> list[int]:
    """Plies with more than one legal card."""
    legal = [state.legal_plays() for state in record.positions()][: len(record.plays)]
    return [ply for ply, cards in enumerate(legal) if cards & (cards - 1)]


def _ply(address: Address, record: RoundRecord) -> int:
    """The decision asked for, or the nearest one with a choice: what is shown instead is said."""
    unclear = Address(address.given)
    wanted = unclear.integer("ply", 0, 51, FIRST_PLY)
    plies = open_decisions(record)
    shown = nearest_of(plies, wanted) if plies else wanted
    if unclear.complaints:
        (complaint,) = unclear.complaints
        address.complaints.append(f"{complaint.rsplit(' Shown: ', 1)[0]} Shown: {shown}.")
    elif shown != wanted and "ply" in address.given:
        address.complaints.append(
            f"The link says ply={wanted}, {_why_closed(record, wanted)}; a ladder needs a choice. "
            f"Shown: ply {shown}, a play of {_mover(record, shown)}'s."
        )
    return shown


def _why_closed(record: RoundRecord, ply: int) -> str:
    if ply >= len(record.plays):
        return "which this round doesn't have"
    return f"a forced play of {_mover(record, ply)}'s"


def _mover(record: RoundRecord, ply: int) -> str:
    return SEAT_NAMES[SEATS[record.at(ply).table.turn]]


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
    return _page.is_first_look


def take_setting(setting: Setting, iterations: int | None = None) -> None:
    """Make a sweep's setting the ladder's; ``remarks`` says in what the two differ.

    ``iterations``: those that its agent thinks. The unbiased search is a bias of strength 0, direct
    imitation the strongest there is. What a setting doesn't say stays as it is.
    """
    differ = []
    strength = {NONE: C_BT_RUNGS[0], DIRECT: C_BT_RUNGS[-1]}.get(setting.technique)
    put("technique", KNOWLEDGE if strength is not None else setting.technique)
    if setting.technique == DIRECT:
        differ.append(
            "Direct imitation plays the likeliest human card and doesn't search. The ladder only "
            f"searches: this is the strongest usual bias, C_BT {strength:g}, which isn't the same."
        )
    wanted = {
        "c_bt": setting.c_bt if strength is None else strength,
        "k": setting.k,
        "w": setting.w,
        "iterations": iterations,
    }
    for name, value in wanted.items():
        if value is None:
            continue
        least, most = LIMITS[name]
        put(name, _give(name, min(max(value, least), most)))
        if get(name) != value:
            differ.append(f"The sweep's {name} is {value:g}; the ladder has {get(name):g}.")
    if setting.delay is not None:
        put("delay", _nearest_delay(str(setting.delay)))
        if get("delay") != str(setting.delay):
            differ.append(f"The sweep's delay is {setting.delay}; the ladder has {get('delay')}.")
    if setting.model in model_names():
        put("model", setting.model)
    elif setting.model:
        differ.append(f"The sweep's model {setting.model} isn't here; the ladder asks another.")
    put("differ", (differ, _set_now()))


def _nearest_delay(delay: str) -> str:
    if delay in DELAYS:
        return delay
    return str(nearest_of(tuple(map(int, TESTED_DELAYS)), int(delay)))


def _set_now() -> list:
    return [get(name) for name in (*BIAS, "iterations")]


def remarks() -> list[str]:
    """In what the ladder differs from the sweep's setting that it took, while it still has it."""
    differ, taken = st.session_state.get(key("differ"), ([], None))
    return differ if taken == _set_now() else []


def write_state() -> None:
    """Bring the address up to date with what is shown."""
    values = {name: get(name) for name in DEFAULTS}
    _page.write(values | sweep_state.written(values))


def bias() -> BiasSettings:
    """The bias that the controls say."""
    return BiasSettings(
        get("technique"), get("model"), float(get("c_bt")), float(get("k")), get("w"), get("delay")
    )
