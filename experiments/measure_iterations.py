"""What fewer iterations cost ``best``: ``python -m experiments.measure_iterations``.

Each deal, bid by ``bis``, is played twice in compiled code, from both sides: by ``best`` with fewer
iterations against ``best`` with ``REFERENCE``. Prints points a round with a 95% interval; three
minutes of one core for each number of iterations.
"""

import argparse

import numpy as np

from analysis.intervals import mean_interval
from analysis.runs.command import say
from spades.agents import parse_agent
from spades.agents.compiled import Seating
from spades.agents.compiled_search import Searcher, auction_of, play_round, searcher_of
from spades.agents.play import LEVEL, deal_and_bid
from spades.core.cards import N_SEATS
from spades.core.deal import derive_seed
from spades.core.observation import observe
from spades.core.rules import Rules

REFERENCE = 5000
ITERATIONS = (100, 200, 400, 1000)
PAIRS = 1200
SEED = 991


def searcher_with(iterations: int) -> Searcher:
    return searcher_of(parse_agent(f"best:iterations={iterations}").player)


def lead_in(deal: int, one: Searcher, other: Searcher, seating: Seating) -> float:
    """Points a round by which one beats another on a deal played from both sides."""
    seed = derive_seed(SEED, deal)
    state = deal_and_bid(seating, deal % N_SEATS, seed, LEVEL)
    hands = np.array(state.hands, np.int64)
    auction = auction_of(observe(state))
    points = play_round(hands, auction, one, other, seed)
    points_swapped = play_round(hands, auction, other, one, seed)
    return (points - points_swapped) / 2


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--iterations", nargs="+", type=int, default=list(ITERATIONS))
    parser.add_argument("--pairs", type=int, default=PAIRS, help="deals, each played twice")
    options = parser.parse_args()
    bidders = parse_agent("best+bis")
    seating = Seating((bidders, bidders, bidders, bidders), Rules())
    reference = searcher_with(REFERENCE)
    for iterations in options.iterations:
        searcher = searcher_with(iterations)
        deals = range(options.pairs)
        leads = np.array([lead_in(deal, searcher, reference, seating) for deal in deals])
        low, high = mean_interval(leads) or (np.nan, np.nan)
        interval = f"95%: {low:+.1f} to {high:+.1f}; {len(leads):,} deals"
        say(f"{iterations:5,} iterations: {leads.mean():+.1f} points a round ({interval})")


if __name__ == "__main__":
    main()
