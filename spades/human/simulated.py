"""The simulated human, a stand-in for real ones, as no log of human Spades is public.

Cards are sampled from the log-linear model that Devlin 2016 published plus three nil features
(``devlin2016-nil``), bids from ``spades.human.bidder``. Three free parameters are calibrated to
three published marginals, and to nothing else, by ``python -m experiments.calibrate_humans``.
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import HAND_SIZE, N_CARDS, N_SEATS
from spades.core.deal import deal_cards
from spades.core.documents import read_json
from spades.core.errors import IllegalBidError, SpadesError
from spades.core.kernel import (
    FloatArray,
    Int,
    IntArray,
    kernel,
    lowest,
    mixed,
    next_state,
    seed_state,
    two_normals,
    unit,
)
from spades.core.logs import Log
from spades.core.observation import Observation
from spades.core.paths import DATA, stored_table
from spades.core.records import KINDS, SIMULATED_HUMAN
from spades.core.rules import NO_BID, RuleNumbers, Rules
from spades.core.step import after_card, first_lead, tricks_of
from spades.human.bidder import BidderParameters, sample_bid
from spades.human.features.card_features import NIL_FEATURE_NAMES, legal_probabilities
from spades.human.features.view import DecisionFields, decision_in, decision_of
from spades.human.loglinear import DEVLIN_2016_WEIGHTS, LogLinearModel

TABLE = DATA / "tables" / "simulated_human.json"
COMMAND = "python -m experiments.calibrate_humans"
MODEL_NAME = "devlin2016-nil"
AGENT = "human"
VERSION = 1
_LARGEST = 100.0
MAX_SPREAD = 5.0  # nats
_SPREAD_STREAM = 43


class CalibrationError(SpadesError):
    """The stored parameters of the simulated human are missing or can't be read."""


class SimulatedHuman(NamedTuple):
    """Bidder and weights of the card model, float64 (45,), in nats."""

    bidder: BidderParameters
    weights: FloatArray

    @classmethod
    def of(cls, bidder: BidderParameters, nil_weights: Mapping[str, float]) -> Self:
        """A simulated human with Devlin's weights and these of the nil features, by name."""
        model = LogLinearModel.from_weights(DEVLIN_2016_WEIGHTS | dict(nil_weights))
        return cls(bidder, model.weights_)


@lru_cache(maxsize=4)
def load_simulated_human(path: Path = TABLE) -> SimulatedHuman:
    """The calibrated simulated human; ``CalibrationError`` if the table is missing or malformed."""
    with stored_table(path, COMMAND, CalibrationError):
        table = read_json(path)
        if not isinstance(table, dict) or table.get("version") != VERSION:
            raise ValueError(f"no calibration of version {VERSION}")
        bidder = BidderParameters(**_numbers(table, "bidder", BidderParameters._fields))
        human = SimulatedHuman.of(bidder, _numbers(table, "nil_weights", NIL_FEATURE_NAMES))
    human.weights.setflags(write=False)
    return human


def _numbers(table: dict[str, Any], key: str, names: tuple[str, ...]) -> dict[str, float]:
    """``table[key]``, which must have exactly these names, each with a plausible number."""
    part = table.get(key)
    if not isinstance(part, dict) or set(part) != set(names):
        raise ValueError(f"{key} should give {', '.join(names)}")
    for name, value in part.items():
        if not (type(value) in (int, float) and abs(value) <= _LARGEST):
            raise ValueError(f"{key}, {name} is {value!r}, not a number to play by")
    return {name: float(part[name]) for name in names}


@lru_cache(maxsize=256)
def spread_human(spread: float, player: int) -> SimulatedHuman:
    """The simulated human number ``player``: normal noise of standard deviation ``spread``, nats,
    is added to the weights, the same in every call with this number. The bidder isn't changed."""
    human = load_simulated_human()
    if not spread:
        return human
    weights = moved(human.weights, spread, seed_state(player, _SPREAD_STREAM))
    weights.setflags(write=False)
    return human._replace(weights=weights)


@kernel
def moved(weights: NDArray, spread: float, state: np.uint64) -> FloatArray:
    """The weights plus independent normals of standard deviation ``spread``."""
    noisy = weights.copy()
    for f in range(weights.size):
        normal, _, state = two_normals(state)
        noisy[f] += spread * normal
    return noisy


def devlin2016_nil() -> LogLinearModel:
    model = LogLinearModel(MODEL_NAME)
    model.weights_ = load_simulated_human().weights
    return model


MAX_ROUNDS = 10_000_000
PLAYER = "simulated human"
_STREAM = 41
_ODD = np.uint64(0xD1B54A32D192ED03)


class SimulatedRounds(NamedTuple):
    """n simulated rounds.

    ``seeds`` int64 (n,), ``dealers`` int8 (n,), ``hands`` int64 (n, 4) as dealt, ``bids`` int8
    (n, 4), ``plays`` int8 (n, 52) card codes, ``tricks`` int8 (n, 4) taken by each seat."""

    seeds: IntArray
    dealers: NDArray[np.int8]
    hands: IntArray
    bids: NDArray[np.int8]
    plays: NDArray[np.int8]
    tricks: NDArray[np.int8]


def round_seeds(n: int, seed: int, first: int = 0) -> IntArray:
    """Seeds of rounds ``first`` to ``first + n - 1`` of a simulation, each 0 to 2**62 - 1."""
    index = np.arange(first, first + n, dtype=np.uint64)
    words = mixed.py_func(seed_state(seed, _STREAM) + _ODD * index)
    return (words >> np.uint64(2)).view(np.int64)


@kernel
def sample_card(
    decision: DecisionFields, weights: NDArray, scratch: NDArray, state: np.uint64
) -> tuple[Int, np.uint64]:
    """A card (code) that a simulated human plays, and the random state one draw on."""
    state = next_state(state)
    remaining = decision.legal
    if remaining & (remaining - 1) == 0:
        return lowest(remaining), state
    n = legal_probabilities(decision, weights, scratch)
    drawn = unit(mixed(state))
    for i in range(n - 1):
        drawn -= scratch[i]
        if drawn < 0.0:
            break
        remaining &= remaining - 1
    return lowest(remaining), state


@kernel
def bid_rounds(rounds: tuple, rules: RuleNumbers, bidder: BidderParameters) -> None:
    """Deal and bid rounds, from the dealer's left on. ``rounds``: arrays of random states (which
    are advanced), dealers, hands and bids."""
    states, dealers, hands, bids = rounds
    codes = np.empty(N_CARDS, dtype=np.int64)
    for i in range(len(states)):
        deck = rules.deck
        for place in range(N_CARDS):
            codes[place] = lowest(deck)
            deck &= deck - 1
        state = deal_cards(codes, hands[i], states[i])
        for turn in range(1, N_SEATS + 1):
            seat = (dealers[i] + turn) & 3
            bid, state = sample_bid(hands[i, seat], seat, bids[i], rules, bidder, state)
            bids[i, seat] = bid
        states[i] = state


@kernel
def play_rounds(rounds: tuple, rules: RuleNumbers, weights: NDArray, out: tuple) -> None:
    """Play the rounds after ``bid_rounds``; ``out``: plays and tricks."""
    states, dealers, hands, bids = rounds
    plays, tricks = out
    held = np.empty(N_SEATS, dtype=np.int64)
    scratch = np.empty(HAND_SIZE)
    for i in range(len(states)):
        held[:] = hands[i]
        state = states[i]
        played = np.int64(0)
        leader = np.int64((dealers[i] + 1) & 3)
        progress = first_lead(leader, np.int64(rules.any_lead))
        while progress.ply < N_CARDS:
            turn = progress.turn
            decision = decision_in(progress, held[turn], played, bids[i], rules)
            card, state = sample_card(decision, weights, scratch, state)
            plays[i, progress.ply] = card
            held[turn] ^= np.int64(1) << card
            played |= np.int64(1) << card
            progress = after_card(progress, card)
        for seat in range(N_SEATS):
            tricks[i, seat] = tricks_of(seat, progress.taken)


def simulate_rounds(
    n: int, seed: int, *, rules: Rules, human: SimulatedHuman, first: int = 0, plays: bool = True
) -> SimulatedRounds:
    """Rounds ``first`` to ``first + n - 1`` of a seed as arrays; without ``plays``, bids only. The
    dealer rotates with the index."""
    if not (0 <= n <= MAX_ROUNDS and 0 <= first <= 2**62):
        raise SpadesError(f"{n} rounds from {first}: 0 to {MAX_ROUNDS:,} rounds from 0 on, please")
    rounds = SimulatedRounds(
        seeds=round_seeds(n, seed, first),
        dealers=(np.arange(first, first + n) % N_SEATS).astype(np.int8),
        hands=np.zeros((n, N_SEATS), dtype=np.int64),
        bids=np.full((n, N_SEATS), NO_BID, dtype=np.int8),
        plays=np.full((n, N_CARDS), -1, dtype=np.int8),
        tricks=np.zeros((n, N_SEATS), dtype=np.int8),
    )
    states = mixed.py_func(rounds.seeds.view(np.uint64))
    arrays = states, rounds.dealers, rounds.hands, rounds.bids
    bid_rounds(arrays, rules.numbers, human.bidder)
    if plays:
        play_rounds(arrays, rules.numbers, human.weights, (rounds.plays, rounds.tricks))
    return rounds


def simulate_humans(
    n: int,
    seed: int,
    *,
    first: int = 0,
    rules: Rules | None = None,
    human: SimulatedHuman | None = None,
) -> Log:
    """A log of n independent rounds by four simulated humans (no human played them).

    Each is the first round of a game of its own, at 0 to 0, with an auction even if the rules have
    none in first rounds. Round i is the same in every call with this ``seed``, ``rules`` and
    ``human`` (default: the calibrated one). ``SpadesError`` for over 10,000,000 rounds."""
    rules = rules or Rules()
    human = human or load_simulated_human()
    rounds = simulate_rounds(n, seed, first=first, rules=rules, human=human)
    zeros = np.zeros(n, dtype=np.int32)
    per_seat = np.zeros((n, N_SEATS), dtype=np.int32)
    return Log(
        hands=rounds.hands,
        plays=rounds.plays,
        bids=rounds.bids,
        blind=np.zeros((n, N_SEATS), dtype=np.bool_),
        dealer=rounds.dealers,
        round_index=zeros,
        score_before=np.zeros((n, 2), dtype=np.int32),
        bags_before=np.zeros((n, 2), dtype=np.int32),
        kind=np.full((n, N_SEATS), KINDS.index(SIMULATED_HUMAN), dtype=np.int8),
        seed=rounds.seeds,
        rules_code=zeros,
        game_code=np.arange(n, dtype=np.int32),
        player_code=per_seat,
        agent_code=per_seat,
        source_code=zeros,
        rules=(rules,),
        games=tuple(f"simulated-{seed}-{i}" for i in range(first, first + n)),
        players=(PLAYER,),
        agents=(AGENT,),
        sources=(f"simulated humans ({MODEL_NAME}), seed {seed}",),
    )


def human_card(
    observation: Observation, state: np.uint64, weights: FloatArray | None = None
) -> tuple[int, np.uint64]:
    """A card (code) that a simulated human plays here, and the next random state. ``weights``
    (42,) or (45,): of another human. ``IllegalPlayError`` for a seat that isn't to play."""
    decision = decision_of(observation)
    if weights is None:
        weights = load_simulated_human().weights
    card, state = sample_card(decision, weights, np.empty(HAND_SIZE), np.uint64(state))
    return int(card), np.uint64(state)


def human_bid(
    observation: Observation, state: np.uint64, bidder: BidderParameters | None = None
) -> tuple[int, np.uint64]:
    """A simulated human's bid here, never blind, and the next random state. ``bidder``: of another
    human. Only the own hand, the bids made and the rules matter. ``IllegalBidError`` if the seat
    has bid."""
    table = observation.table
    seat = observation.seat
    if table.bids[seat] != NO_BID or table.plays:
        raise IllegalBidError(f"the auction is over for this seat: {observation.text()}")
    bids = np.array(table.bids, dtype=np.int8)
    rules = observation.rules.numbers
    bidder = bidder or load_simulated_human().bidder
    bid, state = sample_bid(observation.hand_mask, seat, bids, rules, bidder, np.uint64(state))
    return int(bid), np.uint64(state)
