"""Each card of a decision in the same deals, and the round played on.

Deals are drawn from what the seat to play has seen; differences are taken deal by deal, which
removes the luck of the deal (``analysis.decisions.card_values``).
"""

from dataclasses import dataclass, field

from analysis.decisions.sampled_deals import by_deal
from analysis.decisions.settings import place_of
from analysis.runs.series import StoredSeries
from spades.agents.play import Continuation
from spades.belief import Dealing
from spades.core.cards import cards_in
from spades.core.deal import derive_seed
from spades.core.kernel import IntArray, seed_state
from spades.core.observation import Observation
from spades.core.records import Record
from spades.human import MODEL_NAME, model_hash

TRIALS_A_BLOCK = 100
MAX_TRIALS = 5000
TRIAL_STREAM = 3  # a search draws from streams 1 and 2


@dataclass(frozen=True)
class WhatIf:
    """How a decision is played on: the way of dealing, who plays all seats, the seed."""

    dealing: Dealing = field(default_factory=Dealing)
    policy: str = "srp"
    seed: int = 0


def what_if_series(record: Record, ply: int, how: WhatIf, *, keep: bool = True) -> StoredSeries:
    """Item i: points of each legal card, lowest code first, in deal i."""
    observation = record.observation(ply)
    table = Continuation(observation, how.policy)
    cards = list(cards_in(observation.legal_mask))

    def value(i: int, deal: IntArray) -> list:
        return table.values(deal, cards, derive_seed(how.seed, i))

    question = {
        **place_of(record, ply),
        "how": repr(how),
        "trials": MAX_TRIALS,
        "model": model_hash(MODEL_NAME),
    }
    make = by_deal(lambda: draw_deals(observation, how), value)
    return StoredSeries("what-if", question, make, block=TRIALS_A_BLOCK, unit="deals", keep=keep)


def draw_deals(observation: Observation, how: WhatIf) -> IntArray:
    """The deals of a ``what_if_series``, (``MAX_TRIALS``, 4)."""
    determinizer = how.dealing(observation, MAX_TRIALS)
    return determinizer.sample(MAX_TRIALS, seed_state(how.seed, TRIAL_STREAM))[0]
