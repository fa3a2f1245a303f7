"""The parts of BIS's bid as tables: what each card is worth, the nil by suit, the success curve."""

from __future__ import annotations

import numpy as np
import pandas as pd

from spades.bidding import BisAnswer, load_curves
from spades.core.cards import SUITS, Deck, cards_in
from spades.core.rules import Rules

N_POINTS = 101


def parts_table(answer: BisAnswer, deck: Deck) -> pd.DataFrame:
    """One row a step of the regular bid: the cards that count, then the previous bids.

    ``step``, ``role``, ``cuts`` (a suit letter or empty), ``tricks``, and the running sum before
    (``start``) and after (``end``) it. The last sum rounds, halves up, to ``answer.regular``,
    unless that is no legal bid or an opponent's nil takes half a trick off (G.1).
    """
    rows = [
        (deck.format_card(part.card), part.role, _suit(part.cut_suit), part.tricks)
        for part in answer.parts
        if part.tricks > 0
    ]
    rows.append(("previous bids", "previous bids", "", answer.previous_term))
    table = pd.DataFrame(rows, columns=["step", "role", "cuts", "tricks"])
    table["end"] = table["tricks"].cumsum()
    table["start"] = table["end"] - table["tricks"]
    return table


def _suit(suit: int | None) -> str:
    return "" if suit is None else SUITS[suit]


def idle_cards(answer: BisAnswer, hand: int, deck: Deck) -> list[str]:
    """Cards that the regular bid counts for nothing, suit by suit, highest first."""
    counting = {part.card for part in answer.parts if part.tricks > 0}
    idle = [card for card in cards_in(hand) if card not in counting]
    return deck.format_cards(sum(1 << card for card in idle)).split()


def suits_table(answer: BisAnswer) -> pd.DataFrame:
    """``p``, the chance that no card of a suit sets the nil, by ``suit`` letter."""
    return pd.DataFrame({"suit": list(SUITS), "p": list(answer.nil_by_suit)})


def curve_table(previous: tuple[int, ...]) -> pd.DataFrame:
    """The success curve after these bids with its 95 % interval, over nil values from 0 to 1."""
    curves = load_curves()
    values = np.linspace(0.0, 1.0, N_POINTS)
    return pd.DataFrame(
        [
            (value, curves.probability(previous, value), *curves.interval(previous, value))
            for value in values[1:]  # a nil value of 0 denies nil
        ],
        columns=["value", "p", "low", "high"],
    )


def p_needed(answer: BisAnswer, rules: Rules) -> float | None:
    """Chance of success from which nil passes the threshold; None where the rules have no nil.

    May lie outside 0 to 1: no chance is enough, or any is.
    """
    return even_chance(answer.threshold, rules.nil) if rules.nil else None


def even_chance(threshold: float, worth: int) -> float:
    """The chance at which a nil of this worth (points) brings just the threshold."""
    return (1.0 + threshold / worth) / 2.0
