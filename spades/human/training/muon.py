"""Muon for processors that don't multiply bfloat16 themselves.

PyTorch's own orthogonalises in bfloat16, whatever the processor: where that is emulated it takes
four times as long as all else of a pass. This is the same step in float32, with the same defaults.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import torch

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
