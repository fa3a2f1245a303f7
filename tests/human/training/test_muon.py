from copy import deepcopy
from itertools import chain

import pytest
import torch

from spades.human.networks.config import TrainingOptions, parse_architecture
from spades.human.training.loop import Float32Muon, TrainingRun, orthogonal

SHAPES = [(20, 30), (30, 20), (7, 7)]


@pytest.mark.parametrize("shape", SHAPES)
def test_it_steps_as_the_one_of_pytorch(shape):
    """Up to the eight bits of bfloat16 in which that one orthogonalises."""
    generator = torch.Generator().manual_seed(1)
    ours, theirs = (torch.nn.Parameter(torch.full(shape, 0.1)) for _ in range(2))
    options = {"lr": 0.02, "weight_decay": 0.1}
    steppers = (
        Float32Muon([ours], **options),
        torch.optim.Muon([theirs], adjust_lr_fn="match_rms_adamw", **options),
    )
    for _ in range(5):
        gradient = torch.randn(shape, generator=generator)
        for matrix, stepper in zip((ours, theirs), steppers, strict=True):
            matrix.grad = gradient.clone()
            stepper.step()
    moved = (theirs - 0.1).detach()
    assert moved.abs().mean() > 0.005
    assert (ours - theirs).norm() < 0.05 * moved.norm()


@pytest.mark.parametrize("shape", SHAPES)
def test_singular_values_come_near_one(shape):
    matrix = torch.randn(shape, generator=torch.Generator().manual_seed(2))
    values = torch.linalg.svdvals(orthogonal(matrix))
    well_above_none = torch.linalg.svdvals(matrix) > 0.05 * torch.linalg.svdvals(matrix)[0]
    assert values.max() < 1.3
    assert values[: int(well_above_none.sum())].min() > 0.5


def test_a_matrix_without_a_gradient_stays():
    still = torch.nn.Parameter(torch.ones(3, 4))
    Float32Muon([still], lr=1.0, weight_decay=0.5).step()
    assert torch.equal(still, torch.ones(3, 4))
    assert torch.equal(orthogonal(torch.zeros(3, 4)), torch.zeros(3, 4))


def test_it_goes_on_from_its_state():
    def stepped(matrix, stepper):
        matrix.grad = torch.arange(12.0).reshape(3, 4).sin()
        stepper.step()
        return matrix.detach().clone()

    first = torch.nn.Parameter(torch.ones(3, 4))
    stepper = Float32Muon([first], lr=0.1, weight_decay=0.1)
    stepped(first, stepper)
    again = torch.nn.Parameter(first.detach().clone())
    other = Float32Muon([again], lr=1.0, weight_decay=0.0)
    other.load_state_dict(deepcopy(stepper.state_dict()))
    assert torch.equal(stepped(first, stepper), stepped(again, other))


@pytest.mark.parametrize(
    ("architecture", "price", "matrices"),
    [
        ("t-20-10", 0.0, {"hidden.1.weight"}),
        ("t-20-10", 1e-3, {"hidden.0.weight", "hidden.1.weight"}),
        ("20", 0.0, set()),
        ("t-c-20-10", 0.0, {"hidden.0.weight", "hidden.1.weight"}),
    ],
)
def test_it_has_the_matrices_between_hidden_units_and_adamw_the_rest(architecture, price, matrices):
    config, options = parse_architecture(architecture), TrainingOptions(sparsity=price)
    run = TrainingRun(options, config, 100, seed=0)
    names = {id(parameter): name for name, parameter in run.module.named_parameters()}
    stepped = {
        optimizer: [names[id(p)] for group in optimizer.param_groups for p in group["params"]]
        for optimizer in run.optimizers
    }
    assert sorted(chain(*stepped.values())) == sorted(names.values())
    by_muon = [set(found) for optimizer, found in stepped.items() if "Muon" in repr(optimizer)]
    assert by_muon == ([matrices] if matrices else [])
