"""The list of what the papers print, against the rows."""

from analysis.papers.constraints import load_constraints, read_measured
from analysis.papers.counting import CALIBRATED, NUMBER, counted, kind_of, numbers_of
from analysis.papers.notes import MAIN
from analysis.papers.printed import load_printed
from analysis.papers.results import load_results
from analysis.papers.sources import SOURCES


def test_every_printed_number_has_a_row_or_a_reason():
    claims = {
        (figure, row["claim"]): row
        for figure, document in load_results().items()
        for row in document["rows"]
    }
    lines = set()
    for number in load_printed():
        assert number.paper in SOURCES
        assert number.page.isdigit()
        assert number.place
        assert number.printed
        assert bool(number.claim) == bool(number.figure) != bool(number.why_not), number
        if number.has_row:
            assert (number.figure, number.claim) in claims, number
        if number.n:
            lines.add((number.figure, number.claim, number.what))
    assert len(lines) == sum(bool(number.n) for number in load_printed()), "a line is there twice"


def test_every_row_of_a_number_is_of_a_listed_one():
    listed: dict[tuple[str, str], int] = {}
    for number in load_printed():
        place = (number.figure, number.claim)
        listed[place] = listed.get(place, 0) + number.n
    for figure, document in load_results().items():
        for row in counted(document):
            if row["reading"] == MAIN and kind_of(row) in (NUMBER, CALIBRATED):
                assert listed.get((figure, row["claim"])) == numbers_of(row), row["claim"]


def test_what_stands_beside_simulated_people_alone_says_so():
    places = {
        (number.paper, number.place, number.printed): number
        for number in load_printed()
        if not number.has_row
    }
    n_measured = 0
    for constraint in load_constraints():
        number = places.get((constraint.paper, constraint.place, constraint.published))
        if number is None or constraint.claim:
            continue
        is_measured = any(constraint.id in rows for rows in read_measured().values())
        n_measured += is_measured
        assert is_measured == ("What the papers print of people" in number.why_not), constraint
    assert n_measured == 3, "equal states, and a decision tree"
