"""The evidence on the reward scale, under the sweep that varies it."""

from analysis.plots.sweeps import plot_reward_scale
from analysis.sweeps.reward_scale import ALL_SOURCES, choice_text, load_choice, misfit_table
from tests.pages.apps import charts, open_page, texts
from tests.results import own_results  # noqa: F401 - a fixture of every test here
from ui.tune.scale import SWEEP

CHART = "reward_scale_choice"


def test_the_figure_has_a_line_for_each_source_and_a_thick_one_for_all():
    choice = load_choice()
    table = misfit_table(choice)
    figure = plot_reward_scale(table, choice["best"])
    assert [line.name for line in figure.data] == list(table["source"].unique())
    for line in figure.data:
        rows = table[table["source"] == line.name]
        assert list(line.y) == rows["misfit"].tolist()
        assert list(line.x) == [f"{scale:,}" for scale in rows["reward_scale"]]
    *others, together = figure.data
    assert together.name == ALL_SOURCES
    assert together.line.width > max(line.line.width for line in others)
    largest = together.marker.size.index(max(together.marker.size))
    assert together.x[largest] == str(choice["best"])


def test_the_sweep_by_scale_shows_the_choice_and_others_do_not():
    at = open_page("4_Tune", {"view": "frontier", "sweep": SWEEP})
    assert choice_text(load_choice()) in texts(at)
    figure = charts(at)[CHART]
    assert figure["data"][-1]["name"] == ALL_SOURCES
    assert "400 points in a reward where a setting names no other" in texts(at)
    at = open_page("4_Tune", {"view": "frontier", "sweep": "devlin-fig1"})
    assert CHART not in charts(at)


def test_papers_says_at_which_scale_it_was_measured():
    at = open_page("10_Papers", {})
    assert "was measured at 400, as ismcts has it" in texts(at)
    labels = [link.proto.label for link in at.get("page_link")]
    assert "Which the papers support" in labels
