"""A training between two epochs as plain values and arrays, and back.

Tensors of the module, of the best one so far and of the optimizers; by name, which says whose they
are: ``module/hidden.0.weight``, ``optimizer1/7/exp_avg``. All else is plain: the learning rates on
their way down, the order in which examples are drawn next, what the epochs came to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import torch
from numpy.typing import NDArray

if TYPE_CHECKING:
    from spades.human.training.loop import Run

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
