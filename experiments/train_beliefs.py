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
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from analysis.logs.simulate import SimulationPlan, simulate
from analysis.runs.command import INTERRUPTED, add_workers, interruptible, say
from experiments.command import number
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
from spades.core.kernel import Int, kernel, lowest
from spades.core.logs import NOT_PLAYED, Log
from spades.core.paths import user_folder
from spades.core.rules import NO_BID
from spades.core.step import Progress, after_card, first_lead
from spades.human import simulate_humans
from spades.human.files import Checkpoint, checkpoint_of
from spades.human.training.loop import SUIT_ORDERS, Float32Muon, arrays_of, restore, take_step
from spades.notation.parquet import load_log

HIDDEN = (512, 1024, 512)
STEPS, BATCH, SEED = 9_000, 4096, 7100
STEPS_A_CHECKPOINT, WARM_UP, RATE, DECAY = 50, 50, 3e-3, 0.01
UNTOLD, ELSEWHERE, SILENT = 1 / 7, 0.1, 0.05
"""Shares of moments: the players' kind isn't said, a seat looks on, bids aren't known."""
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


class Rounds(NamedTuple):
    """Whole rounds as arrays of a ``Log``."""

    plays: NDArray[np.int8]
    hands: NDArray[np.int64]
    bids: NDArray[np.int8]
    blind: NDArray[np.bool_]
    leaders: NDArray[np.int8]


class Moments(NamedTuple):
    """Moments of rounds: ``rows``, ``plies``, ``seats`` from the one to play on, ``kinds``, int64
    (B,), and ``orders`` int8 (B, 4), how suits are renamed; ``silent``: a bit a seat whose bid
    isn't known."""

    rows: NDArray[np.int64]
    plies: NDArray[np.int64]
    seats: NDArray[np.int64]
    kinds: NDArray[np.int64]
    orders: NDArray[np.int8]
    silent: NDArray[np.int64]


class Examples(NamedTuple):
    """``ids`` int64 (n,), the facts of all examples; ``offsets`` (B,), where each begins; ``tells``
    (m,) and their ``targets`` among all logits, flat; ``ends`` (B,), where the tells of each end.
    ``owners`` int64 (B, 52): 1 to 3, the seat that holds the card, 0 where it isn't hidden;
    ``may_hold`` bool (B, 52, 3)."""

    ids: NDArray[np.int64]
    offsets: NDArray[np.int64]
    tells: NDArray[np.int64]
    targets: NDArray[np.int64]
    ends: NDArray[np.int64]
    owners: NDArray[np.int64]
    may_hold: NDArray[np.bool_]


class DealLoss(torch.autograd.Function):
    """``deal_losses`` as a function of logits and tells, its sum."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, tells: Tensor, examples: Examples) -> Tensor:
        values = logits.detach().numpy().astype(np.float64)
        weights, half = tells.detach().numpy(), len(values) // 2
        grads, by_tell = np.zeros_like(values), np.zeros((2, len(weights)))

        def part(i: int) -> float:
            span = (0, half) if i == 0 else (half, len(values))
            found: float = deal_losses(values, weights, examples, span, grads, by_tell[i])
            return found

        with ThreadPoolExecutor(2) as pool:
            total = sum(pool.map(part, range(2)))
        ctx.save_for_backward(*(torch.from_numpy(one).float() for one in (grads, by_tell.sum(0))))
        return logits.new_tensor(total)

    @staticmethod
    def backward(ctx: Any, *outer: Any) -> Any:
        return *(outer[0] * one for one in ctx.saved_tensors), None


@kernel
def deal_losses(
    logits: NDArray,
    tells: NDArray,
    examples: Examples,
    span: tuple[Int, Int],
    grads: NDArray,
    by_tell: NDArray,
) -> float:
    """Sum of -log P(the deal) over examples ``span``; its derivatives by logits (B, 52, 3), which
    get the tells added, and by tells."""
    total, flat = 0.0, logits.reshape(-1)
    n_cards, sizes = np.int64(0), np.empty(N_OTHERS, dtype=np.int64)
    slots, weights = np.empty(N_CARDS, dtype=np.int64), np.empty((N_CARDS, N_OTHERS))
    for i in range(span[0], span[1]):
        first = examples.ends[i - 1] if i else 0
        for j in range(first, examples.ends[i]):
            flat[examples.targets[j]] += TELL_SCALE * tells[examples.tells[j]]
        n_cards, sizes[:] = np.int64(0), 0
        for slot in range(N_CARDS):
            if examples.owners[i, slot] == 0:
                continue
            top = -np.inf
            for k in range(N_OTHERS):
                if examples.may_hold[i, slot, k]:
                    top = max(top, logits[i, slot, k])
            for k in range(N_OTHERS):
                held = math.exp(logits[i, slot, k] - top) if examples.may_hold[i, slot, k] else 0.0
                weights[n_cards, k] = max(held, MIN_PROBABILITY) if held > 0.0 else 0.0
            slots[n_cards] = slot
            sizes[examples.owners[i, slot] - 1] += 1
            n_cards += 1
        thresholds = compute_thresholds(weights[:n_cards], sizes)
        shares = owner_shares(thresholds, sizes)
        a, b = sizes[0], sizes[1]
        for j in range(n_cards):
            owner = examples.owners[i, slots[j]] - 1
            grads[i, slots[j]] = shares[j]
            grads[i, slots[j], owner] -= 1.0
            below = thresholds[j, a, b, 0] / DRAW_RANGE
            both = thresholds[j, a, b, 1] / DRAW_RANGE
            chance = below if owner == 0 else both - below if owner == 1 else 1.0 - both
            total -= math.log(max(chance, MIN_PROBABILITY))
            a -= int(owner == 0)
            b -= int(owner == 1)
        for j in range(first, examples.ends[i]):
            by_tell[examples.tells[j]] += TELL_SCALE * grads.reshape(-1)[examples.targets[j]]
    return total


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

    def loss(self, examples: Examples) -> tuple[Tensor, int]:
        """Sum over the deals of -log P, nats, and the number of hidden cards."""
        logits = self(torch.from_numpy(examples.ids), torch.from_numpy(examples.offsets))
        found: Tensor = DealLoss.apply(logits, self.tells, examples)
        return found, int((examples.owners > 0).sum())

    def tensors(self) -> dict[str, NDArray[np.float16]]:
        """As the file has them, rows by input but for the output, whose rows are (card, seat)."""
        layers = [self.second.weight.T, self.second.bias, self.third.weight.T, self.third.bias]
        layers = [self.first.weight, self.bias, *layers, self.output.weight, self.output.bias]
        layers.append(self.tells * TELL_SCALE)
        found = zip(network.TENSORS, layers, strict=True)
        return {name: value.detach().numpy().astype(np.float16) for name, value in found}


@kernel
def fill_examples(
    rounds: Rounds, moments: Moments, deck: Int, examples: Examples
) -> tuple[int, int]:
    """Fill ``examples``; how many ids and tells are used."""
    n = n_tells = 0
    for i in range(len(moments.rows)):
        row, order = moments.rows[i], moments.orders[i]
        at, held = play_to(rounds, row, moments.plies[i])
        seat, bids = (at.turn + moments.seats[i]) & 3, rounds.bids[row].copy()
        for k in range(N_SEATS):
            if moments.silent[i] >> k & 1:
                bids[k] = NO_BID
        leader, nothing = np.int64(rounds.leaders[row]), np.int64(0)
        public = rounds.plays[row], moments.plies[i], held[seat], deck, seat, leader, nothing
        seen = ObservationArrays(*public, bids, rounds.blind[row], moments.kinds[i])
        examples.offsets[i] = n
        n += list_features(seen, order, examples.ids[n:])
        own = examples.targets[n_tells:]
        found = list_tells(seen, order, examples.tells[n_tells:], own)
        own[:found] += i * N_CARDS * N_OTHERS
        n_tells += found
        examples.ends[i] = n_tells
        examples.owners[i] = 0
        for other in range(N_OTHERS):
            hand = held[(seat + 1 + other) & 3]
            while hand:
                card = lowest(hand)
                slot = renamed_slot(card, deck, order)
                examples.owners[i, slot] = other + 1
                for k in range(N_OTHERS):
                    void = at.voids >> (4 * ((seat + 1 + k) & 3) + (card >> 4)) & 1
                    examples.may_hold[i, slot, k] = void == 0
                hand &= hand - 1
    return n, n_tells


@kernel
def play_to(rounds: Rounds, row: Int, ply: Int) -> tuple[Progress, NDArray]:
    """The progress before a ply, and the hands then, (4,)."""
    held = rounds.hands[row].copy()
    at = first_lead(np.int64(rounds.leaders[row]), 0)
    for i in range(ply):
        card = np.int64(rounds.plays[row, i])
        held[at.turn] ^= np.int64(1) << card
        at = after_card(at, card)
    return at, held


def rounds_of(log: Log) -> Rounds:
    """Those that were played to the end with known bids."""
    is_whole = (log.plays != NOT_PLAYED).all(axis=1) & (log.bids >= 0).all(axis=1)
    whole = log.take(is_whole)
    columns = whole.plays, whole.hands, whole.bids, whole.blind, whole.leaders
    return Rounds(*map(np.ascontiguousarray, columns))


def examples_at(rounds: Rounds, moments: Moments) -> Examples:
    n = len(moments.rows)
    examples = Examples(
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
        ids=examples.ids[:n_ids], tells=examples.tells[:n_tells], targets=examples.targets[:n_tells]
    )


def draw_moments(parts: Sequence[tuple[Source, int]], n: int, seed: int) -> Moments:
    """Random moments of sources whose rounds lie one after the other. ``parts``: each and its
    number of rounds."""
    rng = np.random.default_rng(seed)
    shares, sizes = np.array([[source.share, size] for source, size in parts]).T
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    which = rng.choice(len(parts), n, p=shares / shares.sum())
    kinds = np.array([network.PLAYER_KINDS.index(source.kind) for source, _ in parts])[which]
    return Moments(
        rows=(starts + sizes * rng.random((n, len(parts))))[np.arange(n), which].astype(np.int64),
        plies=rng.integers(0, LAST_PLY, n),
        seats=np.where(rng.random(n) < ELSEWHERE, rng.integers(1, N_SEATS, n), 0),
        kinds=np.where(rng.random(n) < UNTOLD, 0, kinds),
        orders=SUIT_ORDERS[rng.integers(0, len(SUIT_ORDERS), n)],
        silent=np.where(rng.random(n) < SILENT, rng.integers(1, 1 << N_SEATS, n), 0),
    )


@dataclass
class Training:
    """The state of a training; each step's examples depend on its number alone."""

    rounds: Rounds
    parts: Sequence[tuple[Source, int]]
    steps: int

    def __post_init__(self) -> None:
        torch.manual_seed(SEED)
        self.module = BeliefModule()
        matrices = [self.module.second.weight, self.module.third.weight]
        known = {id(matrix) for matrix in matrices}
        others = [one for one in self.module.parameters() if id(one) not in known]
        self.optimizers: list[torch.optim.Optimizer] = [
            Float32Muon(matrices, lr=RATE, weight_decay=DECAY),
            torch.optim.AdamW(others, lr=RATE, weight_decay=DECAY, fused=True),
        ]
        self.done, self.losses = 0, list[float]()

    def step(self) -> float:
        moments = draw_moments(self.parts, BATCH, SEED + 1 + self.done)
        total, n = self.module.loss(examples_at(self.rounds, moments))
        take_step(self.optimizers, total / n, self.done, self.steps, WARM_UP)
        self.done += 1
        return float(total.detach()) / n

    def fit(self, stored: Checkpoint) -> Iterator[str]:
        """Train to the end; says how far it is after each stored part."""
        if (found := stored.read()) is not None:
            self.done, self.losses = found[0]["done"], found[0]["losses"]
            restore({"module": self.module}, self.optimizers, found[1])
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
    agents = source.agent, source.agent, source.agent, source.agent
    plan = SimulationPlan(agents, source.rounds, "rounds", source.seed)
    path = folder / f"{source.kind}-{source.seed}.parquet"
    with interruptible(say) as is_cancelled:
        made = simulate(plan, path, workers=workers, is_cancelled=is_cancelled)
    return load_log(made.path) if made else sys.exit(INTERRUPTED)


def save(training: Training, path: Path) -> None:
    facts = {
        "sources": [source._asdict() for source in SOURCES],
        "steps": training.steps,
        "batch": BATCH,
        "seed": SEED,
        "losses": training.losses,
    }
    network.FORMAT.write(path, {"hidden": list(HIDDEN), "facts": facts}, training.module.tensors())


def read_options(
    about: str | None, out: Path, add_number: Callable[[argparse.ArgumentParser], Any]
) -> argparse.Namespace:
    """Options of a command that writes ``out`` and plays the rounds of its folder ``--rounds``."""
    parser = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=out, help="where to write (default: shipped)")
    parser.add_argument("--rounds", type=Path, default=user_folder() / "beliefs", metavar="FOLDER")
    add_number(parser)
    add_workers(parser)
    options = parser.parse_args()
    options.rounds.mkdir(parents=True, exist_ok=True)
    return options


def main() -> None:
    options = read_options(__doc__, network.FILE, number("--steps", STEPS, "of the training"))
    logs = [rounds_of(log_of(source, options.rounds, options.workers)) for source in SOURCES]
    rounds = Rounds(*map(np.concatenate, zip(*logs, strict=True)))
    parts = [(source, len(one.plays)) for source, one in zip(SOURCES, logs, strict=True)]
    training = Training(rounds, parts, options.steps)
    stored = Checkpoint(checkpoint_of(options.out), {"sources": SOURCES, "steps": options.steps})
    for line in training.fit(stored):
        say(line)
    save(training, options.out)
    stored.remove()


if __name__ == "__main__":
    main()
