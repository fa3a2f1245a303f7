"""The simulated human, a stand-in for real ones, as no log of human Spades is public.

Cards are sampled from the log-linear model that Devlin 2016 published plus three nil features
(``devlin2016-nil``), bids from ``spades.human.bidder``. Three free parameters are calibrated to
three published marginals, and to nothing else, by ``python -m experiments.calibrate_humans``.
"""

from collections.abc import Callable, Mapping
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
from spades.core.rules import NIL_BID, NO_BID, RuleNumbers, Rules
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


SOURCES = {
    "sum_of_bids": "Cohensius 2020, appendix, figure 5: millions of games of a mobile application",
    "nil_share": "Cohensius 2020, introduction: humans' rounds with a nil",
    "nil_made": "Cohensius 2020, introduction: humans' nils that succeed",
}
UNIT_WEIGHTS = (-3.0, 2.0, 1.5)
START = BidderParameters(
    offset=0.0,
    noise=0.7,
    previous=-0.1,
    nil_tolerance=0.0,
    nil_noise=1.0,
)
OFFSETS = (-2.0, 2.0)
TOLERANCES = (-3.0, 15.0)
SCALES = (0.0, 4.0)
HALVINGS = 16


class Figures(NamedTuple):
    """The three marginals: mean sum of four bids (tricks), share of nils, share of nils made."""

    sum_of_bids: float
    nil_share: float
    nil_made: float


PUBLISHED = Figures(sum_of_bids=10.55, nil_share=0.126, nil_made=0.632)


class Fit(NamedTuple):
    """The result of a calibration: the bidder, and the scale of the nil weights."""

    bidder: BidderParameters
    scale: float

    @property
    def nil_weights(self) -> dict[str, float]:
        scaled = (self.scale * weight for weight in UNIT_WEIGHTS)
        return dict(zip(NIL_FEATURE_NAMES, scaled, strict=True))

    @property
    def human(self) -> SimulatedHuman:
        return SimulatedHuman.of(self.bidder, self.nil_weights)


def figures_of(rounds: SimulatedRounds) -> Figures:
    is_nil = rounds.bids == NIL_BID
    sums = rounds.bids.sum(axis=1, dtype=np.int64)
    is_made = rounds.tricks[is_nil] == 0
    return Figures(
        sum_of_bids=float(sums.mean()),
        nil_share=float(is_nil.mean()),
        nil_made=float(is_made.mean()),
    )


def standard_errors(rounds: SimulatedRounds) -> Figures:
    """Standard errors of ``figures_of``; rounds are independent, seats aren't."""
    is_nil = rounds.bids == NIL_BID
    made = (is_nil & (rounds.tricks == 0)).sum(axis=1)
    nils = is_nil.sum(axis=1)
    residual = made - nils * made.sum() / max(1, nils.sum())  # ratio estimator
    n = len(nils)
    root = np.sqrt(n)
    sums = rounds.bids.sum(axis=1, dtype=np.int64)
    return Figures(
        sum_of_bids=float(sums.std() / root),
        nil_share=float(is_nil.mean(axis=1).std() / root),
        nil_made=float(residual.std() / root / max(1 / n, nils.mean())),
    )


def halve(figure: Callable[[float], float], target: float, span: tuple[float, float]) -> float:
    """Where in ``span`` an increasing figure reaches ``target``, by bisection."""
    low, high = span
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if figure(middle) < target:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def calibrate(n: int, seed: int, published: Figures = PUBLISHED) -> Fit:
    """Fit the free parameters on n rounds of standard rules; deterministic for n and seed.

    Each parameter determines one figure once those before it are set, so three bisections on the
    same random rounds are the whole fit. The other parameters are set by hand: the ratio of the nil
    weights, -3 : 2 : 1.5, the noise, the effect of previous bids. Of three forms of the nil
    classifier (worst card, sum of the suits' worst cards, sum of all low cards) the last was
    chosen, because its scale comes out near 1."""

    def rounds(
        bidder: BidderParameters, scale: float = 1.0, *, plays: bool = False
    ) -> SimulatedRounds:
        human = Fit(bidder, scale).human
        return simulate_rounds(n, seed, rules=Rules(), human=human, plays=plays)

    def nil_share(tolerance: float) -> float:
        bids = rounds(START._replace(nil_tolerance=tolerance)).bids
        return float((bids == NIL_BID).mean())

    bidder = START._replace(nil_tolerance=halve(nil_share, published.nil_share, TOLERANCES))

    def sum_of_bids(offset: float) -> float:
        bids = rounds(bidder._replace(offset=offset)).bids
        return float(bids.sum(axis=1, dtype=np.int64).mean())

    bidder = bidder._replace(offset=halve(sum_of_bids, published.sum_of_bids, OFFSETS))

    def nil_made(scale: float) -> float:
        return figures_of(rounds(bidder, scale, plays=True)).nil_made

    return Fit(bidder, halve(nil_made, published.nil_made, SCALES))


def sanity_of(rounds: SimulatedRounds) -> dict[str, Any]:
    """Figures that aren't fitted: bids, contracts made, nils by turn to bid, high sums of bids."""
    bids = rounds.bids
    tricks = rounds.tricks
    is_nil = bids == NIL_BID
    contracts = bids[:, :2] + bids[:, 2:]
    is_made = tricks[:, :2] + tricks[:, 2:] >= contracts
    sums = bids.sum(axis=1, dtype=np.int64)
    turns = (rounds.dealers[:, None] + np.arange(1, 5)) % 4
    nils_by_turn = np.take_along_axis(is_nil, turns.astype(np.int64), axis=1).mean(axis=0)
    bid_shares = np.bincount(bids.ravel(), minlength=14) / bids.size
    return {
        "rounds": len(bids),
        "bid_shares": {str(bid): round(share, 4) for bid, share in enumerate(bid_shares.tolist())},
        "contracts_made": round(float(is_made.mean()), 4),
        "nil_share_by_turn": [round(share, 4) for share in nils_by_turn.tolist()],
        "sum_of_bids_sd": round(float(sums.std()), 4),
        "sum_of_bids_above_13": round(float((sums > 13).mean()), 4),
        "rounds_with_nil": round(float(is_nil.any(axis=1).mean()), 4),
    }
