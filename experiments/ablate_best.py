"""What ``best`` is made of, part by part: ``python -m experiments.ablate_best``.

Writes ``data/league/best.json`` in some five hours on two cores. Each variant differs from ``best``
in one part, has as many iterations as take the same time, and meets it on common deals, every deal
from both sides, in games to 500 of ``--pairs`` pairs of rounds at least. So do others, which plain
ISMCTS meets on the same deals. Last, the ceiling (``experiments/ceiling.py``): what the true hands
would bring. What is played are the options that ``best`` stands for, so that a match stays valid
when it stands for others. Stopped at any moment, the command writes the matches that are whole, and
goes on where it was the next time.

``--speeds`` plays nothing: it says how many iterations of each variant take as long as ``best``.
``--stored`` plays nothing either: it writes what has been played.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from time import thread_time
from typing import Any, Unpack

from analysis.matches import ablation
from analysis.matches.ablation import written_out
from analysis.matches.match import MatchError, MatchPlan
from analysis.matches.result import MatchResult
from analysis.runs.command import add_workers, interruptible, say
from analysis.runs.tasks import RunOptions, TaskRunner
from experiments import ceiling
from experiments.command import make_table, number
from experiments.play_league import complete_rounds
from spades.agents import pair_log, parse_agent
from spades.agents.player import Player
from spades.core.documents import Document
from spades.core.observation import Observation

N_PAIRS = 2000
SEED = 20261125
TIMED_ROUNDS = 8
GAME_ROUNDS = 10  # of a game, about
MORE_GAMES = 10


def evidence(n_pairs: int, **options: Unpack[RunOptions]) -> Document | None:
    """The document of all matches, or of those that were played before it was cancelled, None
    where none was; what is stored, or shipped, isn't played again."""
    best = ablation.BEST
    matches: dict[tuple[str, str], Document] = {}
    with TaskRunner(0, "games", **options) as run:
        for ns, ew in meetings():
            say(f"{ns} against {ew}, {n_pairs:,} pairs of rounds")
            document = _play(written_out(ns), written_out(ew), n_pairs, run)
            if document is not None:
                matches[ns, ew] = document
        say(f"{best} with its hidden cards dealt in three ways, {n_pairs // 2:,} deals")
        share = _share_of_ceiling(max(2, n_pairs // 2), run)
    if not (matches or share):
        return None
    decisions = _timed_decisions()
    for (ns, ew), match in matches.items():  # timed here, while no games are played
        ns_player = parse_agent(ns).player
        ew_player = parse_agent(ew).player
        ns_time, ew_time = _milliseconds(decisions, ns_player, ew_player)
        matches[ns, ew] = {**match, "ms_per_move": {"ns": ns_time, "ew": ew_time}}
    return {
        "version": ablation.VERSION,
        "made_by": f"{ablation.COMMAND} --pairs {n_pairs}",
        "best": written_out(best),
        "ceiling": share,
        "variants": [matches[best, text] for text in ablation.VARIANTS if (best, text) in matches],
        "opponents": [
            {"best": matches[best, text], "plain": matches.get((ablation.PLAIN, text))}
            for text in ablation.OPPONENTS
            if (best, text) in matches
        ],
    }


def meetings() -> Iterator[tuple[str, str]]:
    """Who meets whom, the parts of ``best`` last."""
    for opponent in ablation.OPPONENTS:
        yield ablation.BEST, opponent
    for opponent in ablation.OPPONENTS:
        if opponent != ablation.PLAIN:
            yield ablation.PLAIN, opponent
    for variant in ablation.VARIANTS:
        yield ablation.BEST, variant


def _share_of_ceiling(n_deals: int, run: TaskRunner) -> Document | None:
    """Measured, or an older measurement that is still of these agents or can't be made anew."""
    agents = (written_out(ablation.BEST), written_out(ablation.PLAIN))
    older = None
    with suppress(MatchError):
        stored = ablation.stored_evidence() or {}
        known = stored.get("ceiling")
        if known and known["deals"] >= n_deals and tuple(known["agents"]) == agents:
            older = known
    if older and ceiling.is_current(older, *agents):
        return older
    return ceiling.ceiling(*agents, n_deals, run) or older


def _play(ns: str, ew: str, n_pairs: int, run: TaskRunner) -> Document | None:
    """A match's document; of an agent that has changed since, until the match is played anew."""
    older = None
    with suppress(MatchError):  # a file that can't be read is made anew
        stored = ablation.stored_evidence()
        for match in ablation.documents_of(stored) if stored else []:
            is_long_enough = match["rounds"] >= 2 * n_pairs
            if (match["ns"], match["ew"]) == (ns, ew) and is_long_enough:
                older = match
    if older and MatchResult.from_document(older).is_current:
        return older
    games = max(2, 2 * (n_pairs // GAME_ROUNDS))
    played = complete_rounds(MatchPlan(ns, ew, games, SEED), 2 * n_pairs, MORE_GAMES, run)
    return played.document() if played else older


def say_speeds() -> None:
    """How long a decision takes each variant, and its iterations for the time of ``best``."""
    best = parse_agent(ablation.BEST).player
    decisions = _timed_decisions()
    for text in (*ablation.VARIANTS, *ablation.OPPONENTS):
        player: Any = parse_agent(text).player
        if not hasattr(player, "iterations"):
            continue
        best_time, its_time = _milliseconds(decisions, best, player)
        equal = player.iterations * best_time / its_time
        say(
            f"{text}: {best_time:.2f} against {its_time:.2f} ms a decision, "
            f"{equal:,.0f} iterations in equal time"
        )


def _timed_decisions() -> list[Observation]:
    """Those between several cards in some rounds of ``best``."""
    log = pair_log(MatchPlan(ablation.BEST, ablation.BEST, 2).duel, SEED, 0)
    decisions = []
    for record in log.take(slice(TIMED_ROUNDS)).records():
        for ply in range(len(record.plays)):
            seen = record.observation(ply)
            if seen.legal_mask.bit_count() > 1:
                decisions.append(seen)
    return decisions


def _milliseconds(decisions: Sequence[Observation], *players: Player) -> list[float]:
    """What a decision takes each player, of the processor's time; they take turns."""
    times = [0.0] * len(players)
    for player in players:
        player.choose(decisions[0], 0)  # may load or compile
    for i, seen in enumerate(decisions, start=1):
        for side, player in enumerate(players):
            started = thread_time()
            player.choose(seen, i)
            times[side] += thread_time() - started
    return [1000 * time / len(decisions) for time in times]


def make(options: argparse.Namespace) -> Document | None:
    if options.speeds:
        say_speeds()
        sys.exit()
    with interruptible(say) as is_stopped:
        is_cancelled = (lambda: True) if options.stored else is_stopped
        return evidence(options.pairs, workers=options.workers, is_cancelled=is_cancelled)


def add_modes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--speeds", action="store_true", help="say equal times, play nothing")
    parser.add_argument("--stored", action="store_true", help="write what has been played")


if __name__ == "__main__":
    make_table(
        __doc__,
        ablation.TABLE,
        make,
        number("--pairs", N_PAIRS, "of rounds, of each match"),
        add_modes,
        add_workers,
    )
