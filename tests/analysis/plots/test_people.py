"""The figure of a player's rate over the rounds: the numbers of its table."""

import pandas as pd
import pytest

from analysis.plots.people import plot_rate

PARTS = pd.DataFrame(
    {
        "first": [1, 11, 21],
        "last": [10, 20, 30],
        "own": [0.2, 0.4, 0.3],
        "own_low": [0.1, 0.2, 0.1],
        "own_high": [0.4, 0.7, 0.6],
        "own_n": [10, 10, 9],
    }
)


@pytest.mark.parametrize(("is_share", "form"), [(True, ".0%"), (False, None)])
def test_the_figure_shows_the_parts_and_the_cohort(is_share, form):
    figure = plot_rate(PARTS, 0.25, title="Sets", cohort_name="<b>Others", is_share=is_share)
    (line,) = figure.data
    assert list(line.x) == [5.5, 15.5, 25.5]
    assert list(line.y) == [0.2, 0.4, 0.3]
    assert line.error_y.array == pytest.approx([0.2, 0.3, 0.3])
    assert line.customdata.tolist()[2] == [21, 30, 0.1, 0.6, 9]
    assert figure.layout.yaxis.tickformat == form
    assert [shape.y0 for shape in figure.layout.shapes] == [0.25]
    assert "‹b›Others" in [note.text for note in figure.layout.annotations]
