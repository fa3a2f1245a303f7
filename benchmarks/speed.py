"""The speed table: ``python -m spades bench``.

Each row is measured in this process or in one started here; ratios compare two programs in the
same run, in turns, so that a machine whose speed drifts treats both alike. A row that needs what
isn't here says so and is not measured.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import logs, rows
from benchmarks.cores import two_cores
from benchmarks.rows import NotMeasuredError
from benchmarks.start import seconds_to_first_look
from spades.core.errors import SpadesError


@dataclass(frozen=True)
class Goal:
    """What a row measures and how; it holds with ``at_most`` or at least ``bound``."""

    what: str
    unit: str
    bound: float
    measure: Callable[..., float]
    at_most: bool = True

    def holds(self, value: float) -> bool:
        return value <= self.bound if self.at_most else value >= self.bound


GOALS = {
    "search_vs_yardstick": Goal(
        "a decision against the C yardstick", "x its time", 0.8, rows.search_vs_yardstick
    ),
    "search_vs_openspiel": Goal(
        "first lead against OpenSpiel's MCTS", "x faster", 10, rows.search_vs_openspiel, False
    ),
    "bias_every_node": Goal(
        "bias from a network in every node", "x the time", 1.3, rows.bias_every_node
    ),
    "bias_root": Goal("bias from a network at the root only", "x the time", 1.02, rows.bias_root),
    "round_seconds": Goal("all decisions of a round", "s", 0.06, rows.round_seconds),
    "two_cores": Goal("two cores against one, matches", "x sooner", 1.9, two_cores, False),
    "rule_based_rounds": Goal(
        "rule-based self-play, one core", "rounds/s", 10_000, rows.rounds_per_second, False
    ),
    "features_seconds": Goal(
        "moves and features of 5.4 million plays", "s", 3, logs.features_seconds
    ),
    "tables_seconds": Goal("exact probability and nil tables", "s", 2, rows.tables_seconds),
    "log_load": Goal("a log of 104,314 rounds, replayed", "s", 2, logs.log_load),
    "style_first": Goal("its playing styles, first shown", "s", 3, lambda: logs.style_page()[0]),
    "style_again": Goal("its playing styles, again", "s", 0.3, lambda: logs.style_page()[1]),
    "memory_gb": Goal("memory of the app with it open", "GB", 1.5, lambda: logs.style_page()[2]),
    "epoch_seconds": Goal("a pass over 1.22 million examples", "s", 8, rows.epoch_seconds),
    "start_first": Goal(
        "first start ever to decision table", "s", 30, lambda: seconds_to_first_look()[0]
    ),
    "start_again": Goal(
        "later start to decision table", "s", 5, lambda: seconds_to_first_look()[1]
    ),
}


def bench_document(
    yardstick: Path | None, *, only: Sequence[str] | None = None, say: Callable[[str], None]
) -> dict[str, Any]:
    """What ``bench --json`` prints (spec 6); ``only`` some ids."""
    for name in only or ():
        if name not in GOALS:
            raise SpadesError(f"no row {name!r}; {', '.join(GOALS)} are there")
    found = []
    for name, goal in GOALS.items():
        if only is None or name in only:
            say(f"measuring {name} ...")
            is_compared = name == "search_vs_yardstick"
            found.append(
                _row(name, partial(goal.measure, yardstick) if is_compared else goal.measure)
            )
    return {"machine": machine(), "rows": found}


def _row(name: str, measure: Callable[[], float]) -> dict[str, Any]:
    goal = GOALS[name]
    row: dict[str, Any] = {
        "id": name,
        "value": None,
        "unit": goal.unit,
        "goal": f"{'<=' if goal.at_most else '>='} {goal.bound:g}",
    }
    try:
        value = measure()
    except (NotMeasuredError, OSError, ImportError, RuntimeError) as error:
        return {**row, "holds": None, "not_measured": str(error)}
    except Exception as error:  # a browser's, say: the other rows are wanted all the same
        return {**row, "holds": None, "not_measured": f"{type(error).__name__}: {error}"}
    return {**row, "value": round(value, 4), "holds": goal.holds(value)}


def machine() -> str:
    """Processor, cores and Python, for the record."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = f"{names[0].split(':')[1].strip()} x {len(names)}" if names else model
    return f"{model}, {platform.system()}, Python {platform.python_version()}"


def bench_table(document: dict[str, Any]) -> str:
    """The document for people."""
    lines = [document["machine"]]
    for row in document["rows"]:
        what = GOALS[row["id"]].what
        value = (
            f"not measured: {row['not_measured']}"
            if row["value"] is None
            else f"{row['value']:g} {row['unit']}  {'holds' if row['holds'] else 'FALLS SHORT'}"
        )
        lines.append(f"{row['id']:22} {row['goal']:>8}  {value}  ({what})")
    return "\n".join(lines)
