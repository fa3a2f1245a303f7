"""Positions that searches are timed on, and what a row says that can't be measured."""

from __future__ import annotations

import random
from collections.abc import Iterator

from spades.core.cards import cards_in, mask_of
from spades.core.errors import SpadesError
from spades.core.observation import Observation, observe
from spades.core.rules import Round, Rules

PHASES = range(0, 48, 4)
POSITIONS = 20


class NotMeasuredError(SpadesError):
    """Something that a row needs isn't on this machine."""


def random_position(cards_played: int, rng: random.Random) -> Round:
    """A position drawn as the yardstick draws it: random deal, bids of 3, random legal plays."""
    rules = Rules()
    codes = [int(code) for code in rules.cards.codes]
    rng.shuffle(codes)
    state = Round.deal(rules, 3, [mask_of(codes[seat::4]) for seat in range(4)])
    state.table.bids[:] = [3, 3, 3, 3]
    for _ in range(cards_played):
        state.play(rng.choice(list(cards_in(state.legal_plays()))))
    return state


def round_observations(rng: random.Random) -> Iterator[Observation]:
    """What the seat to play sees at each of the 52 plays of a random round."""
    state = random_position(0, rng)
    while not state.table.is_over:
        yield observe(state)
        state.play(rng.choice(list(cards_in(state.legal_plays()))))


def spread_positions(seed: int) -> list[Observation]:
    """20 positions at each of 0, 4, ..., 44 cards played."""
    rng = random.Random(seed)
    return [observe(random_position(cards, rng)) for cards in PHASES for _ in range(POSITIONS)]
