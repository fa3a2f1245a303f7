"""A belief network: who holds each hidden card, from all that one seat has seen.

A multilayer perceptron reads the observation as a list of facts (own cards, every play with what it
was up to, bids, voids, tricks) and gives, for each hidden card, the probabilities of the three
seats that may hold it. It is told what kind of players sit at the table. Cards are named by their
distance from the top of their suit, so that it answers for every deck, though it was trained on
the standard one (``analysis.models.train_beliefs``).

A fact is the number of a row of the first layer, so an observation costs what its facts cost.

Beside the perceptron, every card that another seat played tells something about every hidden card
that it could have played instead: a tell is a weight by what the play was up to, what the other
card would have done and how the two compare, added to the other card's logit for that seat.
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
from spades.core.kernel import Int, kernel, lean_kernel, lowest, popcount
from spades.core.observation import Observation
from spades.core.paths import DATA
from spades.core.rules import NIL_BID, NO_BID
from spades.core.step import Progress, after_card, first_lead, tricks_of
from spades.human.files import TensorFormat
from spades.human.networks.config import N_RANKS, slot_of
from spades.human.networks.vectors import list_positive, relu_dot, sum_rows

FILE = DATA / "beliefs" / "belief-network.safetensors"
COMMAND = "python -m analysis.models.train_beliefs"
KINDS = ("any", "human", "search", "rules")
"""Kinds of players at the table: not known, simulated humans, ISMCTS, strong rules."""
N_OTHERS = N_SEATS - 1
N_CONTEXTS = 9
(LED, UNDER_PARTNER, UNDER, OVER_PARTNER, OVER, THROWN_TO_PARTNER, THROWN, RUFF, LOST_RUFF) = range(
    N_CONTEXTS
)
_N_BIDS = HAND_SIZE + 2  # 0 to 13, unknown

# Where the facts of each kind begin.
_OWN = 0
_PLAYS = _OWN + N_CARDS  # (seat, context, card)
_STOOD = _PLAYS + N_SEATS * N_CONTEXTS * N_CARDS  # (other, partner's, card): left unbeaten
_OFF = _STOOD + N_OTHERS * 2 * N_CARDS  # (seat, suit led, suit played)
_TIMES = _OFF + N_SEATS * 16  # (seat, trick, suit, led)
_BIDS = _TIMES + N_SEATS * N_RANKS * 4 * 2  # (seat, bid)
_BLIND = _BIDS + N_SEATS * _N_BIDS
_TRICKS = _BLIND + N_SEATS  # (seat, tricks)
_TABLE = _TRICKS + N_SEATS * (HAND_SIZE + 1)  # (seat, card)
_FIRST = _TABLE + N_SEATS * N_CARDS  # who led the round
_TURN = _FIRST + N_SEATS  # (who leads the trick, cards on the table)
_KIND = _TURN + N_SEATS * N_SEATS
N_FACTS = _KIND + len(KINDS)
MAX_FACTS = 4 * N_CARDS + 48

# What a tell is numbered by, beside the players' kind, the nil at stake and the context.
_NILS, _NEEDS, _PLACES, _WINS, _RELATIONS, _ABOVE, _ABOVE_PLAYED = 4, 2, N_SEATS, 2, 8, 4, 3
N_TELLS = (
    len(KINDS) * _NILS * _NEEDS * _PLACES * N_CONTEXTS * _WINS * _RELATIONS * _ABOVE * _ABOVE_PLAYED
)
MAX_TELLS = 400  # 20 hidden cards after 20 plays of the others are the most
LEAST = 1e-6  # of a weight: the hands must always come out
N_HIDDEN, MAX_HIDDEN = 3, 1024  # layers, and units of one
MAX_UNITS = MAX_HIDDEN + 8  # of a layer; ``list_positive`` may write 8 ids past the last
NO_ORDER = np.arange(4, dtype=np.int8)


class BeliefError(SpadesError):
    """A belief network that isn't there or isn't one."""


FORMAT = TensorFormat(
    what="belief network",
    entry="spades_beliefs",
    version=2,
    keys={"hidden": list, "facts": dict},
    types={"F16": np.float16, "F32": np.float32},
    max_bytes=64 << 20,
    error=BeliefError,
)


_LAYERS = "first", "second", "third", "output"
TENSORS = [f"{layer}.{part}" for layer in _LAYERS for part in ("weight", "bias")] + ["tells"]


class Network(NamedTuple):
    """``numbers`` float32: the layers one after the other, rows of weights by input, then biases;
    the last layer's rows are by output (card, seat); then the weights of the tells. ``sizes`` int64
    (3,): hidden units."""

    numbers: NDArray[np.float32]
    sizes: NDArray[np.int64]


class Seen(NamedTuple):
    """What an observation is made of, for kernels: ``plays`` int8 (52,) of which ``n`` are there,
    ``hand`` and ``deck`` masks, ``seat``, ``leader`` of the round, ``may_lead`` spades at once,
    ``bids`` int8 (4,), ``blind`` bool (4,), ``kind`` into ``KINDS``."""

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


class Hidden(NamedTuple):
    """The hidden cards: ``cards`` codes and ``owners``, the sets of seats that may hold each (bits
    1 2 4 for the next seat, the partner, the previous one), int64 (n,)."""

    cards: NDArray[np.int64]
    owners: NDArray[np.int64]


def seen_of(observation: Observation, kind: int = 0) -> Seen:
    table, rules = observation.table, observation.rules
    plays = np.zeros(N_CARDS, dtype=np.int8)
    plays[: len(table.plays)] = table.plays
    leader = table.seats[0] if table.seats else table.leader
    own = observation.hand_mask, rules.cards.mask, observation.seat, leader
    bids, blind = np.array(table.bids, dtype=np.int8), np.array(table.blind)
    may_lead = int(rules.spades_lead == "any")
    return Seen(plays, len(table.plays), *own, may_lead, bids, blind, kind)


@lean_kernel
def list_facts(seen: Seen, order: NDArray, ids: NDArray) -> Int:
    """The facts of an observation into ``ids`` int64 (``MAX_FACTS``,); how many.

    ``order`` int8 (4,): how suits are renamed, spades as spades."""
    n, hand = 0, seen.hand
    while hand:
        ids[n] = _OWN + renamed_slot(lowest(hand), seen.deck, order)
        n += 1
        hand &= hand - 1
    at = first_lead(seen.leader, seen.may_lead)
    for i in range(seen.n):
        card = np.int64(seen.plays[i])
        other = (at.turn - seen.seat) & 3
        suit, is_led = np.int64(order[card >> 4]), at.led < 0
        place = renamed_slot(card, seen.deck, order)
        after = after_card(at, card)
        is_partner_ahead = not is_led and at.winner == (at.turn ^ 2)
        context = context_of(at.led, card >> 4, is_partner_ahead, after.winner == at.turn)
        ids[n] = _PLAYS + (other * N_CONTEXTS + context) * N_CARDS + place
        ids[n + 1] = _TIMES + ((other * N_RANKS + (i >> 2)) * 4 + suit) * 2 + int(is_led)
        n += 2
        if context in (UNDER, UNDER_PARTNER) and other and at.best >> 4 == at.led:
            stood = (other - 1) * 2 + int(is_partner_ahead)
            ids[n] = _STOOD + stood * N_CARDS + renamed_slot(at.best, seen.deck, order)
            n += 1
        if not is_led and card >> 4 != at.led:
            ids[n] = _OFF + (other * 4 + np.int64(order[at.led])) * 4 + suit
            n += 1
        if i >= seen.n - (seen.n & 3):
            ids[n] = _TABLE + other * N_CARDS + place
            n += 1
        at = after
    for other in range(N_SEATS):
        seat = (seen.seat + other) & 3
        bid = np.int64(seen.bids[seat])
        ids[n] = _BIDS + other * _N_BIDS + (HAND_SIZE + 1 if bid == NO_BID else bid)
        ids[n + 1] = _TRICKS + other * (HAND_SIZE + 1) + tricks_of(seat, at.taken)
        n += 2
        if seen.blind[seat]:
            ids[n] = _BLIND + other
            n += 1
    leads = (at.turn - (seen.n & 3) - seen.seat) & 3
    ids[n] = _FIRST + ((seen.leader - seen.seat) & 3)
    ids[n + 1] = _TURN + leads * N_SEATS + (seen.n & 3)
    ids[n + 2] = _KIND + seen.kind
    return n + 3


@lean_kernel
def list_tells(seen: Seen, order: NDArray, ids: NDArray, targets: NDArray) -> Int:
    """What the other seats' plays tell about the hidden cards; how much it is (``MAX_TELLS``).

    ``ids``: the tells, below ``N_TELLS``; ``targets``: whose logits they change, by (card, seat).
    """
    n, hidden = 0, seen.deck & ~seen.hand
    for i in range(seen.n):
        hidden &= ~(np.int64(1) << np.int64(seen.plays[i]))
    out, at = seen.deck, first_lead(seen.leader, seen.may_lead)
    for i in range(seen.n):
        card = np.int64(seen.plays[i])
        other, suit = (at.turn - seen.seat) & 3, card >> 4
        after = after_card(at, card)
        could = hidden
        if at.led < 0:
            could = hidden if at.may_lead != 0 else hidden & ~SPADES_MASK
        elif suit == at.led:
            could = hidden & _suit(suit)
        if other and could:
            ahead = at.led >= 0 and at.winner == (at.turn ^ 2)
            context = context_of(at.led, suit, ahead, after.winner == at.turn)
            situation = _situation(seen, at) * N_CONTEXTS + context
            above_played = min(popcount(out & _above(card)), _ABOVE_PLAYED - 1)
            while could:
                one = lowest(could)
                could &= could - 1
                wins = int(at.led >= 0 and after_card(at, one).winner == at.turn)
                above = min(popcount(out & _above(one)), _ABOVE - 1)
                tell = (situation * _WINS + wins) * _RELATIONS + _relation(one, card, out)
                ids[n] = (tell * _ABOVE + above) * _ABOVE_PLAYED + above_played
                targets[n] = renamed_slot(one, seen.deck, order) * N_OTHERS + other - 1
                n += 1
        out &= ~(np.int64(1) << card)
        at = after
    return n


@lean_kernel
def _suit(suit: Int) -> Int:
    return SPADES_MASK << (16 * suit) & ALL_CODES


@lean_kernel
def _above(card: Int) -> Int:
    """The cards of a suit above one of its cards."""
    return _suit(card >> 4) & -(np.int64(2) << card)


@lean_kernel
def _relation(one: Int, played: Int, out: Int) -> Int:
    """Of a suit: how many cards lie between, up to two, below or above; a side suit; spades."""
    if one >> 4 != played >> 4:
        return 7 if one >> 4 == SPADES else 6
    low, high = min(one, played), max(one, played)
    return min(popcount(out & _above(low) & ~_above(high)) - 1, 2) + 3 * int(one > played)


@lean_kernel
def _situation(seen: Seen, at: Progress) -> Int:
    """What the seat to play has in view: who plays, a nil at stake, its contract, its place."""
    turn, partner = at.turn, at.turn ^ 2
    bid, partners = np.int64(seen.bids[turn]), np.int64(seen.bids[partner])
    nil = 0
    for k in range(1, N_SEATS, 2):
        if seen.bids[(turn + k) & 3] == NIL_BID and tricks_of((turn + k) & 3, at.taken) == 0:
            nil = 3
    if partners == NIL_BID and tricks_of(partner, at.taken) == 0:
        nil = 2
    if bid == NIL_BID and tricks_of(turn, at.taken) == 0:
        nil = 1
    tricks = tricks_of(turn, at.taken) + tricks_of(partner, at.taken)
    nothing = np.int64(0)
    needs = int(tricks < max(bid, nothing) + max(partners, nothing))
    return ((seen.kind * _NILS + nil) * _NEEDS + needs) * _PLACES + (at.ply & 3)


@lean_kernel
def context_of(led: Int, suit: Int, is_partner_ahead: bool, wins: bool) -> Int:
    """What a play was up to."""
    if led < 0:
        return LED
    if suit == led:
        if wins:
            return OVER_PARTNER if is_partner_ahead else OVER
        return UNDER_PARTNER if is_partner_ahead else UNDER
    if suit == SPADES:
        return RUFF if wins else LOST_RUFF
    return THROWN_TO_PARTNER if is_partner_ahead else THROWN


@lean_kernel
def renamed_slot(card: Int, deck: Int, order: NDArray) -> Int:
    """A card by suit and distance from its suit's top, 0 to 51, its suit renamed."""
    suit = card >> 4
    return slot_of(card, deck) + N_RANKS * (np.int64(order[suit]) - suit)


@kernel
def ask(seen: Seen, hidden: Hidden, network: Network) -> NDArray[np.float64]:
    """P by hidden card and other seat, (n, 3), 0 where a seat can't hold it."""
    numbers, sizes = network.numbers, network.sizes
    scratch = np.ones(N_FACTS + 3 * MAX_UNITS, dtype=np.float32)  # inputs, all 1, then the layers
    ids, n_facts, place = np.empty(MAX_UNITS, dtype=np.int64), np.int64(N_FACTS), np.int64(N_FACTS)
    n = list_facts(seen, NO_ORDER, ids)
    places = np.int64(0), np.int64(0), n_facts * sizes[0], place
    sum_rows(scratch, ids, n, numbers, numbers, places, sizes[0])
    at = (n_facts + 1) * sizes[0]
    for layer in range(1, 3):
        n_units, above = sizes[layer], place + MAX_UNITS
        n = list_positive(scratch, place, sizes[layer - 1], ids)
        places = place, at, at + sizes[layer - 1] * n_units, above
        sum_rows(scratch, ids, n, numbers, numbers, places, n_units)
        at += (sizes[layer - 1] + 1) * n_units
        place = above
    weights = np.zeros((len(hidden.cards), N_OTHERS))
    biases = at + N_CARDS * N_OTHERS * sizes[2]
    told, targets = np.zeros(N_CARDS * N_OTHERS), np.empty(MAX_TELLS, dtype=np.int64)
    for i in range(list_tells(seen, NO_ORDER, ids, targets)):
        told[targets[i]] += numbers[biases + N_CARDS * N_OTHERS + ids[i]]
    for i in range(len(weights)):
        first, top = slot_of(hidden.cards[i], seen.deck) * N_OTHERS, -np.inf
        for other in range(N_OTHERS):
            if hidden.owners[i] >> other & 1:
                row = at + (first + other) * sizes[2]
                logit = relu_dot(scratch, place, numbers, row, sizes[2])
                weights[i, other] = logit + numbers[biases + first + other] + told[first + other]
                top = max(top, weights[i, other])
        for other in range(N_OTHERS):
            if hidden.owners[i] >> other & 1:
                weights[i, other] = max(math.exp(weights[i, other] - top), LEAST)
        weights[i] /= weights[i].sum()
    return weights


@lru_cache(maxsize=2)
def _load(path: Path, changed: int) -> Network:
    def build(header: dict, tensors: dict[str, NDArray]) -> Network:
        hidden = header["hidden"]
        is_legal = len(hidden) == N_HIDDEN and all(type(n) is int for n in hidden)
        if not is_legal or not all(0 < n <= MAX_HIDDEN for n in hidden):
            raise BeliefError(
                f"its hidden layers are {shown(hidden)}; {N_HIDDEN} of 1 to {MAX_HIDDEN} units are "
                "legal"
            )
        widths = [N_FACTS, *hidden]
        sizes = [size for pair in pairwise(widths) for size in (pair, pair[1:])]
        outputs = N_CARDS * N_OTHERS
        sizes += [(outputs, widths[-1]), (outputs,), (N_TELLS,)]
        shapes = dict(zip(TENSORS, sizes, strict=True))
        FORMAT.check(tensors, shapes, dict.fromkeys(shapes, (-100.0, 100.0)))
        flat = [tensors[name].astype(np.float32).ravel() for name in shapes]
        return Network(np.concatenate(flat), np.array(header["hidden"], dtype=np.int64))

    return FORMAT.read(path, build)


def load_network(path: Path = FILE) -> Network:
    """A belief network, the shipped one; ``BeliefError`` where its file isn't sound."""
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        raise BeliefError(f"{path.name} isn't there; {COMMAND} makes it") from None
    return _load(path, changed)
