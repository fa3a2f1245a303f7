"""ISMCTS in plain Python, written from the papers: what the compiled search must find.

Cowling, Powley and Whitehouse 2012 for the search and its availabilities; Whitehouse et al. 2013
for rewards and skew; Devlin et al. 2016 and Baier et al. 2018 for the biases and their delay. It
plays by ``Round``, counts points by the rules and knows none of the search's kernels. What it takes
from the lab: deals, dice, a human model's probabilities and the rules of thumb, tested elsewhere.
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np

from spades.belief import UniformDeals
from spades.core.cards import cards_in
from spades.core.kernel import below, mixed, next_state, seed_state
from spades.core.observation import observe
from spades.core.rules import NIL_BID, SPADES, Round
from spades.core.scoring import score_round
from spades.human import load_prior
from spades.human.model import legal_priors
from spades.search import Experience, Knowledge, NilAwarePlayout
from spades.search.playouts.heuristic import card_scores
from spades.search.settings import BY_RULES
from spades.search.skew import card_skews
from spades.search.techniques.technique import ALL_CHILDREN, FIRST_CHILD

DEAL_STREAM, TREE_STREAM = 1, 2
CLOSE = 1e-6


@dataclass
class Node:
    """``points``: rewards of the partnership that played the card. Of the root's cards: their
    squares, ``squared``, and ``skewed``, what the skew adds, on the scale from 0 to 1."""

    visits: int = 0
    available: int = 0
    points: int = 0
    squared: int = 0
    skewed: float = 0.0
    prior: float | None = None
    n_legal: int = 0
    children: dict[int, "Node"] = field(default_factory=dict)


class Dice:
    """The search's random numbers, in the order in which it uses them."""

    def __init__(self, seed):
        self.state = seed_state(seed, TREE_STREAM)

    def roll(self):
        self.state = np.uint64(next_state(self.state))
        return int(mixed(self.state))


def sixteen(cards, bits):
    """One of ``cards`` by the low 16 bits."""
    return cards[(bits & 0xFFFF) * len(cards) >> 16]


class Twin:
    """``search`` of an observation, one iteration after the other. ``is_close``: two cards were so
    close, one in 1 and 2 visits of 2 and 4 for example, that the search, which rounds to float32,
    may have taken the other."""

    def __init__(self, state, settings, seed):
        self.seen, self.how = observe(state), settings
        self.mover = self.seen.seat % 2
        self.dice, self.seed, self.root = Dice(seed), seed, Node()
        self.prior = load_prior(settings.bias.model) if settings.bias else None
        self.skews = card_skews(self.seen) if settings.skew else {}
        self.is_close = False
        asked = getattr(settings.bias, "asked", "")
        is_experience = isinstance(settings.bias, Experience)
        self.asks_first = asked == FIRST_CHILD or (is_experience and asked != ALL_CHILDREN)

    def run(self, iterations):
        deals, _ = UniformDeals(self.seen).sample(iterations, seed_state(self.seed, DEAL_STREAM))
        for deal in deals.tolist():
            self.iterate(Round(self.seen.table.copy(), deal))
        return self.root

    def iterate(self, state):
        path = [(self.root, 0)]
        while not state.table.is_over:
            node, legal = path[-1][0], list(cards_in(state.legal_plays()))
            if self.how.others == BY_RULES and state.table.turn != self.seen.seat:
                legal = [self.card_by_rules(state, legal)]
            is_asked = self.asks(node, legal, len(path) - 1)
            if is_asked and self.asks_first:
                self.ask(node, legal, state)
            scored = [card for card in legal if self.is_scored(node.children.get(card))]
            untried = [card for card in legal if card not in scored]
            for card in scored:
                node.children[card].available += 1
            if not untried:
                card = self.selected(node, legal, state, len(path) - 1, is_asked)
                untried = [] if node.children[card].visits else [card]
            if untried:
                card = untried[int(below(np.uint64(self.dice.roll()), len(untried)))]
                child = node.children.setdefault(card, Node())
                child.available = max(1, child.available)
            path.append((node.children[card], state.table.turn % 2))
            state.play(card)
            if untried:
                break
        self.play_out(state)
        self.back_up(path, self.worth(state.table))

    def card_by_rules(self, state, legal):
        """Of a seat that looks at its own hand: one in five at random."""
        bits = self.dice.roll()
        if len(legal) == 1 or (bits >> 16 & 0xFFFF) < round(0.2 * 65536):
            return sixteen(legal, bits)
        scores = card_scores(observe(state))
        return max(legal, key=lambda card: (scores[card], -card))

    def ask(self, node, legal, state):
        """The model's P of the legal cards that lack theirs."""
        children = [node.children.setdefault(card, Node()) for card in legal]
        if all(child.prior is not None for child in children):
            return
        found = legal_priors(self.prior, observe(state)).tolist()
        for child, p in zip(children, found, strict=True):
            if child.prior is None:
                child.prior, child.n_legal = p, len(legal)

    def is_scored(self, child):
        """Whether a card has a finite bound: it was tried, or w visits were lent to it."""
        if child is None or child.visits:
            return child is not None
        return isinstance(self.how.bias, Experience) and self.how.bias.w > 0

    def selected(self, node, legal, state, depth, is_asked):
        if len(legal) == 1:
            return legal[0]
        if is_asked:
            self.ask(node, legal, state)
        scores = {
            card: self.score(node, node.children[card], card, is_asked, depth) for card in legal
        }
        best, *others = sorted(legal, key=lambda card: (-scores[card], card))
        self.is_close |= any(
            scores[best] - scores[card] < CLOSE and not equal(node.children, card, best)
            for card in others
        )
        return best

    def asks(self, node, legal, depth):
        """Whether a human model has its say in a node: after ``delay`` visits, or at the root."""
        bias = self.how.bias
        if bias is None or bias.delay == "inf" or len(legal) < 2:
            return False
        if bias.delay == "root":
            return depth == 0
        return node.visits >= int(bias.delay)

    def score(self, node, child, card, is_asked, depth):
        """UCT(i) = X_i + C sqrt(ln n_i' / n_i), n_i' its availability, and what a bias adds."""
        how, scale = self.how, self.how.reward_scale
        n, available = child.visits, child.available
        rewards = child.points / scale + n / 2
        if self.skews and depth == 0:
            rewards += child.skewed
        if is_asked and isinstance(how.bias, Experience):
            w = how.bias.w
            rewards, n, available = rewards + w * child.prior, n + w, available + w * child.n_legal
        value = rewards / n + how.exploration * math.sqrt(math.log(available) / n)
        if is_asked and isinstance(how.bias, Knowledge):
            k = how.bias.k
            value += how.bias.c_bt * math.sqrt(k / (node.visits + k)) * child.prior
        return value

    def play_out(self, state):
        """At random: a roll a card in a trick under way, then one a trick."""
        is_begun, bits = bool(state.table.trick), 0
        while not state.table.is_over:
            place = len(state.table.trick)
            is_begun = is_begun and place > 0
            if is_begun or place == 0:
                bits, place = self.dice.roll(), 0
            state.play(self.playout_card(state, bits >> 16 * place))

    def playout_card(self, state, bits):
        table, legal = state.table, list(cards_in(state.legal_plays()))
        is_nil = table.bids[table.turn] == NIL_BID and not table.tricks_taken[table.turn]
        if isinstance(self.how.playout, NilAwarePlayout) and is_nil and table.trick:
            losers = [card for card in legal if not beats(card, table.best_card, table.led_suit)]
            if losers:  # spades are the highest of equal ranks
                return max(losers, key=lambda card: (card & 15, -(card >> 4)))
        return sixteen(legal, bits)

    def worth(self, table):
        """(s_p - 10 b_p) - (s_o - 10 b_o) for N/S."""
        scored = score_round(table.rules, table.bids, table.blind, table.tricks_taken)
        (north, east), (bags, other) = scored.points, scored.bags
        return (north - 10 * bags) - (east - 10 * other)

    def back_up(self, path, worth):
        for node, side in path:
            node.visits += 1
            node.points += -worth if side else worth
        first, t = path[1][0], self.root.visits
        first.squared += worth * worth
        if self.skews:
            card = next(card for card, node in self.root.children.items() if node is first)
            reward = (-worth if self.mover else worth) / self.how.reward_scale + 0.5
            k = self.how.skew.skew_k
            decayed = (self.skews[card] - 1) * k / (k + t)
            first.skewed += decayed * min(max(reward, 0.0), 1.0)


def equal(children, card, other):
    """Whether two cards' scores are made of the same."""
    return replace(children[card], children={}) == replace(children[other], children={})


def beats(card, best, led):
    suit = card >> 4
    if suit == best >> 4:
        return card > best
    return suit == SPADES and best >> 4 != SPADES
