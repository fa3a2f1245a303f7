"""Big logs of random legal rounds, made fast by a kernel."""

import numpy as np

from spades.core.cards import N_CARDS, N_SEATS
from spades.core.kernel import below, kernel, mixed, next_state, nth_bit, popcount, seed_state
from spades.core.logs import NO_SEED, NOT_PLAYED, Log
from spades.core.rules import NO_SUIT, Rules, beats, legal_mask

DEFAULT_RULES = (Rules(),)


@kernel
def _deal_and_play(decks, any_lead, leaders, n_plays, state, hands, plays):
    order = np.empty(N_CARDS, dtype=np.int64)
    held = np.empty(N_SEATS, dtype=np.int64)
    for i in range(len(hands)):
        order[:] = decks[i]
        for k in range(N_CARDS - 1, 0, -1):
            state = next_state(state)
            j = below(mixed(state), k + 1)
            order[k], order[j] = order[j], order[k]
        for k in range(N_CARDS):
            hands[i, k % 4] |= np.int64(1) << order[k]
        held[:] = hands[i]
        winner, turn, broken = np.int64(leaders[i]), np.int64(leaders[i]), False
        led, best = np.int64(NO_SUIT), np.int64(-1)
        for ply in range(n_plays[i]):
            if ply % 4 == 0:
                led, best, turn = np.int64(NO_SUIT), np.int64(-1), winner
            legal = legal_mask(held[turn], led, broken or any_lead[i])
            state = next_state(state)
            bit = nth_bit(legal, below(mixed(state), popcount(legal)))
            held[turn] ^= bit
            card = popcount(bit - 1)
            plays[i, ply] = card
            broken = broken or card < 16
            led = led if led >= 0 else card >> 4
            if best < 0 or beats(card, best):
                best, winner = card, turn
            turn = (turn + 1) % 4


def random_log(n, seed=0, *, rules=DEFAULT_RULES, p_cut=0.0):
    """``n`` rounds played at random, four to a game; bids 1 to 4 and now and then nil."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, len(rules), n).astype(np.int32)
    dealer = rng.integers(0, 4, n).astype(np.int8)
    n_plays = np.where(rng.random(n) < p_cut, rng.integers(0, 53, n), 52)
    hands = np.zeros((n, 4), dtype=np.int64)
    plays = np.full((n, 52), NOT_PLAYED, dtype=np.int8)
    bids = rng.integers(2, 5, (n, 4)).astype(np.int8)
    may_nil = np.array([r.min_bid == 0 for r in rules], dtype=np.bool_)[codes]
    bids[(rng.random((n, 4)) < 0.05) & may_nil[:, None]] = 0
    _deal_and_play(
        np.array([r.cards.codes for r in rules], dtype=np.int64)[codes],
        np.array([r.spades_lead == "any" for r in rules])[codes],
        (dealer + 1) % 4,
        n_plays,
        seed_state(seed),
        hands,
        plays,
    )
    rows = np.arange(n, dtype=np.int32)
    score = (rng.integers(-20, 50, (n, 2)) * 10).astype(np.int32)
    return Log(
        hands=hands,
        plays=plays,
        bids=bids,
        blind=np.zeros((n, 4), dtype=np.bool_),
        dealer=dealer,
        round_index=rows % 4,
        score_before=score,
        bags_before=rng.integers(0, 10, (n, 2)).astype(np.int32),
        kind=np.tile(np.array([0, 1, 2, 1], dtype=np.int8), (n, 1)),
        seed=np.where(rows % 2 == 0, NO_SEED, rows).astype(np.int64),
        rules_code=codes,
        game_code=rows // 4,
        player_code=rng.integers(0, 300, (n, 4)).astype(np.int32),
        agent_code=np.tile(np.array([0, 1, 2, 1], dtype=np.int32), (n, 1)),
        source_code=rows,
        rules=tuple(rules),
        games=tuple(f"game-{i}" for i in range((n + 3) // 4)),
        players=tuple(f"p-{i:016x}" for i in range(300)),
        agents=("", "ismcts:iterations=2500", "simulated:t-200"),
        sources=tuple(f"made up:{i + 1}" for i in range(n)),
    )
