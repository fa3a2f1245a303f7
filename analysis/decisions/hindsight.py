"""Hindsight: what a play cost as the cards lay.

A play is judged by what its seat saw. With all hands open there is a second grade: each class of
cards is played from the true deal, and four of ``PLAYER``, each shown its own hand and the table
alone, play the round on, ``ROUNDS`` times with the same seeds for every class. Luck is what a play
gives away by what its seat saw less what it cost as the cards lay: negative for a right card that
failed, positive for a wrong one that was not punished.

The best of several noisy means is too good, so that the best class is found in one half of the
rounds and measured in the other, both ways round. A loss can thus be a little below 0.
"""

import math
from collections.abc import Generator
from dataclasses import dataclass
from functools import cache

import numpy as np

from analysis.decisions.settings import place_of
from analysis.runs.series import StoredSeries
from analysis.runs.store import version_of
from spades.agents import parse_agent
from spades.agents.compiled_search import PlayedOnBySearch
from spades.core.deal import derive_seed
from spades.core.equivalence import equivalent_cards
from spades.core.kernel import FloatArray
from spades.core.records import Record

PLAYER = "best:iterations=100"
ROUNDS = 80
SEED = 0


@dataclass(frozen=True)
class Hindsight:
    """What a play cost as the cards lay: points ``loss`` with the standard error ``se``, over so
    many ``rounds``."""

    loss: float
    se: float
    rounds: int


class MeasuredPlay:
    """Measures what the play at a ply of a record cost, in steps. ``found``: None until then."""

    def __init__(self, record: Record, ply: int) -> None:
        self.record = record
        self.ply = ply
        self.found: Hindsight | None = None

    def steps(self) -> Generator[None, None, None]:
        self.found = yield from hindsight_in_steps(self.record, self.ply)


UNKNOWN = Hindsight(math.nan, math.nan, 0)


def hindsight_in_steps(
    record: Record, ply: int, rounds: int = ROUNDS
) -> Generator[None, None, Hindsight]:
    """The hindsight of a play of a record, in steps; its rounds are stored."""
    series = hindsight_series(record, ply)
    series.extend(rounds)
    yield from series.steps()
    points = np.array(series.items[:rounds], dtype=float)
    classes = equivalent_cards(record.observation(ply))
    card = record.plays[ply].code
    played = next(i for i, codes in enumerate(classes) if card in codes)
    return measure_loss(points, played)


def hindsight_series(record: Record, ply: int) -> StoredSeries:
    """Item i: points of each class of cards, played from the true deal with seed i."""
    observation = record.observation(ply)
    cards = [codes[0] for codes in equivalent_cards(observation)]
    true_hands = np.array([[int(hand) for hand in record.at(ply).hands]], np.int64)
    table = cache(lambda: PlayedOnBySearch(observation, parse_agent(PLAYER).player))

    def make(i: int) -> Generator[None, None, list[int]]:
        tricks = table().tricks(true_hands, cards, [derive_seed(SEED, i)])
        points: list[int] = table().points(tricks)[0].tolist()
        yield
        return points

    question = {**place_of(record, ply), "seed": SEED, "agents": version_of(PLAYER)}
    return StoredSeries("hindsight", question, make, block=ROUNDS, unit="rounds")


def measure_loss(points: FloatArray, played: int) -> Hindsight:
    """The loss of class ``played`` from ``points`` (rounds, classes), two rounds or more."""
    halves = points[::2], points[1::2]
    losses = []
    for chosen_by, measured_in in (halves, halves[::-1]):
        best = int(chosen_by.mean(axis=0).argmax())
        losses.append(measured_in[:, best] - measured_in[:, played])
    values = np.concatenate(losses)
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    return Hindsight(float(values.mean()), error, len(values))
