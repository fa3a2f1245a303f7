"""What ``docs/compare.md`` says of players' models and names is what is stored."""

from pathlib import Path

import pytest

from analysis.people import identify
from experiments import measure_persons
from spades.core.documents import read_json

PAGE = Path(__file__).parents[3] / "docs" / "compare.md"


def stored():
    """How the page writes each figure: the share, in brackets the interval."""
    persons = {
        row["games"]: row
        for row in read_json(measure_persons.TABLE)["rows"]
        if row["spread"] == 0.5
    }
    found = {}
    for games, row in persons.items():
        closed = row["closed"]
        found[f"{games} games"] = (closed["value"], closed["interval"], 0)
    table = identify.read_measured()
    right = {name: table[name]["right"][-1] for name in ("persons", "seats")}
    for name, one in right.items():
        found[name] = (one["right"], one["interval"], 1)
    for name in ("refused", "strangers"):
        one = table["persons"][name]
        found[name] = (one["share"], one["interval"], 1)
    return found


@pytest.mark.parametrize(("name", "figure"), stored().items())
def test_figures_of_the_page_are_stored(name, figure):
    share, (low, high), digits = figure
    text = f"{share:.{digits}%} ({100 * low:.{digits}f} to {high:.{digits}%})"
    assert text in " ".join(PAGE.read_text("utf-8").split()), name
