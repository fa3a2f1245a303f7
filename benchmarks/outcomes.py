"""Are a search's P(contract), P(nil) and bags calibrated? ``python -m benchmarks.outcomes
[--rounds N] [--agent SPEC]`` plays rounds by one agent in all seats and notes, at two decisions a
round, what the search says that its card leads to, and what came of it: expected calibration error
in ten bins, mean error of bags, by third of the round."""

import argparse
import random

import numpy as np
from numpy.typing import NDArray

from analysis.models.measures import calibration_error
from spades.agents import parse_agent
from spades.agents.compiled import Seating
from spades.agents.play import deal_and_bid
from spades.core.cards import N_CARDS, SEATS
from spades.core.deal import derive_seed
from spades.core.observation import observe
from spades.core.rules import NIL_BID, Rules
from spades.core.scoring import GameScore
from spades.search.outcomes import (
    BAGS,
    N_MADE,
    N_OUTCOMES,
    NILS,
    endings_from,
    outcome_sums,
    outcome_table,
)

A_ROUND = 2
THIRDS = {"tricks 1 to 4": (0, 16), "5 to 9": (16, 36), "10 to 13": (36, 52), "all": (0, 52)}


def notes_of(agent: str, n_rounds: int) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Plies (m,), what was said and what came, (m, 8) each as in ``outcome_table``, and which of it
    is open: contracts of more than 0, nils that were bid."""
    four = (parse_agent(agent),) * len(SEATS)
    seating, rng, noted = Seating(four, Rules()), random.Random(11), []
    for i in range(n_rounds):
        state = deal_and_bid(seating, i % len(SEATS), derive_seed(11, i), GameScore((0, 0), (0, 0)))
        bids, taken = tuple(state.table.bids), []
        at = set(rng.sample(range(N_CARDS), A_ROUND))
        for ply in range(N_CARDS):
            seen = observe(state)
            found = four[0].player.search(seen, derive_seed(11, i, ply))
            if ply in at:
                row = next(k for k, card in enumerate(found.cards) if card is found.best)
                said = outcome_sums(found.endings, seen)[row] / found.best.visits
                taken.append((ply, tuple(state.table.tricks_taken), said))
            state.play(found.best.card)
        north, east, south, _ = state.table.tricks_taken
        contracts = [state.table.contract_of(side) > 0 for side in (0, 1)]
        is_open = [*contracts, True, True, *(bid == NIL_BID for bid in bids)]
        for ply, before, said in taken:
            place = endings_from(before).places[north, east, south]
            noted.append((ply, said, outcome_table(Rules(), bids, before)[place], is_open))
    plies, said, came, is_open = map(np.array, zip(*noted, strict=True))
    return plies, said, came, is_open


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--agent", default="ismcts:iterations=2500")
    options = parser.parse_args()
    plies, said, came, is_open = notes_of(options.agent, options.rounds)
    kinds = {"contract": (N_MADE, BAGS), "nil": (NILS, N_OUTCOMES)}
    for third, (first, end) in THIRDS.items():
        rows = (plies >= first) & (plies < end)
        for kind, (start, stop) in kinds.items():
            used = is_open[rows, start:stop].astype(bool)
            p, right = said[rows, start:stop][used], came[rows, start:stop][used]
            error = calibration_error(p, right.astype(bool)) if len(p) else float("nan")
            print(
                f"{third}: {kind}, n {len(p)}, said {p.mean():.3f}, came {right.mean():.3f}, ",
                end="",
            )
            print(f"calibration error {error:.3f}")
        p, right = said[rows, BAGS:NILS], came[rows, BAGS:NILS]
        print(f"{third}: bags, said {p.mean():.2f}, came {right.mean():.2f}")


if __name__ == "__main__":
    main()
