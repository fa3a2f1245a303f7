"""What ``best`` is made of, part by part: ``python -m analysis.matches.ablation``.

Each variant differs from ``best`` in one part, has as many iterations as take the same time, and
meets it on common deals, every deal from both sides, in games to 500 of ``--pairs`` pairs of rounds
at least. So do others, which plain ISMCTS meets on the same deals. What is played are the options
that ``best`` stands for, so that a match stays valid when it stands for others. Stopped at any
moment, the command writes the matches that are whole, and goes on where it was the next time: all
of them take some ten hours of one core.

``--speeds`` plays nothing: it says how many iterations of each variant take as long as ``best``.
``--stored`` plays nothing either: it writes what has been played.
"""

import argparse
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import thread_time
from typing import Any, Unpack

import pandas as pd

from analysis.matches import ceiling
from analysis.matches.match import MatchError, MatchPlan, complete_rounds
from analysis.matches.result import MatchResult, side_texts
from analysis.runs.command import add_workers, interruptible, make_table, number, say
from analysis.runs.tasks import RunOptions, TaskRunner
from spades.agents import pair_log, parse_agent
from spades.agents.players import Player
from spades.core.documents import read_json
from spades.core.observation import Observation
from spades.core.options import option_texts
from spades.core.paths import DATA, stored_table

TABLE = DATA / "league" / "best.json"
COMMAND = "python -m analysis.matches.ablation"
BEST, PLAIN = "best+bis", "ismcts:iterations=2500+bis"
N_PAIRS, SEED, VERSION, TIMED_ROUNDS = 2000, 20261125, 1, 8
GAME_ROUNDS, MORE_GAMES = 10, 10  # rounds of a game, about
VARIANTS = (
    "best:iterations=6500,determinization=uniform+bis",
    "best:players=search+bis",
    "best:iterations=5450,playout=uniform+bis",
    "best:iterations=1090,playout=heuristic+bis",
    "best:iterations=645,playout=human+bis",
    "best:equivalence=off+bis",
    "best:iterations=4900,duck=off+bis",
    "best:iterations=1800,solved=2+bis",
    "best:exploration=0.4+bis",
    "best:exploration=1.0+bis",
)
"""``best`` with one part changed, and iterations for its time: see ``--speeds``."""
OPPONENTS = (
    PLAIN,
    "ismcts:iterations=7000+bis",  # as long as best
    *("srp+bis", "stars:level=5+bis", "flat-mc+bis", "human"),
)


def written_out(agent: str) -> str:
    """An agent's text with what ``best`` stands for said in options."""
    return str(parse_agent(agent).written_out)


def evidence(n_pairs: int, **options: Unpack[RunOptions]) -> dict[str, Any] | None:
    """The document of all matches, or of those that were played before it was cancelled, None
    where none was; what is stored, or shipped, isn't played again."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    with TaskRunner(0, "games", **options) as run:
        for ns, ew in meetings():
            say(f"{ns} against {ew}, {n_pairs:,} pairs of rounds")
            document = _met(written_out(ns), written_out(ew), n_pairs, run)
            if document is not None:
                found[ns, ew] = document
        say(f"{BEST} with its hidden cards dealt in three ways, {n_pairs // 2:,} deals")
        share = _share_of_ceiling(max(2, n_pairs // 2), run)
    if not (found or share):
        return None
    seen = _timed_decisions()
    for pair, document in found.items():  # as if alone on the machine, whatever played beside
        players = (parse_agent(text).player for text in pair)
        times = dict(zip(("ns", "ew"), _milliseconds(seen, *players), strict=True))
        found[pair] = {**document, "ms_per_move": times}
    return {
        "version": VERSION,
        "made_by": f"{COMMAND} --pairs {n_pairs}",
        "best": written_out(BEST),
        "ceiling": share,
        "variants": [found[BEST, text] for text in VARIANTS if (BEST, text) in found],
        "opponents": [
            {"best": found[BEST, text], "plain": found.get((PLAIN, text))}
            for text in OPPONENTS
            if (BEST, text) in found
        ],
    }


def meetings() -> Iterator[tuple[str, str]]:
    """Who meets whom, the parts of ``best`` last."""
    yield from ((BEST, text) for text in OPPONENTS)
    yield from ((PLAIN, text) for text in OPPONENTS if text != PLAIN)
    yield from ((BEST, text) for text in VARIANTS)


def _share_of_ceiling(n_deals: int, run: TaskRunner) -> dict[str, Any] | None:
    agents, older = (written_out(BEST), written_out(PLAIN)), None
    with suppress(MatchError):
        known = (stored_evidence() or {}).get("ceiling")
        if known and known["deals"] >= n_deals and tuple(known["agents"]) == agents:
            older = known
    if older and ceiling.is_current(older, *agents):
        return older
    return ceiling.ceiling(*agents, n_deals, run) or older


def _met(ns: str, ew: str, n_pairs: int, run: TaskRunner) -> dict[str, Any] | None:
    """A match's document; of an agent that has changed since, until the match is played anew."""
    older = None
    with suppress(MatchError):  # a file that can't be read is made anew
        for known in _documents(stored_evidence() or {"variants": [], "opponents": []}):
            is_long = known["rounds"] >= 2 * n_pairs
            if (known["ns"], known["ew"]) == (ns, ew) and is_long:
                older = known
    if older and MatchResult.from_document(older).is_current:
        return older
    games = max(2, 2 * (n_pairs // GAME_ROUNDS))
    played = complete_rounds(MatchPlan(ns, ew, games, SEED), 2 * n_pairs, MORE_GAMES, run)
    return played.document() if played else older


def stored_evidence(path: Path | None = None) -> dict[str, Any] | None:
    """What ``evidence`` made, None where the file isn't there; ``MatchError`` where it isn't
    sound."""
    path = path or TABLE
    if not path.exists():
        return None
    with stored_table(path, COMMAND, MatchError):
        found = read_json(path)
        if found["version"] != VERSION:
            raise ValueError(f"version {found['version']} instead of {VERSION}")
        parse_agent(found["best"])
        for document in _documents(found):
            side_texts(MatchResult.from_document(document))
        _ = part_table(found), opponent_table(found), ceiling_verdict(found)
        return found


def _documents(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    met = [one[side] for one in found["opponents"] for side in ("best", "plain")]
    return [*found["variants"], *filter(None, met)]


def age_text(found: Mapping[str, Any]) -> str:
    """How the measured agents differ from today's; empty where they don't."""
    played = _documents(found)
    n_current = sum(MatchResult.from_document(document).is_current for document in played)
    again = f"`{COMMAND}` plays them anew."
    if found["best"] != written_out(BEST):
        return f"Measured with other options: `best` stood for `{found['best']}` then. {again}"
    if n_current == len(played):
        return ""
    n_earlier = len(played) - n_current
    matches = "1 match was" if n_earlier == 1 else f"{n_earlier} matches were"
    return (
        f"Measured with these options by an earlier version of the code: {matches} played by "
        "agents that decide some positions otherwise today, so that today's numbers may differ. "
        f"{again}"
    )


def part_table(found: Mapping[str, Any]) -> pd.DataFrame:
    """One row a variant: what is ``changed``, and by how many points a round ``best`` is ahead."""
    return pd.DataFrame(
        [{"changed": _changed(one["ns"], one["ew"]), **_row(one)} for one in found["variants"]]
    )


def _changed(best: str, variant: str) -> str:
    """``playout uniform instead of nil-aware``; iterations, which give equal time, left out."""
    before, now = (option_texts(parse_agent(text).player) for text in (best, variant))
    parts = [
        f"{name} {now[name]} instead of {before[name]}"
        for name in now
        if now[name] != before[name] and name != "iterations"
    ]
    return ", ".join(parts)


def _row(document: Mapping[str, Any]) -> dict[str, Any]:
    """Of a match, from its first side: ``gap``, points a round that it is ahead, with interval, and
    milliseconds of a processor that a choice takes both."""
    difference, times = document["points_difference"], document["ms_per_move"]
    low, high = difference["interval"] or (math.nan, math.nan)
    row = {"agent": document["ew"], "rounds": int(document["rounds"])}
    row |= {"gap": float(difference["value"]), "gap_low": float(low), "gap_high": float(high)}
    return row | {"ms_first": times["ns"], "ms_second": times["ew"]}


def opponent_table(found: Mapping[str, Any]) -> pd.DataFrame:
    """One row an opponent: how far ahead of it ``best`` is, and plain ISMCTS (``plain``); ``gain``:
    by how much more, its interval as if the two matches, on the same deals, were independent."""
    return pd.DataFrame([_against(one) for one in found["opponents"]])


def _against(one: Mapping[str, Any]) -> dict[str, Any]:
    row, width = _row(one["best"]), math.nan
    plain = dict.fromkeys(row, math.nan)
    if one["plain"]:
        plain = _row(one["plain"])
        width = math.hypot(row["gap_high"] - row["gap"], plain["gap_high"] - plain["gap"])
    gain = row["gap"] - plain["gap"]
    row |= {name.replace("gap", "plain"): plain[name] for name in ("gap", "gap_low", "gap_high")}
    row["plain_rounds"] = plain["rounds"]
    return row | {"gain": gain, "gain_low": gain - width, "gain_high": gain + width}


def part_verdict(parts: pd.DataFrame) -> str:
    """Which changes of a ``part_table`` clearly lose points, or win some."""
    behind, ahead = parts["gap_low"] > 0, parts["gap_high"] < 0
    names = parts["changed"]
    texts = [f"Clearly behind: {'; '.join(names[behind]) or 'none'}."]
    texts += [f"Clearly ahead: {'; '.join(names[ahead])}."] * bool(ahead.any())
    return " ".join([*texts, f"Not told apart: {(~behind & ~ahead).sum()} of {len(parts)}."])


def opponent_verdict(opponents: pd.DataFrame) -> str:
    """How far ahead ``best`` is of each of an ``opponent_table``, and against which plain ISMCTS
    does clearly better."""
    gaps = zip(*(opponents[name] for name in ("agent", "gap", "gap_low", "gap_high")), strict=True)
    ahead = [f"{gap:+.1f} ({low:.1f} to {high:.1f}) on `{name}`" for name, gap, low, high in gaps]
    first = f"Points a round ahead, 95%: {', '.join(ahead)}."
    met = opponents[opponents["gain"].notna()]
    if met.empty:
        return first
    better, worse = met["agent"][met["gain_low"] > 0], met["agent"][met["gain_high"] < 0]
    text = "Nowhere clearly worse than plain ISMCTS"
    if len(worse):
        text = f"Clearly worse than plain ISMCTS against {', '.join(worse)}"
    return f"{first} {text}; clearly better against {len(better)} of {len(met)}."


def ceiling_verdict(found: Mapping[str, Any]) -> str:
    """What of the true hands' worth the network's deals reach, "" where it isn't measured."""
    if not (measured := found["ceiling"]):
        return ""
    worth, n = measured["over_uniform"], measured["deals"]
    network, true = (_with_interval(worth[way]) for way in ("network", "true"))
    share = measured["share"]
    reached = f", {_with_interval(share, '{:.0%}')} of that ceiling" if share else ""
    return (
        f"Over uniform deals the true hands bring {true} points a round, the belief network "
        f"{network}{reached}; {n:,} deals."
    )


def _with_interval(one: Mapping[str, Any], form: str = "{:+.1f}") -> str:
    value, *ends = (form.format(x) for x in (one["value"], *(one["interval"] or ())))
    return f"{value} ({' to '.join(end.lstrip('+') for end in ends) or 'no interval'})"


def say_speeds() -> None:
    """How long a decision takes each variant, and its iterations for the time of ``best``."""
    best, seen = parse_agent(BEST).player, _timed_decisions()
    for text in (*VARIANTS, *OPPONENTS):
        player: Any = parse_agent(text).player
        if not hasattr(player, "iterations"):
            continue
        times = _milliseconds(seen, best, player)
        equal = player.iterations * times[0] / times[1]
        each = " against ".join(f"{time:.2f}" for time in times)
        say(f"{text}: {each} ms a decision, {equal:,.0f} iterations in equal time")


def _timed_decisions() -> list[Observation]:
    """Those between several cards in some rounds of ``best``."""
    log = pair_log(MatchPlan(BEST, BEST, 2).duel, SEED, 0)
    records = [log.record(i) for i in range(min(len(log), TIMED_ROUNDS))]
    decisions = (one.observation(ply) for one in records for ply in range(len(one.plays)))
    return [one for one in decisions if one.legal_mask.bit_count() > 1]


def _milliseconds(seen: Sequence[Observation], *players: Player) -> list[float]:
    """What a decision takes each player, of the processor's time; they take turns."""
    times = [0.0] * len(players)
    for i, observation in enumerate((seen[0], *seen)):
        for side, player in enumerate(players):
            started = thread_time()
            player.choose(observation, i)
            times[side] += (thread_time() - started) * (i > 0)  # the first may load or compile
    return [1000 * time / len(seen) for time in times]


def make(options: argparse.Namespace) -> dict[str, Any] | None:
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
        TABLE,
        make,
        number("--pairs", N_PAIRS, "of rounds, of each match"),
        add_modes,
        add_workers,
    )
