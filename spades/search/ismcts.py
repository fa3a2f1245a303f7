"""Single-observer ISMCTS, compiled.

Cowling, Powley and Whitehouse 2012; Whitehouse et al. 2013. One tree; each iteration gets a fresh
deal and visits only nodes that are legal in it. A subset-armed bandit: every legal child of a
visited node gains one availability, and the child with the largest

    X_i + C sqrt(ln n_avail(i) / n_i)

is taken, X_i its mean reward for the mover's partnership, in points / c (the constant 1/2 that
moves it to [0, 1] changes no comparison). Expansion adds one untried legal card at random, a
playout finishes the round, and the whole path is rewarded with the round's score difference.
"""

from __future__ import annotations

import numpy as np

from spades.core.cards import HAND_SIZE
from spades.core.kernel import below, lean_kernel, lowest, mixed, next_state, nth_bit, popcount
from spades.human.features.view import N_VIEW
from spades.human.prior import probabilities_by
from spades.search.biased_selection import (
    choose_unless_asked,
    fill_view,
    select_by_experience,
    select_by_knowledge,
    write_priors,
)
from spades.search.expert import play_by_expert
from spades.search.playouts import (
    NIL_AWARE,
    follows,
    is_live,
    leads,
    nil_aware_card,
    pick,
    play_nil_aware,
    play_uniform,
    suit_around,
    winning_card,
)
from spades.search.skew import add_skewed, select_skewed
from spades.search.tree import (
    AVAILABILITY,
    LEADER,
    LED_MASK,
    MAY_LEAD,
    N_CODES,
    N_PLAYED,
    NILS,
    NO_NODE,
    NO_SLOT,
    ROOT,
    ROOT_SLOT,
    SLOT,
    TABLE_CARDS,
    TAKEN,
    TEAM,
    TRICKS_LEFT,
    TURN,
    VALUE,
    VISITS,
)

_SPADES = np.int64(0xFFFF)


@lean_kernel
def run_iterations(
    tree, position, deals, rewards, scales, bias, policy, expert, skew, notes, scratch, state
):
    """One iteration a deal; returns the random state after them.

    ``tree`` the arrays of ``Tree``; ``deals`` (n, 4) full deals;
    ``rewards`` (14, 14, 14) points for N/S by the tricks of N, E, S; ``scales``
    (3, room + 2) the tables of ``bandit_tables``; ``bias`` a ``Bias``, or
    None, for which the search is compiled apart; so are ``expert``, an
    ``Expert`` for playouts, and ``skew``, a
    ``Skew``; ``notes`` sums of squared rewards (64,) of the root's cards,
    checkpoints (k,) and visits at them (k, 64); ``scratch`` int64 (5, 52).
    """
    nodes, children, asked, used = tree
    squares, checkpoints, curves = notes
    hands, on_table, path = scratch[0], scratch[1], scratch[2]
    n_nodes = used[0]
    done = np.int64(nodes[ROOT, VISITS])
    next_checkpoint = np.searchsorted(checkpoints, done + 1)
    if bias is not None:
        kind, weights, plan, numbers, floats, ids, strengths, w, w_points, least, last = bias
        delay, deepest = np.int32(least), np.uintp(last)
        priors = nodes.view(np.float32)
        seen, p = scratch[3, :N_VIEW], scratch[4, :HAND_SIZE].view(np.float64)
    for i in range(len(deals)):
        for seat in range(4):
            hands[seat] = deals[i, seat]
            on_table[seat] = position[TABLE_CARDS + seat]
        leader, turn, n_played = position[LEADER] & 3, position[TURN] & 3, position[N_PLAYED]
        led, may_lead = position[LED_MASK], position[MAY_LEAD] != 0
        tricks_left, taken, voids = position[TRICKS_LEFT], position[TAKEN], np.int64(0)
        trick = on_table[0] | on_table[1] | on_table[2] | on_table[3]
        node, depth, in_tree, root_code = np.uintp(ROOT), np.uintp(0), True, np.int64(0)
        while tricks_left:
            # Choose a card: select or expand inside the tree, by the playout policy below it.
            legal = follows(hands[turn], led) if n_played else leads(hands[turn], may_lead)
            if in_tree:
                is_asked = False
                if bias is not None:
                    may_ask = depth <= deepest and nodes[node, VISITS] >= delay
                    is_asked = may_ask and legal & (legal - 1) != 0
                if not is_asked:
                    code, untried = select(nodes, children, node, legal, scales)
                else:
                    strength = strengths[np.uintp(nodes[node, VISITS])]
                    slot, untried = np.uintp(nodes[node, SLOT]), np.int64(0)
                    if legal & ~asked[slot]:
                        # The root's P are shown to readers; experience has no such bound.
                        most = np.float32(np.inf) if w or depth == 0 else strength
                        code, untried, is_asked = choose_unless_asked(
                            nodes, priors, children, asked[slot], node, legal, scales,
                            (strength, most),
                        )  # fmt: skip
                        if is_asked:
                            table = (trick, led, n_played, turn, legal, taken, voids)
                            fill_view(seen, position, deals[i], hands, on_table, table)
                            n = probabilities_by(kind, weights, plan, numbers, floats, ids, seen, p)
                            write_priors(nodes, priors, children, asked, slot, legal, p, n)
                            used[2] += 1
                    if is_asked and w:
                        code = select_by_experience(
                            nodes, priors, children, slot, legal, scales, (w, w_points)
                        )
                    elif is_asked:
                        code = select_by_knowledge(
                            nodes, priors, children, slot, legal, scales, strength
                        )
                if skew is not None and depth == 0 and not untried:
                    code = select_skewed(nodes, children, legal, scales, skew)
                if untried:
                    state = next_state(state)
                    code = lowest(nth_bit(untried, below(mixed(state), popcount(untried))))
                    add_child(nodes, children, asked, used, node, code, n_nodes)
                    nodes[n_nodes, TEAM] = turn & 1
                    n_nodes += 1
                    in_tree = False
                if depth == 0:
                    root_code = code
                node = np.uintp(children[np.uintp(nodes[node, SLOT]), np.uintp(code)])
                path[depth] = node
                depth += np.uintp(1)
                card = np.int64(1) << code
                if bias is not None and depth <= deepest and n_played and card & led == 0:
                    voids |= np.int64(1) << ((turn << 2) | (lowest(led) >> 4))
                if expert is not None and n_played and card & led == 0:
                    voids |= np.int64(1) << ((turn << 2) | (lowest(led) >> 4))
            elif expert is not None or n_played == 0:
                break  # whole tricks from here on, or an expert's cards
            else:
                state = next_state(state)
                card = pick(legal, mixed(state))
                if policy == NIL_AWARE:
                    is_nil = is_live(position[NILS], taken, turn)
                    card = nil_aware_card(hands[turn], trick, led, is_nil, mixed(state))
            # Play it.
            hands[turn] ^= card
            on_table[turn] = card
            trick |= card
            if n_played == 0:
                led = suit_around(card)
            n_played += 1
            turn = (turn + 1) & 3
            if n_played == 4:
                best = winning_card(trick, led)
                may_lead |= (trick & _SPADES) != 0
                for seat in range(4):
                    leader = seat if on_table[seat] == best else leader
                taken += np.int64(1) << (leader << 3)
                turn, n_played, trick = leader, 0, np.int64(0)
                tricks_left -= 1
        if tricks_left:
            if expert is not None:
                table = (turn, n_played, led, trick, may_lead)
                left = (tricks_left, taken, voids)
                taken, state = play_by_expert(
                    expert.rules, expert.human, hands, on_table, table, left, state
                )
            elif policy == NIL_AWARE and position[NILS]:
                taken, state = play_nil_aware(
                    hands, turn, may_lead, tricks_left, taken, position[NILS], state
                )
            else:
                taken, state = play_uniform(hands, turn, may_lead, tricks_left, taken, state)
        reward = rewards[taken & 255, (taken >> 8) & 255, (taken >> 16) & 255]
        backpropagate(nodes, path, depth, reward)
        squares[root_code] += np.int64(reward) * np.int64(reward)
        done += 1
        if skew is not None:
            add_skewed(skew, root_code, reward, done)
        if next_checkpoint < len(checkpoints) and done == checkpoints[next_checkpoint]:
            note_visits(nodes, children, curves[next_checkpoint])
            next_checkpoint += 1
    used[0] = n_nodes
    return state


@lean_kernel
def select(nodes, children, node, legal, scales):
    """Best card (code) by UCB1 with availability, and the legal cards not tried yet.

    Every legal child gains one availability.
    """
    best, top, untried = np.int64(0), np.float32(-np.inf), np.int64(0)
    slot = np.uintp(nodes[node, SLOT])
    if slot == NO_SLOT:
        return best, legal
    while legal:
        code = lowest(legal)
        child = np.uintp(children[slot, np.uintp(code)])
        if child == NO_NODE:
            untried |= np.int64(1) << code
        else:
            visits = np.uintp(nodes[child, VISITS])
            available = np.uintp(nodes[child, AVAILABILITY] + 1)
            nodes[child, AVAILABILITY] = available
            score = np.float32(nodes[child, VALUE]) * scales[0, visits]
            score += scales[1, available] * scales[2, visits]
            if score > top:
                top, best = score, code
        legal &= legal - 1
    return best, untried


@lean_kernel
def add_child(nodes, children, asked, used, parent, code, child):
    slot = nodes[parent, SLOT]
    if slot == NO_SLOT:
        slot = used[1]
        used[1] += 1
        nodes[parent, SLOT] = slot
        asked[slot] = 0
        for i in range(N_CODES):
            children[slot, i] = NO_NODE
    children[slot, code] = child
    nodes[child, SLOT] = NO_SLOT
    nodes[child, VISITS] = 0
    nodes[child, AVAILABILITY] = 1
    nodes[child, VALUE] = 0


@lean_kernel
def backpropagate(nodes, path, depth, reward):
    """Add a reward (points for N/S) to the root's visits and along the path."""
    nodes[ROOT, VISITS] += 1
    for i in range(np.int64(depth)):
        node = np.uintp(path[i])
        nodes[node, VISITS] += 1
        nodes[node, VALUE] += -reward if nodes[node, TEAM] else reward


@lean_kernel
def note_visits(nodes, children, visits):
    """Write the visits of the root's children into ``visits`` (64,), by card code."""
    for code in range(N_CODES):
        visits[code] = nodes[children[ROOT_SLOT, code], VISITS]
    for code in range(N_CODES):
        if children[ROOT_SLOT, code] == NO_NODE:
            visits[code] = 0
