"""Single-observer ISMCTS, compiled.

Cowling, Powley and Whitehouse 2012; Whitehouse et al. 2013. One tree; each iteration gets a fresh
deal and visits only nodes that are legal in it: *select* (a subset-armed bandit,
``spades.search.select``) down to a node with a legal card not tried yet, *expand* it by one such
card at random, *play out* the round, and *backpropagate* its score difference along the path.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.core.cards import N_CARDS, N_SEATS
from spades.core.kernel import (
    Int,
    below,
    inlined_kernel,
    kernel,
    lean_kernel,
    lowest,
    mixed,
    next_state,
    nth_bit,
    popcount,
)
from spades.core.step import Progress, after_card, legal_cards, tricks_of
from spades.search.playouts.random_cards import losers_among
from spades.search.select import select, select_biased, select_skewed
from spades.search.skew import Skew, add_skewed
from spades.search.solved import SolvedEndings, play_and_solve
from spades.search.techniques.technique import Bias
from spades.search.tree import (
    AVAILABILITY,
    NO_NODE,
    ON_TABLE,
    ROOT,
    SLOT,
    VISITS,
    Position,
    Scratch,
    Tree,
    add_child,
    backpropagate,
    copy_root_visits,
    progress_at,
    value_of,
)


class Problem(NamedTuple):
    """What a search works on, the same in every iteration.

    ``position``: ``start_position``; ``rewards`` int32 (14, 14, 14): ``round_values``; ``scales``
    float32 (3, n): ``bandit_tables``. ``seat``: who tries one card of equivalent ones, -1 for
    nobody. ``ducking``: whose nil is minded in the tree, a bit a seat: while it is alive, the seat
    tries only cards that lose to the table, its partner only cards that beat it where it would take
    the trick, if they have such cards."""

    position: Position
    rewards: NDArray[np.int32]
    scales: NDArray[np.float32]
    seat: Int
    ducking: Int


class Parts(NamedTuple):
    """What a search is built of; compiled apart for each class, and where a part is None.

    ``playout``: numbers of a ``Playout``. ``bias``: ``Bias``. ``skew``: of the root. ``solved``:
    solves the last tricks. ``others``: ``choose_card`` of the other seats within the tree, who then
    play by their own hands; where None, their cards are selected as the searching seat's are."""

    playout: Any
    bias: Bias | None
    skew: Skew | None
    solved: SolvedEndings | None
    others: Any


class Notes(NamedTuple):
    """``squares`` int64 (64,): sums of squared rewards by root's card. ``endings`` int32 (cards,
    n): how often the round ended in each way, a row of ``spades.search.outcomes.Endings``, whose
    ``places`` these are. ``checkpoints`` int64 (k,): iterations after which the root's visits are
    copied to ``curves`` int32 (k, 64)."""

    squares: NDArray[np.int64]
    endings: NDArray[np.int32]
    places: NDArray[np.int16]
    checkpoints: NDArray[np.int64]
    curves: NDArray[np.int32]


@lean_kernel
def run_iterations(
    tree: Tree,
    problem: Problem,
    parts: Parts,
    deals: NDArray,
    notes: Notes,
    scratch: Scratch,
    state: np.uint64,
) -> np.uint64:
    """One iteration for each of ``deals`` (n, 4); the random state after them.

    The named tuples come as plain ones, which numba types several times as fast; those in ``parts``
    come as they are, with their methods."""
    tree = Tree(*tree)
    problem = Problem(*problem)
    parts = Parts(*parts)
    notes = Notes(*notes)
    scratch = Scratch(*scratch)
    position = problem.position
    done = np.int64(tree.nodes[ROOT, VISITS])
    next_checkpoint = np.searchsorted(notes.checkpoints, done + 1)
    root = progress_at(position)
    root_legal = legal_cards(deals[0, root.turn], root)
    for i in range(len(deals)):
        lay_out(position, deals[i], scratch)
        at, depth, untried, state = descend(
            tree, problem, scratch, parts.bias, parts.skew, parts.others, state
        )
        if untried:
            state = next_state(state)
            at = expand(tree, untried, at, depth, scratch, mixed(state))
            depth += np.uintp(1)
        reward, taken, state = evaluate(at, problem, scratch, state, parts.playout, parts.solved)
        root_card = scratch.codes[0]
        backpropagate(tree.nodes, scratch.path, depth, reward)
        done += 1
        notes.squares[root_card] += reward * reward
        if taken >= 0:
            count_ending(notes.endings, notes.places, place_among(root_legal, root_card), taken)
        add_skewed(parts.skew, root_card, reward, done)
        if next_checkpoint < len(notes.checkpoints) and done == notes.checkpoints[next_checkpoint]:
            copy_root_visits(tree, notes.curves[next_checkpoint])
            next_checkpoint += 1
    return state


@inlined_kernel
def evaluate(
    at: Progress,
    problem: Problem,
    scratch: Scratch,
    state: np.uint64,
    playout: Any,
    solved: SolvedEndings | None,
) -> tuple[Int, Int, np.uint64]:
    """Finish a round from a leaf: (points for N/S, tricks taken or -1 if solved, random state)."""
    if solved is not None:
        value, state = play_and_solve(at, scratch, state, playout, solved)
        return value, np.int64(-1), state
    taken, state = playout.finish_round(at, problem.position, scratch, state)
    return value_of(problem.rewards, taken), taken, state


@kernel
def place_among(legal: Int, code: Int) -> Int:
    """How many cards of a mask come before a card."""
    return popcount(legal & ((np.int64(1) << code) - 1))


@inlined_kernel
def count_ending(endings: NDArray, places: NDArray, row: Int, taken: Int) -> None:
    """Apart from the loop: with ``popcount`` inlined beside it, numba lost the addition."""
    endings[row, value_of(places, taken)] += 1


@inlined_kernel
def lay_out(position: Position, deal: NDArray, scratch: Scratch) -> None:
    """Put the scratch memory back to the root, with this deal."""
    for seat in range(N_SEATS):
        scratch.deal[seat] = scratch.hands[seat] = deal[seat]
        scratch.on_table[seat] = position[ON_TABLE + seat]
    scratch.path[0] = ROOT


@inlined_kernel
def descend(
    tree: Tree,
    problem: Problem,
    scratch: Scratch,
    bias: Bias | None,
    skew: Skew | None,
    others: Any,
    state: np.uint64,
) -> tuple[Progress, np.uintp, Int, np.uint64]:
    """Select cards down to a node with a legal card not tried yet, or to the end of the round.

    Returns the progress, the depth, the cards not tried yet and the random state."""
    scales = problem.scales
    hands = scratch.hands
    path = scratch.path
    at = progress_at(problem.position)
    own_seat = at.turn
    depth = np.uintp(0)
    while at.ply < N_CARDS:
        node = np.uintp(path[depth])
        legal = legal_cards(hands[at.turn], at)
        if at.turn == problem.seat:
            legal = one_of_each(legal, at, hands, scratch.on_table)
        if problem.ducking >> at.turn & 1:
            legal = duck(legal, at)
        if problem.ducking >> (at.turn ^ 2) & 1:
            legal = cover(legal, at)
        if others is not None and at.turn != own_seat:
            state = next_state(state)
            legal = others.choose_card(hands, at, mixed(state))
        is_asked = False
        if bias is not None:
            may_query = depth <= np.uintp(bias.deepest) and legal & (legal - 1) != 0
            is_asked = bool(may_query and tree.nodes[node, VISITS] >= bias.delay)
            if is_asked:
                root = (scales, problem.position, scratch)
                code, untried = select_biased(tree, node, legal, bias, root, at)
        if not is_asked:
            code, untried = select(tree, node, legal, scales)
        if untried:
            return at, depth, untried, state
        if skew is not None and depth == 0:
            code = select_skewed(tree, legal, scales, skew)
        slot = np.uintp(tree.nodes[node, SLOT])
        child = np.uintp(tree.children[slot, np.uintp(code)])
        if bias is not None and tree.nodes[child, VISITS] == 0:
            return at, depth, np.int64(1) << code, state
        at = move(at, child, code, depth, scratch)
        depth += np.uintp(1)
    return at, depth, np.int64(0), state


@inlined_kernel
def duck(legal: Int, at: Progress) -> Int:
    """The cards that lose to the table, of a follower without a trick who has any."""
    if at.led < 0 or tricks_of(at.turn, at.taken):
        return legal
    losers = losers_among(legal, at.led, at.best)
    return losers if losers else legal


@inlined_kernel
def cover(legal: Int, at: Progress) -> Int:
    """The cards that beat the partner's, whose live nil would take the trick, if there are any."""
    partner = at.turn ^ 2
    if at.led < 0 or at.winner != partner or tricks_of(partner, at.taken):
        return legal
    winners = legal & ~losers_among(legal, at.led, at.best)
    return winners if winners else legal


@lean_kernel
def one_of_each(legal: Int, at: Progress, hands: NDArray, on_table: NDArray) -> Int:
    """The lowest of each class of equivalent cards (``spades.core.equivalence``), as a mask."""
    apart = np.int64(0)  # what keeps two cards apart: the others' cards, and those on the table
    for k in range(1, N_SEATS):
        apart |= hands[(at.turn + k) & 3]
        if k <= at.ply & 3:
            apart |= on_table[(at.turn - k) & 3]
    kept = np.int64(0)
    last = np.int64(-1)
    while legal:
        code = lowest(legal)
        below_card = (np.int64(1) << code) - 1
        is_apart = last < 0 or code >> 4 != last >> 4
        if is_apart or below_card & ~((np.int64(2) << last) - 1) & apart:
            kept |= np.int64(1) << code
        last = code
        legal &= legal - 1
    return kept


@inlined_kernel
def expand(
    tree: Tree, untried: Int, at: Progress, depth: Int, scratch: Scratch, bits: np.uint64
) -> Progress:
    """Add one of the cards not tried yet to the tree and play it; the progress after it.

    It may have a node without a visit already, made when a model was asked."""
    code = lowest(nth_bit(untried, below(bits, popcount(untried))))
    node = np.uintp(scratch.path[depth])
    child = np.int64(tree.children[np.uintp(tree.nodes[node, SLOT]), np.uintp(code)])
    if child == NO_NODE:
        child = add_child(tree, node, code, at.turn & 1)
    elif tree.nodes[child, AVAILABILITY] == 0:
        tree.nodes[child, AVAILABILITY] = 1
    return move(at, child, code, depth, scratch)


@inlined_kernel
def move(at: Progress, child: Int, code: Int, depth: Int, scratch: Scratch) -> Progress:
    """Play a card that leads to a child; the progress after it."""
    card = np.int64(1) << code
    scratch.hands[at.turn] ^= card
    scratch.on_table[at.turn] = card
    scratch.codes[depth] = code
    scratch.path[depth + np.uintp(1)] = child
    return after_card(at, code)
