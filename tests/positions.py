"""Random positions for tests: legal by construction."""

import random

from spades.core.cards import cards_in, mask_of
from spades.core.rules import Round, Rules


def random_round(
    rng: random.Random, n_played: int, *, rules: Rules | None = None, bids=(3, 3, 3, 3)
) -> Round:
    """A round with ``n_played`` random legal cards played."""
    rules = rules or Rules()
    codes = [int(code) for code in rules.cards.codes]
    rng.shuffle(codes)
    state = Round.deal(rules, rng.randrange(4), [mask_of(codes[i::4]) for i in range(4)])
    state.table.bids[:] = list(bids)
    for _ in range(n_played):
        state.play(rng.choice(list(cards_in(state.legal_plays()))))
    return state


def random_bids(rng: random.Random) -> list[int]:
    return [rng.choice([0, 1, 2, 3, 3, 4, 5]) for _ in range(4)]


def swap_hidden(state: Round, seat: int, rng: random.Random) -> Round:
    """The same observation for ``seat``, the other hands dealt anew as it allows."""
    from spades.belief import UniformDeals
    from spades.core.kernel import seed_state
    from spades.core.observation import observe

    deals, _ = UniformDeals(observe(state, seat)).sample(1, seed_state(rng.randrange(1 << 30)))
    other = state.copy()
    other.hands = [int(hand) for hand in deals[0]]
    return other
