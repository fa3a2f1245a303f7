"""The rule of the verdicts, by hand."""

import numpy as np
import pytest

from analysis.papers.verdicts import AGREES, CANT_TELL, DIFFERS, count_verdicts, verdict_text
from experiments.papers.claims import NOT_PRINTED, Claim, Estimate, n_to_tell, row, verdict

NUMBER = Claim.printed(0.5, 0.04)
RANGE = Claim("7 to 8%", 0.07, 0.08, 0.01)


@pytest.mark.parametrize(
    ("interval", "claim", "expected"),
    [
        ((0.47, 0.53), NUMBER, AGREES),
        ((0.46, 0.54), NUMBER, AGREES),
        ((0.45, 0.53), NUMBER, CANT_TELL),
        ((0.40, 0.60), NUMBER, CANT_TELL),
        ((0.40, 0.459), NUMBER, DIFFERS),
        ((0.541, 0.6), NUMBER, DIFFERS),
        (None, NUMBER, CANT_TELL),
        ((0.1, 0.2), NOT_PRINTED, CANT_TELL),
        ((0.061, 0.089), RANGE, AGREES),
        ((0.05, 0.08), RANGE, CANT_TELL),
        ((0.5, 0.6), Claim.above(0.5, "above 50%"), AGREES),
        ((0.49, 0.6), Claim.above(0.5, "above 50%"), CANT_TELL),
        ((0.40, 0.49), Claim.above(0.5, "above 50%"), DIFFERS),
        ((-3.0, -1.0), Claim.below(0.0, "loses"), AGREES),
        ((1.0, 3.0), Claim.below(0.0, "loses"), DIFFERS),
    ],
)
def test_the_verdict(interval, claim, expected):
    assert verdict(interval, claim) == expected


def test_how_many_it_takes_to_tell():
    # Half the interval is 0.1, the nearest end of the claim 0.05 away: four times as many.
    assert n_to_tell(Estimate(0.49, (0.39, 0.59), 100, "games"), Claim.printed(0.5, 0.04)) == 1112
    assert n_to_tell(Estimate(0.45, (0.35, 0.55), 100, "games"), Claim.above(0.5, "more")) == 400
    assert n_to_tell(Estimate(0.5, (0.4, 0.6), 100, "games"), Claim.above(0.5, "more")) is None
    assert n_to_tell(Estimate(None, None, 0, "games"), NUMBER) is None
    at_the_end = Estimate(0.54 + 1e-16, (0.44, 0.64), 100, "games")
    assert n_to_tell(at_the_end, Claim.printed(0.5, 0.04)) is None, "a rounding isn't a gap"
    one = row("id", "what", Claim.above(0.5, "more"), Estimate(0.45, (0.35, 0.55), 100, "games"))
    assert verdict_text(one) == "can't tell below some 400"
    assert count_verdicts([one]) == {AGREES: 0, DIFFERS: 0, CANT_TELL: 1}


def test_estimates():
    found = Estimate.share(3, 10, "games")
    assert (found.value, found.n) == (0.3, 10)
    assert found.interval == pytest.approx((0.0667, 0.6525), abs=1e-4)  # Clopper and Pearson
    assert Estimate.share(0, 0, "games") == Estimate(None, None, 0, "games")
    points = Estimate.mean(np.array([10.0, -2.0, 4.0]), "rounds", np.array([2.0, 1.0, 1.0]))
    assert (points.value, points.n) == (3.0, 4)
    assert Estimate.mean(np.zeros(0), "rounds").value is None
