"""Rounds and games between agents.

Round r of the game with index g is dealt and played from (seed, g, r) alone: games of two seatings
with the same seed are played on the same deals. Tables of compiled agents play through compiled
code, thousands of rounds a second, any other table card by card; both come to the same rounds.
Four simulated humans keep to the rounds of ``simulate_humans``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from spades.agents.batches import compiled_rounds, play_games
from spades.agents.seating import MAX_ROUNDS, Seating
from spades.core.cards import N_CARDS, N_SEATS
from spades.core.deal import derive_seed, random_deal
from spades.core.logs import Log, concatenate
from spades.core.observation import Pair, observe
from spades.core.records import RoundRecord
from spades.core.rules import Round
from spades.core.scoring import GameScore, add_round, winner
from spades.human import simulate_humans


def play_range(seating: Seating, seed: int, first: int, end: int, *, unit: str) -> Log:
    """Games, or rounds on their own, ``first`` to ``end`` - 1 of a seed, as a log."""
    if unit == "rounds" and seating.is_all_human:
        return simulate_humans(end - first, seed, first=first, rules=seating.rules)
    if seating.is_compiled and not seating.is_all_human:
        if unit == "rounds":
            return compiled_rounds(seating, seed, first, end)
        return play_games(seating, seed, first, end, keep_rounds=True).log()
    if unit == "rounds":
        return Log.from_records(play_single(seating, seed, i) for i in range(first, end))
    play = human_game if seating.is_all_human else play_game
    return concatenate([play(seating, seed, game) for game in range(first, end)])


def deal_and_bid(seating: Seating, dealer: int, seed: int, before: GameScore) -> Round:
    """Deal a round and let the agents bid, the dealer's left first."""
    state = Round.deal(
        seating.rules, dealer, random_deal(seating.rules.cards, derive_seed(seed, 0))
    )
    for i in range(1, N_SEATS + 1):
        seat = (dealer + i) % N_SEATS
        seen = observe(state, seat, score_before=before.score, bags_before=before.bags)
        bidder = seating.agents[seat].bidder
        bid = bidder.bid(seen, derive_seed(seed, 1, seat))
        state.table.bid(seat, bid, blind=bidder.bids_blind(seen))
    return state


def play_cards(seating: Seating, state: Round, seed: int, before: GameScore) -> Pair:
    """Let the agents play a round's cards; the nanoseconds that each partnership thought."""
    thought = [0, 0]
    for ply in range(N_CARDS):
        seen = observe(state, score_before=before.score, bags_before=before.bags)
        started = time.perf_counter_ns()
        card = seating.agents[seen.seat].player.play(seen, derive_seed(seed, 2, ply))
        thought[seen.seat % 2] += time.perf_counter_ns() - started
        state.play(card)
    return thought[0], thought[1]


def play_round(seating: Seating, dealer: int, seed: int, before: GameScore) -> RoundRecord:
    """Deal, bid and play one round from a game score."""
    state = deal_and_bid(seating, dealer, seed, before)
    north, east, south, west = state.hands
    play_cards(seating, state, seed, before)
    first, second, third, fourth = seating.agents
    agents = (str(first), str(second), str(third), str(fourth))
    kinds = (first.player.kind, second.player.kind, third.player.kind, fourth.player.kind)
    bids, blind = state.table.bids, state.table.blind
    return RoundRecord(
        rules=seating.rules,
        dealer=dealer,
        hands=(north, east, south, west),
        bids=(bids[0], bids[1], bids[2], bids[3]),
        blind=(blind[0], blind[1], blind[2], blind[3]),
        plays=tuple(state.table.plays),
        score_before=before.score,
        bags_before=before.bags,
        players=agents,
        kinds=kinds,
        agents=agents,
        seed=seed,
    )


RoundSeed = Callable[[Seating, int, int, GameScore], int]


def _as_dealt(seating: Seating, dealer: int, seed: int, before: GameScore) -> int:
    return seed


def play_game(seating: Seating, seed: int, game: int, *, seed_of: RoundSeed = _as_dealt) -> Log:
    """The rounds of one game, to the target, the floor, or ``MAX_ROUNDS``.

    ``seed_of``: from seating, dealer, the round's seed and the score to the seed that the round is
    played from, where deals are thrown in.
    """
    before, records = GameScore((0, 0), (0, 0)), []
    for i in range(MAX_ROUNDS):
        dealer, round_seed = (game + i) % N_SEATS, derive_seed(seed, game, i)
        round_seed = seed_of(seating, dealer, round_seed, before)
        record = play_round(seating, dealer, round_seed, before)
        records.append(replace(record, game_id=f"{seed}-{game}", round_index=i))
        before = _score_after(record, before)
        if winner(seating.rules, before.score) is not None:
            break
    return Log.from_records(records)


def human_game(seating: Seating, seed: int, game: int) -> Log:
    """``play_game`` of four simulated humans, who bid and play the same at any score."""
    log = simulate_humans(
        MAX_ROUNDS, derive_seed(seed, game), first=game % N_SEATS, rules=seating.rules
    )
    before, scores, bags = GameScore((0, 0), (0, 0)), [], []
    for record in log.records():
        scores.append(before.score)
        bags.append(before.bags)
        before = _score_after(record, before)
        if winner(seating.rules, before.score) is not None:
            break
    n = len(scores)
    return replace(
        log.take(slice(n)),
        score_before=np.array(scores, dtype=np.int32),
        bags_before=np.array(bags, dtype=np.int32),
        round_index=np.arange(n, dtype=np.int32),
        game_code=np.zeros(n, dtype=np.int32),
        games=(f"{seed}-{game}",),
    )


def _score_after(record: RoundRecord, before: GameScore) -> GameScore:
    scored = record.score()
    assert scored is not None
    return add_round(record.rules, before, scored)


def play_single(seating: Seating, seed: int, index: int) -> RoundRecord:
    """A round of its own: the first of a game that nobody finishes."""
    before = GameScore((0, 0), (0, 0))
    record = play_round(seating, index % N_SEATS, derive_seed(seed, index, 0), before)
    return replace(record, game_id=f"{seed}-{index}")
