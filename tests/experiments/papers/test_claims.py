"""The rule of the verdicts, by hand."""

import numpy as np
import pytest

from analysis.papers.verdicts import (
    AGREES,
    CANT_TELL,
    DIFFERS,
    NO_N,
    count_outcomes,
    outcome_of,
    verdict_text,
)
from experiments.papers.claims import (
    NOT_PRINTED,
    Claim,
    Estimate,
    Sheet,
    mean_of,
    n_to_tell,
    row,
    verdict,
)

NUMBER = Claim.printed(0.5, 0.04)
PERCENT = Claim.printed(0.496, 0.04, "49.6% ± 3.4%")
NO_EFFECT = Claim.without_effect(0.04)
NOT_WEAKER = Claim.not_weaker(0.5, 0.04)
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
        ((-0.01, 0.03), NO_EFFECT, AGREES),
        ((-0.01, 0.05), NO_EFFECT, CANT_TELL),
        ((0.001, 0.03), NO_EFFECT, DIFFERS),
        ((-0.03, -0.001), NO_EFFECT, DIFFERS),
        ((0.47, 0.51), NOT_WEAKER, AGREES),
        ((0.47, 0.7), NOT_WEAKER, AGREES),
        ((0.45, 0.51), NOT_WEAKER, CANT_TELL),
        ((0.6, 0.7), NOT_WEAKER, AGREES),
        ((0.47, 0.499), NOT_WEAKER, DIFFERS),
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
    assert verdict_text(one) == "can't tell: some 400 games would"
    assert count_outcomes([one]) == {AGREES: 0, DIFFERS: 0, CANT_TELL: 1, NO_N: 0}
    # An effect of 0.01: at a half-width of 0.03 it lies within the margin and holds 0.
    found = Estimate(0.01, (-0.05, 0.07), 100, "games")
    assert n_to_tell(found, NO_EFFECT) == 400
    # 1 point below the level: at a half-width of 3 points it holds 50% and begins at 46%.
    weaker = Estimate(0.49, (0.43, 0.55), 100, "games")
    assert n_to_tell(weaker, NOT_WEAKER) == 400
    # 3 points below: at a half-width of 3 points it leaves out 50%.
    assert n_to_tell(Estimate(0.47, (0.41, 0.53), 100, "games"), NOT_WEAKER) == 400


def test_a_published_point_is_its_rows_claim():
    sheet = Sheet("id", "", "")
    ours = Estimate(0.52, (0.5, 0.54), 100, "games")
    sheet.beside("panel", "x", ours, NUMBER)
    own, published = sheet.document["points"]
    assert (own["series"], own["y"], own["low"], own["high"]) == ("ours", 0.52, 0.5, 0.54)
    assert own["margin"] is None
    assert (published["series"], published["y"], published["margin"]) == ("published", 0.5, 0.04)
    assert RANGE.drawn == 0.08
    with pytest.raises(ValueError, match="no number is printed: more"):
        sheet.published("panel", "x", Claim.above(0.5, "more"))


@pytest.mark.parametrize(
    ("claim", "interval", "unit", "text"),
    [
        (PERCENT, (0.47, 0.53), "share of games", "agrees: within 4 points of 49.6%"),
        (PERCENT, (0.1, 0.2), "share of games", "differs: more than 4 points from 49.6%"),
        (Claim.share(0.7, 0.01), (0.1, 0.2), "ratio", "differs: more than 1 point from 70.0%"),
        (Claim.printed(0.5, 0.1), (0.45, 0.55), "nats", "agrees: within 0.1 of 0.5"),
        (Claim.above(0.4, "more"), (0.45, 0.55), "nats", "agrees"),
        (Claim.printed(0, 0.6, "level"), (0.45, 0.55), "nats", "agrees: within 0.6 of 0"),
        (NO_EFFECT, (0.1, 0.2), "nats", "differs: significant"),
        (NO_EFFECT, (-0.01, 0.02), "nats", "agrees: not significant"),
        (NOT_WEAKER, (0.2, 0.3), "share of games", "differs: significant"),
        (NOT_PRINTED, (0.4, 0.6), "nats", "no n can tell: nothing is printed"),
        (Claim.above(0.5, "more"), (0.4, 0.6), "nats", "no n can tell: ours lies on the bound"),
        (Claim.printed(0.4, 0.1), (0.4, 0.6), "nats", "no n can tell: ours lies on the margin"),
    ],
)
def test_the_verdict_in_words(claim, interval, unit, text):
    value = 0.5 if interval == (0.4, 0.6) else sum(interval) / 2
    one = row("id", "what", claim, Estimate(value, interval, 100, "games"), unit=unit)
    assert verdict_text(one) == text
    assert (outcome_of(one) == NO_N) == text.startswith(NO_N)


def test_what_takes_longer_than_four_days_says_so():
    one = row("id", "what", Claim.above(0.5, "more"), Estimate(0.45, (0.35, 0.55), 100, "games"))
    text = "can't tell: some 400 games would"
    assert verdict_text({**one, "hours_to_tell": 191.0}) == text
    assert verdict_text({**one, "hours_to_tell": 193.0}) == f"{text}, over four days of two cores"


def test_estimates():
    found = Estimate.share(3, 10, "games")
    assert (found.value, found.n) == (0.3, 10)
    assert found.interval == pytest.approx((0.0667, 0.6525), abs=1e-4)  # Clopper and Pearson
    assert Estimate.share(0, 0, "games") == Estimate(None, None, 0, "games")
    points = Estimate.mean(np.array([10.0, -2.0, 4.0]), "rounds", np.array([2.0, 1.0, 1.0]))
    assert (points.value, points.n) == (3.0, 4)
    assert Estimate.mean(np.zeros(0), "rounds").value is None


def test_the_mean_of_settings_on_the_same_decisions():
    settings = [Estimate(0.6, (0.5, 0.7), 10, "cards"), Estimate(0.8, (0.76, 0.84), 10, "cards")]
    mean = mean_of(settings)
    assert mean.value == pytest.approx(0.7)
    assert mean.interval == pytest.approx((0.63, 0.77))
    assert mean.n == 10


def test_a_ratio_of_estimates():
    gain = Estimate(1.0, (0.7, 1.3), 20, "rounds")
    whole = Estimate(4.0, (3.2, 4.8), 10, "rounds")
    part = gain.over(whole)
    assert (part.value, part.n) == (0.25, 10)
    # The errors are 0.3 of 4 and 0.25 times 0.8 of 4: 0.075 and 0.05.
    half = np.hypot(0.075, 0.05)
    assert part.interval == pytest.approx((0.25 - half, 0.25 + half))
    assert Estimate(0.0, (-0.3, 0.3), 20, "rounds").over(whole).value == 0.0
    assert gain.over(Estimate(None, None, 0, "rounds")).interval is None
