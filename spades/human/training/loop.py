"""Training of a network: batches from views, Muon and AdamW, early stopping on held-out games."""

import copy
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import permutations
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from spades.core.errors import SpadesError
from spades.core.kernel import IntArray
from spades.human.features.folders import ExampleParts
from spades.human.features.logs import Examples
from spades.human.files import Checkpoint
from spades.human.model import CancelledError, FitMonitor, FitProgress
from spades.human.networks import config as networks
from spades.human.networks.config import NetworkConfig, TrainingOptions
from spades.human.training.data import (
    NO_ORDERS,
    InMemory,
    InParts,
    Rows,
    TrainingData,
)
from spades.human.training.modules import Module, build_module, crowding, tensors_of

HAS_BFLOAT16 = bool(llvm.get_host_cpu_features().get("avx512bf16", False))
"""Whether the processor multiplies bfloat16 itself: an epoch then takes half as long."""
_SPARSE_RATE = 3e-3  # largest learning rate of AdamW with a penalty on active units
_VALIDATION_BATCH = 16_384  # examples
_WARM_UP = 200  # steps
SUIT_ORDERS = np.array([(0, *sides) for sides in permutations((1, 2, 3))], dtype=np.int8)
"""All orders of the suits that keep spades, (6, 4)."""
_SAMPLE = 100_000  # examples on which rarely active units are found
_RARE = 5e-3  # share of examples below which a unit counts as never active

_MOMENTUM = 0.95
_STEPS = 5
_TINY = 1e-7
_LINEAR = 3.4445
_CUBIC = -4.775
_QUINTIC = 2.0315  # Jordan 2024
_RMS = 0.2  # of an update, as AdamW's are


def train_network(
    config: NetworkConfig,
    options: TrainingOptions,
    examples: Examples | ExampleParts,
    seed: int,
    monitor: FitMonitor,
) -> tuple[dict[str, NDArray[np.float32]], dict[str, Any]]:
    """The tensors of the best epoch, and the facts of the training for the model's file."""
    kind = InParts if isinstance(examples, ExampleParts) else InMemory
    data: TrainingData = kind(config, examples, options.validation, seed)  # type: ignore[arg-type]
    if options.permute_suits and (config.reads != networks.CARDS or data.has_joker_deck):
        raise SpadesError("suits are renamed for networks that read cards of the standard deck")
    facts = {"data": data.facts, "seed": seed, "options": asdict(options)}
    checkpoint = Checkpoint(monitor.checkpoint, {"architecture": config.architecture, **facts})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        run = TrainingRun(options, config, data.steps_a_pass(options.batch), seed)
        stored = checkpoint.read()
        if stored is not None:
            run.restore(*stored)
        run.fit(data, monitor, checkpoint)
        tensors = tensors_of(run.best)
        if options.sparsity and config.reads != networks.SUITS:
            for layer, units in enumerate(run.idle_units(data.first(_SAMPLE))):
                # Switched off for good: compiled code leaves them out.
                tensors[f"hidden{layer}.weight"][:, units] = 0.0
                tensors[f"hidden{layer}.bias"][units] = 0.0
        held_out_loss, accuracy = run.measure(run.best, data.held_out)
    checkpoint.remove()
    return tensors, {
        **facts,
        "epochs": len(run.history),
        "seconds": round(sum(epoch["seconds"] for epoch in run.history), 1),
        "validation_loss": run.best_loss,
        "history": run.history,
        "metrics": {
            "of": "games held out to stop by",
            "examples": len(data.held_out.rows),
            "log_loss": held_out_loss,
            "accuracy": accuracy,
        },
    }


class Float32Muon(torch.optim.Optimizer):
    """Muon in float32: orthogonalised momentum (Jordan 2024), scaled to the size of AdamW's updates
    (Liu et al. 2025).

    PyTorch's Muon, with the same defaults, orthogonalises in bfloat16, which on processors that
    emulate it takes four times as long as the rest of an epoch. ``matrices``: of two dimensions."""

    def __init__(self, matrices: Iterable[Tensor], *, lr: float, weight_decay: float) -> None:
        super().__init__(list(matrices), {"lr": lr, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> None:  # type: ignore[override]
        """One step of all matrices that have a gradient; ``closure`` isn't called."""
        for group in self.param_groups:
            rate = group["lr"]
            decay = group["weight_decay"]
            for matrix in group["params"]:
                if matrix.grad is None:
                    continue
                state = self.state[matrix]
                if not state:
                    state["momentum_buffer"] = torch.zeros_like(matrix)
                mean = state["momentum_buffer"].lerp_(matrix.grad, 1 - _MOMENTUM)
                update = orthogonal(matrix.grad.lerp(mean, _MOMENTUM))  # Nesterov momentum
                scale = _RMS * math.sqrt(max(matrix.shape))
                matrix.mul_(1 - rate * decay).sub_(update, alpha=rate * scale)


def orthogonal(matrix: Tensor) -> Tensor:
    """The matrix with the same singular vectors and singular values near 1 (about 0.7 to 1.2), by
    Newton-Schulz iteration."""
    is_tall = matrix.size(0) > matrix.size(1)
    wide = matrix.T if is_tall else matrix
    wide = wide / wide.norm().clamp(min=_TINY)
    for _ in range(_STEPS):
        gram = wide @ wide.T
        gram = torch.addmm(gram, gram, gram, beta=_CUBIC, alpha=_QUINTIC)
        wide = torch.addmm(wide, gram, wide, beta=_LINEAR)
    return wide.T if is_tall else wide


def optimizers_of(module: Module, options: TrainingOptions) -> list[torch.optim.Optimizer]:
    """Muon (Jordan 2024) for the matrices between hidden units, AdamW for all else.

    One epoch with Muon achieves as much as several with AdamW alone. For a first layer that reads
    raw cards, an embedding, AdamW is as good and far faster. But with a penalty on active units it
    switches off too many for good: then Muon trains that layer too, and AdamW has a lower learning
    rate (four short epochs: 0.96 nats, not 1.14)."""
    rate = options.learning_rate
    is_sparse = options.sparsity > 0
    matrices = module.matrices(with_cards=is_sparse)
    known = {id(matrix) for matrix in matrices}
    others = [parameter for parameter in module.parameters() if id(parameter) not in known]
    decay = options.weight_decay
    adam_rate = min(rate, _SPARSE_RATE) if is_sparse else rate
    adam = torch.optim.AdamW(others, lr=adam_rate, weight_decay=decay, fused=True)
    if not matrices:
        return [adam]
    if not HAS_BFLOAT16:
        return [Float32Muon(matrices, lr=rate, weight_decay=decay), adam]
    muon = torch.optim.Muon(matrices, lr=rate, weight_decay=decay, adjust_lr_fn="match_rms_adamw")
    return [muon, adam]


def take_step(
    optimizers: Sequence[torch.optim.Optimizer], cost: Tensor, step: int, n_steps: int, warm_up: int
) -> None:
    """One step of gradient descent on ``cost``; ``step`` counts from 0. The learning rates rise to
    those of the optimizers' defaults over ``warm_up`` steps and fall along a half cosine to 0 at
    ``n_steps``."""
    rising = (step + 1) / warm_up
    falling = 0.5 + 0.5 * math.cos(math.pi * step / n_steps)
    factor = min(rising, falling)
    for optimizer in optimizers:
        optimizer.zero_grad()
        for group in optimizer.param_groups:
            group["lr"] = factor * optimizer.defaults["lr"]
    cost.backward()
    for optimizer in optimizers:
        optimizer.step()


def arrays_of(
    modules: Mapping[str, nn.Module], optimizers: Sequence[torch.optim.Optimizer]
) -> dict[str, NDArray]:
    """The state of modules and optimizers as arrays, for ``restore``, with names such as
    ``module/hidden.0.weight`` and ``optimizer1/7/exp_avg``."""
    arrays: dict[str, NDArray] = {}
    for owner, module in modules.items():
        for name, tensor in module.state_dict().items():
            arrays[f"{owner}/{name}"] = tensor.numpy()
    for i, optimizer in enumerate(optimizers):
        for parameter, values in optimizer.state_dict()["state"].items():
            for name, tensor in values.items():
                arrays[f"optimizer{i}/{parameter}/{name}"] = tensor.numpy()
    return arrays


def restore(
    modules: Mapping[str, nn.Module],
    optimizers: Sequence[torch.optim.Optimizer],
    arrays: Mapping[str, NDArray],
) -> None:
    """Restore the state of modules and new optimizers from ``arrays_of``."""
    by_owner: dict[str, dict[str, Tensor]] = {}
    for key, array in arrays.items():
        owner, _, name = key.partition("/")
        by_owner.setdefault(owner, {})[name] = torch.from_numpy(array)
    for owner, module in modules.items():
        module.load_state_dict(by_owner[owner])
    for i, optimizer in enumerate(optimizers):
        state = optimizer.state_dict()
        for key, tensor in by_owner.get(f"optimizer{i}", {}).items():
            parameter, _, name = key.partition("/")
            state["state"].setdefault(int(parameter), {})[name] = tensor
        optimizer.load_state_dict(state)


class TrainingRun:
    """The state of one training."""

    def __init__(
        self, options: TrainingOptions, config: NetworkConfig, steps_an_epoch: int, seed: int
    ) -> None:
        self.options = options
        self.module = build_module(config)
        self.best: Module = copy.deepcopy(self.module)
        self.best_loss = math.inf
        self.best_epoch = 0
        self.history: list[dict[str, float]] = []
        self.rng = np.random.default_rng(seed)
        self.optimizers = optimizers_of(self.module, options)
        self.steps_an_epoch = steps_an_epoch

    def fit(self, data: TrainingData, monitor: FitMonitor, checkpoint: Checkpoint) -> None:
        """Train to the last epoch or until the loss no longer falls; ``history`` has the
        results."""
        epochs = self.options.epochs
        patience = self.options.patience
        while len(self.history) < min(epochs, self.best_epoch + patience):
            started = time.perf_counter()
            loss = self.epoch(data, monitor.is_cancelled)
            validation, _ = self.measure(self.module, data.held_out)
            seconds = time.perf_counter() - started
            if not math.isfinite(validation):
                raise SpadesError("the training has run off to infinity; lower the learning rate")
            self.history.append({"loss": loss, "validation_loss": validation, "seconds": seconds})
            if validation < self.best_loss:
                self.best_epoch = len(self.history)
                self.best_loss = validation
                self.best = copy.deepcopy(self.module)
            checkpoint.write(*self.state())
            monitor.tell(FitProgress(len(self.history), epochs, loss, validation, seconds))

    def epoch(self, data: TrainingData, is_cancelled: Callable[[], bool]) -> float:
        """One pass over the training examples, shuffled; their mean loss."""
        total = 0.0
        n_done = 0
        first_step = len(self.history) * self.steps_an_epoch
        n_steps = self.options.epochs * self.steps_an_epoch
        warm_up = min(_WARM_UP, max(1, n_steps // 10))
        for step, (batches, batch) in enumerate(self._batches(data), first_step):
            if is_cancelled():
                raise CancelledError("the training was stopped")
            orders = NO_ORDERS
            if self.options.permute_suits:
                drawn = self.rng.integers(len(SUIT_ORDERS), size=len(batch))
                orders = SUIT_ORDERS[drawn]
            with torch.autocast("cpu", torch.bfloat16, enabled=HAS_BFLOAT16):
                logits, active = self.module(*batches.inputs(batch, orders))
            loss = cross_entropy(logits.float(), batches.labels(batch, orders))
            cost = loss
            if self.options.sparsity:
                cost = loss + self.options.sparsity * crowding(active)
            take_step(self.optimizers, cost, step, n_steps, warm_up)
            total = total + loss.item() * len(batch)
            n_done = n_done + len(batch)
        return total / n_done

    def _batches(self, data: TrainingData) -> Iterator[Rows]:
        """The batches of a pass."""
        for batches, rows in data.shuffled(self.rng):
            for batch in _cut(rows, self.options.batch):
                yield Rows(batches, batch)

    @torch.no_grad()
    def measure(self, module: Module, of: Rows) -> tuple[float, float]:
        """Mean loss of examples, nats, over all 52 cards or 68 moves, and the accuracy."""
        total = 0.0
        n_right = 0
        for batch in _cut(of.rows, _VALIDATION_BATCH):
            logits, _ = module(*of.batches.inputs(batch))
            labels = of.batches.labels(batch)
            total += float(cross_entropy(logits, labels, reduction="sum"))
            is_right = logits.argmax(1) == labels
            n_right += int(is_right.sum())
        return total / len(of.rows), n_right / len(of.rows)

    @torch.no_grad()
    def idle_units(self, of: Rows) -> list[NDArray[np.bool_]]:
        """Hidden units, by layer, that are active in fewer than one in 200 examples."""
        by_batch: list[list[Tensor]] = []
        for batch in _cut(of.rows, _VALIDATION_BATCH):
            _, layers = self.best(*of.batches.inputs(batch))
            by_batch.append([(layer > 0).sum(0) for layer in layers])
        idle = []
        for counts in zip(*by_batch, strict=True):  # of one layer in each batch
            n_active = torch.stack(counts).sum(0)
            idle.append((n_active < _RARE * len(of.rows)).numpy())
        return idle

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray]]:
        """The state between two epochs as JSON values and arrays, for ``restore``."""
        plain = {
            "history": self.history,
            "best_loss": self.best_loss,
            "best_epoch": self.best_epoch,
            "rng": self.rng.bit_generator.state,
        }
        modules = {"module": self.module, "best": self.best}
        return plain, arrays_of(modules, self.optimizers)

    def restore(self, plain: Mapping[str, Any], arrays: Mapping[str, NDArray]) -> None:
        """Resume from the ``state`` of another run of the same fit."""
        self.history = list(plain["history"])
        self.best_loss = plain["best_loss"]
        self.best_epoch = plain["best_epoch"]
        self.rng.bit_generator.state = plain["rng"]
        restore({"module": self.module, "best": self.best}, self.optimizers, arrays)


def _cut(rows: IntArray, size: int) -> Iterator[IntArray]:
    for start in range(0, len(rows), size):
        yield np.ascontiguousarray(rows[start : start + size])
