"""Train the shipped belief network: ``python -m experiments.train_beliefs``.

Rounds of simulated humans, of ISMCTS and of strong rule-based players are played (they stay in
``--rounds FOLDER``), and a network learns from random moments of them who holds each hidden card
(``spades.belief.network``). Writes ``data/beliefs/belief-network.safetensors``. Takes an hour and a
quarter on two cores; stopped at any moment, the command goes on where it was.

Examples are renamed by their side suits, which no rule tells apart, and in one of seven the network
isn't told who plays. The loss is -log P(the deal) over the deals whose hands have the right sizes
(``spades.belief.owners``), in nats a hidden card.
"""

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from analysis.runs.command import INTERRUPTED, add_workers, say
from experiments.command import AddOption, four_of, number, parse_options, simulated_log
from spades.belief import network
from spades.belief.network import (
    MIN_PROBABILITY,
    N_OTHERS,
    ObservationArrays,
    list_features,
    list_tells,
    renamed_slot,
)
from spades.belief.owners import DRAW_RANGE, compute_thresholds, owner_shares
from spades.core.cards import N_CARDS, N_SEATS, STANDARD
from spades.core.kernel import BoolArray, Int, IntArray, kernel, lowest
from spades.core.logs import NOT_PLAYED, Log
from spades.core.paths import user_folder
from spades.core.rules import NO_BID
from spades.core.step import Progress, after_card, first_lead
from spades.human import simulate_humans
from spades.human.files import Checkpoint, checkpoint_of
from spades.human.training.loop import SUIT_ORDERS, Float32Muon, arrays_of, restore, take_step

HIDDEN = (512, 1024, 512)
STEPS = 9_000
BATCH = 4096
SEED = 7100
STEPS_A_CHECKPOINT = 50
WARM_UP = 50  # steps
RATE = 3e-3
DECAY = 0.01
# Shares of moments.
UNTOLD = 1 / 7  # the players' kind isn't said
ELSEWHERE = 0.1  # another seat than the one to play
SILENT = 0.05  # some bids aren't known
TELL_SCALE = 10.0  # tells are learnt in tenths, so as fast as what they add up to
LAST_PLY = 48  # the last trick hides nothing that matters


class Source(NamedTuple):
    """Rounds to learn from. ``share`` of the examples; ``agent``: in every seat."""

    kind: str
    share: float
    agent: str
    rounds: int
    seed: int


SOURCES = (
    Source("human", 0.35, "human", 400_000, 7000),
    Source("search", 0.175, "ismcts:iterations=400,playout=nil-aware+bis", 20_000, 7001),
    Source("search", 0.175, "ismcts:iterations=600", 18_000, 7002),
    Source("rules", 0.18, "srp+noisy:of=bis,noise=1,nil=0.1", 60_000, 7005),
    Source("rules", 0.12, "srp+bis", 40_000, 7006),
)


class RoundArrays(NamedTuple):
    """Whole rounds as arrays of a ``Log``."""

    plays: NDArray[np.int8]
    hands: IntArray
    bids: NDArray[np.int8]
    blind: BoolArray
    leaders: NDArray[np.int8]


class Moments(NamedTuple):
    """Moments of rounds: ``rows``, ``plies``, ``seats`` from the one to play on, ``kinds``, int64
    (B,), and ``orders`` int8 (B, 4), how suits are renamed; ``silent``: a bit a seat whose bid
    isn't known."""

    rows: IntArray
    plies: IntArray
    seats: IntArray
    kinds: IntArray
    orders: NDArray[np.int8]
    silent: IntArray


class BeliefExamples(NamedTuple):
    """``ids`` int64 (n,), the facts of all examples; ``offsets`` (B,), where each begins; ``tells``
    (m,) and their ``targets`` among all logits, flat; ``ends`` (B,), where the tells of each end.
    ``owners`` int64 (B, 52): 1 to 3, the seat that holds the card, 0 where it isn't hidden;
    ``may_hold`` bool (B, 52, 3)."""

    ids: IntArray
    offsets: IntArray
    tells: IntArray
    targets: IntArray
    ends: IntArray
    owners: IntArray
    may_hold: BoolArray


class DealLoss(torch.autograd.Function):
    """``deal_losses`` as a function of logits and tells, its sum."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, tells: Tensor, examples: BeliefExamples) -> Tensor:
        values = logits.detach().numpy().astype(np.float64)
        weights = tells.detach().numpy()
        by_logit = np.zeros_like(values)
        by_tell = np.zeros((2, len(weights)))
        half = len(values) // 2
        spans = ((0, half), (half, len(values)))

        def part(i: int) -> float:
            loss: float = deal_losses(values, weights, examples, spans[i], by_logit, by_tell[i])
            return loss

        with ThreadPoolExecutor(2) as pool:
            total = sum(pool.map(part, range(2)))
        gradients = (by_logit, by_tell.sum(axis=0))
        ctx.save_for_backward(*(torch.from_numpy(gradient).float() for gradient in gradients))
        return logits.new_tensor(total)

    @staticmethod
    def backward(ctx: Any, *outer: Any) -> Any:
        by_logit, by_tell = ctx.saved_tensors
        return outer[0] * by_logit, outer[0] * by_tell, None


@kernel
def deal_losses(
    logits: NDArray,
    tells: NDArray,
    examples: BeliefExamples,
    span: tuple[Int, Int],
    grads: NDArray,
    by_tell: NDArray,
) -> float:
    """Sum of -log P(the deal) over examples ``span``; its derivatives by logits (B, 52, 3), which
    get the tells added, and by tells."""
    total = 0.0
    flat_logits = logits.reshape(-1)
    flat_grads = grads.reshape(-1)
    sizes = np.empty(N_OTHERS, dtype=np.int64)
    slots = np.empty(N_CARDS, dtype=np.int64)
    weights = np.empty((N_CARDS, N_OTHERS))
    for i in range(span[0], span[1]):
        first_tell = examples.ends[i - 1] if i else 0
        for j in range(first_tell, examples.ends[i]):
            flat_logits[examples.targets[j]] += TELL_SCALE * tells[examples.tells[j]]
        n_cards = np.int64(0)
        sizes[:] = 0
        for slot in range(N_CARDS):
            if examples.owners[i, slot] == 0:
                continue
            fill_weights(logits[i, slot], examples.may_hold[i, slot], weights[n_cards])
            slots[n_cards] = slot
            sizes[examples.owners[i, slot] - 1] += 1
            n_cards += 1
        thresholds = compute_thresholds(weights[:n_cards], sizes)
        shares = owner_shares(thresholds, sizes)
        left = sizes.copy()
        for j in range(n_cards):
            slot = slots[j]
            owner = examples.owners[i, slot] - 1
            grads[i, slot] = shares[j]
            grads[i, slot, owner] -= 1.0
            below_first = thresholds[j, left[0], left[1], 0] / DRAW_RANGE
            below_second = thresholds[j, left[0], left[1], 1] / DRAW_RANGE
            left[owner] -= 1
            if owner == 0:
                chance = below_first
            elif owner == 1:
                chance = below_second - below_first
            else:
                chance = 1.0 - below_second
            total -= math.log(max(chance, MIN_PROBABILITY))
        for j in range(first_tell, examples.ends[i]):
            by_tell[examples.tells[j]] += TELL_SCALE * flat_grads[examples.targets[j]]
    return total


@kernel
def fill_weights(logits: NDArray, may_hold: NDArray, weights: NDArray) -> None:
    """Weights (3,) of the seats that may hold a card, the largest 1; 0 of the others."""
    top = -np.inf
    for k in range(N_OTHERS):
        if may_hold[k]:
            top = max(top, logits[k])
    for k in range(N_OTHERS):
        weight = math.exp(logits[k] - top) if may_hold[k] else 0.0
        weights[k] = max(weight, MIN_PROBABILITY) if weight > 0.0 else 0.0


class BeliefModule(nn.Module):
    """``spades.belief.network`` as a PyTorch module."""

    def __init__(self) -> None:
        super().__init__()
        first, second, third = HIDDEN
        self.first = nn.EmbeddingBag(network.N_FEATURES, first, mode="sum")
        nn.init.normal_(self.first.weight, std=0.05)
        self.bias = nn.Parameter(torch.zeros(first))
        self.second = nn.Linear(first, second)
        self.third = nn.Linear(second, third)
        self.output = nn.Linear(third, N_CARDS * N_OTHERS)
        nn.init.normal_(self.output.weight, std=0.01)
        self.tells = nn.Parameter(torch.zeros(network.N_TELLS))

    def forward(self, ids: Tensor, offsets: Tensor) -> Tensor:
        """Logits (B, 52, 3), without the tells."""
        x = torch.relu(self.first(ids, offsets) + self.bias)
        x = torch.relu(self.third(torch.relu(self.second(x))))
        return self.output(x).view(-1, N_CARDS, N_OTHERS)

    def loss(self, examples: BeliefExamples) -> tuple[Tensor, int]:
        """Sum over the deals of -log P, nats, and the number of hidden cards."""
        logits = self(torch.from_numpy(examples.ids), torch.from_numpy(examples.offsets))
        loss: Tensor = DealLoss.apply(logits, self.tells, examples)
        return loss, int((examples.owners > 0).sum())

    def tensors(self) -> dict[str, NDArray[np.float16]]:
        """As the file has them, rows by input but for the output, whose rows are (card, seat)."""
        layers = [
            self.first.weight,
            self.bias,
            self.second.weight.T,
            self.second.bias,
            self.third.weight.T,
            self.third.bias,
            self.output.weight,
            self.output.bias,
            self.tells * TELL_SCALE,
        ]
        arrays = [layer.detach().numpy().astype(np.float16) for layer in layers]
        return dict(zip(network.TENSORS, arrays, strict=True))


@kernel
def fill_examples(
    rounds: RoundArrays, moments: Moments, deck: Int, examples: BeliefExamples
) -> tuple[int, int]:
    """Fill ``examples``; how many ids and tells are used."""
    n_ids = 0
    n_tells = 0
    for i in range(len(moments.rows)):
        row = moments.rows[i]
        order = moments.orders[i]
        progress, held = play_to(rounds, row, moments.plies[i])
        seat = (progress.turn + moments.seats[i]) & 3
        bids = rounds.bids[row].copy()
        for k in range(N_SEATS):
            if moments.silent[i] >> k & 1:
                bids[k] = NO_BID
        seen = ObservationArrays(
            rounds.plays[row],
            moments.plies[i],
            held[seat],
            deck,
            seat,
            np.int64(rounds.leaders[row]),
            np.int64(0),
            bids,
            rounds.blind[row],
            moments.kinds[i],
        )
        examples.offsets[i] = n_ids
        n_ids += list_features(seen, order, examples.ids[n_ids:])
        targets = examples.targets[n_tells:]
        n_new_tells = list_tells(seen, order, examples.tells[n_tells:], targets)
        targets[:n_new_tells] += i * N_CARDS * N_OTHERS
        n_tells += n_new_tells
        examples.ends[i] = n_tells
        owners = examples.owners[i]
        fill_owners(seen, progress.voids, held, order, owners, examples.may_hold[i])
    return n_ids, n_tells


@kernel
def fill_owners(
    seen: ObservationArrays,
    voids: Int,
    held: NDArray,
    order: NDArray,
    owners: NDArray,
    may_hold: NDArray,
) -> None:
    """``owners`` (52,) and ``may_hold`` (52, 3) of an example; ``voids``: suits shown out of, four
    bits a seat."""
    owners[:] = 0
    for other in range(N_OTHERS):
        hand = held[(seen.seat + 1 + other) & 3]
        while hand:
            card = lowest(hand)
            slot = renamed_slot(card, seen.deck, order)
            owners[slot] = other + 1
            for k in range(N_OTHERS):
                is_void = voids >> (4 * ((seen.seat + 1 + k) & 3) + (card >> 4)) & 1
                may_hold[slot, k] = is_void == 0
            hand &= hand - 1


@kernel
def play_to(rounds: RoundArrays, row: Int, ply: Int) -> tuple[Progress, NDArray]:
    """The progress before a ply, and the hands then, (4,)."""
    held = rounds.hands[row].copy()
    progress = first_lead(np.int64(rounds.leaders[row]), 0)
    for i in range(ply):
        card = np.int64(rounds.plays[row, i])
        held[progress.turn] ^= np.int64(1) << card
        progress = after_card(progress, card)
    return progress, held


def rounds_of(log: Log) -> RoundArrays:
    """Those that were played to the end with known bids."""
    is_played = (log.plays != NOT_PLAYED).all(axis=1)
    has_bids = (log.bids >= 0).all(axis=1)
    whole = log.take(is_played & has_bids)
    return RoundArrays(
        *(np.ascontiguousarray(getattr(whole, name)) for name in RoundArrays._fields)
    )


def examples_at(rounds: RoundArrays, moments: Moments) -> BeliefExamples:
    n = len(moments.rows)
    examples = BeliefExamples(
        np.empty(n * network.MAX_FEATURES, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.empty(n * network.MAX_TELLS, dtype=np.int64),
        np.empty(n * network.MAX_TELLS, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.empty((n, N_CARDS), dtype=np.int64),
        np.zeros((n, N_CARDS, N_OTHERS), dtype=np.bool_),
    )
    n_ids, n_tells = fill_examples(rounds, moments, STANDARD.mask, examples)
    return examples._replace(
        ids=examples.ids[:n_ids],
        tells=examples.tells[:n_tells],
        targets=examples.targets[:n_tells],
    )


def draw_moments(parts: Sequence[tuple[Source, int]], n: int, seed: int) -> Moments:
    """Random moments of sources whose rounds lie one after the other. ``parts``: each and its
    number of rounds."""
    rng = np.random.default_rng(seed)
    shares = np.array([source.share for source, _ in parts])
    sizes = np.array([float(size) for _, size in parts])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    part = rng.choice(len(parts), n, p=shares / shares.sum())
    kind_of_part = np.array([network.PLAYER_KINDS.index(source.kind) for source, _ in parts])
    row_of_each_part = starts + sizes * rng.random((n, len(parts)))
    return Moments(
        rows=row_of_each_part[np.arange(n), part].astype(np.int64),
        plies=rng.integers(0, LAST_PLY, n),
        seats=np.where(rng.random(n) < ELSEWHERE, rng.integers(1, N_SEATS, n), 0),
        kinds=np.where(rng.random(n) < UNTOLD, 0, kind_of_part[part]),
        orders=SUIT_ORDERS[rng.integers(0, len(SUIT_ORDERS), n)],
        silent=np.where(rng.random(n) < SILENT, rng.integers(1, 1 << N_SEATS, n), 0),
    )


@dataclass
class Training:
    """The state of a training; each step's examples depend on its number alone."""

    rounds: RoundArrays
    parts: Sequence[tuple[Source, int]]
    steps: int

    def __post_init__(self) -> None:
        torch.manual_seed(SEED)
        self.module = BeliefModule()
        matrices = [self.module.second.weight, self.module.third.weight]
        ids = {id(matrix) for matrix in matrices}
        others = [weights for weights in self.module.parameters() if id(weights) not in ids]
        self.optimizers: list[torch.optim.Optimizer] = [
            Float32Muon(matrices, lr=RATE, weight_decay=DECAY),
            torch.optim.AdamW(others, lr=RATE, weight_decay=DECAY, fused=True),
        ]
        self.done = 0
        self.losses: list[float] = []

    def step(self) -> float:
        moments = draw_moments(self.parts, BATCH, SEED + 1 + self.done)
        total, n = self.module.loss(examples_at(self.rounds, moments))
        take_step(self.optimizers, total / n, self.done, self.steps, WARM_UP)
        self.done += 1
        return float(total.detach()) / n

    def fit(self, stored: Checkpoint) -> Iterator[str]:
        """Train to the end; says how far it is after each stored part."""
        checkpoint = stored.read()
        if checkpoint is not None:
            state, stored_arrays = checkpoint
            self.done = state["done"]
            self.losses = state["losses"]
            restore({"module": self.module}, self.optimizers, stored_arrays)
        while self.done < self.steps:
            n = min(STEPS_A_CHECKPOINT, self.steps - self.done)
            self.losses.append(sum(self.step() for _ in range(n)) / n)
            arrays = arrays_of({"module": self.module}, self.optimizers)
            stored.write({"done": self.done, "losses": self.losses}, arrays)
            yield f"{self.done:,} of {self.steps:,} steps: {self.losses[-1]:.4f} nats a hidden card"


def log_of(source: Source, folder: Path, workers: int | None) -> Log:
    """The rounds of a source, played if they aren't there; ``SystemExit`` if that is stopped."""
    if source.agent == "human":
        return simulate_humans(source.rounds, source.seed)
    plan = four_of(source.agent, source.rounds, "rounds", source.seed)
    log = simulated_log(plan, folder / f"{source.kind}-{source.seed}.parquet", workers)
    if log is None:
        sys.exit(INTERRUPTED)
    return log


def save(training: Training, path: Path) -> None:
    facts = {
        "sources": [source._asdict() for source in SOURCES],
        "steps": training.steps,
        "batch": BATCH,
        "seed": SEED,
        "losses": training.losses,
    }
    header = {"hidden": list(HIDDEN), "facts": facts}
    network.FORMAT.write(path, header, training.module.tensors())


def read_options(about: str | None, out: Path, add_number: AddOption) -> argparse.Namespace:
    """Options of a command that writes ``out`` and plays the rounds of its folder ``--rounds``."""

    def add_rounds(parser: argparse.ArgumentParser) -> None:
        folder = user_folder() / "beliefs"
        parser.add_argument("--rounds", type=Path, default=folder, metavar="FOLDER")

    options = parse_options(about, out, add_rounds, add_number, add_workers)
    options.rounds.mkdir(parents=True, exist_ok=True)
    return options


def main() -> None:
    options = read_options(__doc__, network.FILE, number("--steps", STEPS, "of the training"))
    by_source = [rounds_of(log_of(source, options.rounds, options.workers)) for source in SOURCES]
    rounds = RoundArrays(*map(np.concatenate, zip(*by_source, strict=True)))
    sizes = [len(own.plays) for own in by_source]
    parts = list(zip(SOURCES, sizes, strict=True))
    training = Training(rounds, parts, options.steps)
    stored = Checkpoint(checkpoint_of(options.out), {"sources": SOURCES, "steps": options.steps})
    for line in training.fit(stored):
        say(line)
    save(training, options.out)
    stored.remove()


if __name__ == "__main__":
    main()
