"""What the papers' totals count, one figure by hand."""

import pytest

from analysis.papers.counting import (
    DIRECTION,
    NOT_AGAIN,
    NUMBER,
    TABLE,
    counts_as,
    totals,
    totals_text,
)
from analysis.papers.results import load_results
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
        (Claim("7 to 8%", 0.07, 0.08), NUMBER),
        (Claim.printed(0.3956, 0.1, "989 of 2,500"), NUMBER),
        (Claim.above(0.5, "above 50%"), DIRECTION),
        (Claim.above(0.5, "28.74% where 25% is level"), DIRECTION),
        (Claim.below(0.0, "drops"), DIRECTION),
        (Claim.printed(0.0, 0.04, "no significant effect"), DIRECTION),
        (Claim.printed(0.0, 0.04, "0.3% apart: level"), DIRECTION),
        (Claim.printed(0.0, 0.01, "36 figures"), TABLE),
    ],
)
def test_what_a_claim_counts_as(claim, kind):
    assert counts_as(made(claim)) == kind


def test_devlin_s_table_1_by_hand(known):
    """It prints three divergences and one share of games; 13 rows stand beside these four."""
    document = known["devlin-table1"]
    assert len(document["rows"]) == 13
    counted = totals({"devlin-table1": document}).numbers
    assert {one["claim"]: one["verdict"] for one in counted} == {
        "Baseline ISMCTS: KL(humans || agent), nats": DIFFERS,
        "AI Factory Spades: KL(humans || agent), nats": DIFFERS,
        "Biased agent: KL(humans || agent), nats": DIFFERS,
        "Biased agent: games won against the baseline": CANT_TELL,
    }
    assert totals_text({"devlin-table1": document}, 23).startswith(
        "**4 published numbers of five papers**, each counted once: 0 agree with ours, 3 differ, "
        "1 can't be told at this n. Besides, 0 directions"
    )


def test_numbers_directions_and_tables_are_counted_apart():
    rows = [
        made(Claim.printed(0.5, 0.2)),
        made(Claim.above(0.5, "above 50%")),
        made(Claim.printed(0.0, 0.01, "36 figures"), interval=(0.0, 0.0)),
        made(Claim.printed(0.1142, 0.01), "KL(humans || agent), bits", "devlin-table1"),
    ]
    assert [counts_as(one) for one in rows] == [NUMBER, DIRECTION, TABLE, NOT_AGAIN]
    assert [one["verdict"] for one in rows[:3]] == [AGREES, CANT_TELL, AGREES]
    text = totals_text({"a figure": {"rows": rows, "readings": rows}}, 23)
    assert "1 published numbers" in text
    assert "1 directions" in text
    assert "1 tables of exact chances, 36 numbers in all" in text


def test_every_row_that_is_not_counted_has_its_number_counted_by_another(known):
    for figure, document in known.items():
        for one in document["rows"]:
            if one["counts_as"] == NOT_AGAIN:
                assert one["why_not_again"]
                others = [other for other in known.values() for other in other["rows"]]
                assert any(
                    other["published"] == one["published"] and other["counts_as"] != NOT_AGAIN
                    for other in others
                ), f"{figure}: {one['claim']}"
