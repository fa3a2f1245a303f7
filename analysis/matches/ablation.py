"""What ``best`` is made of, part by part: the stored matches, as tables and sentences.

``experiments/ablate_best.py`` plays them.
"""

import math
from pathlib import Path

import pandas as pd

from analysis.matches.match import MatchError
from analysis.matches.result import MatchResult, side_texts
from analysis.text_tables import counted, signed, span
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
    "best:iterations=1900,playout=heuristic+bis",
    "best:iterations=700,playout=human+bis",
    "best:equivalence=off+bis",
    "best:iterations=4900,duck=off+bis",
    "best:iterations=2400,solved=2+bis",
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


def documents_of(evidence: Document) -> list[Document]:
    """Every match of the evidence."""
    against_opponents = []
    for opponent in evidence["opponents"]:
        against_opponents += [opponent["best"], opponent["plain"]]
    return [*evidence["variants"], *filter(None, against_opponents)]


def age_text(evidence: Document) -> str:
    """How the measured agents differ from today's; empty where they don't."""
    played = documents_of(evidence)
    n_current = sum(MatchResult.from_document(document).is_current for document in played)
    again = f"`{COMMAND}` plays them anew."
    best = evidence["best"]
    if best != written_out(BEST):
        return f"Measured with other options: `best` stood for `{best}` then. {again}"
    if n_current == len(played):
        return ""
    n_earlier = len(played) - n_current
    matches = counted(n_earlier, "match was", "matches were")
    return (
        f"Measured with these options by an earlier version of the code: {matches} played by "
        "agents that decide some positions otherwise today, so that today's numbers may differ. "
        f"{again}"
    )


def part_table(evidence: Document) -> pd.DataFrame:
    """A row for each variant: what is ``changed``, and how many points a round ``best`` is
    ahead, the most first."""
    rows = [
        {"changed": _changed(match["ns"], match["ew"]), **_row(match)}
        for match in evidence["variants"]
    ]
    return _most_first(rows)


def _most_first(rows: list[Document]) -> pd.DataFrame:
    return pd.DataFrame(rows).sort_values("gap", ascending=False, ignore_index=True)


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
    """A match from its first side: points a round that it is ahead (``gap``), with interval, and
    milliseconds of processor time that each side takes for a choice."""
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


def opponent_table(evidence: Document) -> pd.DataFrame:
    """A row for each opponent: points a round that ``best`` is ahead of it, the most first, those
    of plain ISMCTS (``plain``), and the difference (``gain``). Its interval takes the two matches,
    on the same deals, as independent."""
    return _most_first([_against(opponent) for opponent in evidence["opponents"]])


def _against(opponent: Document) -> Document:
    best = _row(opponent["best"])
    plain = dict.fromkeys(best, math.nan)
    width = math.nan
    if opponent["plain"]:
        plain = _row(opponent["plain"])
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
    behind = "; ".join(names[is_behind]) or "none"
    sentences = [f"Clearly behind: {behind}."]
    if is_ahead.any():
        sentences.append(f"Clearly ahead: {'; '.join(names[is_ahead])}.")
    n_level = (~is_behind & ~is_ahead).sum()
    sentences.append(f"Not told apart: {n_level} of {len(parts)}.")
    return " ".join(sentences)


def opponent_verdict(opponents: pd.DataFrame) -> str:
    """How far ahead ``best`` is of each of an ``opponent_table``, and against which plain ISMCTS
    does clearly better."""
    ahead = [
        f"{signed(row.gap)} ({span((row.gap_low, row.gap_high), '.1f')}) on `{row.agent}`"
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


def ceiling_verdict(evidence: Document) -> str:
    """How much of the true hands' worth the network's deals reach; empty if not measured."""
    measured = evidence["ceiling"]
    if not measured:
        return ""
    worth = measured["over_uniform"]
    text = (
        f"Over uniform deals the true hands bring {_with_interval(worth['true'])} points a round, "
        f"the belief network {_with_interval(worth['network'])}"
    )
    if measured["share"]:
        text += f", {_with_interval(measured['share'], '.0%')} of that ceiling"
    return f"{text}; {measured['deals']:,} deals."


def _with_interval(estimate: Document, form: str = "+.1f") -> str:
    value = signed(estimate["value"], form)
    if not estimate["interval"]:
        return f"{value} (no interval)"
    ends = [signed(end, form).lstrip("+") for end in estimate["interval"]]
    return f"{value} ({' to '.join(ends)})"
