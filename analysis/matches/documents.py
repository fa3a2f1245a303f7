"""Matches that are in the store, seen from either side, and as tables for people and CSV."""

from __future__ import annotations

import shlex
from typing import Any

import pandas as pd

from analysis.logs.simulate import ROUNDS_A_GAME, seconds_a_round
from analysis.matches.match import MATCH, PART, MatchPlan, match_document, stored_results
from analysis.matches.summary import SIDES
from analysis.runs.store import ResultStore, version_of
from spades.core.errors import SpadesError

COLUMNS = ("measure", "agent", "value", "low", "high", "n", "n_of", "interval")
COMPILED_ROUNDS_A_SECOND = 15_000
SECONDS_A_MATCH = 0.2  # its start, and the few games that are timed card by card
PAIRS, CLOPPER_PEARSON = "over pairs of games", "Clopper-Pearson"


def stored_document(plan: MatchPlan, store: ResultStore | None = None) -> dict[str, Any] | None:
    """The document of a match as ``plan`` asks it; None while games of it are missing."""
    store = store or ResultStore()
    if found := store.get(MATCH, plan.question()):
        return found if found["ns"] == plan.ns else turned_document(found)
    results = stored_results(plan, store)  # parts of a longer match may hold it whole
    return None if results is None else match_document(plan, results)


def stored_games(plan: MatchPlan, store: ResultStore | None = None) -> int:
    """How many games of a match are in the store."""
    store, ranges = store or ResultStore(), plan.ranges
    return sum(
        2 * (end - first)
        for (first, end), question in zip(ranges, plan.part_questions(ranges), strict=True)
        if store.has(PART, question)
    )


def turned_document(document: dict[str, Any]) -> dict[str, Any]:
    """The same match with its sides exchanged."""
    turned = {name: _exchanged(value) for name, value in document.items()}
    rate, difference = document["win_rate"], document["points_difference"]
    return {
        **turned,
        "ns": document["ew"],
        "ew": document["ns"],
        "win_rate": None if rate is None else 1 - rate,
        "interval": _mirrored(document["interval"], 1.0),
        "interval_pairs": _mirrored(document["interval_pairs"], 1.0),
        "points_difference": {
            "value": -difference["value"],
            "interval": _mirrored(difference["interval"], 0.0),
        },
    }


def _exchanged(value: Any) -> Any:
    return {"ns": value["ew"], "ew": value["ns"]} if _is_by_side(value) else value


def _is_by_side(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == set(SIDES)


def _mirrored(interval: Any, total: float) -> list[float] | None:
    return [total - interval[1], total - interval[0]] if interval else None


def is_current(document: dict[str, Any]) -> bool:
    """Whether its agents and models still play as they did: only then can it be played again."""
    try:
        version = version_of(document["ns"], document["ew"])
    except SpadesError:  # an agent or a model that isn't there any more
        return False
    names = {*version, *({"models", "corpora"} & set(document))}
    return all(document.get(name) == version.get(name) for name in names)


def plan_of(document: dict[str, Any]) -> MatchPlan:
    """The plan of a match; ``SpadesError`` if today's code has no such one."""
    names = ("ns", "ew", "games", "seed", "target", "floor", "nil_only", "rules")
    return MatchPlan(**{name: document[name] for name in names})


def match_command(document: dict[str, Any]) -> str | None:
    """The command that plays a match; None where its rules have options no command takes."""
    if document["rules"]:
        return None
    words = ["python -m spades match"]
    for name in ("ns", "ew", "games", "seed", "target", "floor"):
        if document[name] is not None:
            words.append(f"--{name} {shlex.quote(str(document[name]))}")
    return " ".join([*words, *(["--nil-only"] if document["nil_only"] else [])])


def expected_seconds(plan: MatchPlan) -> float:
    """About how long a match takes on one core."""
    duel, rounds = plan.duel, plan.games * ROUNDS_A_GAME
    if duel.is_compiled:
        return SECONDS_A_MATCH + rounds / COMPILED_ROUNDS_A_SECOND
    return rounds * 2 * (seconds_a_round(duel.first) + seconds_a_round(duel.second))


def side_table(document: dict[str, Any]) -> pd.DataFrame:
    """Every number of a match, one row a measure and agent: ``COLUMNS``.

    ``value`` with its 95 % interval ``low`` to ``high``, missing where there is none; ``n`` of
    ``n_of`` counts what the value is a share of, or ``n_of`` what it is a mean over.
    """
    rows = [row for seen in (document, turned_document(document)) for row in _rows(seen)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _rows(seen: dict[str, Any]) -> list[tuple]:
    """Every number of the agent that ``seen`` has North and South."""
    mine = {name: value["ns"] for name, value in seen.items() if _is_by_side(value)}
    rounds, of = seen["rounds"], (mine["wins"], sum(seen["wins"].values()))
    none = (None, None, None, rounds, "")
    points = _ends(mine["points_interval"])
    rows = [
        ("win rate", seen["win_rate"], *_ends(seen["interval"]), *of, CLOPPER_PEARSON),
        ("win rate", seen["win_rate"], *_ends(seen["interval_pairs"]), *of, PAIRS),
        ("points a round", mine["points_per_round"], *points, None, rounds, PAIRS),
        ("bags a round", mine["bags_per_round"], *none),
        ("bag penalty a round", mine["penalty_per_round"], *none),
        ("ms a card", mine["ms_per_move"], None, None, None, None, ""),
    ]
    for measure, made in (("nils made", mine["nil"]), ("contracts made", mine["contract"])):
        counts = (made["made"], made["bid"], CLOPPER_PEARSON)
        rows.append((measure, made["share"], *_ends(made["interval"]), *counts))
    return [(measure, seen["ns"], *numbers) for measure, *numbers in rows]


def _ends(interval: Any) -> tuple[float | None, float | None]:
    return (interval[0], interval[1]) if interval else (None, None)


def side_texts(document: dict[str, Any]) -> pd.DataFrame:
    """What each side did, for people: a row a measure, a column a side (``ns``, ``ew``)."""
    texts = {"ns": _texts(document), "ew": _texts(turned_document(document))}
    columns = {side: list(found.values()) for side, found in texts.items()}
    return pd.DataFrame({"measure": list(texts["ns"]), **columns})


def _texts(seen: dict[str, Any]) -> dict[str, str]:
    mine = {name: value["ns"] for name, value in seen.items() if _is_by_side(value)}
    points, ends = mine["points_per_round"], mine["points_interval"]
    milliseconds, games = mine["ms_per_move"], sum(seen["wins"].values())
    return {
        f"games won, of {games:,}": _with_range(
            f"{mine['wins']:,}", seen["win_rate"], seen["interval"], ".1%"
        ),
        f"points a round, {seen['rounds']:,} rounds": _with_range("", points, ends, ".1f"),
        "bags a round": f"{mine['bags_per_round']:.2f}",
        "bag penalty a round": f"{mine['penalty_per_round']:.1f}",
        "nils made": _made(mine["nil"]),
        "contracts made": _made(mine["contract"]),
        "time a card": "not timed" if milliseconds is None else f"{milliseconds:.3f} ms",
    }


def _with_range(count: str, value: float | None, interval: Any, form: str) -> str:
    if value is None:
        return count or "none"
    ends = f" [{interval[0]:{form}} to {interval[1]:{form}}]" if interval else ""
    return f"{count}{' = ' if count else ''}{value:{form}}{ends}"


def _made(counts: dict[str, Any]) -> str:
    if not counts["bid"]:
        return "none bid"
    text = f"{counts['made']:,} of {counts['bid']:,}"
    return _with_range(text, counts["share"], counts["interval"], ".1%")


def match_verdict(document: dict[str, Any]) -> str:
    """Who won more often, in one sentence; "no clear difference" where chance may explain it."""
    first, second = document["ns"], document["ew"]
    if document["win_rate"] is None:
        return "No game was decided."
    if first == second:
        return f"{first} against itself wins one game of every pair: a check, no comparison."
    kind = PAIRS if document["interval_pairs"] else CLOPPER_PEARSON
    low, high = document["interval_pairs"] or document["interval"]
    told = f"the 95 % interval {kind} is {low:.1%} to {high:.1%}"
    if low <= 0.5 <= high:
        return f"No clear difference in games won: {told}."
    better, worse = (first, second) if low > 0.5 else (second, first)
    return f"{better} wins more often than {worse}: {told}."
