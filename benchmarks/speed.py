"""The speed table: ``python -m spades bench``.

Each row is measured in this process or in one started here; ratios compare two programs in the
same run, in turns, so that a machine whose speed drifts treats both alike. A row that needs what
isn't here says so and is not measured.
"""

from __future__ import annotations

import platform
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import bias, bidding, logs, networks
from benchmarks.cores import two_cores
from benchmarks.positions import (
    POSITIONS,
    NotMeasuredError,
    random_position,
    round_observations,
    spread_positions,
)
from benchmarks.rule_based import rounds_per_second
from benchmarks.start import seconds_to_first_look
from benchmarks.yardstick import compile_yardstick, yardstick_milliseconds
from spades.core.errors import SpadesError
from spades.core.observation import Observation, observe
from spades.search import search

ITERATIONS = 2500
TURNS = 3
Say = Callable[[str], None]


@dataclass(frozen=True)
class Goal:
    """What a row measures and when it holds: ``at_most`` or at least ``bound``."""

    what: str
    unit: str
    bound: float
    at_most: bool = True

    def holds(self, value: float) -> bool:
        return value <= self.bound if self.at_most else value >= self.bound


GOALS = {
    "search_vs_yardstick": Goal("a decision against the C yardstick", "x its time", 0.8),
    "search_vs_openspiel": Goal("first lead against OpenSpiel's MCTS", "x faster", 10, False),
    "bias_every_node": Goal("bias from a network in every node", "x the time", 1.3),
    "bias_root": Goal("bias from a network at the root only", "x the time", 1.02),
    "round_seconds": Goal("all decisions of a round", "s", 0.06),
    "two_cores": Goal("two cores against one, matches", "x sooner", 1.9, False),
    "rule_based_rounds": Goal("rule-based self-play, one core", "rounds/s", 10_000, False),
    "features_seconds": Goal("moves and features of 5.4 million plays", "s", 3),
    "tables_seconds": Goal("exact probability and nil tables", "s", 2),
    "log_load": Goal("a log of 104,314 rounds, replayed", "s", 2),
    "style_first": Goal("its playing styles, first shown", "s", 3),
    "style_again": Goal("its playing styles, again", "s", 0.3),
    "memory_gb": Goal("memory of the app with it open", "GB", 1.5),
    "epoch_seconds": Goal("a pass over 1.22 million examples", "s", 8),
    "start_first": Goal("first start ever to decision table", "s", 30),
    "start_again": Goal("later start to decision table", "s", 5),
}


def bench_document(
    yardstick: Path | None, *, only: Sequence[str] | None = None, say: Say
) -> dict[str, Any]:
    """What ``bench --json`` prints (spec 6); ``only`` some ids."""
    for name in only or ():
        if name not in GOALS:
            raise SpadesError(f"no row {name!r}; {', '.join(GOALS)} are there")
    measures: dict[str, Callable[[], float]] = {
        "search_vs_yardstick": lambda: search_vs_yardstick(yardstick),
        "search_vs_openspiel": search_vs_openspiel,
        "bias_every_node": bias.every_node,
        "bias_root": bias.root_only,
        "round_seconds": round_seconds,
        "two_cores": two_cores,
        "rule_based_rounds": rounds_per_second,
        "features_seconds": logs.features_seconds,
        "tables_seconds": bidding.tables_seconds,
        "log_load": logs.log_load,
        "style_first": lambda: logs.style_page()[0],
        "style_again": lambda: logs.style_page()[1],
        "memory_gb": lambda: logs.style_page()[2],
        "epoch_seconds": networks.epoch_seconds,
        "start_first": lambda: seconds_to_first_look()[0],
        "start_again": lambda: seconds_to_first_look()[1],
    }
    rows = []
    for name, measure in measures.items():
        if only is None or name in only:
            say(f"measuring {name} ...")
            rows.append(_row(name, measure))
    return {"machine": machine(), "rows": rows}


def _row(name: str, measure: Callable[[], float]) -> dict[str, Any]:
    goal = GOALS[name]
    row: dict[str, Any] = {"id": name, "value": None, "unit": goal.unit, "goal": _bound(goal)}
    try:
        value = measure()
    except (NotMeasuredError, OSError, ImportError, RuntimeError) as error:
        return {**row, "holds": None, "not_measured": str(error)}
    except Exception as error:  # a browser's, say: the other rows are wanted all the same
        return {**row, "holds": None, "not_measured": f"{type(error).__name__}: {error}"}
    return {**row, "value": round(value, 4), "holds": goal.holds(value)}


def _bound(goal: Goal) -> str:
    return f"{'<=' if goal.at_most else '>='} {goal.bound:g}"


def machine() -> str:
    """Processor, cores and Python, for the record."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = f"{names[0].split(':')[1].strip()} x {len(names)}" if names else model
    return f"{model}, {platform.system()}, Python {platform.python_version()}"


def search_milliseconds(seed: int) -> float:
    """Mean time of a search at 0, 4, ..., 44 cards played, ms."""
    seen = spread_positions(seed)
    started = time.perf_counter()
    for observation in seen:
        search(observation, iterations=ITERATIONS)
    return (time.perf_counter() - started) / len(seen) * 1e3


def search_vs_yardstick(source: Path | None) -> float:
    if source is None:
        raise NotMeasuredError("no --yardstick FILE.c given")
    search_milliseconds(0)  # compiled and warm
    with compile_yardstick(source) as program:
        ratios = [
            search_milliseconds(turn) / yardstick_milliseconds(program, ITERATIONS, POSITIONS)
            for turn in range(TURNS)
        ]
    return statistics.median(ratios)


def search_vs_openspiel() -> float:
    import pyspiel

    game = pyspiel.load_game("spades(num_tricks=13)")
    rng = random.Random(1)
    search(observe(random_position(0, rng)), iterations=ITERATIONS)
    ratios = []
    for turn in range(TURNS):
        evaluator = pyspiel.RandomRolloutEvaluator(1, turn)
        bot = pyspiel.MCTSBot(game, evaluator, 0.7, ITERATIONS, 1000, False, turn, False)
        theirs = _seconds(partial(bot.step, _openspiel_first_lead(game, rng)))
        ours = partial(search, observe(random_position(0, rng)), iterations=ITERATIONS)
        ratios.append(theirs / min(_seconds(ours) for _ in range(3)))
    return statistics.median(ratios)


def _openspiel_first_lead(game: Any, rng: random.Random) -> Any:
    """OpenSpiel's state before the first lead of a random deal with bids of 3."""
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(rng.choice(state.legal_actions()))
    for _ in range(4):
        state.apply_action(52 + 3)
    return state


def _seconds(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def round_seconds() -> float:
    """Median time over rounds to search every decision of a round, one thread."""
    rng = random.Random(2)
    rounds = [list(round_observations(rng)) for _ in range(7)]
    _search_all(rounds[0])
    return statistics.median(_seconds(partial(_search_all, seen)) for seen in rounds)


def _search_all(seen: Sequence[Observation]) -> None:
    for observation in seen:
        search(observation, iterations=ITERATIONS)


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
