"""Dobre and Lascarides 2015, table I, on Spades.

In the paper one agent meets three of the heuristic at Settlers and chooses one placement, so that
25% is level; here a partnership meets another at Spades and chooses every card: 50% is level. What
can stand beside is the order, on common deals. The corpus is of simulated humans.
"""

from typing import Any

from analysis.matches.match import MatchPlan
from analysis.papers.claims import Claim, Sheet
from analysis.papers.lab import NAMED_GAMES, SHARE, Lab, difference, of_match, points_ahead

TABLE1 = "dobre-table1"
SEED, LEVEL, MARGIN = 30615, 0.25, 0.02
HEURISTIC, PLAIN, BY_HEURISTIC, BY_CORPUS, ALONE = (
    "thumb", "flat-ucb", "flat-ucb:seed=heuristic", "flat-ucb:seed=corpus", "corpus"
)  # fmt: skip
PUBLISHED = {PLAIN: 0.2874, BY_HEURISTIC: 0.2848, BY_CORPUS: 0.3043, ALONE: 0.1911}


def table1(lab: Lab) -> dict[str, Any]:
    games = lab.n(NAMED_GAMES, 4)
    plans = {agent: MatchPlan(agent, HEURISTIC, games, SEED) for agent in PUBLISHED}
    others = (PLAIN, BY_HEURISTIC)
    duels = {other: MatchPlan(BY_CORPUS, other, games, SEED) for other in others}
    lab.play(*plans.values(), *duels.values())
    sheet = Sheet(TABLE1, "", "games won against the heuristic", unit=SHARE)
    for agent, published in PUBLISHED.items():
        found, text = lab.win_rate(plans[agent]), f"{published:.2%} where 25% is level"
        claim = Claim.above(0.5, text) if published > LEVEL else Claim.below(0.5, text)
        what = f"{agent}: games won against the heuristic"
        about = {"settings": f"{agent} against {HEURISTIC}", "on": "simulated humans' corpus"}
        sheet.row(what, claim, found, **about)
        sheet.point("", "ours", agent, found)
        sheet.point("", "published, 25% moved to 50%", agent, published - LEVEL + 0.5)
    for better, worse, claim in (
        (BY_CORPUS, PLAIN, Claim.above(0.0, "1.7% more")),
        (BY_CORPUS, BY_HEURISTIC, Claim.above(0.0, "2.0% more")),
        (PLAIN, BY_HEURISTIC, Claim.printed(0.0, MARGIN, "0.3% apart: level")),
    ):
        settings = f"both against {HEURISTIC}, the same deals"
        found = difference(*(lab.games_won(plans[agent]) for agent in (better, worse)))
        sheet.row(f"{better} less {worse}", claim, found, settings=settings)
    for other, plan in duels.items():
        claim, found = Claim.above(0.0, "stronger"), points_ahead(lab.results(plan))
        sheet.row(f"{BY_CORPUS} against {other}", claim, found, **of_match(plan, "points a round"))
    return {TABLE1: sheet.document}
