"""What the Tuning page's address says of sweeps: the one looked at, and the form for a new one.

Query keys: ``sweep`` (a shipped one's name, another's key), ``chart``, ``x`` (how human), ``heat``
and ``family`` of the heat map, ``point`` (the key of the setting picked), and the form's, which
begin with ``sweep_``. Read and written by ``ui.tuning.state``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.sweeps.sweep import NEEDS, NONE
from analysis.sweeps.views import ACCURACY_ALL, CLOSENESS, HEAT, WIN_RATE
from ui.shared.address import Address

CHARTS = {"frontier": "Frontier", "heat": "Heat map", "time": "Time"}
MAX_COUNT, MAX_SEED = 1_000_000, 2**31 - 1
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
    "sweep_iterations": (1, MAX_COUNT, 2500),
}
DEFAULTS: dict[str, str | int | float] = {
    **VIEW,
    **FORM_TEXTS,
    **{name: default for name, (_, _, default) in FORM_NUMBERS.items()},
}
TECHNIQUES = tuple(one for one in NEEDS if one != NONE)
LISTS = ("sweep_techniques", "sweep_models")
SEPARATOR = "|"


def read(address: Address) -> dict[str, object]:
    """Every value, from the address or its default."""
    given = address.given
    values: dict[str, object] = {
        "chart": address.choice("chart", tuple(CHARTS), "frontier"),
        "x": address.choice("x", tuple(CLOSENESS), ACCURACY_ALL.name),
        "heat": address.choice("heat", tuple(HEAT), WIN_RATE.name),
    }
    for name, (low, high, default) in FORM_NUMBERS.items():
        values[name] = address.integer(name, low, high, default)
    for name, default in DEFAULTS.items():
        text = given.get(name, str(default))
        values.setdefault(name, text.split(SEPARATOR) if name in LISTS else text)
    values["sweep_techniques"] = _techniques(address, values["sweep_techniques"])
    return values


def _techniques(address: Address, asked: Sequence[str]) -> list[str]:
    """Those of the list that there are."""
    known = [one for one in dict.fromkeys(asked) if one in TECHNIQUES]
    if unknown := [one for one in asked if one not in TECHNIQUES]:
        address.complaints.append(
            f"The link says sweep_techniques={unknown[0][:40]}; legal are {', '.join(TECHNIQUES)}. "
            f"Shown: {', '.join(known) or 'none'}."
        )
    return known


def written(values: Mapping) -> dict[str, str]:
    """Lists among the values as the address writes them."""
    return {name: SEPARATOR.join(values[name]) for name in LISTS}
