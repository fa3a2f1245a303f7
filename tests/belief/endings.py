"""Endings of which every deal can be listed, and the test for uniformity."""

from collections import Counter

from scipy.stats import chisquare

from spades.core.cards import NORTH, STANDARD, cards_in, mask_of, suit_mask
from spades.core.observation import Observation
from spades.core.rules import Rules, Table

P_LEAST = 1e-4
SUIT_INDEX = dict(zip("SHDC", range(4), strict=True))


def cards(text):
    return STANDARD.parse_cards(text.split())


def ending(unseen, voids=("", "", ""), on_table="", leader=NORTH):
    """What N sees in an ending: the cards the others hold, and the suits E S W have shown out of.

    ``on_table`` are the cards of the trick under way, led by ``leader``. N holds high clubs.
    """
    trick = [STANDARD.parse_card(text) for text in on_table.split()]
    played = [(leader + i) % 4 for i in range(len(trick))]
    n_each, odd = divmod(cards(unseen).bit_count() + sum(seat != NORTH for seat in played), 3)
    assert not odd
    own = mask_of(range(60, 60 - n_each + (NORTH in played), -1))
    table = Table(Rules(), dealer=3, leader=leader)
    gone = STANDARD.mask & ~(own | cards(unseen) | mask_of(trick))
    table.plays = [*cards_in(gone), *trick]
    table.winners = [leader] * (13 - n_each)
    table.played = [gone | mask_of(trick), 0, 0, 0]  # who played which counts for nothing here
    table.voids = [0, *(mask_of_suits(suits) for suits in voids)]
    assert len(table.trick) == len(trick)
    return Observation(NORTH, own, table)


def mask_of_suits(letters):
    return sum(suit_mask(SUIT_INDEX[letter]) for letter in letters)


NINE = "S3 S9 SK H2 H7 HQ D4 D8 DJ"
TWELVE = "S3 S9 SK H2 H7 HQ D4 D8 DJ C2 C3 C4"
ENDINGS = {
    "no void": ending(NINE),
    "one void": ending(NINE, ("H", "", "")),
    "two voids of one seat": ending(NINE, ("", "HD", "")),
    "two seats void in one suit": ending(NINE, ("D", "D", "")),
    "two seats void in different suits": ending(NINE, ("H", "D", "")),
    "each seat void in a suit": ending(NINE, ("S", "H", "D")),
    "each void, a suit for all": ending(TWELVE, ("S", "H", "D")),
    "two voids each": ending(TWELVE, ("SH", "HD", "")),
    "cards of one owner": ending(TWELVE, ("S", "S", "DC")),
    "one deal only": ending(NINE, ("HD", "SD", "SH")),
    "two on the table": ending("S3 S9 SK H2 H7 HQ D4 D8", ("S", "", "H"), "C2 D9", leader=3),
    "one on the table": ending("S3 S9 SK H2 H7 HQ D4 D8", ("", "S", "D"), "C2", leader=1),
    "a long suit": ending("S2 S3 S4 S5 S6 S7 S8 H9 DT", ("", "H", "")),
}


def every_deal(observation):
    """All deals that agree with an observation, card by card: tuples of the hidden hands E S W.

    Worked out from the sizes and voids alone, nothing taken from the library.
    """
    sizes, voids = observation.hand_sizes, observation.table.voids
    deals = [(0, 0, 0)]
    for card in cards_in(observation.unseen_mask):
        deals = [
            (*deal[:i], deal[i] | 1 << card, *deal[i + 1 :])
            for deal in deals
            for i in range(3)
            if deal[i].bit_count() < sizes[i + 1] and not voids[i + 1] >> card & 1
        ]
    return [d for d in deals if all(d[i].bit_count() == sizes[i + 1] for i in range(3))]


def p_uniform(drawn, possible):
    """Chi-square p of draws against the uniform distribution over all ``possible``."""
    counts = Counter(drawn)
    assert set(counts) <= set(possible)
    return chisquare([counts[deal] for deal in possible]).pvalue
