"""Play the matches of Cohensius et al. 2020: ``python -m analysis.papers.matches`` (minutes).

Bidders at the strong rule-based player (tables 2 and 4, section 5.1), 10,000 games each to 200
points with a floor of -100, a deal being played from both sides; and, beyond the paper, each rival
against BIS without its end-game rules. Every match has the published figure beside it, Clopper and
Pearson's interval of the win rate, the points a round, and what the result is made of: nils, sets
and the losers' final scores. Nothing is tuned toward a published number.

Writes ``data/tables/published_matches.json``."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from analysis.matches.documents import match_summary
from analysis.runs.command import make_table, number
from spades.agents import Duel, PairResults, parse_agent, play_pairs
from spades.agents.behaviour import behaviour_of
from spades.bidding.curves import TABLE as CURVES
from spades.bidding.curves import load_curves
from spades.core.rules import Rules

TABLE = CURVES.with_name("published_matches.json")
NOTES = TABLE.with_suffix(".md")
COMMAND = "python -m analysis.papers.matches"
N_GAMES, SEED, N_THREADS = 10_000, 30406, 2
TARGET, FLOOR, SINGLE_ROUND = 200, -100, 1
PAIRS_A_PART = 250
VERSION = 1


class Match(NamedTuple):
    """``first`` against ``second``; what the paper prints for it, None where it doesn't.
    ``published``: the first's win rate; ``published_points``: points a round of both."""

    name: str
    first: str
    second: str
    source: str
    published: float | None = None
    published_points: tuple[float, float] | None = None
    target: int = TARGET


NO_END = "srp+bis:end_game=off"
TABLE_2, TABLE_4 = "Cohensius 2020, table 2", "Cohensius 2020, table 4"
BEYOND = "beyond the paper"
STRONG_PLAY = "strong against weak play"
MATCHES = (
    Match("BIS against RB", "srp+bis", "srp+rb", TABLE_2, 0.523, (56.2, 52.8)),
    Match("BIS against MS", "srp+bis", "srp+ms", TABLE_2, 0.677, (50.8, 38.4)),
    Match("BIS against IO", "srp+bis", "srp+io", TABLE_2, 0.671, (51.6, 46.3)),
    Match("BIS against RB, weak play", "wrp+bis", "wrp+rb", TABLE_2, 0.519, (53.2, 50.0)),
    Match("BIS against MS, weak play", "wrp+bis", "wrp+ms", TABLE_2, 0.669, (50.1, 38.2)),
    Match("BIS against IO, weak play", "wrp+bis", "wrp+io", TABLE_2, 0.686, (52.8, 46.5)),
    Match(STRONG_PLAY, "srp+rb", "wrp+rb", "Cohensius 2020, section 5.1", 0.56),
    Match(
        "a curve for every sequence against one for all",
        "srp+bis", "srp+bis:single_curve=on", TABLE_4, 0.512, (44.7, 43.6),
    ),
    Match(
        "end-game rules against none",
        "srp+bis", NO_END, TABLE_4, 0.52, (48.3, 49.9),
    ),
    Match(
        "end-game rules against none, one round",
        "srp+bis", NO_END, TABLE_4, 0.528, (43.5, 52.9), SINGLE_ROUND,
    ),
    Match(
        "constant threshold against bid-sensitive",
        "srp+bis", "srp+bis:bid_sensitive=on", "Cohensius 2020, section 5.3.3 (no figure)",
    ),
    Match("BIS without end-game rules against RB", NO_END, "srp+rb", BEYOND),
    Match("BIS with a single curve against RB", "srp+bis:single_curve=on", "srp+rb", BEYOND),
    Match("BIS without nil against RB", "srp+bis:threshold=1000,risky_nil=off", "srp+rb", BEYOND),
    Match(
        "BIS with neither against RB", "srp+bis:threshold=1000,end_game=off", "srp+rb", BEYOND
    ),
    Match("BIS against simulated humans' bids", "srp+bis", "srp+human", BEYOND),
)  # fmt: skip


def played(match: Match, n_games: int) -> PairResults:
    """The pairs of a match, the same for any number of threads."""
    rules = Rules(target=match.target, losing_floor=FLOOR)
    duel = Duel(parse_agent(match.first), parse_agent(match.second), rules)
    n_pairs = n_games // 2
    starts = range(0, n_pairs, PAIRS_A_PART)
    play: Callable[[int, int], PairResults] = partial(play_pairs, duel, SEED)
    with ThreadPoolExecutor(N_THREADS) as pool:
        parts = pool.map(play, starts, [min(i + PAIRS_A_PART, n_pairs) for i in starts])
        return PairResults.joined(list(parts))


def figures(match: Match, results: PairResults) -> dict[str, Any]:
    """The result of a match and what is published; ``ns`` is the first agent. ``loser_score``: mean
    final score of each agent in the games it lost. ``nils_per_round``: of a partnership.
    ``contracts_set_per_round``: contracts above 0 that failed."""
    rules = Rules(target=match.target, losing_floor=FLOOR)
    summary = match_summary(results, rules)
    summary.pop("ms_per_move")  # a measurement of this machine: the rest repeats exactly
    winners, rounds = results.winners(rules), int(results.rounds.sum())
    lost = np.stack([winners == 1, winners == 0], axis=-1)
    set_contracts = results.contracts - results.contracts_made
    by_agent = {"nils_per_round": results.nils, "contracts_set_per_round": set_contracts}
    return {
        **match._asdict(),
        "floor": FLOOR,
        "games": 2 * len(results),
        **summary,
        "loser_score": [
            float(results.scores[..., i][lost[..., i]].mean()) if lost[..., i].any() else None
            for i in (0, 1)
        ],
        **{name: (a.sum(axis=(0, 1)) / rounds).tolist() for name, a in by_agent.items()},
    }


class Share(float):
    """A share that is written in percent."""

    def __format__(self, form: str) -> str:
        return f"{100 * float(self):{form}}%"


def notes_of(found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Why results differ from the paper's: the paragraphs of ``NOTES`` with the figures found."""

    def of(match: Mapping[str, Any]) -> dict[str, list[Share]]:
        shares = {name: match[name] for name in ("nils_per_round", "contracts_set_per_round")}
        shares["nil"] = [match["nil"][side]["share"] or 0.0 for side in ("ns", "ew")]
        return {name: list(map(Share, pair)) for name, pair in shares.items()}

    rb, io, play = (found[name] for name in ("BIS against RB", "BIS against IO", STRONG_PLAY))
    text = NOTES.read_text("utf-8").format(
        won={name: f"{Share(match['win_rate']):.1f}" for name, match in found.items()},
        ahead={
            name: f"{match['points_difference']['value']:+.1f} points a round"
            for name, match in found.items()
        },
        rb=of(rb),
        io=of(io),
        play=of(play),
        lost=rb["loser_score"],
        bags=play["bags_per_round"],
        curve=Share(load_curves().probability((1, 3), 0.8)),
    )
    return text.strip().split("\n\n")


def document(n_games: int = N_GAMES) -> dict[str, Any]:
    found = {match.name: figures(match, played(match, n_games)) for match in MATCHES}
    return {
        "version": VERSION,
        "what": "matches of Cohensius 2020, played anew by simulated agents; win_rate and interval "
        "(95%, Clopper and Pearson) are of the first agent, its win rate in the paper published",
        "command": COMMAND,
        "seed": SEED,
        "code": behaviour_of(
            *(agent for match in MATCHES for agent in (match.first, match.second))
        ),
        "notes": notes_of(found),
        "matches": list(found.values()),
    }


if __name__ == "__main__":
    n_games = number("--games", N_GAMES, "of each match, even")
    make_table(__doc__, TABLE, lambda options: document(options.games), n_games)
