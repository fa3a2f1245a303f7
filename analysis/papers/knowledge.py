"""Play figure 1 of Whitehouse et al. 2013: ``python -m analysis.papers.knowledge`` (15 hours).

ISMCTS with 1,200, 1,700, 2,600 and 5,000 iterations, with and without the skew, against the
knowledge-based player at its default and its hardest level, in the standard game and in the variant
where every round has a nil; beyond the paper, against 5 stars (``flat-mc`` with 128 simulations).
Both sides bid by ``kb`` and draw hidden cards with the paper's bias. Every combination plays the
same deals, each deal from both sides, in games to 500.

The matches lie in the result store, part by part: stopped at any moment, the command goes on where
it was, and a run with more games plays only those that are missing. A game takes 1 to 3 seconds of
one core: 1,000 games of each match, the paper's number, take about 15 hours on two, ``--games 100``
an hour and a half. Nothing is tuned toward a published number.

Writes ``data/tables/published_knowledge.json``."""

import argparse
import itertools
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from analysis.intervals import ratio_interval
from analysis.matches.match import MatchPlan, play_match, stored_results
from analysis.runs.command import add_workers, make_table, number, say
from analysis.runs.parts import dask_client
from analysis.runs.store import ResultStore, version_of
from spades.agents import PairResults
from spades.belief import DETERMINIZERS
from spades.bidding.curves import TABLE as CURVES

TABLE = CURVES.with_name("published_knowledge.json")
COMMAND = "python -m analysis.papers.knowledge"
N_GAMES, SEED, TARGET = 1000, 20131014, 500
ITERATIONS = (1200, 1700, 2600, 5000)
SKEWS, VARIANTS = (False, True), (False, True)
SOURCE, BEYOND = "Whitehouse 2013, figure 1", "beyond the paper"
PAR_FROM = 2600  # iterations from which the paper calls ISMCTS on a par with the hardest level
VERSION = 1


KEPT = (
    "ns", "ew", "games", "seed", "target", "nil_only", "wins", "undecided", "win_rate", "interval",
    "interval_pairs", "rounds", "points_per_round", "points_difference", "nil", "contract",
)  # fmt: skip
Report = Callable[[str], object]


class Opponent(NamedTuple):
    """A knowledge-based player: its name in the paper, its agent, and whether figure 1 has it."""

    name: str
    agent: str
    is_published: bool


DEFAULT, HARDEST = "default", "hardest"
OPPONENTS = (
    Opponent(DEFAULT, "stars:level=3+kb", True),
    Opponent(HARDEST, "stars:level=6+kb", True),
    Opponent("5 stars", "flat-mc:simulations=128,determinization=biased+kb", False),
)


class Setting(NamedTuple):
    """One point of figure 1."""

    iterations: int
    skew: bool
    opponent: Opponent
    nil_only: bool


@dataclass(frozen=True)
class Study:
    """Which combinations are played. ``determinization``: of ISMCTS, the paper's is biased."""

    games: int = N_GAMES
    seed: int = SEED
    iterations: tuple[int, ...] = ITERATIONS
    opponents: tuple[Opponent, ...] = OPPONENTS
    determinization: str = "biased"
    target: int = TARGET

    def settings(self) -> list[Setting]:
        """Every combination, standard game first."""
        found = itertools.product(VARIANTS, self.opponents, SKEWS, self.iterations)
        return [Setting(n, skew, opponent, nil_only) for nil_only, opponent, skew, n in found]

    def plan(self, setting: Setting) -> MatchPlan:
        """The match of a combination; ISMCTS is its ``ns``."""
        options = [f"iterations={setting.iterations}", f"determinization={self.determinization}"]
        options += ["skew=on"] if setting.skew else []
        return MatchPlan(
            ns=f"ismcts:{','.join(options)}+kb",
            ew=setting.opponent.agent,
            games=self.games,
            seed=self.seed,
            target=self.target,
            nil_only=setting.nil_only,
        )


def published_claim(setting: Setting) -> str | None:
    """What the paper says of a combination's win rate; it prints a chart and no numbers."""
    name = setting.opponent.name
    if name == DEFAULT:
        return "above 50%" + ", by more than in the standard game" * setting.nil_only
    if name != HARDEST:
        return None
    if setting.nil_only:
        return "above 50%"
    return "about 50%" if setting.iterations >= PAR_FROM else None


def agreement(claim: str | None, interval: Sequence[float] | None) -> str:
    """Whether an interval of the win rate bears a claim out; "" where there is nothing to say."""
    if claim is None or interval is None:
        return ""
    low, high = interval
    if claim.startswith("about"):
        return "borne out" if low <= 0.5 <= high else "not borne out"
    if low > 0.5:
        return "borne out"
    return "not borne out" if high < 0.5 else "open"


def play_study(
    study: Study, *, client: Any = None, workers: int | None = None, report: Report = str
) -> list[dict[str, Any]]:
    """Play every combination, or what the store lacks of it; a document each."""
    found, settings = [], study.settings()
    at_work: AbstractContextManager = nullcontext(client) if client else dask_client(workers)
    with at_work as cluster:
        for i, setting in enumerate(settings):
            plan = study.plan(setting)
            report(f"match {i + 1} of {len(settings)}: {plan.ns} against {plan.ew}")
            document = play_match(plan, client=cluster)
            assert document is not None
            found.append(figures(setting, document))
    return found


def figures(setting: Setting, document: dict[str, Any]) -> dict[str, Any]:
    """The result of a combination and what is published; win rates are those of ISMCTS.
    ``interval`` is Clopper and Pearson's, ``interval_pairs`` over pairs of games, both at 95%."""
    claim = published_claim(setting)
    return {
        "opponent": setting.opponent.name,
        "iterations": setting.iterations,
        "skew": setting.skew,
        "source": SOURCE if setting.opponent.is_published else BEYOND,
        "published": claim,
        "agrees": agreement(claim, document["interval"]),
        **{name: document[name] for name in KEPT},
    }


def differences(study: Study, store: ResultStore | None = None) -> list[dict[str, Any]]:
    """How much iterations and skew change the share of games won, over pairs on common deals.
    ``value`` is a share of games with its 95% interval over pairs, in which the deals that both
    matches played alike count as such; None of the matches that aren't in the store."""
    store, found = store or ResultStore(), []
    fewest, most = min(study.iterations), max(study.iterations)
    for nil_only, opponent in itertools.product(VARIANTS, study.opponents):
        about = {"opponent": opponent.name, "nil_only": nil_only}
        gain = "7 to 8%" if opponent.is_published and not nil_only else None
        none = "no significant effect" if opponent.is_published else None
        more = f"{most:,} against {fewest:,} iterations"
        changes: list[tuple] = [
            (more, {"skew": skew}, ((most, skew), (fewest, skew)), gain) for skew in SKEWS
        ]
        changes += [
            ("skew on against off", {"iterations": n}, ((n, True), (n, False)), none)
            for n in study.iterations
        ]
        for what, of, pair, published in changes:
            settings = [Setting(n, skew, opponent, nil_only) for n, skew in pair]
            row = {"what": what, **of, **about, **_difference(study, settings, store)}
            found.append(row | {"published": published})
    return found


def _difference(study: Study, settings: Any, store: ResultStore) -> dict[str, Any]:
    wins = []
    for setting in settings:
        plan = study.plan(setting)
        results = stored_results(plan, store)
        if results is None:
            return {"value": None, "interval": None}
        wins.append(_games_won(plan, results))
    change = wins[0] - wins[1]
    interval = ratio_interval(change, np.full(len(change), 2.0))
    return {"value": float(change.sum()) / (2 * len(change)), "interval": interval}


def _games_won(plan: MatchPlan, results: PairResults) -> np.ndarray:
    """Games of each pair that ISMCTS won, 0 to 2; one without a winner counts a half."""
    winners = results.winners(plan.full_rules)
    return ((winners == 0) + 0.5 * (winners < 0)).sum(axis=1)


def document(
    study: Study, *, client: Any = None, workers: int | None = None, report: Report = str
) -> dict[str, Any]:
    matches = play_study(study, client=client, workers=workers, report=report)
    name = study.determinization
    option = "" if name == "biased" else f" --determinization {name}"
    return {
        "version": VERSION,
        "what": "figure 1 of Whitehouse 2013, played anew by simulated agents; win rates are those "
        "of ISMCTS with 95% intervals of Clopper and Pearson. The paper shows a chart of 1,000 "
        "games a point and prints claims, no numbers: those stand under published",
        "readings": [
            "Levels: 128 simulations a card for 5 stars and half for 4 are published; each star "
            "below halves them, the hardest level (effectively a 6-star) doubles them: 32 at the "
            "default level (3 stars), 256 at the hardest.",
            "The bonuses of the knowledge-based player, the share of random cards in its playouts, "
            "the rules of thumb and the k of the skew aren't published; ours were not tuned.",
            "The paper's ISMCTS sits on one side of each deal; here each deal is played from both.",
        ],
        "command": f"{COMMAND} --games {study.games}{option}",
        "seed": study.seed,
        "games": study.games,
        "determinization": study.determinization,
        "code": version_of()["code"],
        "notes": notes_of(matches),
        "matches": matches,
        "differences": differences(study),
    }


def notes_of(matches: Sequence[dict[str, Any]]) -> list[str]:
    """The findings and the paper's claims, counted from the figures."""
    notes = []
    for nil_only, name in itertools.product(VARIANTS, (DEFAULT, HARDEST)):
        rows = [row for row in matches if (row["nil_only"], row["opponent"]) == (nil_only, name)]
        rates = [row["win_rate"] for row in rows if row["win_rate"] is not None]
        claimed = [row for row in rows if row["published"]]
        if not (rates and claimed):
            continue
        borne = sum(row["agrees"] == "borne out" for row in claimed)
        won, lost = (sum(row["wins"][side] for row in rows) for side in ("ns", "ew"))
        notes.append(
            f"{'Nil-only variant' if nil_only else 'Standard game'}, {name} level: ISMCTS wins "
            f"{100 * min(rates):.0f} to {100 * max(rates):.0f}% over {len(rates)} settings of "
            f"{rows[0]['games']:,} games, {won} of {won + lost} in all (the settings share their "
            f"deals); the paper's claim is borne out in {borne} of "
            f"{len(claimed)} settings that it speaks of."
        )
    return notes


def main() -> None:
    def make(options: argparse.Namespace) -> dict[str, Any]:
        study = Study(games=options.games, determinization=options.determinization)
        return document(study, workers=options.workers, report=say)

    def add(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--determinization", choices=DETERMINIZERS, default="biased")

    games = number("--games", N_GAMES, "of each match, even")
    make_table(__doc__, TABLE, make, games, add, add_workers)


if __name__ == "__main__":
    main()
