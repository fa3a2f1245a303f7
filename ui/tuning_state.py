"""The Tuning page's state: the view, the decision on the ladder and the bias that is set.

Query keys, all optional; Replay links here with ``hand``, ``ply`` and the bias: ``view``; ``hand``
and ``ply``; ``technique``, ``model``, ``c_bt``, ``k``, ``w``, ``delay``; ``iterations``, ``seed``;
and those of :mod:`ui.sweep_state`. A point of the frontier sets the bias.
"""

from __future__ import annotations

from analysis.ladder import C_BT_RUNGS, K_CHOICES, W_RUNGS
from analysis.sweeps import DIRECT, NONE, Setting
from spades.errors import SpadesError
from spades.human import model_names
from spades.search import BiasSettings
from spades.search.bias import KNOWLEDGE, NEVER, ROOT_ONLY, TECHNIQUES, TESTED_DELAYS
from spades.search.search import STANDARD_ITERATIONS
from ui import sweep_state
from ui.address import Address
from ui.hands import DEFAULT_HAND, find_hand, shipped_hands
from ui.page_state import PageState

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
BIAS = ("technique", "model", "c_bt", "k", "w", "delay")


_page = PageState("tuning", DEFAULTS)
key, get, put, complain = _page.key, _page.get, _page.put, _page.complain


def read_state() -> list[str]:
    """Fill the session from the address where it says something new; what was wrong with it."""
    return _page.read(_values)


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
    return _page.is_first_look


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
    return str(nearest_of(tuple(map(int, TESTED_DELAYS)), int(delay)))


def write_state() -> None:
    """Bring the address up to date with what is shown."""
    values = {name: get(name) for name in DEFAULTS}
    _page.write(values | sweep_state.written(values))


def bias() -> BiasSettings:
    """The bias that the controls say."""
    return BiasSettings(
        get("technique"), get("model"), float(get("c_bt")), float(get("k")), get("w"), get("delay")
    )
