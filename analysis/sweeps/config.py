"""Sweeps as TOML: numbers for the whole sweep, and tables ``[[grid]]`` of values to combine.

    title = "A first look"
    games = 200            # of each setting against the unbiased search, an even number
    decisions = 2000       # of humans, to be predicted
    rounds = 300           # in the human's seat, for abstract moves
    seed = 1
    log = "human-south"    # held-out play
    iterations = 2500      # of the unbiased search

    [[grid]]
    technique = "knowledge"
    model = "devlin2016"
    c_bt = [0.01, 0.03, 0.1]
    k = "baier2018"        # a published list of values
    delay = [1, "root"]
    iterations = [2500, "equal-time"]

Every combination of a grid's values is a setting. What is wrong is said with what would be right.
"""

from __future__ import annotations

import itertools
import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from analysis.sweeps.sweep import (
    COUNTS,
    DIRECT,
    EQUAL_TIME,
    MAX_SETTINGS,
    NEEDS,
    NEVER,
    ROOT,
    Setting,
    SweepError,
    SweepPlan,
)
from spades.core.paths import DATA

SWEEPS = DATA / "sweeps"
MAX_BYTES = 1_000_000
PUBLISHED: dict[str, dict[str, tuple[Any, ...]]] = {
    "c_bt": {
        "baier2018": (0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2),
        "devlin2016": (0.01, 0.02, 0.03, 0.05, 0.1),
    },
    "k": {
        "baier2018": (10, 20, 50, 100, 200, 500, 1000, 2000),
        "devlin2016": (50, 100, 200, 500, 1000),
    },
    "w": {"baier2018": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)},
    "delay": {"baier2018": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, NEVER)},
}
"""Lists of values by name. Baier 2018 prints his (section IV); Devlin 2016 prints the values 0.03
and 0.1 of C_BT and 50, 100 and 1000 of DR, his K: the rest of that list is our reading of a figure
that we don't have."""

_GRID = ("technique", "model", "c_bt", "k", "w", "delay", "iterations")
_DEFAULTS: dict[str, Any] = {"delay": 1}
_WHOLE = ("games", "decisions", "rounds", "seed", "iterations")
_TEXTS = ("title", "log")


def read_sweep(path: Path) -> SweepPlan:
    """The sweep of a TOML file, named as the file; ``SweepError`` says what is wrong."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise SweepError(f"{path.name} has more than {MAX_BYTES:,} bytes: that is no sweep")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise SweepError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise SweepError(f"{path.name} isn't UTF-8 text; a sweep is a TOML file") from None
    return parse_sweep(text, path.stem)


def parse_sweep(text: str, name: str) -> SweepPlan:
    """The sweep of a TOML text."""
    try:
        config = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SweepError(f"{name}: no TOML: {error}") from None
    return sweep_of(config, name)


def sweep_of(config: Mapping[str, Any], name: str) -> SweepPlan:
    """The sweep of a configuration as TOML reads it."""
    _check_keys(config, (*_WHOLE, *_TEXTS, "grid"), name)
    values = {key: _whole(config[key], f"{name}: {key}") for key in _WHOLE if key in config}
    texts = {key: _text(config[key], f"{name}: {key}") for key in _TEXTS if key in config}
    grids = config.get("grid")
    if not isinstance(grids, list) or not grids or not all(isinstance(g, dict) for g in grids):
        raise SweepError(f"{name}: there must be at least one table [[grid]] of values to combine")
    usual = values.get("iterations", SweepPlan.iterations)
    settings = [
        setting
        for number, grid in enumerate(grids, 1)
        for setting in _settings(grid, usual, f"{name}: grid {number}")
    ]
    return SweepPlan(tuple(settings), name=name, **values, **texts)  # type: ignore[arg-type]


def _settings(grid: Mapping[str, Any], iterations: int, where: str) -> list[Setting]:
    """Every combination of a grid's values."""
    _check_keys(grid, _GRID, where)
    settings: list[Setting] = []
    techniques = _values(grid, "technique", where)
    for technique in techniques:
        names = [*NEEDS[technique], *([] if technique == DIRECT else ["iterations"])]
        lists = [_values({"iterations": iterations, **grid}, name, where) for name in names]
        if (n := len(settings) + math.prod(map(len, lists))) > MAX_SETTINGS:
            raise SweepError(f"{where}: {n:,} settings; at most {MAX_SETTINGS} are possible")
        for values in itertools.product(*lists):
            chosen = {"iterations": None, **dict(zip(names, values, strict=True))}
            settings.append(Setting(technique, **chosen))
    used = {"technique", "iterations", *(name for one in techniques for name in NEEDS[one])}
    if idle := sorted(set(grid) - used):
        raise SweepError(
            f"{where}: {', '.join(idle)} means nothing for {' and '.join(techniques)}; "
            f"{_needs_text(techniques)}"
        )
    return settings


def _needs_text(techniques: list[str]) -> str:
    return "; ".join(f"{one} takes {', '.join(NEEDS[one]) or 'nothing'}" for one in techniques)


def _values(grid: Mapping[str, Any], name: str, where: str) -> list[Any]:
    """The values of one key, checked one by one; a single value is a list of one."""
    where = f"{where}: {name}"
    given = grid.get(name, _DEFAULTS.get(name))
    if given is None:
        raise SweepError(f"{where} is missing; {_LEGAL[name]}")
    known = PUBLISHED.get(name, {})
    if isinstance(given, str) and given in known:
        given = list(known[given])
    values = given if isinstance(given, list) else [given]
    if not values:
        raise SweepError(f"{where} is an empty list; {_LEGAL[name]}")
    return list(dict.fromkeys(_value(value, name, where) for value in values))


_LEGAL = {
    "technique": f"one or several of {', '.join(NEEDS)} are legal",
    "model": 'the name of a human model, as "devlin2016"',
    "c_bt": "numbers from 0 on, or one of " + ", ".join(PUBLISHED["c_bt"]),
    "k": "numbers above 0, or one of " + ", ".join(PUBLISHED["k"]),
    "w": "whole numbers from 1 on, or one of " + ", ".join(PUBLISHED["w"]),
    "delay": f'whole numbers from 1 on, "{ROOT}", "{NEVER}", or one of '
    + ", ".join(PUBLISHED["delay"]),
    "iterations": f'whole numbers from 1 on, or "{EQUAL_TIME}"',
}


_WORDS = {"w": (), "delay": (ROOT, NEVER), "iterations": (EQUAL_TIME,)}


def _value(value: Any, name: str, where: str) -> Any:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if name == "technique":
        is_legal = isinstance(value, str) and value in NEEDS
    elif name == "model":
        is_legal = isinstance(value, str) and bool(value)
    elif name in _WORDS:
        is_legal = value in _WORDS[name] or (_is_whole(value) and value >= 1)
    else:
        is_legal = is_number and 0 <= value < 1e9 and (value > 0 or name == "c_bt")
    if not is_legal:
        raise SweepError(f"{where} is {value!r}; {_LEGAL[name]}")
    return float(value) if name in ("c_bt", "k") else value


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _whole(value: Any, where: str) -> int:
    if not _is_whole(value):
        raise SweepError(f"{where} is {value!r}; a whole number is legal")
    return int(value)


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or len(value) > 200:
        raise SweepError(f"{where} is {value!r:.60}; a text of at most 200 letters is legal")
    return value


def _check_keys(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    if unknown := sorted(set(table) - set(known)):
        raise SweepError(f"{where}: unknown {', '.join(unknown)}; known: {', '.join(known)}")


def shipped_names() -> list[str]:
    """Names of the sweeps in ``data/sweeps``."""
    return sorted(path.stem for path in shipped_files() if path.suffix == ".toml")


def shipped_files() -> list[Path]:
    """Configurations and results shipped in ``data/sweeps``."""
    return sorted(SWEEPS.glob("*.*"))


def results_file(name: str) -> Path:
    """Where the results of a shipped sweep are."""
    return SWEEPS / f"{name}.json"


def shipped_plan(name: str) -> SweepPlan:
    """A sweep of ``data/sweeps``, or why this code can't run it (see ``read_sweep``)."""
    return read_sweep(SWEEPS / f"{name}.toml")


def config_text(plan: SweepPlan) -> str:
    """A plan as TOML, a grid a setting; ``parse_sweep`` reads the same sweep back."""
    lines = [f"{name} = {_toml(getattr(plan, name))}" for name in ("title", *COUNTS)]
    lines += [f"{name} = {_toml(getattr(plan, name))}" for name in ("seed", "log", "iterations")]
    for setting in plan.settings:
        said = {name: value for name, value in setting.document().items() if value is not None}
        lines += ["", "[[grid]]", *(f"{name} = {_toml(value)}" for name, value in said.items())]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(c if c.isprintable() else " " for c in escaped) + '"'
    return repr(value)
