"""The distilled player in compiled code: a round played on to its end without leaving it.

At all four seats, each shown only what its seat sees. Every card is the one that the Python player
plays. A round takes a thirtieth of the time that four of ``best:iterations=200`` take.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.agents.compiled_search import PLAYS, Auction, PlayedOn, read_plays
from spades.agents.player import Player
from spades.agents.players.distilled import DistilledPlayer, chosen_card, load_distilled
from spades.core.cards import HAND_SIZE, N_CARDS, N_SEATS
from spades.core.deal import seed_at, state_of
from spades.core.errors import SpadesError
from spades.core.kernel import FloatArray, Int, IntArray, kernel, lowest
from spades.core.observation import Observation
from spades.core.rules import Rules
from spades.core.step import Progress, after_card, legal_cards, tricks_of
from spades.human.features.view import N_VIEW, View, fill_view, nil_rule_of
from spades.human.model import Prior, own_copy
from spades.search.tree import value_of


class Seats(NamedTuple):
    """Masks of the cards that each seat has ``held``, ``played``, and played ``last``, int64 (4,)
    each."""

    held: IntArray
    played: IntArray
    last: IntArray


class NetworkPlayer(NamedTuple):
    """The distilled player and its memory, which no two threads may share. ``temperature``: its
    option; ``nil_rule``: as in a view; ``seats``: of the round under way."""

    network: Prior
    temperature: float
    nil_rule: Int
    seats: Seats
    seen: View
    logits: FloatArray


def network_player(player: Player, rules: Rules) -> NetworkPlayer:
    """A distilled player as the kernels take it; ``SpadesError`` for another player."""
    if not isinstance(player, DistilledPlayer):
        raise SpadesError(f"{player.text} is no network in compiled code; distilled is")
    by_seat = (np.zeros(N_SEATS, np.int64) for _ in Seats._fields)
    return NetworkPlayer(
        network=own_copy(load_distilled()),
        temperature=player.temperature,
        nil_rule=np.int64(nil_rule_of(rules)),
        seats=Seats(*by_seat),
        seen=np.zeros(N_VIEW, np.int64),
        logits=np.zeros(HAND_SIZE),
    )


@kernel
def lay(card: Int, at: Progress, seats: Seats) -> Progress:
    """The seat to play lays a card on the table."""
    mask = np.int64(1) << card
    seats.held[at.turn] &= ~mask
    seats.played[at.turn] |= mask
    seats.last[at.turn] = mask
    return after_card(at, card)


@kernel
def play_rest(at: Progress, auction: Auction, own: NetworkPlayer, seed: np.uint64) -> Int:
    """Play the round under way to its end; the tricks taken as in ``Progress``."""
    path = state_of(state_of(seed, 0), PLAYS + 1)
    seats = own.seats
    while at.ply < N_CARDS:
        hand = seats.held[at.turn]
        legal = legal_cards(hand, at)
        card = lowest(legal)
        if legal & (legal - 1):
            table = auction.bids, seats.played, seats.last
            fill_view(own.seen, at, (hand, legal, auction.deck), table, own.nil_rule)
            state = state_of(seed_at(path, at.ply), 0)
            card = chosen_card(own.network, own.seen, own.temperature, state, own.logits)
        at = lay(card, at, seats)
    return at.taken


@kernel
def open_with(plays: NDArray, auction: Auction, own: NetworkPlayer) -> Progress:
    """Begin a round with the cards ``plays``; no hand is set."""
    own.seats.played[:] = 0
    own.seats.last[:] = 0
    at = read_plays(plays[:0], auction).at
    for code in plays:
        at = lay(np.int64(code), at, own.seats)
    return at


@kernel
def play_on_after(
    cards: NDArray,
    deals: NDArray,
    start: NDArray,
    auction: Auction,
    own: NetworkPlayer,
    seeds: NDArray,
    tricks: NDArray,
) -> None:
    """Fill ``tricks`` int8 (deals, cards, 4), taken by seat: each of ``cards`` is played after the
    cards ``start`` in each of ``deals`` (n, 4), the rest from the deal's seed."""
    for i in range(len(deals)):
        for j in range(len(cards)):
            at = open_with(start, auction, own)
            own.seats.held[:] = deals[i]
            at = lay(np.int64(cards[j]), at, own.seats)
            taken = play_rest(at, auction, own, seeds[i])
            for seat in range(N_SEATS):
                tricks[i, j, seat] = tricks_of(seat, taken)


@kernel
def play_dealt(hands: NDArray, auction: Auction, own: NetworkPlayer, seed: np.uint64) -> Int:
    """Play a round that is dealt, ``hands`` int64 (4,), and bid, from a seed; points for N/S."""
    at = open_with(np.zeros(0, np.int8), auction, own)
    own.seats.held[:] = hands
    return value_of(auction.rewards, play_rest(at, auction, own, seed))


class PlayedOnByNetwork(PlayedOn):
    """Plays a decision on by the distilled player.

    >>> import spades
    >>> from spades.belief import Dealing
    >>> from spades.core.cards import cards_in
    >>> seen = spades.shipped("bug-report-335").observation(44)
    >>> table = PlayedOnByNetwork(seen, DistilledPlayer())
    >>> deals = Dealing.of("network")(seen).sample(3, np.uint64(5))[0]
    >>> table.tricks(deals, list(cards_in(seen.legal_mask)), range(3)).shape
    (3, 2, 4)
    """

    def __init__(self, observation: Observation, player: Player) -> None:
        """``SpadesError`` for another player, too."""
        super().__init__(observation)
        self._player = network_player(player, observation.rules)

    def _play_on_after(
        self, cards: IntArray, deals: IntArray, seeds: NDArray[np.uint64], tricks: NDArray[np.int8]
    ) -> None:
        play_on_after(cards, deals, self._start, self._auction, self._player, seeds, tricks)
