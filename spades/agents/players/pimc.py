"""Perfect information Monte Carlo as a player."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from spades.agents.component import Probes
from spades.agents.players.flat import FlatPlayer
from spades.core.cards import HAND_SIZE
from spades.core.observation import Observation
from spades.core.options import borrowed, option
from spades.core.steps import Steps
from spades.search import CardStatistics, SearchResult
from spades.search.deals import first_deals
from spades.search.flat import FlatSettings
from spades.search.result import mean_and_error
from spades.search.search import check_decision
from spades.search.solver import Solver

MAX_DEALS = 10_000
MAX_DEPTH = 9


@dataclass(frozen=True)
class PimcPlayer(FlatPlayer):
    """Perfect information Monte Carlo (Levy 1989, Ginsberg 2001): each deal is solved with open
    hands, and the card with the best mean plays, the lowest code among equals.

    Before the last tricks, where exact values take too long, it plays as ``flat-mc`` with the same
    options."""

    name: ClassVar[str] = "pimc"
    words: ClassVar[str] = "Solved deals"
    place: ClassVar[int] = 10
    probes: ClassVar[Probes] = {
        "": ("deals=5,depth=4,simulations=4", "deals=3,depth=2,determinization=mixed")
    }

    simulations: int = borrowed(FlatSettings, "simulations")
    deals: int = option(50, least=1, most=MAX_DEALS, is_shown=True, help="Deals solved.")
    depth: int = option(
        7,
        least=1,
        most=MAX_DEPTH,
        help="The last tricks that are solved; before them it plays as flat-mc with the same "
        "options.",
    )

    def evaluate_in_steps(self, observation: Observation, seed: int) -> Steps[SearchResult]:
        """Mean points, and the standard error over the deals."""
        if HAND_SIZE - len(observation.table.winners) > self.depth:
            return (yield from super().evaluate_in_steps(observation, seed))
        check_decision(observation)
        determinizer = self.dealing(observation)
        solver = Solver(observation.table)
        by_deal: list[list[int]] = []
        for deal in first_deals(observation, self.deals, seed=seed, determinizer=determinizer):
            yield
            by_deal.append(list(solver.values(deal).values()))
        values = np.array(by_deal, dtype=np.int64)
        sums = values.sum(axis=0).tolist()
        squares = (values**2).sum(axis=0).tolist()
        n = self.deals
        rows = [
            CardStatistics(card, n, n, *mean_and_error(n, total, square))
            for card, total, square in zip(observation.legal, sums, squares, strict=True)
        ]
        best = max(rows, key=lambda row: (row.mean_value, -row.card.code))
        return SearchResult.without_tree(rows, best.card, seed)
