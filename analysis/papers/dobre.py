"""Dobre and Lascarides 2015, table I, on Spades.

In the paper one agent meets three of the heuristic at Settlers and chooses one placement, so that
25% is level; here a partnership meets another at Spades and chooses every card: 50% is level. What
can stand beside is the order, on common deals. The corpus is of simulated humans.
"""

from typing import Any

from analysis.matches.match import MatchPlan
from analysis.papers.claims import Claim, above, bare_point, below, point, printed, row
from analysis.papers.lab import Lab, difference, games_won, points_ahead, win_rate

TABLE1 = "dobre-table1"
SEED, GAMES, LEVEL, MARGIN = 30615, 2400, 0.25, 0.02
HEURISTIC, PLAIN, BY_HEURISTIC, BY_CORPUS, ALONE = (
    "thumb", "flat-ucb", "flat-ucb:seed=heuristic", "flat-ucb:seed=corpus", "corpus"
)  # fmt: skip
PUBLISHED = {PLAIN: 0.2874, BY_HEURISTIC: 0.2848, BY_CORPUS: 0.3043, ALONE: 0.1911}
UNIT, ON = "share of games", "simulated humans' corpus"


def table1(lab: Lab) -> dict[str, Any]:
    games = lab.n(GAMES, 4)
    plans = {agent: MatchPlan(agent, HEURISTIC, games, SEED) for agent in PUBLISHED}
    duels = {
        (BY_CORPUS, other): MatchPlan(BY_CORPUS, other, games, SEED)
        for other in (PLAIN, BY_HEURISTIC)
    }
    lab.play(*plans.values(), *duels.values())
    played = {agent: lab.results(plan) for agent, plan in plans.items()}
    wins = {agent: games_won(plans[agent], played[agent]) for agent in plans}
    rows, points = [], []
    for agent, published in PUBLISHED.items():
        found = win_rate(plans[agent], played[agent])
        text = f"{published:.2%} where 25% is level"
        claim = above(0.5, text) if published > LEVEL else below(0.5, text)
        about = {"unit": UNIT, "settings": f"{agent} against {HEURISTIC}", "on": ON}
        rows.append(row(TABLE1, f"{agent}: games won against the heuristic", claim, found, **about))
        shifted = published - LEVEL + 0.5
        points.append(point("", "ours", agent, found))
        points.append(bare_point("", "published, 25% moved to 50%", agent, shifted))
    pairs: tuple[tuple[str, str, Claim], ...] = (
        (BY_CORPUS, PLAIN, above(0.0, "1.7% more")),
        (BY_CORPUS, BY_HEURISTIC, above(0.0, "2.0% more")),
        (PLAIN, BY_HEURISTIC, printed(0.0, MARGIN, "0.3% apart: level")),
    )
    for better, worse, claim in pairs:
        about = {"unit": UNIT, "settings": f"both against {HEURISTIC}, the same deals"}
        found = difference(wins[better], wins[worse])
        rows.append(row(TABLE1, f"{better} less {worse}", claim, found, **about))
    for (better, worse), plan in duels.items():
        claim, found = above(0.0, "stronger"), points_ahead(lab.results(plan))
        about = {"unit": "points a round", "settings": f"{plan.ns} against {plan.ew}"}
        rows.append(row(TABLE1, f"{better} against {worse}", claim, found, **about))
    axes = ["", "games won against the heuristic"]
    return {TABLE1: {"rows": rows, "points": points, "axes": axes}}
