"""A match's document: its numbers with intervals, seen from either side, as tables and texts."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from analysis.intervals import Interval, ratio_interval, share_interval
from analysis.runs.store import version_of
from analysis.text_tables import span
from spades.agents import PairResults
from spades.core.cards import HAND_SIZE
from spades.core.errors import SpadesError
from spades.core.rules import Rules

if TYPE_CHECKING:  # the library does without pandas
    import pandas as pd

SIDES = ("ns", "ew")
COLUMNS = ("measure", "agent", "value", "low", "high", "n", "n_of", "interval")
FEW_PAIRS = 20
PAIRS, CLOPPER_PEARSON = "over pairs of games", "Clopper-Pearson"


def match_summary(results: PairResults, rules: Rules) -> dict[str, Any]:
    """Numbers of a match, ``ns`` being the first agent and ``ew`` the second.

    ``win_rate`` is of the games that were decided: equal scores at the target play on, and one that
    is still open after 100 rounds is ``undecided`` and nobody's win. ``interval`` is Clopper and
    Pearson's over those games, ``interval_pairs`` over pairs. ``points_per_round`` are points of
    the game's score, bag penalties taken off (``penalty_per_round``). ``ms_per_move`` is the mean
    over the cards of timed games, forced ones too, of this machine's processor."""
    winners = results.winners(rules)
    wins = [int((winners == side).sum()) for side in (0, 1)]
    decided, rounds = sum(wins), int(results.rounds.sum())
    over_pairs = ratio_interval((winners == 0).sum(axis=1), (winners >= 0).sum(axis=1))
    is_timed = (results.nanoseconds > 0).any(axis=2)
    cards, times = 2 * HAND_SIZE * int(results.rounds[is_timed].sum()), _totals(results.nanoseconds)
    return {
        "wins": _by_side(wins),
        "undecided": int((winners < 0).sum()),
        "win_rate": wins[0] / decided if decided else None,
        "interval": share_interval(wins[0], decided),
        "interval_pairs": over_pairs and (max(0.0, over_pairs[0]), min(1.0, over_pairs[1])),
        "rounds": rounds,
        **_points(results),
        "bags_per_round": _by_side([n / rounds for n in _totals(results.bags)]),
        "penalty_per_round": _by_side([n / rounds for n in _totals(results.penalties)]),
        "nil": _shares(results.nils_made, results.nils),
        "contract": _shares(results.contracts_made, results.contracts),
        "ms_per_move": _by_side([n / cards / 1e6 if cards else None for n in times]),
    }


def _points(results: PairResults) -> dict[str, Any]:
    """Points a round of each side and between them, with intervals over pairs."""
    rounds, scores = results.rounds.sum(axis=1), results.scores.sum(axis=1)

    def mean(points: NDArray) -> tuple[float, Interval]:
        return float(points.sum()) / int(rounds.sum()), ratio_interval(points, rounds)

    means = [mean(points) for points in scores.T]
    difference, interval = mean(scores[:, 0] - scores[:, 1])
    return {
        "points_per_round": _by_side([value for value, _ in means]),
        "points_interval": _by_side([ends for _, ends in means]),
        "points_difference": {"value": difference, "interval": interval},
    }


def _shares(made: NDArray, bid: NDArray) -> dict[str, Any]:
    """How many each side bid and made, the share made and its interval."""
    shares = [
        {"bid": n, "made": k, "share": k / n if n else None, "interval": share_interval(k, n)}
        for k, n in zip(_totals(made), _totals(bid), strict=True)
    ]
    return _by_side(shares)


def _totals(array: NDArray) -> list[int]:
    """Sum over all games by agent."""
    return [int(total) for total in array.sum(axis=(0, 1))]


def _by_side(values: Sequence) -> dict[str, Any]:
    return dict(zip(SIDES, values, strict=True))


def turned_document(document: dict[str, Any]) -> dict[str, Any]:
    """The same match with its sides exchanged."""
    turned = {
        name: {"ns": value["ew"], "ew": value["ns"]} if _is_by_side(value) else value
        for name, value in document.items()
    }
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
    names = {*version, "models", "corpora"}
    return all(document.get(name) == version.get(name) for name in names)


def match_command(document: dict[str, Any]) -> str | None:
    """The command that plays a match; None where its rules have options no command takes."""
    if document["rules"]:
        return None
    given = ((name, document[name]) for name in ("ns", "ew", "games", "seed", "target", "floor"))
    words = [f"--{name} {shlex.quote(str(value))}" for name, value in given if value is not None]
    return " ".join(["python -m spades match", *words, *["--nil-only"] * document["nil_only"]])


def side_table(document: dict[str, Any]) -> "pd.DataFrame":
    """Every number of a match, one row a measure and agent: ``COLUMNS``. ``value`` with its 95%
    interval ``low`` to ``high``; ``n`` of ``n_of`` counts what the value is a share of, or ``n_of``
    what it is a mean over."""
    import pandas as pd

    rows = [row for seen in (document, turned_document(document)) for row in _rows(seen)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _rows(seen: dict[str, Any]) -> list[tuple]:
    """Every number of the agent that ``seen`` has North and South."""
    mine = {name: value["ns"] for name, value in seen.items() if _is_by_side(value)}
    rounds, of = seen["rounds"], (mine["wins"], sum(seen["wins"].values()))
    none = (None, None)
    points = mine["points_interval"] or none
    rows = [
        ("win rate", seen["win_rate"], *(seen["interval"] or none), *of, CLOPPER_PEARSON),
        ("win rate", seen["win_rate"], *(seen["interval_pairs"] or none), *of, PAIRS),
        ("points a round", mine["points_per_round"], *points, None, rounds, PAIRS),
        ("bags a round", mine["bags_per_round"], *none, None, rounds, ""),
        ("bag penalty a round", mine["penalty_per_round"], *none, None, rounds, ""),
        ("ms a card", mine["ms_per_move"], *none, *none, ""),
    ]
    for measure, made in (("nils made", mine["nil"]), ("contracts made", mine["contract"])):
        counts = (made["made"], made["bid"], CLOPPER_PEARSON)
        rows.append((measure, made["share"], *(made["interval"] or none), *counts))
    return [(measure, seen["ns"], *numbers) for measure, *numbers in rows]


def side_texts(document: dict[str, Any]) -> "pd.DataFrame":
    """What each side did, for people: a row a measure, a column a side (``ns``, ``ew``)."""
    import pandas as pd

    texts = {"ns": _texts(document), "ew": _texts(turned_document(document))}
    return pd.DataFrame(texts).rename_axis("measure").reset_index()


def _texts(seen: dict[str, Any]) -> dict[str, str]:
    mine = {name: value["ns"] for name, value in seen.items() if _is_by_side(value)}
    points = _with_range("", mine["points_per_round"], mine["points_interval"], ".1f")
    won = _with_range(f"{mine['wins']:,}", seen["win_rate"], seen["interval"], ".1%")
    milliseconds = mine["ms_per_move"]
    return {
        f"games won, of {sum(seen['wins'].values()):,}": won,
        f"points a round, {seen['rounds']:,} rounds": points,
        "bags a round": f"{mine['bags_per_round']:.2f}",
        "bag penalty a round": f"{mine['penalty_per_round']:.1f}",
        "nils made": _made(mine["nil"]),
        "contracts made": _made(mine["contract"]),
        "time a card": "not timed" if milliseconds is None else f"{milliseconds:.3f} ms",
    }


def _with_range(count: str, value: float | None, interval: Any, form: str) -> str:
    if value is None:
        return count or "none"
    ends = f" [{span(interval, form)}]" if interval else ""
    return f"{count}{' = ' if count else ''}{value:{form}}{ends}"


def _made(counts: dict[str, Any]) -> str:
    if not counts["bid"]:
        return "none bid"
    text = f"{counts['made']:,} of {counts['bid']:,}"
    return _with_range(text, counts["share"], counts["interval"], ".1%")


def match_verdict(document: dict[str, Any]) -> str:
    """Who won more often, in one sentence; "no clear difference" where chance may explain it, and
    no claim from few pairs, of which the interval over pairs is too narrow."""
    first, second = document["ns"], document["ew"]
    if document["win_rate"] is None:
        return "No game was decided."
    if first == second:
        return f"{first} against itself wins one game of every pair: a check, no comparison."
    if document["games"] < 2 * FEW_PAIRS:
        low, high = document["interval"]
        return (
            f"{document['games']} games are too few to say who wins more often: the exact 95% "
            f"interval is {low:.1%} to {high:.1%}."
        )
    kind = PAIRS if document["interval_pairs"] else CLOPPER_PEARSON
    low, high = document["interval_pairs"] or document["interval"]
    interval_text = f"the 95% interval {kind} is {span((low, high), '.1%')}"
    if low <= 0.5 <= high:
        return f"No clear difference in games won: {interval_text}."
    better, worse = (first, second) if low > 0.5 else (second, first)
    return f"{better} wins more often than {worse}: {interval_text}."
