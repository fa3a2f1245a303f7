"""Logs for the tests of styles of play: random rounds, made quickly and by a seed."""

from dataclasses import replace

import numpy as np

from spades.core.cards import STANDARD, cards_in, mask_of
from spades.core.logs import Log
from spades.core.records import Record
from spades.core.rules import Rules


def random_round(seed, **fields):
    """A legal round of random cards; South is a human, the others bots."""
    rng = np.random.default_rng(seed)
    cards = rng.permutation(STANDARD.codes).reshape(4, 13)
    record = Record(
        Rules(),
        int(rng.integers(4)),
        tuple(mask_of(map(int, hand)) for hand in cards),
        bids=tuple(int(bid) for bid in rng.integers(0, 6, size=4)),
        kinds=("bot", "bot", "human", "bot"),
        agents=("ismcts:iterations=2500", "random", "", "random"),
        players=("N", "E", "Ann", "W"),
        game_id=f"game-{seed // 3}",
    )
    state = record.start()
    for _ in range(52):
        state.play(int(rng.choice(list(cards_in(state.legal_plays())))))
    return replace(replace(record, plays=tuple(state.table.plays)), **fields)


def random_log(n, **fields):
    return Log.from_records([random_round(seed, **fields) for seed in range(n)])


def counts_from(rng, games, probabilities, plays=50):
    """Counts of the 68 moves by game, each game ``plays`` independent plays."""
    return rng.multinomial(plays, probabilities, size=games).astype(np.int32)
