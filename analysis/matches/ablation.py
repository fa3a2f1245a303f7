"""What ``best`` is made of, part by part: the stored matches, as tables and sentences.

``experiments/ablate_best.py`` plays them.
"""

import math
from pathlib import Path

import pandas as pd

from analysis.matches.match import MatchError
from analysis.matches.result import MatchResult, side_texts
from spades.agents import parse_agent
from spades.core.documents import Document, read_json
from spades.core.options import option_texts
from spades.core.paths import DATA, stored_table

TABLE = DATA / "league" / "best.json"
COMMAND = "python -m experiments.ablate_best"
VERSION = 1
BEST = "best+bis"
PLAIN = "ismcts:iterations=2500+bis"
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
"""``best`` with one part changed, and iterations for its time; ``experiments/ablate_best.py
--speeds`` says how many those are."""
OPPONENTS = (
    PLAIN,
    "ismcts:iterations=7000+bis",  # as long as best
    "srp+bis",
    "stars:level=5+bis",
    "flat-mc+bis",
    "human",
)


def written_out(agent: str) -> str:
    """An agent's text with what ``best`` stands for said in options."""
    return str(parse_agent(agent).written_out)


def stored_evidence(path: Path | None = None) -> Document | None:
    """The stored document, None where the file isn't there; ``MatchError`` where it isn't
    sound."""
    path = path or TABLE
    if not path.exists():
        return None
    with stored_table(path, COMMAND, MatchError):
        found = read_json(path)
        if found["version"] != VERSION:
            raise ValueError(f"version {found['version']} instead of {VERSION}")
        parse_agent(found["best"])
        for document in documents_of(found):
            side_texts(MatchResult.from_document(document))
        _ = part_table(found), opponent_table(found), ceiling_verdict(found)
        return found


def documents_of(found: Document) -> list[Document]:
    """Every match of the evidence."""
    of_opponents = [one[side] for one in found["opponents"] for side in ("best", "plain")]
    return [*found["variants"], *filter(None, of_opponents)]


def age_text(found: Document) -> str:
    """How the measured agents differ from today's; empty where they don't."""
    played = documents_of(found)
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


def part_table(found: Document) -> pd.DataFrame:
    """One row a variant: what is ``changed``, and by how many points a round ``best`` is ahead."""
    return pd.DataFrame(
        [{"changed": _changed(one["ns"], one["ew"]), **_row(one)} for one in found["variants"]]
    )


def _changed(best: str, variant: str) -> str:
    """``playout uniform instead of nil-aware``; iterations, which give equal time, left out."""
    before = option_texts(parse_agent(best).player)
    now = option_texts(parse_agent(variant).player)
    parts = [
        f"{name} {now[name]} instead of {before[name]}"
        for name in now
        if now[name] != before[name] and name != "iterations"
    ]
    return ", ".join(parts)


def _row(document: Document) -> Document:
    """Of a match, from its first side: ``gap``, points a round that it is ahead, with interval, and
    milliseconds of a processor that a choice takes both."""
    difference = document["points_difference"]
    low, high = difference["interval"] or (math.nan, math.nan)
    times = document["ms_per_move"]
    return {
        "agent": document["ew"],
        "rounds": int(document["rounds"]),
        "gap": float(difference["value"]),
        "gap_low": float(low),
        "gap_high": float(high),
        "ms_first": times["ns"],
        "ms_second": times["ew"],
    }


def opponent_table(found: Document) -> pd.DataFrame:
    """One row an opponent: how far ahead of it ``best`` is, and plain ISMCTS (``plain``); ``gain``:
    by how much more, its interval as if the two matches, on the same deals, were independent."""
    return pd.DataFrame([_against(one) for one in found["opponents"]])


def _against(one: Document) -> Document:
    best = _row(one["best"])
    plain = dict.fromkeys(best, math.nan)
    width = math.nan
    if one["plain"]:
        plain = _row(one["plain"])
        width = math.hypot(best["gap_high"] - best["gap"], plain["gap_high"] - plain["gap"])
    gain = best["gap"] - plain["gap"]
    return {
        **best,
        "plain": plain["gap"],
        "plain_low": plain["gap_low"],
        "plain_high": plain["gap_high"],
        "plain_rounds": plain["rounds"],
        "gain": gain,
        "gain_low": gain - width,
        "gain_high": gain + width,
    }


def part_verdict(parts: pd.DataFrame) -> str:
    """Which changes of a ``part_table`` clearly lose points, or win some."""
    is_behind = parts["gap_low"] > 0
    is_ahead = parts["gap_high"] < 0
    names = parts["changed"]
    sentences = [f"Clearly behind: {'; '.join(names[is_behind]) or 'none'}."]
    if is_ahead.any():
        sentences.append(f"Clearly ahead: {'; '.join(names[is_ahead])}.")
    n_level = (~is_behind & ~is_ahead).sum()
    sentences.append(f"Not told apart: {n_level} of {len(parts)}.")
    return " ".join(sentences)


def opponent_verdict(opponents: pd.DataFrame) -> str:
    """How far ahead ``best`` is of each of an ``opponent_table``, and against which plain ISMCTS
    does clearly better."""
    ahead = [
        f"{row.gap:+.1f} ({row.gap_low:.1f} to {row.gap_high:.1f}) on `{row.agent}`"
        for row in opponents.itertuples()
    ]
    first = f"Points a round ahead, 95%: {', '.join(ahead)}."
    met = opponents[opponents["gain"].notna()]
    if met.empty:
        return first
    better = met["agent"][met["gain_low"] > 0]
    worse = met["agent"][met["gain_high"] < 0]
    text = "Nowhere clearly worse than plain ISMCTS"
    if len(worse):
        text = f"Clearly worse than plain ISMCTS against {', '.join(worse)}"
    return f"{first} {text}; clearly better against {len(better)} of {len(met)}."


def ceiling_verdict(found: Document) -> str:
    """What of the true hands' worth the network's deals reach, "" where it isn't measured."""
    measured = found["ceiling"]
    if not measured:
        return ""
    worth = measured["over_uniform"]
    text = (
        f"Over uniform deals the true hands bring {_with_interval(worth['true'])} points a round, "
        f"the belief network {_with_interval(worth['network'])}"
    )
    if measured["share"]:
        text += f", {_with_interval(measured['share'], '{:.0%}')} of that ceiling"
    return f"{text}; {measured['deals']:,} deals."


def _with_interval(one: Document, form: str = "{:+.1f}") -> str:
    value = form.format(one["value"])
    if not one["interval"]:
        return f"{value} (no interval)"
    low, high = (form.format(end).lstrip("+") for end in one["interval"])
    return f"{value} ({low} to {high})"
