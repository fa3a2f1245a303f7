"""What the papers' totals count, one figure by hand."""

import re

import pytest

from analysis.papers import counting
from analysis.papers.counting import (
    CALIBRATED,
    DIRECTION,
    NUMBER,
    counted,
    headline,
    kind_of,
    numbers_of,
    totals,
)
from analysis.papers.notes import MAIN, PRINTED_AGAIN, Reading, reading_of
from analysis.papers.printed import PrintedNumber
from analysis.papers.results import load_results, with_readings
from analysis.papers.verdicts import AGREES, CANT_TELL, DIFFERS
from experiments.papers.claims import Claim, Estimate, row


@pytest.fixture(scope="module")
def known():
    return load_results()


def made(claim, what="what", figure="id", interval=(0.4, 0.6)):
    return row(figure, what, claim, Estimate(0.5, interval, 10, "games"))


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        (Claim.share(0.683, 0.01), NUMBER),
        (Claim.share(0.0, 0.01), NUMBER),
        (Claim.printed(-60, 10.0, "about -60"), NUMBER),
        (Claim.printed(0.5, 0.04, "almost 50%"), NUMBER),
        (Claim("below 0.001", 0.0, 0.001), NUMBER),
        (Claim("7 to 8%", 0.07, 0.08), NUMBER),
        (Claim.printed(0.3956, 0.1, "989 of 2,500"), NUMBER),
        (Claim.printed(0.0, 0.01, "36 figures"), NUMBER),
        (Claim.above(0.5, "above 50%"), DIRECTION),
        (Claim.above(0.5, "28.74% where 25% is level"), DIRECTION),
        (Claim.below(0.0, "drops"), DIRECTION),
        (Claim.without_effect(0.04), DIRECTION),
        (Claim("on a par", 0.5, 0.5, 0.04), DIRECTION),
        (Claim.printed(0.0, 0.04, "0.3% apart: level"), DIRECTION),
    ],
)
def test_the_kind_of_a_claim(claim, kind):
    assert kind_of(made(claim)) == kind


def test_a_number_that_ours_was_fitted_to_is_calibrated():
    fitted = made(Claim.printed(10.55, 0.1), "mean, simulated humans", "cohensius-fig5")
    found = made(Claim.printed(10.55, 0.1), "mean, srp+bis", "cohensius-fig5")
    assert [kind_of(one) for one in (fitted, found)] == [CALIBRATED, NUMBER]
    assert counted({"rows": [fitted, found]}) == [fitted], "the other is a reading of the number"


def test_devlin_s_table_1_by_hand(known):
    """It prints three divergences, each read in four ways, and one share of games."""
    document = known["devlin-table1"]
    assert len(document["rows"]) == 13
    measured = totals({"devlin-table1": document}).measured
    assert {one["claim"]: one["verdict"] for one in measured} == {
        "Baseline ISMCTS: KL(humans || agent), nats": DIFFERS,
        "AI Factory Spades: KL(humans || agent), nats": DIFFERS,
        "Biased agent: KL(humans || agent), nats": DIFFERS,
        "Biased agent: games won against the baseline": CANT_TELL,
    }
    ordered = [one["reading"] for one in with_readings(document)]
    under_each = [MAIN, "bits", "KL(agent || humans)", "KL(agent || humans), bits"]
    assert ordered == [*under_each, *under_each, *under_each, MAIN]


def test_a_reading_names_the_main_row_of_its_number():
    claim = Claim.share(0.703, 0.01)
    root = "root only, 50 points a reward: accuracy"
    scale = made(claim, f"C_BT 0.2, K 1000, {root}", "baier-fig6-7")
    main = "knowledge, C_BT 0.2, K 1000, root only, equal time: accuracy"
    assert reading_of(scale) == Reading("50 points a reward", "baier-fig6-7", main)
    again = made(claim, "t-200-150-100, indirect imitation: accuracy", "baier-table3")
    assert reading_of(again) == Reading(PRINTED_AGAIN, "baier-fig6-7", main)
    own = made(claim, main, "baier-fig6-7")
    assert reading_of(own) == Reading(MAIN, "baier-fig6-7", main)


def test_the_headline_counts_by_hand(monkeypatch):
    line = ("a paper", "1", "table 1", "what", "50%")
    printed = (
        PrintedNumber(*line, n=40, figure="id", claim="what", why_not=""),
        PrintedNumber(*line, n=0, figure="id", claim="what", why_not=""),
        PrintedNumber(*line, n=2, figure="", claim="", why_not="never published"),
    )
    monkeypatch.setattr(counting, "load_printed", lambda: printed)
    exact = made(Claim.printed(0.0, 0.01, "36 figures"), "all", "cohensius-table1-5-6", (0.0, 0.0))
    number = made(Claim.printed(0.5, 0.2))
    later = {**made(Claim.printed(0.5, 0.05)), "hours_to_tell": 500.0}
    soon = {**made(Claim.printed(0.5, 0.05)), "hours_to_tell": 5.0}
    never = made(Claim.above(0.5, "above 50%"))
    readings = [made(Claim.printed(0.1142, 0.01), "KL(humans || agent), bits", "devlin-table1")]
    rows = [exact, number, later, soon, never, *readings]
    assert numbers_of(exact) == 36
    assert [one["verdict"] for one in rows[:2]] == [AGREES, AGREES]
    assert headline({"a figure": {"rows": rows, "readings": rows}}) == (
        "**The five papers print 42 numbers of their experiments; 40 have a row here.** Of 3 "
        "measured ones 1 agree with ours, 0 differ, 2 can't be told at this n (1 not within four "
        "days of two cores). Of 36 exact chances 36 agree. Of 1 directions (more, less, level) 0 "
        "agree with ours, 0 differ, 0 can't be told at this n, 1 by no n."
    )


def test_the_headline_s_numbers_with_a_row_add_up(known):
    text = headline(known)
    (n_with_row,) = re.findall(r"; (\d+) have a row here", text)
    parts = (
        r"Of (\d+) measured",
        r"Of (\d+) exact",
        r"; (\d+) of them printed as numbers",
        r"fitted to (\d+) more numbers",
    )
    assert sum(int(n) for part in parts for n in re.findall(part, text)) == int(n_with_row)


def test_every_other_reading_stands_under_a_main_row_and_says_why_it_isnt_that(known):
    mains = {
        (figure, one["claim"])
        for figure, document in known.items()
        for one in document["rows"]
        if one["reading"] == MAIN
    }
    for document in known.values():
        for one in (*document["rows"], *document["readings"]):
            if one["reading"] == MAIN:
                assert one in document["rows"], one["claim"]
            elif one["stands_under"]:
                assert (one["main_figure"], one["stands_under"]) in mains, one["claim"]
        for one in document["rows"]:
            assert one["reading"] == MAIN or one["why_not_main"], one["claim"]
        assert len(with_readings(document)) == len(document["rows"]) + len(document["readings"])
