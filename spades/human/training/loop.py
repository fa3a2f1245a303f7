"""One training: batches from views, AdamW, early stopping on games held out."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from spades.core.cards import STANDARD
from spades.core.errors import SpadesError
from spades.human.features.logs import Examples, split_by_game
from spades.human.features.view import DECK, N_VIEW
from spades.human.files import Checkpoint, data_facts
from spades.human.model import CancelledError, Progress, Tell
from spades.human.networks.config import (
    MOVES,
    N_FACTS,
    N_SCALARS,
    N_SUIT_INPUTS,
    SUITS,
    NetworkConfig,
    TrainingOptions,
)
from spades.human.networks.inputs import fill_batch, fill_move_labels, fill_slots, fill_suits
from spades.human.training.modules import Module, build_module, crowding, tensors_of

MOMENTUM, STEPS, TINY = 0.95, 5, 1e-7
_LINEAR, _CUBIC, _QUINTIC = 3.4445, -4.775, 2.0315  # Jordan 2024
_RMS = 0.2  # of an update, as AdamW's are


class Float32Muon(torch.optim.Optimizer):
    """Momentum made orthogonal (Jordan 2024), scaled to the updates of AdamW (Liu et al. 2025).

    ``matrices``: parameters of two dimensions.
    """

    def __init__(self, matrices: Iterable[torch.Tensor], *, lr: float, weight_decay: float) -> None:
        super().__init__(list(matrices), {"lr": lr, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """One step of all matrices that have a gradient; ``closure`` isn't called."""
        for group in self.param_groups:
            rate, decay = group["lr"], group["weight_decay"]
            for matrix in group["params"]:
                if matrix.grad is None:
                    continue
                state = self.state[matrix]
                if not state:
                    state["momentum_buffer"] = torch.zeros_like(matrix)
                mean = state["momentum_buffer"].lerp_(matrix.grad, 1 - MOMENTUM)
                update = orthogonal(matrix.grad.lerp(mean, MOMENTUM))  # Nesterov's look ahead
                length = _RMS * math.sqrt(max(matrix.shape))
                matrix.mul_(1 - rate * decay).sub_(update, alpha=rate * length)


def orthogonal(matrix: torch.Tensor) -> torch.Tensor:
    """A matrix with the same singular vectors and singular values near 1 (about 0.7 to 1.2)."""
    is_tall = matrix.size(0) > matrix.size(1)
    found = matrix.T if is_tall else matrix
    found = found / found.norm().clamp(min=TINY)
    for _ in range(STEPS):
        gram = found @ found.T
        found = torch.addmm(
            found, torch.addmm(gram, gram, gram, beta=_CUBIC, alpha=_QUINTIC), found, beta=_LINEAR
        )
    return found.T if is_tall else found


_LAMBDAS = "lr_lambdas"  # functions: every training makes its own


def state_of(run: Run) -> tuple[dict[str, Any], dict[str, NDArray]]:
    """What ``restore`` needs, plain values and arrays."""
    plain = {
        "history": run.history,
        "best_loss": run.best_loss,
        "best_epoch": run.best_epoch,
        "rng": run.rng.bit_generator.state,
        "groups": [optimizer.state_dict()["param_groups"] for optimizer in run.optimizers],
        "schedules": [
            {name: value for name, value in schedule.state_dict().items() if name != _LAMBDAS}
            for schedule in run.schedules
        ],
    }
    return plain, {name: tensor.numpy() for name, tensor in _tensors_of(run)}


def _tensors_of(run: Run) -> Iterator[tuple[str, torch.Tensor]]:
    for whose, module in (("module", run.module), ("best", run.best)):
        for name, tensor in module.state_dict().items():
            yield f"{whose}/{name}", tensor
    for i, optimizer in enumerate(run.optimizers):
        for parameter, values in optimizer.state_dict()["state"].items():
            for name, tensor in values.items():
                yield f"optimizer{i}/{parameter}/{name}", tensor


def restore(run: Run, plain: Mapping[str, Any], arrays: Mapping[str, NDArray]) -> None:
    """Put a training that has just begun where another one, of the same fit, was."""
    run.history = list(plain["history"])
    run.best_loss, run.best_epoch = plain["best_loss"], plain["best_epoch"]
    run.rng.bit_generator.state = plain["rng"]
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    for whose, module in (("module", run.module), ("best", run.best)):
        module.load_state_dict({name: tensors[f"{whose}/{name}"] for name in module.state_dict()})
    for i, (optimizer, groups) in enumerate(zip(run.optimizers, plain["groups"], strict=True)):
        state: dict[int, dict[str, torch.Tensor]] = {}
        for key, tensor in tensors.items():
            whose, *place = key.split("/")
            if whose == f"optimizer{i}":
                state.setdefault(int(place[0]), {})[place[1]] = tensor
        optimizer.load_state_dict({"state": state, "param_groups": groups})
    for schedule, values in zip(run.schedules, plain["schedules"], strict=True):
        schedule.load_state_dict({**values, _LAMBDAS: [None]})


HAS_BFLOAT16 = bool(llvm.get_host_cpu_features().get("avx512bf16", False))
"""Whether the processor multiplies bfloat16 itself: passes are then half as long."""
_PRICED_RATE = 3e-3  # of AdamW, at most, under a price on active units
_AT_ONCE = 16_384  # examples of a validation batch
_WARM_UP = 200  # steps
_ORDERS = np.array(
    [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 1, 3], [0, 2, 3, 1], [0, 3, 1, 2], [0, 3, 2, 1]], np.int8
)
_NO_ORDERS = np.empty((0, 4), dtype=np.int8)
_MAX_LISTED = 1024
_SAMPLE, _RARE = 100_000, 5e-3  # examples that tell which units are hardly ever active


class Batches:
    """Inputs and labels of examples, as tensors that are filled anew for every batch."""

    def __init__(self, config: NetworkConfig, examples: Examples) -> None:
        self.config = config
        self.views = np.ascontiguousarray(examples.views)
        self.cards = np.ascontiguousarray(examples.cards)
        self._ids = np.empty(_MAX_LISTED, dtype=np.int32)
        self._renamed = np.empty(N_VIEW, dtype=np.int64)

    def inputs(self, rows: NDArray[np.int64], orders: NDArray[np.int8]) -> tuple[Tensor, ...]:
        """What the module reads; ``orders`` int8 (B, 4): how suits are renamed, or empty."""
        n = len(rows)
        if self.config.reads == SUITS:
            suits = np.empty((4, n, N_SUIT_INPUTS), dtype=np.float32)
            facts = np.empty((n, N_FACTS), dtype=np.float32)
            fill_suits(self.views, rows, self._ids, suits, facts)
            return torch.from_numpy(suits), torch.from_numpy(facts)
        width = self.config.n_raw + N_SCALARS * self.config.has_tricks
        inputs = np.empty((n, width), dtype=np.float32)
        shape = (self.config.reads, self.config.has_tricks)
        fill_batch(self.views, rows, shape, orders, (self._ids, self._renamed), inputs)
        return (torch.from_numpy(inputs),)

    def labels(self, rows: NDArray[np.int64], orders: NDArray[np.int8]) -> Tensor:
        labels = np.empty(len(rows), dtype=np.int64)
        if self.config.reads == MOVES:
            fill_move_labels(self.views, self.cards, rows, labels)
        else:
            fill_slots(self.views, self.cards, rows, orders, labels)
        return torch.from_numpy(labels)


def train_network(
    config: NetworkConfig,
    options: TrainingOptions,
    examples: Examples,
    *,
    seed: int,
    tell: Tell,
    is_cancelled: Callable[[], bool],
    checkpoint: Path | None = None,
) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
    """The tensors of the best epoch, and the facts of the training for the model's file.

    ``checkpoint``: see ``spades.human.model.HumanModel.fit``.
    """
    if options.permute_suits and (config.reads != 0 or _has_joker_deck(examples)):
        raise SpadesError("suits are renamed for networks that read cards of the standard deck")
    shares = (1 - options.validation, options.validation)
    training, held_out = split_by_game(examples.games, shares, seed)
    facts = {"data": data_facts(examples), "seed": seed, "options": options.plain()}
    kept = Checkpoint(checkpoint, {"architecture": config.architecture, **facts})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        run = Run(config, options, Batches(config, examples), len(training), seed)
        if (found := kept.read()) is not None:
            restore(run, *found)
        run.fit(training, held_out, tell, is_cancelled, kept)
        tensors = tensors_of(run.best)
        if options.sparsity and config.reads != SUITS:
            silence(tensors, run.idle_units(training[:_SAMPLE]))
        held_out_loss, accuracy = run.measure(run.best, held_out)
    kept.remove()
    return tensors, {
        **facts,
        "epochs": len(run.history),
        "seconds": round(run.seconds, 1),
        "validation_loss": run.best_loss,
        "history": run.history,
        "metrics": {
            "of": "games held out to stop by",
            "examples": len(held_out),
            "log_loss": held_out_loss,
            "accuracy": accuracy,
        },
    }


def _has_joker_deck(examples: Examples) -> bool:
    return bool((examples.views[:, DECK] != STANDARD.mask).any())


def _muon(matrices: list[Tensor], *, lr: float, weight_decay: float) -> torch.optim.Optimizer:
    if not HAS_BFLOAT16:
        return Float32Muon(matrices, lr=lr, weight_decay=weight_decay)
    return torch.optim.Muon(
        matrices, lr=lr, weight_decay=weight_decay, adjust_lr_fn="match_rms_adamw"
    )


def _optimizers(module: Module, options: TrainingOptions) -> list[torch.optim.Optimizer]:
    """Muon (Jordan 2024) for the matrices between hidden units, AdamW for all else.

    One pass with Muon comes as far as several with AdamW alone. A first layer that reads cards as
    they are, an embedding, is as well off with AdamW, which takes far less time; but not under a
    price on active units, which puts out too many of them for good: then Muon has that layer too
    and AdamW goes slower (four short passes came to 0.96 nats, not 1.14).
    """
    is_priced = options.sparsity > 0
    matrices = module.matrices(with_cards=is_priced)
    known = {id(matrix) for matrix in matrices}
    others = [parameter for parameter in module.parameters() if id(parameter) not in known]
    adam = torch.optim.AdamW(
        others,
        lr=min(options.learning_rate, _PRICED_RATE) if is_priced else options.learning_rate,
        weight_decay=options.weight_decay,
        fused=True,
    )
    if not matrices:
        return [adam]
    return [_muon(matrices, lr=options.learning_rate, weight_decay=options.weight_decay), adam]


class Run:
    """The state of one training."""

    def __init__(
        self,
        config: NetworkConfig,
        options: TrainingOptions,
        batches: Batches,
        n_training: int,
        seed: int,
    ) -> None:
        self.options, self.batches = options, batches
        self.module = build_module(config)
        self.best: Module = copy.deepcopy(self.module)
        self.best_loss, self.best_epoch = math.inf, 0
        self.history: list[dict[str, float]] = []
        self.rng = np.random.default_rng(seed)
        self.optimizers = _optimizers(self.module, options)
        n_steps = options.epochs * math.ceil(n_training / options.batch)
        warm_up = min(_WARM_UP, max(1, n_steps // 10))

        def rate(step: int) -> float:
            return min((step + 1) / warm_up, 0.5 + 0.5 * math.cos(math.pi * step / n_steps))

        self.schedules = [
            torch.optim.lr_scheduler.LambdaLR(optimizer, rate) for optimizer in self.optimizers
        ]

    def fit(
        self,
        training: NDArray[np.int64],
        held_out: NDArray[np.int64],
        tell: Tell,
        is_cancelled: Callable[[], bool],
        kept: Checkpoint,
    ) -> None:
        """Epochs until the last one or no more gain; what each came to is in ``history``."""
        while len(self.history) < self.options.epochs and not self.has_no_more_gain:
            started = time.perf_counter()
            loss = self.epoch(training, is_cancelled)
            validation, _ = self.measure(self.module, held_out)
            seconds = time.perf_counter() - started
            if not math.isfinite(validation):
                raise SpadesError("the training has run off to infinity; lower the learning rate")
            self.history.append({"loss": loss, "validation_loss": validation, "seconds": seconds})
            if validation < self.best_loss:
                self.best_epoch, self.best_loss = len(self.history), validation
                self.best = copy.deepcopy(self.module)
            kept.write(*state_of(self))
            epoch = len(self.history)
            tell(Progress(epoch, self.options.epochs, loss, validation, seconds))

    @property
    def has_no_more_gain(self) -> bool:
        return len(self.history) - self.best_epoch >= self.options.patience

    @property
    def seconds(self) -> float:
        """Of all epochs, those before a stop included."""
        return sum(epoch["seconds"] for epoch in self.history)

    def epoch(self, rows: NDArray[np.int64], is_cancelled: Callable[[], bool]) -> float:
        """One pass over the training examples, shuffled; their mean loss."""
        total, n_done = 0.0, 0
        for batch in _cut(self.rng.permutation(rows), self.options.batch):
            if is_cancelled():
                raise CancelledError("the training was stopped")
            orders = _NO_ORDERS
            if self.options.permute_suits:
                orders = _ORDERS[self.rng.integers(len(_ORDERS), size=len(batch))]
            with torch.autocast("cpu", torch.bfloat16, enabled=HAS_BFLOAT16):
                logits, active = self.module(*self.batches.inputs(batch, orders))
            loss = cross_entropy(logits.float(), self.batches.labels(batch, orders))
            cost = loss
            if self.options.sparsity:
                cost = loss + self.options.sparsity * crowding(active)
            for optimizer in self.optimizers:
                optimizer.zero_grad()
            cost.backward()
            for optimizer, schedule in zip(self.optimizers, self.schedules, strict=True):
                optimizer.step()
                schedule.step()
            total, n_done = total + loss.item() * len(batch), n_done + len(batch)
        return total / n_done

    @torch.no_grad()
    def measure(self, module: Module, rows: NDArray[np.int64]) -> tuple[float, float]:
        """Mean loss of examples, nats, over all 52 cards or 68 moves; share of them whose label
        was the likeliest output."""
        total, hits = 0.0, 0
        for batch in _cut(rows, _AT_ONCE):
            logits, _ = module(*self.batches.inputs(batch, _NO_ORDERS))
            labels = self.batches.labels(batch, _NO_ORDERS)
            total += float(cross_entropy(logits, labels, reduction="sum"))
            hits += int((logits.argmax(1) == labels).sum())
        return total / len(rows), hits / len(rows)

    @torch.no_grad()
    def idle_units(self, rows: NDArray[np.int64]) -> list[NDArray[np.bool_]]:
        """Hidden units, by layer, that are active in fewer than one in 200 examples."""
        counts: list[Tensor] = []
        for batch in _cut(rows, _AT_ONCE):
            _, active = self.best(*self.batches.inputs(batch, _NO_ORDERS))
            found = [(layer > 0).sum(0) for layer in active]
            counts = [a + b for a, b in zip(counts, found, strict=True)] if counts else found
        return [(count < _RARE * len(rows)).numpy() for count in counts]


def silence(tensors: dict[str, NDArray[np.float32]], idle: list[NDArray[np.bool_]]) -> None:
    """Switch units off for good, so that compiled code leaves them out."""
    for layer, units in enumerate(idle):
        tensors[f"hidden{layer}.weight"][:, units] = 0.0
        tensors[f"hidden{layer}.bias"][units] = 0.0


def _cut(rows: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
    for start in range(0, len(rows), size):
        yield np.ascontiguousarray(rows[start : start + size])
