"""Rounds with thoughtful people in compiled code, a hundred times faster than card by card."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.agents.bidders import HumanBidder
from spades.agents.compiled import (
    BIDS,
    BLIND_NIL,
    PLAYS,
    Crew,
    Rounds,
    Seating,
    add_points,
    bid_by,
    card_by,
    count_tricks_and_points,
    crew_of,
    deal_from,
    open_row,
    play_card,
)
from spades.agents.compiled_network import Seats, lay
from spades.agents.play import MAX_ROUNDS, GameResults, play_games
from spades.agents.players.distilled import drawn_place
from spades.agents.players.thoughtful import ThoughtfulPlayer, Weighing, fill_probabilities
from spades.core.cards import HAND_SIZE, N_CARDS, N_SEATS, SOUTH
from spades.core.deal import seed_at, state_of
from spades.core.kernel import Int, kernel, lowest, mixed, next_state, nth_bit, seed_state, unit
from spades.core.logs import Log
from spades.core.rules import NIL_BID, Rules
from spades.core.scoring import UNDECIDED, winner_of
from spades.core.step import first_lead, legal_cards
from spades.human import simulate_humans
from spades.human.bidder import BidderParameters, sample_bid
from spades.human.features.view import N_VIEW, View, fill_view, nil_rule_of
from spades.human.simulated import load_simulated_human
from spades.rule_based.sight import BID, BLIND, progress_in, turn_of

NOBODY_FAILED: Mapping = {}


def simulate_thoughtful(n: int, seed: int, player: ThoughtfulPlayer | None = None) -> Log:
    """A log of n rounds by four thoughtful people, each the first of a game of its own."""
    player = player or ThoughtfulPlayer()
    bidder = player.own_bidder
    assert isinstance(bidder, HumanBidder)
    human = load_simulated_human()._replace(bidder=bidder.numbers)
    dealt = simulate_humans(n, seed, human=human)
    plays = np.zeros((n, N_CARDS), np.int8)
    rules = Rules()
    bids = dealt.bids.astype(np.int64)
    facts = np.int64(rules.cards.mask), np.int64(nil_rule_of(rules))
    play_rounds(dealt.hands, bids, dealt.dealer, facts, player.weighing, seed_state(seed), plays)
    return replace(dealt, plays=plays, agents=(player.text,), sources=(f"{player.text}, {seed}",))


@kernel
def play_rounds(
    hands: NDArray,
    bids: NDArray,
    dealers: NDArray,
    facts: tuple[Int, Int],
    weighing: Weighing,
    state: np.uint64,
    plays: NDArray,
) -> None:
    """Fill ``plays`` int8 (n, 52) of rounds that are dealt and bid; ``facts``: mask of the deck and
    nil rule."""
    deck, nil_rule = facts
    seats = Seats(
        np.zeros(N_SEATS, np.int64), np.zeros(N_SEATS, np.int64), np.zeros(N_SEATS, np.int64)
    )
    view = np.zeros(N_VIEW, np.int64)
    classes = np.zeros(HAND_SIZE, np.int64)
    p = np.zeros(HAND_SIZE)
    for i in range(len(hands)):
        seats.held[:] = hands[i]
        seats.played[:] = 0
        seats.last[:] = 0
        at = first_lead(np.int64((dealers[i] + 1) & 3), np.int64(0))
        while at.ply < N_CARDS:
            hand = seats.held[at.turn]
            legal = legal_cards(hand, at)
            card = lowest(legal)
            if legal & (legal - 1):
                table = bids[i], seats.played, seats.last
                fill_view(view, at, (hand, legal, deck), table, nil_rule)
                n = fill_probabilities(view, weighing, classes, p)
                state = next_state(state)
                place = drawn_place(np.log(p[:n]), 1.0, unit(mixed(state)))
                card = lowest(nth_bit(legal, place))
            plays[i, at.ply] = card
            at = lay(card, at, seats)


# Games with one of them in South


class Person(NamedTuple):
    """South in compiled code, and its memory. ``played`` and ``last`` int64 (4,): masks of the
    cards that each seat has played, and played last."""

    bidder: BidderParameters
    weighing: Weighing
    nil_rule: Int
    played: NDArray
    last: NDArray
    seen: View
    classes: NDArray
    p: NDArray


def play_games_with(seating: Seating, seed: int, first: int, end: int) -> GameResults:
    """``spades.agents.play.play_games``, the same games, in compiled code where a thoughtful person
    sits in South among compiled bots."""
    north, east, south, west = seating.agents
    bots = Seating((north, east, north, west), seating.rules)
    is_fast = isinstance(south.player, ThoughtfulPlayer) and bots.is_compiled
    if not is_fast or not isinstance(south.bidder, HumanBidder):
        return play_games(seating, seed, first, end)
    assert isinstance(south.player, ThoughtfulPlayer)
    person = Person(
        bidder=south.bidder.numbers,
        weighing=south.player.weighing,
        nil_rule=np.int64(nil_rule_of(seating.rules)),
        played=np.zeros(N_SEATS, np.int64),
        last=np.zeros(N_SEATS, np.int64),
        seen=np.zeros(N_VIEW, np.int64),
        classes=np.zeros(HAND_SIZE, np.int64),
        p=np.zeros(HAND_SIZE),
    )
    crew = crew_of(bots)
    rows = Rounds.empty(MAX_ROUNDS)
    rounds = [Rounds.empty(0)]
    scores = []
    for game in range(first, end):
        standing = np.zeros((2, 2), dtype=np.int64)
        n_rounds = play_game(game, seed_state(seed), crew, person, rows, standing)
        rounds.append(rows.head(n_rounds))
        scores.append(standing[0])
    shape = (len(scores), 2)
    return GameResults(
        seating=seating,
        seed=seed,
        first=first,
        score=np.array(scores, dtype=np.int64).reshape(shape),
        nanoseconds=np.zeros(shape, dtype=np.int64),
        n_rounds=np.array([len(one.seeds) for one in rounds[1:]], dtype=np.int64),
        rounds=Rounds.joined(rounds),
        faults=np.full(shape, ""),
        unfinished=NOBODY_FAILED,
    )


@kernel
def play_game(
    game: Int, path: np.uint64, crew: Crew, person: Person, rounds: Rounds, standing: NDArray
) -> Int:
    """Play a game into the rows of ``rounds``; how many it took. ``standing`` int64 (2, 2), score
    and bags, ends as the game's."""
    score, bags = standing
    rules = crew.public.rules
    game_path = state_of(path, game + 1)
    for i in range(len(rounds.seeds)):
        seed = seed_at(game_path, i)
        rounds.seeds[i] = seed
        rounds.dealers[i] = (game + i) & 3
        rounds.score_before[i, :] = score
        rounds.bags_before[i, :] = bags
        open_row(i, crew, rounds)
        deal_from(seed, rules.deck, crew.codes, rounds.hands[i])
        bid_all(seed, i, crew, person, rounds)
        play_all(seed, crew, person, rounds.hands[i], rounds.plays[i])
        count_tricks_and_points(i, crew, rounds)
        add_points(i, rules, rounds, score, bags)
        if winner_of(score, rules) != UNDECIDED:
            return i + 1
    return len(rounds.seeds)


@kernel
def bid_all(seed: np.uint64, i: Int, crew: Crew, person: Person, rounds: Rounds) -> None:
    """The auction of round ``i``, the dealer's left first."""
    path = state_of(state_of(seed, 0), BIDS + 1)
    seats = crew.public.seats
    hands = rounds.hands[i]
    for turn in range(1, N_SEATS + 1):
        seat = (np.int64(rounds.dealers[i]) + turn) & 3
        bid_seed = seed_at(path, seat)
        if seat == SOUTH:
            crew.bids[:] = seats[BID]
            state = state_of(bid_seed, 0)
            rules = crew.public.rules
            bid, _ = sample_bid(hands[seat], seat, crew.bids, rules, person.bidder, state)
        else:
            bid = bid_by(hands[seat], seat, bid_seed, crew)
        is_blind = bid == BLIND_NIL
        seats[BID, seat] = NIL_BID if is_blind else bid
        seats[BLIND, seat] = int(is_blind)
        rounds.bids[i, seat] = seats[BID, seat]
        rounds.blind[i, seat] = is_blind


@kernel
def play_all(seed: np.uint64, crew: Crew, person: Person, hands: NDArray, plays: NDArray) -> None:
    """The 52 cards of a round dealt and bid, into ``plays`` int8 (52,)."""
    path = state_of(state_of(seed, 0), PLAYS + 1)
    crew.held[:] = hands
    person.played[:] = 0
    person.last[:] = 0
    for ply in range(N_CARDS):
        turn = turn_of(crew.public)
        card_seed = seed_at(path, ply)
        card = card_of(card_seed, crew, person) if turn == SOUTH else card_by(card_seed, crew)
        plays[ply] = card
        mask = np.int64(1) << np.int64(card)
        person.played[turn] |= mask
        person.last[turn] = mask
        play_card(crew, np.int64(card))


@kernel
def card_of(seed: np.uint64, crew: Crew, person: Person) -> Int:
    """The card of the person in South."""
    at = progress_in(crew.public)
    hand = crew.held[SOUTH]
    legal = legal_cards(hand, at)
    if legal & (legal - 1) == 0:
        return lowest(legal)
    table = crew.public.seats[BID], person.played, person.last
    own = hand, legal, np.int64(crew.public.rules.deck)
    fill_view(person.seen, at, own, table, person.nil_rule)
    n = fill_probabilities(person.seen, person.weighing, person.classes, person.p)
    left = unit(mixed(state_of(seed, 0)))
    place = 0
    while place < n - 1:
        left -= person.p[place]
        if left < 0.0:
            break
        place += 1
    return lowest(nth_bit(legal, place))
