"""Distil ``best`` into a network, which needs no search: ``python -m experiments.distil_best``.

Writes ``data/players/distilled.safetensors``: the player ``distilled``, by which the judge of
decisions plays most of its rounds on.

``TEACHER`` plays rounds on that players of several kinds have bid and begun, every other one with a
nil. One card in ten is drawn from the legal ones instead: those who play a round on after another's
card meet positions that they wouldn't have reached themselves. Of each of its decisions the network
learns the softmax of the values that the search gave the cards, ``LEARNT_AT`` points apart being
a factor of e: so it learns how much better a card is, not just which one came out. Cards that the
search left out, as they are equal to others or never better, have probability 0.

An hour of two cores; the rounds stay in ``--rounds FOLDER``. Stopped at
any moment, it goes on where it was.
"""

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import log_softmax

from analysis.runs.command import INTERRUPTED, add_workers, interruptible, say
from experiments.command import number, parse_options
from spades.agents import parse_agent
from spades.agents.compiled import Rounds, Seating
from spades.agents.compiled_search import (
    Auction,
    Searcher,
    clear_tree,
    made_auction,
    read_plays,
    searched_card,
    searcher_of,
)
from spades.agents.play import play_rounds
from spades.agents.players.distilled import FILE, LEARNT_AT
from spades.core.cards import HAND_SIZE, N_CARDS, N_SEATS
from spades.core.deal import derive_seed, seed_at, state_of
from spades.core.kernel import Int, IntArray, kernel, lowest, next_state, nth_bit, popcount, unit
from spades.core.paths import replacing, user_folder
from spades.core.rules import NIL_BID, Rules
from spades.core.step import after_card, legal_cards
from spades.human.features.logs import Examples
from spades.human.features.view import DECK, LEGAL, N_VIEW, nil_rule_of, round_views
from spades.human.files import Checkpoint, checkpoint_of
from spades.human.networks.config import TrainingOptions, parse_architecture, slot_of
from spades.human.networks.model import NetworkModel
from spades.human.training.data import Batches
from spades.human.training.loop import arrays_of, optimizers_of, restore, take_step
from spades.human.training.modules import build_module, tensors_of
from spades.search.tree import NO_NODE, ROOT_SLOT, VALUE, VISITS, Tree

TEACHER = "best:iterations=400"
SEED = 20_271_128
ROUNDS = 270_000
A_PART = 1_000
TABLES = (
    ("human", "human", "human", "human"),
    ("srp+bis", "srp+bis", "srp+bis", "srp+bis"),
    ("human+bis", "srp+human", "human+bis", "srp+human"),
    ("human", "srp+bis", "srp+bis", "srp+bis"),
)
"""Who bids and plays the first cards."""
AT_ONCE = 20  # rounds dealt and bid at a table before the next one's turn
BEGUN = 0.5  # share of the rounds of which some cards are played
MOST_BEGUN = 40  # cards
DRAWN = 0.1  # share of the cards that are drawn from the legal ones

ARCHITECTURE = "h-192-96-160-128"
STEPS = 20_000
BATCH = 1024
STEPS_A_CHECKPOINT = 200
WARM_UP = 200  # steps
HELD_OUT = 100_000  # examples
MEASURED_AT_ONCE = 16_384
NEVER = -1e9  # logit of what is no card


class Lessons(NamedTuple):
    """Rounds as the teacher saw them. ``hands`` int64 (n, 4) as dealt; ``bids`` int8 (n, 4);
    ``dealers`` int8 (n,); ``plays`` int8 (n, 52): the cards played. By legal card, lowest code
    first: ``visits`` uint16 (n, 52, 13) of the teacher's search, all 0 before its first card, and 1
    for its card where it had no choice; ``values`` int16 (n, 52, 13): tenths of points for its side
    that the search gave the card, 0 without a visit."""

    hands: NDArray[np.int64]
    bids: NDArray[np.int8]
    dealers: NDArray[np.int8]
    plays: NDArray[np.int8]
    visits: NDArray[np.uint16]
    values: NDArray[np.int16]


# Rounds


@kernel
def teach(
    hands: NDArray,
    plays: NDArray,
    n: Int,
    auction: Auction,
    own: Searcher,
    seed: np.uint64,
    visits: NDArray,
    values: NDArray,
) -> None:
    """Play a round of which ``n`` cards are played to its end, ``DRAWN`` of the cards drawn from
    the legal ones. ``hands`` int64 (4,) are used up; ``plays`` int8 (52,), ``visits`` and
    ``values`` (52, 13) are filled."""
    path = state_of(seed, 0)
    draws = state_of(seed, 1)
    at = read_plays(plays[:n], auction).at
    for ply in range(n, N_CARDS):
        hand = hands[at.turn]
        card = searched_card(hand, plays[:ply], auction, own, seed_at(path, ply))
        legal = legal_cards(hand, at)
        take_notes(card, legal, own.tree, visits[ply], values[ply])
        clear_tree(own.tree)
        draws = next_state(draws)
        if unit(draws) < DRAWN:
            draws = next_state(draws)
            place = np.int64(draws >> np.uint64(2)) % popcount(legal)
            card = lowest(nth_bit(legal, place))
        hands[at.turn] ^= np.int64(1) << card
        plays[ply] = card
        at = after_card(at, card)


@kernel
def take_notes(card: Int, legal: Int, tree: Tree, visits: NDArray, values: NDArray) -> None:
    """Write what a search that chose ``card`` found of each legal card."""
    visits[popcount(legal & ((np.int64(1) << card) - 1))] = 1
    i = 0
    while legal:
        node = tree.children[ROOT_SLOT, lowest(legal)]
        if node != NO_NODE:
            n_visits = tree.nodes[node, VISITS]
            visits[i] = n_visits
            values[i] = round(10 * tree.nodes[node, VALUE] / n_visits)
        legal &= legal - 1
        i += 1


def bid_rounds(part: int) -> Iterator[tuple[Rounds, int]]:
    """Rounds of the players of ``TABLES``, every other one with a nil: the rounds and a row."""
    wants_nil = True
    for turn in count():
        north, east, south, west = map(parse_agent, TABLES[turn % len(TABLES)])
        seating = Seating((north, east, south, west), Rules())
        rounds = play_rounds(seating, derive_seed(SEED, part, turn), 0, AT_ONCE)
        for i in range(AT_ONCE):
            if (NIL_BID in rounds.bids[i]) == wants_nil:
                yield rounds, i
                wants_nil = not wants_nil


def give_lessons(part: int, n: int) -> Lessons:
    """Rounds of a part, played on by the teacher."""
    searcher = searcher_of(parse_agent(TEACHER).player)
    rng = np.random.default_rng([SEED, part])
    rows = []
    for number_of_round, (rounds, i) in zip(range(n), bid_rounds(part), strict=False):
        bids = rounds.bids[i]
        leader = (int(rounds.dealers[i]) + 1) % N_SEATS
        blind = rounds.blind[i].tolist()
        auction = made_auction(Rules(), leader, bids.tolist(), blind)
        n_begun = int(rng.integers(MOST_BEGUN)) if rng.random() < BEGUN else 0
        plays = np.zeros(N_CARDS, np.int8)
        plays[:n_begun] = rounds.plays[i, :n_begun]
        visits = np.zeros((N_CARDS, HAND_SIZE), np.uint16)
        values = np.zeros((N_CARDS, HAND_SIZE), np.int16)
        hands = rounds.hands[i].copy()
        for card in plays[:n_begun].tolist():
            hands &= ~(np.int64(1) << card)
        seed = np.uint64(derive_seed(SEED, part, number_of_round, 1))
        teach(hands, plays, n_begun, auction, searcher, seed, visits, values)
        rows.append((rounds.hands[i], bids, rounds.dealers[i], plays, visits, values))
    return Lessons(*map(np.array, zip(*rows, strict=True)))


def store_part(part: int, folder: Path) -> None:
    with replacing(path_of(part, folder)) as path, path.open("wb") as file:
        np.savez_compressed(file, **give_lessons(part, A_PART)._asdict())


def path_of(part: int, folder: Path) -> Path:
    return folder / f"part-{part:04}.npz"


def play_parts(n_parts: int, folder: Path, workers: int | None) -> bool:
    """Play the parts that aren't there; False where that was interrupted."""
    missing = [part for part in range(n_parts) if not path_of(part, folder).exists()]
    with interruptible(say) as is_cancelled, ProcessPoolExecutor(workers) as pool:
        done = pool.map(partial(store_part, folder=folder), missing)
        for n_done, _ in enumerate(done, 1):
            say(f"{n_done} of {len(missing)} parts of {A_PART:,} rounds")
            if is_cancelled():
                pool.shutdown(cancel_futures=True)
                return False
    return True


# Examples


class Taught(NamedTuple):
    """n decisions between several cards. ``views`` int64 (n, 24); by legal card ``visits`` and
    ``values`` (n, 13), as in ``Lessons``."""

    views: IntArray
    visits: NDArray[np.uint16]
    values: NDArray[np.int16]


def load_taught(n_parts: int, folder: Path) -> Taught:
    parts = []
    for part in range(n_parts):
        stored = np.load(path_of(part, folder))
        parts.append(taught_in(Lessons(*(stored[name] for name in Lessons._fields))))
    return Taught(*map(np.concatenate, zip(*parts, strict=True)))


def taught_in(lessons: Lessons) -> Taught:
    rules = Rules()
    numbers = np.array([nil_rule_of(rules), int(rules.numbers.any_lead), rules.cards.mask])
    views = np.empty((*lessons.plays.shape, N_VIEW), np.int64)
    write_views(lessons.hands, lessons.plays, lessons.dealers, lessons.bids, numbers, views)
    has_choice = views[..., LEGAL] & (views[..., LEGAL] - 1) != 0
    is_taught = has_choice & lessons.visits.any(axis=2)
    return Taught(views[is_taught], lessons.visits[is_taught], lessons.values[is_taught])


@kernel
def write_views(
    hands: NDArray, plays: NDArray, dealers: NDArray, bids: NDArray, rules: NDArray, views: NDArray
) -> None:
    """Write the views (n, 52, 24) of whole rounds."""
    seats = np.empty(N_CARDS, np.int64)
    scratch = np.empty((3, N_SEATS), np.int64)
    for i in range(len(plays)):
        dealt = hands[i], plays[i], (dealers[i] + 1) & 3, bids[i]
        round_views(dealt, rules, scratch, views[i], seats)


@kernel
def write_targets(taught: Taught, rows: NDArray, slots: NDArray, targets: NDArray) -> None:
    """Write the output of each legal card, int64 (B, 13), -1 after the last, and what it is to
    say: the softmax of the cards' values."""
    slots[:] = -1
    targets[:] = 0.0
    for i in range(len(rows)):
        view = taught.views[rows[i]]
        visits = taught.visits[rows[i]]
        values = taught.values[rows[i]]
        legal = view[LEGAL]
        n = popcount(legal)
        top = -np.inf
        for j in range(n):
            slots[i, j] = slot_of(lowest(legal), view[DECK])
            legal &= legal - 1
            if visits[j]:
                top = max(top, values[j])
        for j in range(n):
            if visits[j]:
                targets[i, j] = np.exp((values[j] - top) / (10 * LEARNT_AT))
        targets[i] /= targets[i].sum()


# Training


@dataclass
class Training:
    """The state of a training; each step's examples depend on its number alone."""

    taught: Taught
    steps: int

    def __post_init__(self) -> None:
        torch.manual_seed(SEED)
        config = parse_architecture(ARCHITECTURE)
        n = len(self.taught.views)
        nobody = np.zeros(n, np.int8), np.zeros(n, np.int32), np.zeros(n, bool)
        self.batches = Batches(config, Examples(self.taught.views, *nobody))
        self.module = build_module(config)
        self.optimizers = optimizers_of(self.module, TrainingOptions())
        self.done = 0
        self.losses: list[float] = []

    @property
    def n_training(self) -> int:
        return len(self.taught.views) - HELD_OUT

    def loss(self, rows: IntArray) -> Tensor:
        """Mean cross-entropy of examples, nats."""
        slots = np.empty((len(rows), HAND_SIZE), np.int64)
        targets = np.empty((len(rows), HAND_SIZE), np.float32)
        write_targets(self.taught, rows, slots, targets)
        logits, _ = self.module(*self.batches.inputs(rows))
        is_none = torch.from_numpy(slots < 0)
        of_cards = logits.gather(1, torch.from_numpy(slots.clip(0))).masked_fill(is_none, NEVER)
        return -(torch.from_numpy(targets) * log_softmax(of_cards, 1)).sum(1).mean()

    def step(self) -> float:
        rng = np.random.default_rng([SEED, self.done])
        loss = self.loss(rng.integers(self.n_training, size=BATCH))
        take_step(self.optimizers, loss, self.done, self.steps, WARM_UP)
        self.done += 1
        return loss.item()

    def fit(self, stored: Checkpoint) -> Iterator[str]:
        """Train to the end; says how far it is after each stored part."""
        checkpoint = stored.read()
        if checkpoint is not None:
            state, arrays = checkpoint
            self.done = state["done"]
            self.losses = state["losses"]
            restore({"module": self.module}, self.optimizers, arrays)
        while self.done < self.steps:
            n = min(STEPS_A_CHECKPOINT, self.steps - self.done)
            self.losses.append(round(sum(self.step() for _ in range(n)) / n, 5))
            arrays = arrays_of({"module": self.module}, self.optimizers)
            stored.write({"done": self.done, "losses": self.losses}, arrays)
            yield f"{self.done:,} of {self.steps:,} steps: {self.losses[-1]:.4f} nats"

    @torch.no_grad()
    def held_out_loss(self) -> float:
        rows = np.arange(self.n_training, len(self.taught.views))
        parts = np.array_split(rows, -(-len(rows) // MEASURED_AT_ONCE))
        return sum(float(self.loss(part)) * len(part) for part in parts) / len(rows)

    def model(self, n_rounds: int) -> NetworkModel:
        model = NetworkModel(ARCHITECTURE, name=FILE.stem, seed=SEED)
        model.tensors_ = tensors_of(self.module)
        model.facts_ = {
            "seed": SEED,
            "data": {
                "teacher": TEACHER,
                "rounds": n_rounds,
                "examples": self.n_training,
                "steps": self.steps,
                "batch": BATCH,
                "temperature": LEARNT_AT,
            },
            "metrics": {"held_out": HELD_OUT, "held_out_loss": self.held_out_loss()},
        }
        return model


def add_folder(parser: argparse.ArgumentParser) -> None:
    folder = user_folder() / "distilled"
    parser.add_argument("--rounds", type=Path, default=folder, metavar="FOLDER")


def main() -> None:
    options = parse_options(
        __doc__,
        FILE,
        add_folder,
        number("--parts", ROUNDS // A_PART, f"of {A_PART} rounds each"),
        number("--steps", STEPS, "of the training"),
        add_workers,
    )
    options.rounds.mkdir(parents=True, exist_ok=True)
    if not play_parts(options.parts, options.rounds, options.workers):
        sys.exit(INTERRUPTED)
    training = Training(load_taught(options.parts, options.rounds), options.steps)
    say(f"{training.n_training:,} decisions to learn from")
    fit = {"teacher": TEACHER, "architecture": ARCHITECTURE, "parts": options.parts, "seed": SEED}
    stored = Checkpoint(checkpoint_of(options.out), {**fit, "steps": options.steps})
    for line in training.fit(stored):
        say(line)
    training.model(options.parts * A_PART).save(options.out)
    stored.remove()


if __name__ == "__main__":
    main()
