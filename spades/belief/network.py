"""The belief network: P(seat holds card) of every hidden card, from all that one seat has seen.

A multilayer perceptron reads the observation as a list of binary features (own cards, every play
with its context, bids, voids, tricks) and gives, for each hidden card, the probabilities of the
three seats that may hold it. The kind of players at the table is an input. Cards are numbered by
suit and distance from the top of the suit, so that the network works for every deck, though it was
trained on the standard one (``experiments.train_beliefs``).

A feature is a row of the first layer's weights, so only the features that are present cost time.

Besides, every card that another seat played says something about each hidden card that it could
have played instead. A tell is such a pair, numbered by the context of the play, what the hidden
card would have done and how the two cards compare; its weight is added to the hidden card's logit
for that seat.
"""

import math
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import ALL_CODES, HAND_SIZE, N_CARDS, N_SEATS, SPADES, SPADES_MASK
from spades.core.errors import SpadesError, shown
from spades.core.kernel import FloatArray, Int, IntArray, kernel, lean_kernel, lowest, popcount
from spades.core.observation import Observation
from spades.core.paths import DATA
from spades.core.rules import NIL_BID, NO_BID
from spades.core.step import Progress, after_card, first_lead, tricks_of
from spades.human.files import TensorFormat
from spades.human.networks.config import N_RANKS, slot_of
from spades.human.networks.vectors import list_positive, relu_dot, sum_rows

FILE = DATA / "beliefs" / "belief-network.safetensors"
COMMAND = "python -m experiments.train_beliefs"
PLAYER_KINDS = ("any", "human", "search", "rules")
"""Kinds of players at the table: unknown, simulated humans, ISMCTS, strong rules."""
N_OTHERS = N_SEATS - 1
N_CONTEXTS = 9
(LED, UNDER_PARTNER, UNDER, OVER_PARTNER, OVER, THROWN_TO_PARTNER, THROWN, RUFF, LOST_RUFF) = range(
    N_CONTEXTS
)
"""The context of a play: led, followed below or above the best card (the partner's or an
opponent's), discarded, ruffed and won, ruffed too low. See ``play_context``."""
_N_BIDS = HAND_SIZE + 2  # 0 to 13, unknown

# The first number of each group of features; seats are relative to the observer.
_OWN = 0  # own cards
_PLAYS = _OWN + N_CARDS  # (seat, context, card)
_UNBEATEN = _PLAYS + N_SEATS * N_CONTEXTS * N_CARDS  # (other seat, is partner's, card not beaten)
_DISCARDS = _UNBEATEN + N_OTHERS * 2 * N_CARDS  # (seat, suit led, suit played)
_TIMES = _DISCARDS + N_SEATS * 16  # (seat, trick, suit, is lead)
_BIDS = _TIMES + N_SEATS * N_RANKS * 4 * 2  # (seat, bid)
_BLIND = _BIDS + N_SEATS * _N_BIDS  # seat
_TRICKS = _BLIND + N_SEATS  # (seat, tricks taken)
_ON_TABLE = _TRICKS + N_SEATS * (HAND_SIZE + 1)  # (seat, card of the current trick)
_FIRST = _ON_TABLE + N_SEATS * N_CARDS  # who led the round
_TURN = _FIRST + N_SEATS  # (who leads the trick, cards on the table)
_KIND = _TURN + N_SEATS * N_SEATS  # of ``PLAYER_KINDS``
N_FEATURES = _KIND + len(PLAYER_KINDS)
MAX_FEATURES = 4 * N_CARDS + 48

# How many values each part of a tell's number takes.
_N_NILS = 4  # nobody's nil at stake, the own one, the partner's, an opponent's
_N_NEEDS = 2  # whether the contract is still open
_N_PLACES = N_SEATS  # in the trick
_N_WINS = 2  # whether the hidden card would have been best
_N_RELATIONS = 8  # hidden card to card played, see ``_relation``
_N_ABOVE = 4  # cards of its suit out above the hidden card: 0, 1, 2, more
_N_ABOVE_PLAYED = 3  # the same of the card played: 0, 1, more
_N_SITUATIONS = len(PLAYER_KINDS) * _N_NILS * _N_NEEDS * _N_PLACES
N_TELLS = _N_SITUATIONS * N_CONTEXTS * _N_WINS * _N_RELATIONS * _N_ABOVE * _N_ABOVE_PLAYED
MAX_TELLS = 400  # the most is 20 hidden cards after 20 plays of the others
MIN_PROBABILITY = 1e-6  # of an owner that is possible: some legal deal must remain
N_LAYERS = 3  # hidden ones
MAX_LAYER_SIZE = 1024
MAX_UNITS = MAX_LAYER_SIZE + 8  # ``list_positive`` may write 8 ids past the last
SAME_SUITS = np.arange(4, dtype=np.int8)
"""The order of suits that renames none."""


class BeliefError(SpadesError):
    """A belief network that is missing or malformed."""


FORMAT = TensorFormat(
    what="belief network",
    entry="spades_beliefs",
    version=2,
    keys={"hidden": list, "facts": dict},
    types={"F16": np.float16, "F32": np.float32},
    max_bytes=64 << 20,
    error=BeliefError,
)


TENSORS = (
    "first.weight",
    "first.bias",
    "second.weight",
    "second.bias",
    "third.weight",
    "third.bias",
    "output.weight",
    "output.bias",
    "tells",
)


class Network(NamedTuple):
    """The weights of a belief network. ``numbers`` float32: layer after layer, rows of weights by
    input, then biases; the output layer's rows are by output (card, seat); then the weights of the
    tells. ``sizes`` int64 (3,): units of the hidden layers."""

    numbers: NDArray[np.float32]
    sizes: IntArray


class ObservationArrays(NamedTuple):
    """An observation, for kernels. ``plays`` int8 (52,), card codes of which the first ``n`` are
    there; ``hand`` and ``deck`` masks; ``seat``: the observer; ``leader`` of the round;
    ``may_lead``: 1 if spades may be led at any time; ``bids`` int8 (4,); ``blind`` bool (4,);
    ``kind``: index into ``PLAYER_KINDS``."""

    plays: NDArray[np.int8]
    n: Int
    hand: Int
    deck: Int
    seat: Int
    leader: Int
    may_lead: Int
    bids: NDArray[np.int8]
    blind: NDArray[np.bool_]
    kind: Int


class HiddenCards(NamedTuple):
    """The hidden cards, int64 (n,): their codes, and the owner set of each
    (``spades.belief.determinize``)."""

    cards: IntArray
    owners: IntArray


def observation_arrays(observation: Observation, kind: int = 0) -> ObservationArrays:
    """The arrays of an observation at a table of players of a kind, an index into
    ``PLAYER_KINDS``."""
    table = observation.table
    rules = observation.rules
    plays = np.zeros(N_CARDS, dtype=np.int8)
    plays[: len(table.plays)] = table.plays
    return ObservationArrays(
        plays=plays,
        n=len(table.plays),
        hand=observation.hand_mask,
        deck=rules.cards.mask,
        seat=observation.seat,
        leader=table.seats[0] if table.seats else table.leader,
        may_lead=int(rules.spades_lead == "any"),
        bids=np.array(table.bids, dtype=np.int8),
        blind=np.array(table.blind),
        kind=kind,
    )


@lean_kernel
def list_features(seen: ObservationArrays, order: NDArray, ids: NDArray) -> Int:
    """Write the features that an observation has into ``ids`` int64 (``MAX_FEATURES``,); returns
    their number.

    ``order`` int8 (4,): how suits are renamed; spades stay spades."""
    n = 0
    n_on_table = seen.n & 3
    hand = seen.hand
    while hand:
        ids[n] = _OWN + renamed_slot(lowest(hand), seen.deck, order)
        n += 1
        hand &= hand - 1
    progress = first_lead(seen.leader, seen.may_lead)
    for i in range(seen.n):
        card = np.int64(seen.plays[i])
        relative = (progress.turn - seen.seat) & 3
        suit = np.int64(order[card >> 4])
        is_lead = progress.led < 0
        slot = renamed_slot(card, seen.deck, order)
        after = after_card(progress, card)
        is_partner_ahead = not is_lead and progress.winner == (progress.turn ^ 2)
        is_best = after.winner == progress.turn
        context = play_context(progress.led, card >> 4, is_partner_ahead, is_best)
        ids[n] = _PLAYS + (relative * N_CONTEXTS + context) * N_CARDS + slot
        trick = relative * N_RANKS + (i >> 2)
        ids[n + 1] = _TIMES + (trick * 4 + suit) * 2 + int(is_lead)
        n += 2
        is_under = context in (UNDER, UNDER_PARTNER)
        if is_under and relative and progress.best >> 4 == progress.led:
            group = (relative - 1) * 2 + int(is_partner_ahead)
            best_slot = renamed_slot(progress.best, seen.deck, order)
            ids[n] = _UNBEATEN + group * N_CARDS + best_slot
            n += 1
        if not is_lead and card >> 4 != progress.led:
            led = np.int64(order[progress.led])
            ids[n] = _DISCARDS + (relative * 4 + led) * 4 + suit
            n += 1
        if i >= seen.n - n_on_table:
            ids[n] = _ON_TABLE + relative * N_CARDS + slot
            n += 1
        progress = after
    for relative in range(N_SEATS):
        seat = (seen.seat + relative) & 3
        bid = np.int64(seen.bids[seat])
        bid_number = HAND_SIZE + 1 if bid == NO_BID else bid
        ids[n] = _BIDS + relative * _N_BIDS + bid_number
        ids[n + 1] = _TRICKS + relative * (HAND_SIZE + 1) + tricks_of(seat, progress.taken)
        n += 2
        if seen.blind[seat]:
            ids[n] = _BLIND + relative
            n += 1
    round_leader = (seen.leader - seen.seat) & 3
    trick_leader = (progress.turn - n_on_table - seen.seat) & 3
    ids[n] = _FIRST + round_leader
    ids[n + 1] = _TURN + trick_leader * N_SEATS + n_on_table
    ids[n + 2] = _KIND + seen.kind
    return n + 3


@lean_kernel
def list_tells(seen: ObservationArrays, order: NDArray, ids: NDArray, targets: NDArray) -> Int:
    """Write what the other seats' plays tell about the hidden cards; returns the number of tells,
    at most ``MAX_TELLS``.

    ``ids``: the tells, below ``N_TELLS``; ``targets``: the logits that they change, numbered by
    (card, other seat). ``order`` as in ``list_features``."""
    n = 0
    hidden = seen.deck & ~seen.hand
    for i in range(seen.n):
        hidden &= ~(np.int64(1) << np.int64(seen.plays[i]))
    out = seen.deck  # cards not yet played
    progress = first_lead(seen.leader, seen.may_lead)
    for i in range(seen.n):
        card = np.int64(seen.plays[i])
        relative = (progress.turn - seen.seat) & 3
        suit = card >> 4
        is_lead = progress.led < 0
        after = after_card(progress, card)
        alternatives = hidden
        if is_lead:
            alternatives = hidden if progress.may_lead != 0 else hidden & ~SPADES_MASK
        elif suit == progress.led:
            alternatives = hidden & _suit(suit)
        if relative and alternatives:
            is_partner_ahead = not is_lead and progress.winner == (progress.turn ^ 2)
            is_best = after.winner == progress.turn
            context = play_context(progress.led, suit, is_partner_ahead, is_best)
            situation = _situation(seen, progress) * N_CONTEXTS + context
            above_played = min(popcount(out & _above(card)), _N_ABOVE_PLAYED - 1)
            while alternatives:
                other_card = lowest(alternatives)
                alternatives &= alternatives - 1
                other_winner = after_card(progress, other_card).winner
                would_win = int(not is_lead and other_winner == progress.turn)
                above = min(popcount(out & _above(other_card)), _N_ABOVE - 1)
                relation = _relation(other_card, card, out)
                tell = (situation * _N_WINS + would_win) * _N_RELATIONS + relation
                ids[n] = (tell * _N_ABOVE + above) * _N_ABOVE_PLAYED + above_played
                slot = renamed_slot(other_card, seen.deck, order)
                targets[n] = slot * N_OTHERS + relative - 1
                n += 1
        out &= ~(np.int64(1) << card)
        progress = after
    return n


@lean_kernel
def _suit(suit: Int) -> Int:
    return SPADES_MASK << (16 * suit) & ALL_CODES


@lean_kernel
def _above(card: Int) -> Int:
    """The cards of a suit above one of its cards."""
    return _suit(card >> 4) & -(np.int64(2) << card)


@lean_kernel
def _relation(card: Int, played: Int, out: Int) -> Int:
    """How a hidden card compares with the card played: 0 to 2 cards out between them if below, 3 to
    5 if above; 6 another side suit, 7 spades instead of the suit played."""
    if card >> 4 != played >> 4:
        return 7 if card >> 4 == SPADES else 6
    low = min(card, played)
    high = max(card, played)
    up_to_high = out & _above(low) & ~_above(high)
    n_between = min(popcount(up_to_high) - 1, 2)
    return n_between + 3 * int(card > played)


@lean_kernel
def _situation(seen: ObservationArrays, progress: Progress) -> Int:
    """The situation of the seat to play, below ``_N_SITUATIONS``: the kind of players, whose nil is
    at stake, whether the contract is open, its place in the trick."""
    turn = progress.turn
    partner = turn ^ 2
    bid = np.int64(seen.bids[turn])
    partners_bid = np.int64(seen.bids[partner])
    nil = 0
    for k in range(1, N_SEATS, 2):
        opponent = (turn + k) & 3
        if seen.bids[opponent] == NIL_BID and tricks_of(opponent, progress.taken) == 0:
            nil = 3
    if partners_bid == NIL_BID and tricks_of(partner, progress.taken) == 0:
        nil = 2
    if bid == NIL_BID and tricks_of(turn, progress.taken) == 0:
        nil = 1
    tricks = tricks_of(turn, progress.taken) + tricks_of(partner, progress.taken)
    unknown_bid = np.int64(0)
    is_open = int(tricks < max(bid, unknown_bid) + max(partners_bid, unknown_bid))
    place = progress.ply & 3
    return ((seen.kind * _N_NILS + nil) * _N_NEEDS + is_open) * _N_PLACES + place


@lean_kernel
def play_context(led: Int, suit: Int, is_partner_ahead: bool, is_best: bool) -> Int:
    """The context of a card of ``suit``: one of the nine above. ``led``: negative for a lead;
    ``is_best``: whether the card wins the trick so far."""
    if led < 0:
        return LED
    if suit == led:
        if is_best:
            return OVER_PARTNER if is_partner_ahead else OVER
        return UNDER_PARTNER if is_partner_ahead else UNDER
    if suit == SPADES:
        return RUFF if is_best else LOST_RUFF
    return THROWN_TO_PARTNER if is_partner_ahead else THROWN


@lean_kernel
def renamed_slot(card: Int, deck: Int, order: NDArray) -> Int:
    """A card's number by suit and distance from the top of the suit, 0 to 51, its suit renamed."""
    suit = card >> 4
    moved = np.int64(order[suit]) - suit
    return slot_of(card, deck) + N_RANKS * moved


@kernel
def predict_owners(seen: ObservationArrays, hidden: HiddenCards, network: Network) -> FloatArray:
    """P(other seat holds card), (n, 3), of each of the hidden cards; 0 where it can't."""
    numbers = network.numbers
    sizes = network.sizes
    scratch = np.ones(N_FEATURES + 3 * MAX_UNITS, dtype=np.float32)  # inputs, all 1; then layers
    ids = np.empty(MAX_UNITS, dtype=np.int64)
    n_features = np.int64(N_FEATURES)
    units = n_features  # where the units of the last layer computed begin in ``scratch``
    n = list_features(seen, SAME_SUITS, ids)
    places = np.int64(0), np.int64(0), n_features * sizes[0], units
    sum_rows(scratch, ids, n, numbers, numbers, places, sizes[0])
    weights = (n_features + 1) * sizes[0]  # where the next layer's begin in ``numbers``
    for layer in range(1, 3):
        n_units = sizes[layer]
        next_units = units + MAX_UNITS
        n = list_positive(scratch, units, sizes[layer - 1], ids)
        places = units, weights, weights + sizes[layer - 1] * n_units, next_units
        sum_rows(scratch, ids, n, numbers, numbers, places, n_units)
        weights += (sizes[layer - 1] + 1) * n_units
        units = next_units
    biases = weights + N_CARDS * N_OTHERS * sizes[2]
    tell_weights = biases + N_CARDS * N_OTHERS
    tell_sums = np.zeros(N_CARDS * N_OTHERS)
    targets = np.empty(MAX_TELLS, dtype=np.int64)
    for i in range(list_tells(seen, SAME_SUITS, ids, targets)):
        tell_sums[targets[i]] += numbers[tell_weights + ids[i]]
    p = np.zeros((len(hidden.cards), N_OTHERS))
    for i in range(len(p)):
        first = slot_of(hidden.cards[i], seen.deck) * N_OTHERS
        top = -np.inf
        for other in range(N_OTHERS):
            if hidden.owners[i] >> other & 1:
                output = first + other
                row = weights + output * sizes[2]
                logit = relu_dot(scratch, units, numbers, row, sizes[2])
                p[i, other] = logit + numbers[biases + output] + tell_sums[output]
                top = max(top, p[i, other])
        for other in range(N_OTHERS):
            if hidden.owners[i] >> other & 1:
                p[i, other] = max(math.exp(p[i, other] - top), MIN_PROBABILITY)
        p[i] /= p[i].sum()
    return p


def load_network(path: Path = FILE) -> Network:
    """A belief network, by default the shipped one; ``BeliefError`` where its file is missing or
    malformed."""
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        raise BeliefError(f"{path.name} isn't there; {COMMAND} makes it") from None
    return _load(path, changed)


@lru_cache(maxsize=2)
def _load(path: Path, changed: int) -> Network:
    """``changed``: the file's time of change, so that a new file is read anew."""
    return FORMAT.read(path, _build)


def _build(header: dict, tensors: dict[str, NDArray]) -> Network:
    hidden = header["hidden"]
    is_legal = len(hidden) == N_LAYERS and all(type(n) is int for n in hidden)
    if not is_legal or not all(0 < n <= MAX_LAYER_SIZE for n in hidden):
        raise BeliefError(
            f"its hidden layers are {shown(hidden)}; {N_LAYERS} of 1 to {MAX_LAYER_SIZE} units are "
            "legal"
        )
    shapes = _tensor_shapes(hidden)
    FORMAT.check(tensors, shapes, dict.fromkeys(shapes, (-100.0, 100.0)))
    flat = [tensors[name].astype(np.float32).ravel() for name in shapes]
    return Network(np.concatenate(flat), np.array(hidden, dtype=np.int64))


def _tensor_shapes(hidden: list[int]) -> dict[str, tuple[int, ...]]:
    """The shape of each of ``TENSORS``, in order, for the sizes of the hidden layers."""
    n_outputs = N_CARDS * N_OTHERS
    shapes: list[tuple[int, ...]] = []
    for n_inputs, n_units in pairwise([N_FEATURES, *hidden]):
        shapes += [(n_inputs, n_units), (n_units,)]
    shapes += [(n_outputs, hidden[-1]), (n_outputs,), (N_TELLS,)]
    return dict(zip(TENSORS, shapes, strict=True))
