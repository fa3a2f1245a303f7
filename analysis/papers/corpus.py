"""The comparison of Dobre and Lascarides 2015, table I: ``python -m analysis.papers.corpus``.

Flat-UCB unseeded, seeded by the heuristic, seeded by a corpus, and the corpus alone, each against
the heuristic on the same deals, each deal from both sides; and the three searches against each
other. In the paper one agent meets three of the heuristic at Settlers and chooses one placement,
so that 25% is level; here a partnership meets another at Spades and chooses every card: 50% is
level. What can stand beside the paper is the order. All bid as the simulated human does.

Stop it at any moment: the same command goes on where it was, and more ``--games`` add to what has
been played. Writes ``data/tables/published_corpus.json``."""

import argparse
import itertools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.intervals import ratio_interval, share_interval
from analysis.matches.documents import match_summary
from analysis.matches.match import MatchPlan, play_match, stored_results
from analysis.runs.command import add_workers, make_table, number, say, stoppable
from analysis.runs.store import ResultStore
from spades.agents import PairResults
from spades.core.paths import DATA
from spades.human.corpus import DEFAULT_CORPUS, load_corpus

TABLE = DATA / "tables" / "published_corpus.json"
COMMAND = "python -m analysis.papers.corpus"
SOURCE = "Dobre and Lascarides 2015, table I"
N_GAMES, SEED, VERSION = 2_000, 30615, 1
BASELINE = "thumb"
LEVEL, PUBLISHED_LEVEL = 0.5, 0.25


class Entrant(NamedTuple):
    """An agent of the paper; ``published``: its win rate against three of the heuristic."""

    name: str
    agent: str
    published: float


UNSEEDED = Entrant("Flat-UCB", "flat-ucb", 0.2874)
BY_HEURISTIC = Entrant("Flat-UCB seeded by the heuristic", "flat-ucb:seed=heuristic", 0.2848)
BY_CORPUS = Entrant("Flat-UCB seeded by the corpus", "flat-ucb:seed=corpus", 0.3043)
ALONE = Entrant("the corpus alone", "corpus", 0.1911)
HEURISTIC = Entrant("the heuristic", BASELINE, PUBLISHED_LEVEL)
ENTRANTS = (UNSEEDED, BY_HEURISTIC, BY_CORPUS, ALONE)
HEAD_TO_HEAD = ((BY_CORPUS, UNSEEDED), (BY_HEURISTIC, UNSEEDED), (BY_CORPUS, BY_HEURISTIC))

Play = Callable[[MatchPlan], PairResults | None]


def play(plan: MatchPlan, **options: Any) -> PairResults | None:
    """The pairs of a match, those that the store has not played again; None if cancelled."""
    return stored_results(plan, ResultStore()) if play_match(plan, **options) else None


def figures(first: Entrant, second: Entrant, plan: MatchPlan, results: PairResults) -> dict:
    """The result of a match; ``ns`` and ``win_rate`` are of ``first``. ``published`` is given
    against the heuristic only, with the paper's level."""
    summary = match_summary(results, plan.full_rules)
    summary.pop("ms_per_move")  # a measurement of this machine: the rest repeats exactly
    is_printed = second is HEURISTIC
    return {
        "name": f"{first.name} against {second.name}",
        "first": plan.ns,
        "second": plan.ew,
        "source": SOURCE if is_printed else "beyond the paper",
        "published": first.published if is_printed else None,
        "published_level": PUBLISHED_LEVEL if is_printed else None,
        "games": 2 * len(results),
        **summary,
    }


class Scored(NamedTuple):
    """What an entrant came to against the heuristic, by pair of games, (n,): ``wins`` of its two
    games, an undecided one being nobody's, and ``points``, its lead in points a round."""

    wins: NDArray[np.float64]
    points: NDArray[np.float64]


def scored(plan: MatchPlan, results: PairResults) -> Scored:
    wins = (results.winners(plan.full_rules) == 0).sum(axis=1).astype(float)
    scores = results.scores.sum(axis=1)
    return Scored(wins, (scores[:, 0] - scores[:, 1]) / results.rounds.sum(axis=1))


def differences(found: Mapping[Entrant, Scored]) -> list[dict[str, Any]]:
    """Every two entrants and the heuristic: how far apart they are against the heuristic.

    All played the same deals, and a deal counts once. The one with the higher published rate comes
    first. ``difference`` is of win rates, ``points`` of the mean over deals of the lead a round:
    where one side wins nearly always, points tell more. ``order``: the same as published, the
    opposite, or open where the interval of the difference holds 0; ``points_order`` by points.
    ``published_difference`` is in win rates of the paper's game."""
    n = len(next(iter(found.values())).wins)
    level = Scored(np.full(n, 2 * LEVEL), np.zeros(n))
    ranked = sorted([*found, HEURISTIC], key=lambda entrant: -entrant.published)
    rows = []
    for better, worse in itertools.combinations(ranked, 2):
        one, other = found.get(better, level), found.get(worse, level)
        wins, points = one.wins - other.wins, one.points - other.points
        interval = ratio_interval(wins, np.full(n, 2)) or _exact(found, better, worse)
        of_points = ratio_interval(points, np.ones(n))
        rows.append(
            {
                "first": better.name,
                "second": worse.name,
                "difference": float(wins.mean() / 2),
                "interval": interval,
                "order": _order(interval),
                "points": float(points.mean()),
                "points_interval": of_points,
                "points_order": _order(of_points),
                "published_difference": round(better.published - worse.published, 4),
            }
        )
    return rows


def _exact(
    found: Mapping[Entrant, Scored], better: Entrant, worse: Entrant
) -> tuple[float, float] | None:
    """Against the heuristic, where no deal differs from the others (all games won, or none): from
    Clopper and Pearson's interval of the win rate. None for two entrants."""
    if HEURISTIC not in (better, worse):
        return None
    wins = found[worse if better is HEURISTIC else better].wins
    low, high = share_interval(int(wins.sum()), 2 * len(wins)) or (0.0, 1.0)
    return (LEVEL - high, LEVEL - low) if better is HEURISTIC else (low - LEVEL, high - LEVEL)


def _order(interval: tuple[float, float] | None) -> str:
    if interval is None or interval[0] <= 0 <= interval[1]:
        return "open"
    return "as published" if interval[0] > 0 else "opposite"


def notes_of(found: list[dict[str, Any]], apart: list[dict[str, Any]]) -> list[str]:
    rates = [row["win_rate"] or 0.0 for row in found[: len(ENTRANTS)]]
    names = [entrant.name for entrant in (*ENTRANTS, HEURISTIC)]
    ours = sorted(zip([*rates, LEVEL], names, strict=True), reverse=True)
    published = sorted((*ENTRANTS, HEURISTIC), key=lambda entrant: -entrant.published)
    notes = [
        "Order published: " + ", ".join(entrant.name for entrant in published) + ".",
        "Order here: " + ", ".join(f"{name} {100 * rate:.1f}%" for rate, name in ours) + ".",
    ]
    for key, what in (("order", "win rates"), ("points_order", "points a round")):
        for order, order_text in ORDERS.items():
            pairs = [f"{row['first']} over {row['second']}" for row in apart if row[key] == order]
            if pairs:
                notes.append(f"By the difference of {what}, {order_text}: {'; '.join(pairs)}.")
    return notes


ORDERS = {
    "as published": "as published, the interval above 0",
    "opposite": "the other way round, the interval below 0",
    "open": "open, the interval holding 0",
}


def document(n_games: int, play_one: Play) -> dict[str, Any] | None:
    """What is stored; None if a match was cancelled."""
    rows, by_entrant, plan = [], {}, None
    matches = [(entrant, HEURISTIC) for entrant in ENTRANTS] + list(HEAD_TO_HEAD)
    for first, second in matches:
        plan = MatchPlan(first.agent, second.agent, n_games, SEED)
        results = play_one(plan)
        if results is None:
            return None
        rows.append(figures(first, second, plan, results))
        if second is HEURISTIC:
            by_entrant[first] = scored(plan, results)
    apart = differences(by_entrant)
    corpus = load_corpus(DEFAULT_CORPUS)
    facts = {name: corpus.facts[name] for name in ("log", "log_hash", "games", "pairs", "players")}
    return {
        "version": VERSION,
        "what": "Dobre and Lascarides 2015 on Spades, played by simulated agents; win_rate and "
        "interval (95%, Clopper and Pearson) are of the first agent, interval_pairs counts a deal "
        "once; published is the paper's win rate in Settlers, where published_level is level",
        "command": f"{COMMAND} --games {n_games}",
        "seed": SEED,
        **(plan.version() if plan else {}),
        "corpus": {"name": corpus.name, "hash": corpus.hash, **facts},
        "notes": notes_of(rows, apart),
        "matches": rows,
        "differences": apart,
    }


def main() -> None:
    def make(options: argparse.Namespace) -> dict[str, Any] | None:
        with stoppable(say) as is_stopping:

            def play_one(plan: MatchPlan) -> PairResults | None:
                pair = f"{plan.ns} against {plan.ew}: "
                options_of_run = {"workers": options.workers, "is_cancelled": is_stopping}
                return play(plan, tell=lambda made: say(pair + made.text()), **options_of_run)

            return document(options.games, play_one)

    games = number("--games", N_GAMES, "of each match, even")
    make_table(__doc__, TABLE, make, games, add_workers)


if __name__ == "__main__":
    main()
