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
from analysis.runs.tasks import ranges
from experiments.papers.claims import ACCURACY, Claim, Estimate, Sheet
from experiments.papers.lab import Lab
from spades.agents import Seating, parse_agent
from spades.agents.play import play_games
from spades.core.deal import derive_seed
from spades.core.logs import Log
from spades.core.rules import Rules
from spades.human import load_model, model_hash
from spades.human.features.logs import ALL_SEATS, examples_of_log

AGENT = "ismcts:iterations=1000,bias=pikl,model=devlin2016-nil,lambda=2,play=sample"
MODEL = "stand-in-t-200-150-100"
SEED = 58_200
N_GAMES = 80
ITERATIONS = 2500


def add_predicted(lab: Lab, sheet: Sheet, published: dict[str, float]) -> None:
    """Add readings of how many of the stand-in's cards ``search`` and ``network`` foretell.

    ``published``: how many of people's cards they did.
    """
    name = f"cards of a stand-in by {model_hash(MODEL)}"
    parts = ranges(lab.n(N_GAMES, 2), 1)
    counts = lab.measure(name, count_predicted, parts, AGENT, MODEL, agents=(AGENT,))
    n = np.array([part["n"] for part in counts], dtype=float)
    for predictor, share in published.items():
        hits = np.array([part[predictor] for part in counts], dtype=float)
        what = f"stand-in's cards foretold by the {predictor}"
        estimate = Estimate.mean(hits, "cards", n)
        sheet.reading(
            what,
            Claim.share(share, ACCURACY),
            estimate,
            unit="share of cards",
            settings=AGENT,
            on="stand-in, not people",
        )


def count_predicted(first: int, end: int, agent: str, model: str) -> dict[str, int]:
    """Cards of some games of four such agents, forced ones too, and how many are foretold."""
    player = parse_agent(agent)
    seating = Seating((player, player, player, player), Rules())
    log = play_games(seating, SEED, first, end).log()
    prior = load_model(model).prior()
    answers = compute_answers(prior, examples_of_log(log, seats=ALL_SEATS))
    return {
        "n": len(answers),
        "search": count_by_agent(log, first, f"ismcts:iterations={ITERATIONS}"),
        "network": int(answers["accuracy"].sum()),
    }


def count_by_agent(log: Log, first: int, predictor: str) -> int:
    """How many cards of a log, forced ones too, another agent would play. ``first``: the number of
    its first game."""
    player = parse_agent(predictor).player
    n = 0
    for i in range(len(log)):
        record = log.record(i)
        for ply, card in enumerate(record.plays):
            seen = record.observation(ply)
            n += player.play(seen, derive_seed(SEED, first, i, ply)) == card.code
    return n
