"""Dobre and Lascarides 2015, table I, on Spades.

In the paper one agent meets three of the heuristic at Settlers and chooses one placement, so that
25% is level; here a partnership meets another at Spades and chooses every card: 50% is level. What
can stand beside is the order, on common deals. The corpus is of simulated humans. Other readings: a
seed that counts for fewer or more visits than the paper's 10, and how often the corpus finds a
simulated human's card: by Q, and by how many pairs fit a card.
"""

from typing import Any

import numpy as np

from analysis.matches.match import MatchPlan
from analysis.papers.claims import Claim, Estimate, Sheet
from analysis.papers.lab import GRID_GAMES, NAMED_GAMES, ON, SHARE, Lab, difference, points_rows
from analysis.runs.tasks import ranges
from spades.core.cards import N_CARDS
from spades.human import simulate_humans
from spades.human.corpus import DEFAULT_CORPUS as CORPUS
from spades.human.corpus import load_corpus, suggest

TABLE1 = "dobre-table1"
SEED, LEVEL, MARGIN = 30615, 0.25, 0.02
HEURISTIC, PLAIN, BY_HEURISTIC, BY_CORPUS, ALONE = (
    "thumb", "flat-ucb", "flat-ucb:seed=heuristic", "flat-ucb:seed=corpus", "corpus"
)  # fmt: skip
TRUSTED = 2, 50  # visits that a seed stands for; the paper's are 10
FULL_ROUNDS, QUICK_ROUNDS, FRESH_SEED, PLIES = 500, 20, 2015, range(N_CARDS)
PUBLISHED = {PLAIN: 0.2874, BY_HEURISTIC: 0.2848, BY_CORPUS: 0.3043, ALONE: 0.1911}


def table1(lab: Lab) -> dict[str, Any]:
    games = lab.n(NAMED_GAMES, 4)
    plans = {agent: MatchPlan(agent, HEURISTIC, games, SEED) for agent in PUBLISHED}
    duels = [MatchPlan(BY_CORPUS, other, games, SEED) for other in (PLAIN, BY_HEURISTIC)]
    trusting = [f"{BY_CORPUS},seed_visits={visits}" for visits in TRUSTED]
    trusted = [MatchPlan(one, PLAIN, lab.n(GRID_GAMES, 4), SEED) for one in trusting]
    lab.play(*plans.values(), *duels, *trusted)
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
    stronger = Claim.above(0.0, "stronger")
    points_rows(lab, sheet, stronger, duels, to="rows")
    points_rows(lab, sheet, stronger, trusted)
    parts = ranges(lab.n(FULL_ROUNDS, QUICK_ROUNDS), 20)
    counts = lab.measure("cards of a corpus", found_cards, parts, agents=(ALONE, "human"))
    n, by_chance, *hits = np.concatenate(counts).T
    about = {"to": "readings", "unit": "share of choices", "on": ON}
    for by, right in zip(("the highest Q", "the most pairs"), hits, strict=True):
        more, what = Estimate.mean(right - by_chance, "choices", n), f"{ALONE}, card of {by}"
        sheet.row(f"{what}: people's, more than by chance", Claim.above(0.0, "more"), more, **about)
    return {TABLE1: sheet.document}


def found_cards(first: int, end: int) -> list[tuple[int, float, int, int]]:
    """Of some fresh rounds of simulated humans: choices, and how many of the cards played a card
    drawn at random is, the corpus' card of the highest Q and the one that most of its pairs fit."""
    fresh, corpus = simulate_humans(end - first, FRESH_SEED, first=first), load_corpus(CORPUS)
    rows = []
    for record in map(fresh.record, range(len(fresh))):
        plays = zip(map(record.observation, PLIES), record.plays, strict=True)
        unforced = [(seen, card.code) for seen, card in plays if seen.legal_mask.bit_count() > 1]
        choices = [(suggest(corpus, seen), card) for seen, card in unforced]
        by_chance = sum(1 / len(one.cards) for one, _ in choices)
        by_pairs = sum(one.cards[one.n_pairs.argmax()] == card for one, card in choices)
        by_value = sum(one.best == card for one, card in choices)
        rows.append((len(choices), by_chance, by_value, int(by_pairs)))
    return rows
