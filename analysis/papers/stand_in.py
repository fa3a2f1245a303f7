"""A stand-in for people that is about as strong as those of Baier et al. 2018, beside ours.

Our simulated humans play by a log-linear model alone: the search foretells fewer of their cards
than the paper's search foretold of people's, and a network that imitates them loses more often. The
stand-in mixes that model with a search: piKL, which plays a card with probability proportional to
model times exp(value / lambda). Its lambda and iterations were chosen so that the search foretells
about as many of its cards as of people's (58.2%), by nothing else. A network of the paper's
architecture was trained on it (``data/README.md`` has the commands).
"""

import numpy as np

from analysis.models.measures import compute_answers
from analysis.papers.claims import ACCURACY, Claim, Estimate, Sheet
from analysis.papers.lab import Lab
from analysis.runs.tasks import ranges
from spades.agents import Seating, parse_agent
from spades.agents.play import play_games
from spades.core.deal import derive_seed
from spades.core.rules import Rules
from spades.human import load_model, model_hash
from spades.human.features.logs import ALL_SEATS, examples_of_log
from spades.search import search

AGENT = "ismcts:iterations=1000,bias=pikl,model=devlin2016-nil,lambda=2,play=sample"
MODEL, ON = "stand-in-t-200-150-100", "stand-in, not people"
SEED, GAMES, ITERATIONS = 58_200, 80, 2500


def predicted(lab: Lab, sheet: Sheet, claims: dict[str, float]) -> None:
    """Add readings of how many of the stand-in's cards ``search`` and ``network`` foretell."""
    parts = ranges(lab.n(GAMES, 2), 1)
    name = f"cards of a stand-in by {model_hash(MODEL)}"
    found = lab.measure(name, predicted_part, parts, AGENT, MODEL, agents=(AGENT,))
    n = np.array([part["n"] for part in found], dtype=float)
    about = {"unit": "share of cards", "settings": AGENT, "on": ON}
    for key, published in claims.items():
        hits = np.array([part[key] for part in found], dtype=float)
        claim, what = Claim.share(published, ACCURACY), f"stand-in's cards foretold by the {key}"
        sheet.row(what, claim, Estimate.mean(hits, "cards", n), to="readings", **about)


def predicted_part(first: int, end: int, agent: str, model: str) -> dict[str, int]:
    """Cards of some games of four such agents, forced ones too, and how many are foretold."""
    played = play_games(Seating((parse_agent(agent),) * 4, Rules()), SEED, first, end).log()
    answers = compute_answers(load_model(model).prior(), examples_of_log(played, seats=ALL_SEATS))
    by_search = 0
    for i in range(len(played)):
        record = played.record(i)
        for ply, card in enumerate(record.plays):
            seen, seed = record.observation(ply), derive_seed(SEED, first, i, ply)
            is_forced = seen.legal_mask.bit_count() < 2
            by_search += (
                is_forced or search(seen, iterations=ITERATIONS, seed=seed).best.card == card
            )
    hits = int(answers["accuracy"].sum())
    return {"n": len(answers), "search": int(by_search), "network": hits}
