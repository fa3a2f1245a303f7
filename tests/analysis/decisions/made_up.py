"""Conclusions that are made by hand."""

import numpy as np

from analysis.decisions.conclusion import (
    ClassValue,
    Conclusion,
    estimated,
    kind_of,
    standing_of,
)
from analysis.decisions.estimate import Estimate
from spades.core.equivalence import equivalent_cards

FAR = -50.0


def class_value(cards, behind=0.0, interval=(0.0, 0.0), **more):
    """A class that stands as its interval says, at a threshold of a point."""
    return ClassValue(cards, standing_of(interval, 1.0), behind, interval, **more)


def concluded_from(seen, means, error=0.1, rounds=300, threshold=1.0):
    """The conclusion where the first class is worth the first mean and so on, the rest ``FAR``;
    ``error``: the standard error of each mean."""
    format_card = seen.rules.cards.format_card
    names = [tuple(map(format_card, codes)) for codes in equivalent_cards(seen)]
    values = np.array([*means, *[FAR] * (len(names) - len(means))], float)[: len(names)]
    covariance = error**2 * np.eye(len(names))
    rows = estimated(names, Estimate(values, covariance), threshold)
    return Conclusion(kind_of(rows[1:]), tuple(rows), threshold, rounds)


def of_cards(seen, worth, error=0.1):
    """The same, where a class is worth what ``worth`` says of its highest card, else 0."""
    format_card = seen.rules.cards.format_card
    means = [worth.get(format_card(codes[0]), 0.0) for codes in equivalent_cards(seen)]
    return concluded_from(seen, means, error)
