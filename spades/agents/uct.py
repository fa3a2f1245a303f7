"""UCT for play (Cohensius et al. 2020, appendix F.3): one level of UCB, playouts by SRP."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.belief import UniformDeals
from spades.core.cards import N_CARDS, cards_in, partnership_of
from spades.core.errors import IllegalPlayError
from spades.core.kernel import Int, kernel, seed_state
from spades.core.observation import Observation
from spades.core.scoring import evaluation_table
from spades.core.steps import Steps, last_value
from spades.rule_based import Public, public_of, strong_card
from spades.rule_based.sight import PLY, TRICKS, record_play, turn_of

CHUNK = 4096  # deals drawn at a time
_DEAL_STREAM = 5


class Arms(NamedTuple):
    """The legal cards: ``cards`` int64 (k,) codes, ``visits`` int64 (k,), ``values`` float64 (k,)
    summed points."""

    cards: NDArray[np.int64]
    visits: NDArray[np.int64]
    values: NDArray[np.float64]


@kernel
def play_out(card: Int, hands: NDArray, public: Public, rewards: NDArray) -> Int:
    """Play a card and finish the round by SRP; its value for N/S, in points. ``hands`` int64 (4,)
    and ``public`` are used up."""
    while True:
        hands[turn_of(public)] ^= np.int64(1) << card
        record_play(public, card)
        if public.table[PLY] == N_CARDS:
            taken = public.seats[TRICKS]
            return rewards[taken[0], taken[1], taken[2]]
        card = strong_card(hands[turn_of(public)], public)


@kernel
def choose_arm(arms: Arms, n: Int, exploration: float) -> Int:
    """The arm that UCB1 tries after n iterations: one untried, else the highest bound."""
    found, highest_bound = 0, -np.inf
    for i in range(len(arms.cards)):
        if arms.visits[i] == 0:
            return i
        bound = arms.values[i] / arms.visits[i]
        bound += exploration * math.sqrt(math.log(n) / arms.visits[i])
        if bound > highest_bound:
            found, highest_bound = i, bound
    return found


@kernel
def run_uct(
    arms: Arms, public: Public, deals: NDArray, rewards: NDArray, sign: Int, exploration: float
) -> None:
    """One iteration for each of ``deals`` int64 (n, 4), which are used up; fills the arms."""
    copy = Public(public.rules, public.table.copy(), public.seats.copy())
    n = arms.visits.sum()
    for hands in deals:
        copy.table[:] = public.table
        copy.seats[:] = public.seats
        i = choose_arm(arms, n, exploration)
        arms.values[i] += sign * play_out(arms.cards[i], hands, copy, rewards)
        arms.visits[i] += 1
        n += 1


def uct_search(observation: Observation, *, iterations: int, exploration: float, seed: int) -> Arms:
    """``uct_steps`` at once."""
    steps = uct_steps(observation, iterations=iterations, exploration=exploration, seed=seed)
    return last_value(steps)


def uct_steps(
    observation: Observation, *, iterations: int, exploration: float, seed: int
) -> Steps[Arms]:
    """Visits and summed values, points for the mover's partnership, of every legal card.

    UCT for play (Cohensius et al. 2020, appendix F.3, algorithm 2): one level of UCB over the legal
    cards, playouts by SRP. Each iteration deals the unseen cards (uniformly over what agrees with
    the observation), plays the card with the highest x + C sqrt(ln n / n_i), finishes the round
    with SRP in all four seats, each seeing its own hand only, and adds the point gap of the round.
    The paper stops after 3 seconds and says neither C nor what a bag counts: here the number of
    iterations is fixed, C is in points, and the gap is that of every search here,
    (s_p - 10 b_p) - (s_o - 10 b_o).

    Raises ``IllegalPlayError`` for a seat that isn't to play."""
    if not (legal := observation.legal_mask):
        raise IllegalPlayError(f"not this seat's turn to play: {observation.text()}")
    cards = np.array(list(cards_in(legal)), dtype=np.int64)
    arms = Arms(cards, np.zeros(len(cards), dtype=np.int64), np.zeros(len(cards)))
    table, dealt = observation.table, UniformDeals(observation)
    rewards = evaluation_table(table.rules, tuple(table.bids), tuple(table.blind))
    public, state = public_of(observation), seed_state(seed, _DEAL_STREAM)
    sign = 1 - 2 * partnership_of(observation.seat)
    for start in range(0, iterations, CHUNK):
        yield
        deals, state = dealt.sample(min(CHUNK, iterations - start), state)
        run_uct(arms, public, deals, rewards, sign, exploration)
    return arms
