"""Another card from here: every legal card played in the same deals, the round played on after it.

Deals are drawn from what the seat to play has seen, never from the truth. The difference between
two cards is taken deal by deal, so that the luck of the deal falls out.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from analysis.decisions.decision import INTERVAL_SE
from analysis.decisions.sampled_deals import CandidateValue, determinizer_for
from analysis.decisions.searching import record_key
from analysis.runs.jobs import StoredRun
from analysis.runs.store import ResultStore, model_hash
from spades.agents.continuation import Continuation
from spades.belief import Dealing
from spades.core.cards import cards_in
from spades.core.deal import derive_seed
from spades.core.kernel import seed_state
from spades.core.observation import Observation
from spades.core.records import RoundRecord

KIND = "what-if"
BLOCK = 100
MAX_TRIALS = 5000
DEAL_STREAM = 3  # a search draws from streams 1 and 2
HUMAN = "devlin2016-nil"


@dataclass(frozen=True)
class WhatIf:
    """How a decision is played on: the way of dealing, who plays all seats, the seed."""

    dealing: Dealing = field(default_factory=Dealing)
    policy: str = "srp"
    seed: int = 0


def draw_deals(observation: Observation, how: WhatIf) -> NDArray[np.int64]:
    """The deals of a run, (``MAX_TRIALS``, 4)."""
    determinizer = determinizer_for(how.dealing, observation, MAX_TRIALS)
    return determinizer.sample(MAX_TRIALS, seed_state(how.seed, DEAL_STREAM))[0]


def what_if_run(
    record: RoundRecord, ply: int, how: WhatIf, *, store: ResultStore | None = None
) -> StoredRun:
    """Item i: points of each legal card, lowest code first, in deal i."""
    observation = record.observation(ply)
    table = Continuation(observation, how.policy)
    cards = list(cards_in(observation.legal_mask))
    drawn: list[NDArray[np.int64]] = []  # once, by whoever makes the first item

    def make(i: int) -> Generator[None, None, list[int]]:
        if not drawn:
            drawn.append(draw_deals(observation, how))
            yield
        return table.values(drawn[0][i], cards, derive_seed(how.seed, i))

    question = {
        "round": record_key(record),
        "ply": ply,
        "how": repr(how),
        "trials": MAX_TRIALS,
        "model": model_hash(HUMAN),
    }
    return StoredRun(KIND, question, make, block=BLOCK, unit="deals", store=store)


@dataclass(frozen=True)
class Difference:
    """A card less another in the same deals, points; ``interval`` at 95 %."""

    card: str
    mean: float
    interval: tuple[float, float]
    n: int

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.interval[0] > 0 or self.interval[1] < 0


def differences(rows: Sequence[CandidateValue], reference: str) -> list[Difference]:
    """Every other card less ``reference``, in the order of the rows."""
    found = []
    for row in rows:
        if row.card != reference:
            mean, error = row.against[reference]
            margin = INTERVAL_SE * error
            found.append(Difference(row.card, mean, (mean - margin, mean + margin), row.n))
    return found
