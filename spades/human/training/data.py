"""The examples that a network is trained on: in memory, or read in parts in every pass."""

import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from spades.core.cards import N_CARDS, STANDARD
from spades.core.kernel import IntArray
from spades.human.features.folders import ExampleParts
from spades.human.features.logs import Examples, data_hash, no_examples, split_by_game
from spades.human.features.view import DECK
from spades.human.files import data_facts
from spades.human.networks import config as networks
from spades.human.networks.config import NetworkConfig

NO_ORDERS = np.empty((0, 4), dtype=np.int8)
MOST_HELD_OUT = 300_000  # examples of a folder: they stay in memory, 60 MB


class Batches:
    """Inputs and labels of examples for a network. ``orders`` int8 (B, 4): how suits are renamed,
    or empty."""

    def __init__(self, config: NetworkConfig, examples: Examples) -> None:
        self.config = config
        self.views = np.ascontiguousarray(examples.views)
        self.cards = np.ascontiguousarray(examples.cards)

    def inputs(self, rows: IntArray, orders: NDArray[np.int8] = NO_ORDERS) -> tuple[Tensor, ...]:
        n = len(rows)
        if self.config.reads == networks.SUITS:
            suits = np.empty((4, n, networks.N_SUIT_INPUTS), dtype=np.float32)
            facts = np.empty((n, networks.N_FACTS), dtype=np.float32)
            networks.fill_suits(self.views, rows, suits, facts)
            return torch.from_numpy(suits), torch.from_numpy(facts)
        shape = (self.config.reads, self.config.has_tricks)
        width = self.config.n_raw
        if self.config.has_tricks:
            width += networks.N_SCALARS
        inputs = np.empty((n, width), dtype=np.float32)
        networks.fill_batch(self.views, rows, shape, orders, inputs)
        return (torch.from_numpy(inputs),)

    def labels(self, rows: IntArray, orders: NDArray[np.int8] = NO_ORDERS) -> Tensor:
        labels = np.empty(len(rows), dtype=np.int64)
        networks.fill_labels(self.views, self.cards, rows, self.config.reads, orders, labels)
        return torch.from_numpy(labels)


class Rows(NamedTuple):
    """Some of the examples that batches are made of."""

    batches: Batches
    rows: IntArray


class TrainingData(ABC):
    """Examples for a training, whole games of which are held out.

    ``facts``: hash, number of examples and games; ``has_joker_deck``: whether any is of another
    deck than the standard one; ``held_out``: the examples to stop by; ``sizes``: how many examples
    to train on each part has."""

    facts: dict[str, Any]
    has_joker_deck: bool
    held_out: Rows
    sizes: list[int]

    @abstractmethod
    def shuffled(self, rng: np.random.Generator) -> Iterator[Rows]:
        """All examples to train on, part by part, in random order."""

    @abstractmethod
    def first(self, n: int) -> Rows:
        """The first ``n`` examples to train on, or all of the first part."""

    def steps_a_pass(self, batch: int) -> int:
        """How many batches a pass has."""
        return sum(math.ceil(size / batch) for size in self.sizes)


class InMemory(TrainingData):
    """Examples in memory, as one part. ``validation``: the share of games that is held out."""

    def __init__(
        self, config: NetworkConfig, examples: Examples, validation: float, seed: int
    ) -> None:
        training, held_out = split_by_game(examples.games, (1 - validation, validation), seed)
        self.facts = data_facts(examples)
        self.has_joker_deck = _has_joker_deck(examples)
        self._training = Rows(Batches(config, examples), training)
        self.held_out = self._training._replace(rows=held_out)
        self.sizes = [len(training)]

    def shuffled(self, rng: np.random.Generator) -> Iterator[Rows]:
        yield self._training._replace(rows=rng.permutation(self._training.rows))

    def first(self, n: int) -> Rows:
        return self._training._replace(rows=self._training.rows[:n])


class InParts(TrainingData):
    """Examples of a folder, one part of which is in memory at a time, and what is held out: the
    same share of the games of each part, of at most ``MOST_HELD_OUT`` examples in all. A pass takes
    the parts in random order, and the examples of each in random order."""

    def __init__(
        self, config: NetworkConfig, parts: ExampleParts, validation: float, seed: int
    ) -> None:
        self._config = config
        self._parts = parts
        self._seed = seed
        most = MOST_HELD_OUT / (N_CARDS * max(1, parts.n_rounds))
        self._shares = (1 - min(validation, most), min(validation, most))
        self.sizes = []
        self.has_joker_deck = False
        held_out: list[Examples] = []
        digest = hashlib.sha256()
        n_examples = 0
        n_games = 0
        for i in range(len(parts)):
            examples = parts.read(i)
            training, others = self._split(i, examples)
            held_out.append(examples.take(others))
            self.sizes.append(len(training))
            self.has_joker_deck |= _has_joker_deck(examples)
            digest.update(data_hash(examples).encode())
            n_examples += len(examples)
            n_games += len(np.unique(examples.games))
        if not n_examples:
            raise no_examples(parts.seats)
        self.facts = {
            "hash": digest.hexdigest()[:16],
            "examples": n_examples,
            "games": n_games,
        }
        together = _joined(held_out)
        self.held_out = Rows(Batches(config, together), np.arange(len(together)))

    def _split(self, i: int, examples: Examples) -> list[IntArray]:
        """The rows of part ``i`` to train on, and those held out."""
        if not len(examples):
            return [np.arange(0), np.arange(0)]
        return split_by_game(examples.games, self._shares, (self._seed, i))

    def shuffled(self, rng: np.random.Generator) -> Iterator[Rows]:
        for i in rng.permutation(len(self._parts)).tolist():
            part = self._training(i)
            yield part._replace(rows=rng.permutation(part.rows))

    def first(self, n: int) -> Rows:
        part = self._training(int(np.flatnonzero(self.sizes)[0]))
        return part._replace(rows=part.rows[:n])

    def _training(self, i: int) -> Rows:
        examples = self._parts.read(i)
        training, _ = self._split(i, examples)
        return Rows(Batches(self._config, examples), training)


def _has_joker_deck(examples: Examples) -> bool:
    return bool((examples.views[:, DECK] != STANDARD.mask).any())


def _joined(parts: list[Examples]) -> Examples:
    columns: dict[str, NDArray] = {}
    for name in ("views", "cards", "games", "is_simulated"):
        columns[name] = np.concatenate([getattr(part, name) for part in parts])
    return Examples(**columns)
