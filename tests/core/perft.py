"""Counting legal sequences with ``spades.core.rules``, to compare with OpenSpiel."""

from dataclasses import fields, replace

from spades.core.cards import STANDARD, WEST, cards_in, mask_of
from spades.core.rules import Round, Rules, Table

SUITS, RANKS = "CDHS", "23456789TJQKA"
N_DEALT, FIRST_PLAY = 52, 56
CARDS = [STANDARD.parse_card(suit + rank) for suit in SUITS for rank in RANKS]
ACTIONS = {card: action for action, card in enumerate(CARDS)}


class NeverBroken(Table):
    """A table at which no play breaks spades: what OpenSpiel 2.0.2 plays."""

    @property
    def may_lead_spades(self):
        return False


def with_lead(state, lead):
    """The position under another rule for leading spades: ``broken``, ``any`` or ``never``."""
    table = state.table.copy()
    if lead == "never":
        table = NeverBroken(**{f.name: getattr(table, f.name) for f in fields(table)})
    else:
        table = replace(table, rules=Rules(spades_lead=lead))
    return Round(table, list(state.hands))


def state_of(history):
    """Our round after an OpenSpiel action history, every play checked but for unbroken spades."""
    dealt = [mask_of(CARDS[a] for a in history[seat:N_DEALT:4]) for seat in range(4)]
    state = Round.deal(Rules(spades_lead="any"), WEST, dealt)
    for seat, action in enumerate(history[N_DEALT:FIRST_PLAY]):
        state.table.bid(seat, action - N_DEALT)
    for action in history[FIRST_PLAY:]:
        state.play(CARDS[action])
    return state


def perft(state, depth, seen=None):
    """Number of legal sequences of 1, 2, ... ``depth`` plays; ``seen`` remembers positions."""
    table = state.table
    key = (*state.hands, table.turn, table.broken, *table.trick)
    if seen is not None and key in seen:
        return seen[key]
    legal = list(cards_in(state.legal_plays()))
    deeper = [0] * (depth - 1)
    for card in legal if depth > 1 else []:
        after = state.copy()
        after.play(card)
        deeper = [a + b for a, b in zip(deeper, perft(after, depth - 1, seen), strict=True)]
    counts = [len(legal), *deeper]
    if seen is not None:
        seen[key] = counts
    return counts
