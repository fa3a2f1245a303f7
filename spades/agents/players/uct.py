"""UCT for play (Cohensius et al. 2020, appendix F.3): one level of UCB, playouts by SRP."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.agents.component import Probes
from spades.agents.player import SearchingPlayer
from spades.agents.players.rules import StrongPlayer
from spades.belief import UniformDeals
from spades.core.cards import HAND_SIZE, N_CARDS, cards_in, partnership_of
from spades.core.errors import IllegalPlayError
from spades.core.kernel import Int, kernel, seed_state
from spades.core.observation import Observation
from spades.core.options import option
from spades.core.scoring import evaluation_table
from spades.core.steps import Steps
from spades.rule_based import Public, public_of, strong_card
from spades.rule_based.sight import PLY, TRICKS, record_play, turn_of
from spades.search import CardStatistics, SearchResult
from spades.search.settings import iterations_option

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
    best = 0
    highest_bound = -np.inf
    for i in range(len(arms.cards)):
        if arms.visits[i] == 0:
            return i
        mean = arms.values[i] / arms.visits[i]
        bound = mean + exploration * math.sqrt(math.log(n) / arms.visits[i])
        if bound > highest_bound:
            best = i
            highest_bound = bound
    return best


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
    legal = observation.legal_mask
    if not legal:
        raise IllegalPlayError(f"not this seat's turn to play: {observation.text()}")
    cards = np.array(list(cards_in(legal)), dtype=np.int64)
    arms = Arms(cards, np.zeros(len(cards), dtype=np.int64), np.zeros(len(cards)))
    table = observation.table
    rewards = evaluation_table(table.rules, tuple(table.bids), tuple(table.blind))
    public = public_of(observation)
    sign = 1 - 2 * partnership_of(observation.seat)
    hidden = UniformDeals(observation)
    state = seed_state(seed, _DEAL_STREAM)
    for start in range(0, iterations, CHUNK):
        yield
        deals, state = hidden.sample(min(CHUNK, iterations - start), state)
        run_uct(arms, public, deals, rewards, sign, exploration)
    return arms


@dataclass(frozen=True)
class UctPlayer(SearchingPlayer):
    """SRP, with UCT for the last tricks (Cohensius 2020, appendix F.3).

    Plays the card with the highest mean value, the lowest code among equals."""

    name: ClassVar[str] = "uct"
    words: ClassVar[str] = "Rules, then search"
    place: ClassVar[int] = 5
    probes: ClassVar[Probes] = {"": ("iterations=30", "iterations=30,last=4,exploration=20")}

    iterations: int = iterations_option(1000, is_shown=True, help="Of a decision.")
    last: int = option(
        HAND_SIZE,
        least=0,
        most=HAND_SIZE,
        help="The last tricks that are played by UCT, those before by srp.",
    )
    exploration: float = option(100.0, least=0, most=1e6, unit="points", help="C of UCB1.")

    def choose_in_steps(self, observation: Observation, seed: int) -> Steps[int]:
        if HAND_SIZE - len(observation.table.winners) > self.last:
            return StrongPlayer().choose(observation, seed)
        return (yield from super().choose_in_steps(observation, seed))

    def evaluate_in_steps(self, observation: Observation, seed: int) -> Steps[SearchResult]:
        """By UCT at every trick."""
        arms = yield from uct_steps(
            observation, iterations=self.iterations, exploration=self.exploration, seed=seed
        )
        deck = observation.rules.cards
        rows = []
        for card, n_visits, total in zip(*(column.tolist() for column in arms), strict=True):
            mean = total / n_visits if n_visits else math.nan
            rows.append(CardStatistics(deck.card(card), n_visits, self.iterations, mean, math.nan))
        tried = [row for row in rows if row.visits]
        best = max(tried, key=lambda row: (row.mean_value, -row.card.code))
        return SearchResult.without_tree(rows, best.card, seed)
