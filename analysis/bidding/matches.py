"""Whole games between bidders: those played here, and those that are shipped.

Of bidders a match tells where its two agents play alike and bid differently. Leagues are kept
apart by rules and by the code that played; the matches of Cohensius 2020, remade by
``analysis.papers.matches``, stand beside them.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from analysis.matches.league import Variant, league_of, variants
from spades.agents import parse_agent
from spades.agents.behaviour import behaviour_of
from spades.core.rules import Rules

PUBLISHED = "matches of Cohensius 2020, shipped"
LEAGUE = "league"
COLUMNS = (
    "first", "second", "games", "win_rate", "low", "high", "points_first", "points_second",
    "rules", "source",
)  # fmt: skip


def bidder_matches(
    matches: pd.DataFrame, published: dict[str, Any] | None, rules: Rules
) -> pd.DataFrame:
    """A row a pair of agents that differ in their bidders alone; ``rules`` and ``source`` in words.

    ``matches``: ``known_matches``; ``published``: the document of
    ``analysis.papers.matches``, None without one. Today's games by ``rules`` come first, then
    other leagues, last what the paper played. Shares are of the decided games, exact 95 %
    intervals; points are a round of both.
    """
    asked = Variant.of(rules)
    leagues = sorted(variants(matches), key=lambda variant: variant != asked)
    parts = [_league_rows(matches, variant) for variant in leagues]
    parts += [published_rows(published)] if published else []
    filled = [part for part in parts if len(part)]
    if not filled:
        return pd.DataFrame(columns=list(COLUMNS))
    return pd.concat(filled, ignore_index=True)[list(COLUMNS)]


def _league_rows(matches: pd.DataFrame, variant: Variant) -> pd.DataFrame:
    pairs = matches_of_bidders(league_of(matches, variant).pairs)
    return pairs.assign(rules=variant.label, source=LEAGUE)


def published_rows(document: dict[str, Any]) -> pd.DataFrame:
    """Those of the paper's matches whose agents play alike."""
    agents = {match[side] for match in document["matches"] for side in ("first", "second")}
    by_today = document["code"] == behaviour_of(*agents)
    other = "" if by_today else ", as agents played earlier"
    rows = []
    for match in document["matches"]:
        (low, high), points = match["interval"], match["points_per_round"]
        ends = {"low": low, "high": high, "source": PUBLISHED}
        ends |= {"points_first": points["ns"], "points_second": points["ew"]}
        rules = f"to {match['target']} points, floor {match['floor']}{other}"
        if _play_alike(match["first"], match["second"]):
            rows.append({**match, **ends, "rules": rules})
    return pd.DataFrame(rows, columns=list(COLUMNS))


def matches_of_bidders(pairs: pd.DataFrame) -> pd.DataFrame:
    """Of the league's pairs those whose agents play alike and bid differently.

    ``pairs``: ``pair_table``.
    """
    alike = [_play_alike(row.first, row.second) for row in pairs.itertuples()]
    return pairs.loc[alike, list(COLUMNS[:-2])].reset_index(drop=True)


def _play_alike(first: str, second: str) -> bool:
    return parse_agent(first).player == parse_agent(second).player
