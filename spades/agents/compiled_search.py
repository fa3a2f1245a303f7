"""Searching players in compiled code: a round played on to its end without leaving it.

``best`` and its kind at all four seats, each shown only what its seat sees: from the cards played
the belief network deals the hidden hands, the tree is searched, the card visited most is played.
Every card is the one that the Python player plays from the same seed. With 100 iterations a card
takes a half to a fifth of the time: a Python call costs more than so short a search.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.agents.player import Player
from spades.agents.players.best import BestPlayer
from spades.belief.determinize import ALL_OWNERS
from spades.belief.network import (
    PLAYER_KINDS,
    HiddenCards,
    Network,
    ObservationArrays,
    load_network,
    predict_owners,
)
from spades.belief.owners import compute_thresholds, draw_deals
from spades.core.cards import (
    ALL_CODES,
    HAND_SIZE,
    N_CARDS,
    N_SEATS,
    SPADES,
    SPADES_MASK,
    partnership_of,
)
from spades.core.deal import seed_at, state_of
from spades.core.errors import SpadesError
from spades.core.kernel import Int, IntArray, kernel, lowest, popcount
from spades.core.observation import Observation
from spades.core.rules import NIL_BID, NO_BID, Rules
from spades.core.scoring import evaluation_table
from spades.core.step import Progress, after_card, first_lead, legal_cards, tricks_of
from spades.search.bandit import bandit_tables
from spades.search.ismcts import Notes, cover, duck, one_of_each, run_iterations
from spades.search.playouts.random_cards import RandomCards
from spades.search.search import DEAL_STREAM, TREE_STREAM
from spades.search.tree import (
    BIDS,
    DECK,
    N_CODES,
    NILS,
    NO_NODE,
    ON_TABLE,
    ROOT,
    ROOT_SLOT,
    SLOT,
    VALUE,
    VISITS,
    Scratch,
    Tree,
    new_scratch,
    value_of,
)

PLAYS = 2  # what a round's seed is derived for, as in ``spades.agents.compiled``
N_OTHERS = N_SEATS - 1
MIN_CHUNK = 32  # iterations between looks at whether a search is decided


class Auction(NamedTuple):
    """What is fixed once the bids are made. ``leader`` of the round; ``may_lead``: 1 if spades may
    be led at any time; ``deck``: mask; ``bids`` int8 (4,); ``blind`` bool (4,); ``nils``: a bit for
    each seat that bid nil; ``rewards`` int32 (14, 14, 14): ``evaluation_table``."""

    leader: Int
    may_lead: Int
    deck: Int
    bids: NDArray[np.int8]
    blind: NDArray[np.bool_]
    nils: Int
    rewards: NDArray[np.int32]


class Searcher(NamedTuple):
    """A searching player and its memory, which no two threads may share. ``kind``: of the players
    that it believes to be at the table; ``scales``: ``bandit_tables``; ``deals`` int64
    (iterations, 4)."""

    network: Network
    kind: Int
    scales: NDArray[np.float32]
    deals: IntArray
    tree: Tree
    scratch: Scratch
    notes: Notes


class Seen(NamedTuple):
    """What follows from the cards played.

    ``at``: the progress; ``played``: their mask; ``on_table`` int64 (4,): the card of each seat in
    the current trick, masks; ``n_left`` int64 (4,): cards in each hand; ``bare``: a bit for each
    seat that led a spade which only a hand of spades may lead."""

    at: Progress
    played: Int
    on_table: IntArray
    n_left: IntArray
    bare: Int


@kernel
def read_plays(plays: NDArray, auction: Auction) -> Seen:
    """What ``plays``, card codes, have shown."""
    at = first_lead(auction.leader, auction.may_lead)
    played = np.int64(0)
    bare = np.int64(0)
    on_table = np.zeros(N_SEATS, np.int64)
    n_left = np.full(N_SEATS, HAND_SIZE, np.int64)
    for code in plays:
        card = np.int64(code)
        if at.led < 0:
            on_table[:] = 0
            if card >> 4 == SPADES and at.may_lead == 0:
                bare |= np.int64(1) << at.turn
        on_table[at.turn] = np.int64(1) << card
        n_left[at.turn] -= 1
        played |= np.int64(1) << card
        at = after_card(at, card)
    if at.led < 0:
        on_table[:] = 0
    return Seen(at, played, on_table, n_left, bare)


@kernel
def hidden_cards(seen: Seen, unseen: Int) -> HiddenCards:
    """The unseen cards, by who may hold them; the twin of ``owner_groups``."""
    groups = np.zeros(ALL_OWNERS + 1, np.int64)
    for suit in range(4):
        owners = 0
        for other in range(N_OTHERS):
            seat = (seen.at.turn + 1 + other) & 3
            is_void = seen.at.voids >> (4 * seat + suit) & 1
            is_bare = suit != SPADES and seen.bare >> seat & 1
            if not is_void and not is_bare:
                owners += 1 << other
        groups[owners] |= unseen & (np.int64(SPADES_MASK) << (16 * suit)) & ALL_CODES
    n = popcount(unseen)
    cards = np.empty(n, np.int64)
    owner_sets = np.empty(n, np.int64)
    i = 0
    for owners in range(ALL_OWNERS + 1):
        group = groups[owners]
        while group:
            cards[i] = lowest(group)
            owner_sets[i] = owners
            group &= group - 1
            i += 1
    return HiddenCards(cards, owner_sets)


@kernel
def deal_hidden(
    hand: Int, plays: NDArray, seen: Seen, auction: Auction, own: Searcher, seed: np.uint64
) -> None:
    """Fill the searcher's ``deals`` as the belief network deals."""
    seat = seen.at.turn
    padded = np.zeros(N_CARDS, np.int8)
    padded[: len(plays)] = plays
    observation = ObservationArrays(
        padded,
        np.int64(len(plays)),
        hand,
        auction.deck,
        seat,
        auction.leader,
        auction.may_lead,
        auction.bids,
        auction.blind,
        own.kind,
    )
    hidden = hidden_cards(seen, auction.deck & ~seen.played & ~hand)
    sizes = np.empty(N_OTHERS, np.int64)
    for other in range(N_OTHERS):
        sizes[other] = seen.n_left[(seat + 1 + other) & 3]
    weights = predict_owners(observation, hidden, own.network)
    thresholds = compute_thresholds(weights, sizes)
    own.deals[:, seat] = hand
    room = sizes[0], sizes[1]
    draw_deals(hidden.cards, thresholds, room, seat, state_of(seed, DEAL_STREAM), own.deals)


@kernel
def clear_tree(tree: Tree) -> None:
    """Leave nothing in a tree but its root, as ``Tree.with_room`` makes it."""
    n_slots = tree.used[1]
    tree.nodes[ROOT] = 0
    tree.known[:n_slots] = 0
    tree.ready[:n_slots] = 0
    tree.children[: ROOT_SLOT + 1] = NO_NODE
    tree.nodes[ROOT, SLOT] = ROOT_SLOT
    tree.used[0] = 1
    tree.used[1] = ROOT_SLOT + 1
    tree.used[2] = 0


@kernel
def start_of(seen: Seen, auction: Auction) -> IntArray:
    """The start position of a search; the twin of ``start_position``, as far as random playouts
    read it."""
    position = np.zeros(ON_TABLE + N_SEATS, np.int64)
    at = seen.at
    position[0] = at.ply
    position[1] = at.turn
    position[2] = at.led
    position[3] = at.best
    position[4] = at.winner
    position[5] = at.may_lead
    position[6] = at.taken
    position[7] = at.voids
    position[NILS] = auction.nils
    position[DECK] = auction.deck
    for seat in range(N_SEATS):
        position[BIDS + seat] = auction.bids[seat]
        position[ON_TABLE + seat] = seen.on_table[seat]
    return position


@kernel
def root_cards(legal: Int, seen: Seen, hand: Int, auction: Auction, own: Searcher) -> Int:
    """The legal cards that the search tries, as ``descend`` leaves them at the root."""
    at = seen.at
    hands = own.scratch.hands
    hands[:] = auction.deck & ~seen.played & ~hand  # together the others hold these
    kept = one_of_each(legal, at, hands, seen.on_table)
    if auction.nils >> at.turn & 1:
        kept = duck(kept, at)
    if auction.nils >> (at.turn ^ 2) & 1:
        kept = cover(kept, at)
    return kept


@kernel
def search_tree(seen: Seen, auction: Auction, own: Searcher, seed: np.uint64) -> None:
    """Search the deals until no other card can overtake the one visited most.

    ``run_iterations`` takes named tuples as plain ones."""
    clear_tree(own.tree)
    tree = own.tree
    notes = own.notes
    scratch = own.scratch
    start = start_of(seen, auction)
    state = state_of(seed, TREE_STREAM)
    n = np.int64(len(own.deals))
    done = np.int64(0)
    while done < n and not is_decided(tree, n - done):
        end = min(n, max(done + MIN_CHUNK, (done + n) // 2))
        state = run_iterations(
            (tree.nodes, tree.priors, tree.children, tree.known, tree.ready, tree.used),
            (start, auction.rewards, own.scales, seen.at.turn, auction.nils),
            (RandomCards(auction.nils), None, None, None, None),
            own.deals[done:end],
            (notes.squares, notes.endings, notes.places, notes.checkpoints, notes.curves),
            (
                scratch.deal,
                scratch.hands,
                scratch.on_table,
                scratch.played,
                scratch.path,
                scratch.codes,
                scratch.seen,
                scratch.p,
            ),
            np.uint64(state),
        )
        done = end


@kernel
def is_decided(tree: Tree, n_left: Int) -> bool:
    """Whether a card at the root leads all others by more visits than are left."""
    first = np.int64(0)
    second = np.int64(0)
    for code in range(N_CODES):
        node = tree.children[ROOT_SLOT, code]
        if node == NO_NODE:
            continue
        visits = np.int64(tree.nodes[node, VISITS])
        if visits > first:
            second = first
            first = visits
        elif visits > second:
            second = visits
    return bool(first > second + n_left)


@kernel
def card_most_visited(tree: Tree, legal: Int) -> Int:
    """The twin of ``SearchResult.best``: most visits, then the higher value, then the lower
    card."""
    best = np.int64(-1)
    most_visits = np.int64(-1)
    best_value = -np.inf
    while legal:
        code = lowest(legal)
        legal &= legal - 1
        node = tree.children[ROOT_SLOT, code]
        if node == NO_NODE:
            continue
        visits = np.int64(tree.nodes[node, VISITS])
        value = tree.nodes[node, VALUE] / visits
        if visits > most_visits or (visits == most_visits and value > best_value):
            best = code
            most_visits = visits
            best_value = value
    return best


@kernel
def searched_card(
    hand: Int, plays: NDArray, auction: Auction, own: Searcher, seed: np.uint64
) -> Int:
    """The card (code) that the searcher plays from ``hand`` after ``plays``."""
    seen = read_plays(plays, auction)
    legal = legal_cards(hand, seen.at)
    tried = root_cards(legal, seen, hand, auction, own)
    if tried & (tried - 1) == 0:
        return lowest(tried)
    deal_hidden(hand, plays, seen, auction, own, seed)
    search_tree(seen, auction, own, seed)
    return card_most_visited(own.tree, legal)


@kernel
def play_on(
    hands: NDArray,
    plays: NDArray,
    n: Int,
    auction: Auction,
    north_south: Searcher,
    east_west: Searcher,
    seed: np.uint64,
) -> Int:
    """Play a round of which ``n`` cards are played to its end; the tricks taken as in ``Progress``.

    ``hands`` int64 (4,): what is left, used up; ``plays`` int8 (52,): filled."""
    path = state_of(state_of(seed, 0), PLAYS + 1)
    at = read_plays(plays[:n], auction).at
    for ply in range(n, N_CARDS):
        hand = hands[at.turn]
        card_seed = seed_at(path, ply)
        if at.turn & 1:
            card = searched_card(hand, plays[:ply], auction, east_west, card_seed)
        else:
            card = searched_card(hand, plays[:ply], auction, north_south, card_seed)
        hands[at.turn] ^= np.int64(1) << card
        plays[ply] = card
        at = after_card(at, card)
    return at.taken


@kernel
def play_on_after(
    cards: NDArray,
    deals: NDArray,
    start: NDArray,
    auction: Auction,
    own: Searcher,
    seeds: NDArray,
    tricks: NDArray,
) -> None:
    """Fill ``tricks`` int8 (deals, cards, 4), taken by seat: each of ``cards`` is played after the
    cards ``start`` in each of ``deals`` (n, 4), the rest from the deal's seed."""
    n = len(start)
    plays = np.zeros(N_CARDS, np.int8)
    hands = np.zeros(N_SEATS, np.int64)
    turn = read_plays(start, auction).at.turn
    for i in range(len(deals)):
        for j in range(len(cards)):
            plays[:n] = start
            plays[n] = cards[j]
            hands[:] = deals[i]
            hands[turn] ^= np.int64(1) << np.int64(cards[j])
            taken = play_on(hands, plays, n + 1, auction, own, own, seeds[i])
            for seat in range(N_SEATS):
                tricks[i, j, seat] = tricks_of(seat, taken)


def searcher_of(player: Player) -> Searcher:
    """A player as the kernels take it, with memory of its own. They play ``best`` with any
    iterations, exploration and reward scale; ``SpadesError`` for another player."""
    numbers = ("iterations", "exploration", "reward_scale")
    given = {name: getattr(player, name) for name in numbers if hasattr(player, name)}
    best = replace(BestPlayer(), **given)
    if player.written_out != best.written_out:
        raise SpadesError(
            f"{player.text} isn't searched in compiled code; best is, with any iterations, "
            "exploration and reward_scale"
        )
    n = best.iterations
    return Searcher(
        network=load_network(),
        kind=np.int64(PLAYER_KINDS.index(PLAYER_KINDS[0])),
        scales=bandit_tables(n + 2, best.exploration, best.reward_scale),
        deals=np.zeros((n, N_SEATS), np.int64),
        tree=Tree.with_room(n),
        scratch=new_scratch(),
        notes=_no_notes(),
    )


def _no_notes() -> Notes:
    """Notes that the search writes and nobody reads."""
    return Notes(
        squares=np.zeros(N_CODES, np.int64),
        endings=np.zeros((HAND_SIZE, 1), np.int32),
        places=np.zeros((HAND_SIZE + 1,) * 3, np.int16),
        checkpoints=np.zeros(0, np.int64),
        curves=np.zeros((0, N_CODES), np.int32),
    )


def auction_of(observation: Observation) -> Auction:
    """The auction of an observation's round; ``SpadesError`` where a bid is missing."""
    table = observation.table
    leader = table.seats[0] if table.seats else table.leader
    if NO_BID in table.bids:
        raise SpadesError(f"the bids are not known, so no play has a value | {table.text()}")
    return made_auction(observation.rules, leader, tuple(table.bids), tuple(table.blind))


def made_auction(rules: Rules, leader: int, bids: Sequence[int], blind: Sequence[bool]) -> Auction:
    """The auction that ended with these bids by seat; ``leader`` plays the first card."""
    nils = 0
    if rules.nil is not None:
        nils = sum((bid == NIL_BID) << seat for seat, bid in enumerate(bids))
    return Auction(
        leader=np.int64(leader),
        may_lead=np.int64(rules.numbers.any_lead),
        deck=np.int64(rules.cards.mask),
        bids=np.array(bids, np.int8),
        blind=np.array(blind, np.bool_),
        nils=np.int64(nils),
        rewards=evaluation_table(rules, tuple(bids), tuple(blind)),
    )


def play_round(
    hands: NDArray[np.int64],
    auction: Auction,
    north_south: Searcher,
    east_west: Searcher,
    seed: int,
) -> int:
    """Points for N/S of a round that is dealt, ``hands`` int64 (4,), and bid, played from a
    seed."""
    plays = np.zeros(N_CARDS, np.int8)
    taken = play_on(hands.copy(), plays, 0, auction, north_south, east_west, np.uint64(seed))
    return int(value_of(auction.rewards, taken))


class PlayedOn(ABC):
    """Plays a decision on by one player at all four seats, each shown its own hand and the table.

    ``SpadesError`` where the bids aren't known."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation
        self._auction = auction_of(observation)
        self._start = np.array(observation.table.plays, np.int8)
        self._sign = 1 if partnership_of(observation.seat) == 0 else -1

    def tricks(
        self, deals: NDArray[np.int64], cards: Sequence[int], seeds: Sequence[int]
    ) -> NDArray[np.int8]:
        """Tricks of the round by seat, (deals, cards, 4), after each of ``cards`` (codes, legal
        ones) in each of ``deals`` (n, 4), the rest played from the deal's seed."""
        tricks = np.zeros((len(deals), len(cards), N_SEATS), np.int8)
        self._play_on_after(
            np.array(cards, np.int64),
            np.asarray(deals, np.int64),
            np.array(seeds, np.uint64),
            tricks,
        )
        return tricks

    @abstractmethod
    def _play_on_after(
        self, cards: IntArray, deals: IntArray, seeds: NDArray[np.uint64], tricks: NDArray[np.int8]
    ) -> None:
        """Fill ``tricks`` (deals, cards, 4), 0 before."""

    def points(self, tricks: NDArray[np.int8]) -> NDArray[np.int32]:
        """What ``tricks`` (..., 4) are worth to the partnership of the seat to play."""
        rewards = self._auction.rewards
        return self._sign * rewards[tricks[..., 0], tricks[..., 1], tricks[..., 2]]


class PlayedOnBySearch(PlayedOn):
    """Plays a decision on by a searching player.

    >>> import spades
    >>> from spades.belief import Dealing
    >>> from spades.core.cards import cards_in
    >>> seen = spades.shipped("bug-report-335").observation(44)
    >>> table = PlayedOnBySearch(seen, BestPlayer(iterations=50))
    >>> deal = Dealing.of("network")(seen).sample(1, np.uint64(5))[0]
    >>> tricks = table.tricks(deal, list(cards_in(seen.legal_mask)), [0])
    >>> tricks.shape, table.points(tricks).shape
    ((1, 2, 4), (1, 2))
    """

    def __init__(self, observation: Observation, player: Player) -> None:
        """``SpadesError`` for a player that isn't compiled, too."""
        super().__init__(observation)
        self._searcher = searcher_of(player)

    def _play_on_after(
        self, cards: IntArray, deals: IntArray, seeds: NDArray[np.uint64], tricks: NDArray[np.int8]
    ) -> None:
        play_on_after(cards, deals, self._start, self._auction, self._searcher, seeds, tricks)
