"""Lines and heat maps of a sweep, by their numbers; the list of sweeps."""

import math
from dataclasses import replace

import pytest

from analysis.plots.colors import HUMAN
from analysis.plots.sweeps import plot_frontier, plot_heat
from analysis.runs.command import write_table
from analysis.runs.store import ResultStore
from analysis.sweeps import library
from analysis.sweeps.library import SHIPPED, STORED, list_sweeps
from analysis.sweeps.run import run_sweep
from analysis.sweeps.sweep import Setting, config_text
from analysis.sweeps.views import (
    ACCURACY_ALL,
    CLOSENESS,
    HEAT,
    POINTS,
    TIMES,
    WIN_RATE,
    differences,
    families,
    pareto,
    published_in,
    view_table,
)
from spades.search import Experience, Knowledge, Pikl
from spades.search.techniques.technique import ALL_CHILDREN
from tests.analysis.small_sweeps import SMALL, grid_document, store_tiny_log
from tests.analysis.workers import InProcess
from tests.behaviours import change_behaviour


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    folder = tmp_path / "sweeps"
    folder.mkdir()
    monkeypatch.setattr(library, "SWEEPS", folder)
    store_tiny_log()
    InProcess(monkeypatch)
    return folder


@pytest.fixture(scope="module")
def table():
    return view_table(grid_document())


def rows_of(table, family):
    return table[table["family"] == family]


def traces(figure):
    return {trace.name: trace for trace in figure.data}


def test_settings_that_differ_in_one_value_lie_on_one_line(table):
    lines = table.groupby("series", sort=False)["note"].apply(list).to_dict()
    model = "devlin2016, 2500 iterations"
    assert lines == {
        "unbiased search": [""],
        f"C_BT 0.03, by K, delay 1, {model}": ["100", "1000"],
        f"C_BT 0.1, by K, delay 1, {model}": ["100", "1000"],
        f"Equivalent experience, by w, delay 1, {model}": ["1", "10", "100"],
        f"C_BT 0.2, K 1000, by delay, {model}": ["10", "root"],
        "direct imitation, devlin2016": [""],
    }


def test_two_readings_of_one_bias_lie_on_two_lines():
    bias = Experience("devlin2016", 10)
    readings = (bias, replace(bias, asked=ALL_CHILDREN))
    settings = [Setting(replace(one, delay=delay)) for one in readings for delay in ("5", "20")]
    table = view_table(grid_document(*settings))
    lines = table[table["series"].str.contains("w 10, by delay")].groupby("series").size()
    after_all_cards = ["called after all cards" in name for name in lines.index]
    assert (sorted(after_all_cards), lines.tolist()) == ([False, True], [2, 2])


@pytest.mark.parametrize("name", CLOSENESS)
def test_the_frontier_has_every_setting_where_its_numbers_say(table, name):
    measure = CLOSENESS[name]
    key = table["key"].iloc[3]
    found = traces(plot_frontier(table, measure, key))
    points = {}
    for trace in found.values():
        if trace.customdata is not None:
            for (its_key,), x, y in zip(trace.customdata, trace.x, trace.y, strict=True):
                points[its_key] = (x, y)
    assert points == {row.key: (getattr(row, name), row.win_rate) for row in table.itertuples()}
    assert points[table["key"].iloc[0]][1] == 0.5, "unbiased against itself, by definition"
    assert (found["chosen"].x[0], found["chosen"].y[0]) == points[key]
    recommended = table[table["paper"] != ""]
    assert len(found["published setting"].x) == len(recommended) == 4
    line = found["C_BT 0.1, by K, delay 1"]
    rows = table[table["series"].str.startswith("C_BT 0.1,")]
    assert list(line.error_y.array) == pytest.approx(rows["win_rate_high"] - rows["win_rate"])
    assert list(line.error_x.arrayminus) == pytest.approx(
        (rows[name] - rows[f"{name}_low"]).fillna(0.0)
    )


@pytest.mark.parametrize(
    ("name", "other", "is_more_human"),
    [("kl", "accuracy", True), ("auc", "accuracy", True), ("accuracy", "kl", False)],
)
def test_marks_are_coloured_by_the_other_view_on_likeness(table, name, other, is_more_human):
    figure = plot_frontier(table, CLOSENESS[name])
    line = traces(figure)["C_BT 0.1, by K, delay 1"]
    rows = table[table["series"].str.startswith("C_BT 0.1,")]
    assert list(line.marker.color) == rows[other].tolist()
    scale = figure.layout.coloraxis
    assert line.marker.coloraxis == "coloraxis"
    assert (scale.cmin, scale.cmax) == (table[other].min(), table[other].max())
    assert scale.colorbar.title.text.startswith(f"{CLOSENESS[other].label}: ")
    assert scale.colorscale[-1][1] == HUMAN
    assert scale.reversescale != is_more_human, "blue is where it is more human"
    entry = next(trace for trace in figure.data if trace.name == line.name)
    assert entry.marker.color == line.marker.line.color, "a legend's mark has one colour"
    assert entry.marker.symbol == line.marker.symbol
    assert not line.showlegend
    unknown = plot_frontier(table.assign(**{other: math.nan}), CLOSENESS[name])
    assert isinstance(traces(unknown)["C_BT 0.1, by K, delay 1"].marker.color, str)


def test_published_points_are_marked_where_the_papers_measured_the_same(table):
    kl = traces(plot_frontier(table, CLOSENESS["kl"]))["published, real humans"]
    assert dict(zip(kl.x, kl.y, strict=True)) == {0.1142: 0.5, 0.0291: 0.496}
    assert list(kl.error_y.array) == [0.0, 0.034]
    accuracy = traces(plot_frontier(table, CLOSENESS["accuracy_all"]))["published, real humans"]
    assert (0.703, 0.452) in zip(accuracy.x, accuracy.y, strict=True)
    assert "published, real humans" not in traces(plot_frontier(table, CLOSENESS["kl_68"]))
    assert len(POINTS) == 8
    assert len(TIMES) == 12
    assert [round(one.ratio, 2) for one in TIMES if one.delay == 1] == [2.53, 2.47]


def test_heat_maps_have_a_cell_a_setting(table):
    grid, strip = families(table)
    if grid.startswith("experience"):
        grid, strip = strip, grid
    heat = plot_heat(rows_of(table, grid), WIN_RATE).data[0]
    assert (list(heat.x), list(heat.y)) == (["100", "1000"], ["0.03", "0.1"])
    wins = table.set_index(["c_bt", "k"])["win_rate"]
    assert not heat.showscale  # each cell says its value, a phone has no room for both
    assert heat.z[1][0] == wins[0.1, 100.0]
    assert "chosen" not in traces(plot_heat(rows_of(table, grid), WIN_RATE))
    framed = traces(plot_heat(rows_of(table, grid), WIN_RATE, table["key"][4]))["chosen"]
    assert (framed.x[0], framed.y[0]) == ("1000", "0.1")
    figure = plot_heat(rows_of(table, strip), CLOSENESS["accuracy"])
    assert list(figure.data[0].x) == ["1", "10", "100"]
    assert (
        list(figure.data[0].z[0]) == table[table["technique"] == "experience"]["accuracy"].to_list()
    )
    assert [text.endswith("◆") for text in figure.data[1].text] == [False, True, False]


def test_pikl_lies_on_a_line_and_in_a_strip_by_lambda():
    model = "devlin2016"
    document = grid_document(
        *(Setting(Pikl(model, one)) for one in (5.0, 50.0, 500.0)),
        Setting(Pikl(model, 50.0, "sample")),
    )
    table = view_table(document)
    name = "piKL, by λ, devlin2016, 2500 iterations"
    rows = table[table["series"] == name]
    assert rows["note"].tolist() == ["5", "50", "500"]
    known = [one["probabilities"]["log_loss"]["value"] for one in document["settings"][-4:-1]]
    assert rows["log_loss"].tolist() == known
    found = traces(plot_frontier(table, CLOSENESS["log_loss"]))
    assert list(found["piKL, by λ"].x) == rows["log_loss"].tolist()
    family = rows["family"].iloc[0]
    assert family == "pikl, devlin2016, 2500 iterations"
    heat = plot_heat(rows_of(table, family), HEAT["ece"])
    assert heat.layout.xaxis.title.text == "λ (points)"
    assert list(heat.data[0].z[0]) == rows["ece"].tolist()
    old = {**document, "settings": [dict(one) for one in document["settings"]]}
    for one in old["settings"]:
        del one["probabilities"]  # as made before piKL
        del one["auc"]  # as made before the discriminator
    assert view_table(old)[["log_loss", "auc", "auc_chance"]].isna().all(axis=None)


def test_win_rates_diverge_from_50_percent_with_n_and_what_is_significant(table):
    grid = next(name for name in families(table) if name.startswith("knowledge"))
    rows = rows_of(table, grid).assign(pairs_low=[0.52, math.nan, 0.4, math.nan], pairs_high=0.9)
    heat, texts = plot_heat(rows, WIN_RATE).data[:2]
    assert heat.zmin + heat.zmax == pytest.approx(1)
    assert heat.zmax >= rows["win_rate"].max()
    assert [text.startswith("<b>") for text in texts.text] == [True, False, False, False]
    assert texts.text[0].startswith(f"<b>{100 * rows['win_rate'].iloc[0]:.1f}% *</b><br>n 200")
    assert plot_heat(rows, CLOSENESS["kl"]).data[0].zmin is None
    assert all(color.startswith("rgba") for _, color in heat.colorscale), "the page shows through"


@pytest.mark.parametrize("name", ["accuracy_all", "kl"])
def test_the_pareto_line_has_the_settings_that_none_beats_in_both(table, name):
    measure = CLOSENESS[name]
    rows = table.assign(win_rate=[0.5, 0.6, 0.3, 0.55, 0.2, 0.4, 0.61, 0.1, 0.45, 0.3, 0.33])
    sign = 1 if measure.more_is_better else -1
    points = list(zip(sign * rows[name], rows["win_rate"], rows["key"], strict=True))
    best = [key for x, y, key in points if not any(a >= x and b >= y and k != key
                                                   for a, b, k in points)]  # fmt: skip
    found = pareto(rows, measure)
    assert set(found["key"]) == set(best)
    assert found[name].is_monotonic_increasing if sign > 0 else found[name].is_monotonic_decreasing
    line = traces(plot_frontier(rows, measure))["none better in both"]
    assert list(line.y) == found["win_rate"].tolist()


def test_two_sweeps_lie_over_each_other_in_the_same_colours(table):
    other = table.assign(key=table["key"] + "b", win_rate=table["win_rate"] - 0.01)
    found = traces(plot_frontier(table, ACCURACY_ALL, "key3b", other))
    first, second = (found["C_BT 0.1, by K, delay 1" + end] for end in ("", ", second sweep"))
    assert first.line.color == second.line.color
    assert second.marker.symbol == f"{first.marker.symbol}-open"
    assert [key for (key,) in second.customdata] == ["key3b", "key4b"]
    assert found["chosen"].x[0] == table["accuracy_all"][3]
    plans = [grid_document(), grid_document()]
    assert not differences(*plans)
    plans[1]["plan"]["log"] = "another"
    assert differences(*plans) == "humans of human-south and another"


def test_published_strengths():
    devlin = Knowledge("any", 0.03, 1000.0, "root")
    assert published_in(Setting(devlin)) == "Devlin 2016"
    assert published_in(Setting(replace(devlin, k=100.0))) is None
    assert published_in(Setting(Experience("any", 10))) == "Baier 2018"


def test_a_shipped_sweep_shows_its_results_until_the_store_has_all(here):
    (here / "tiny.toml").write_text(config_text(SMALL))
    (unmeasured,) = list_sweeps()
    assert (unmeasured.document, unmeasured.n_done, unmeasured.n_settings) == (None, 0, 3)
    assert run_sweep(SMALL, is_cancelled=lambda: _n_settings() > 0) is None
    (begun,) = list_sweeps()
    assert (begun.source, begun.n_done, begun.is_begun) == (STORED, 1, True)
    other = grid_document()
    write_table(other, here / "tiny.json")
    (shipped,) = list_sweeps()
    assert (shipped.source, shipped.document, shipped.n_done) == (SHIPPED, other, 1)
    whole = run_sweep(SMALL)
    (measured,) = list_sweeps()
    assert (measured.source, measured.is_finished) == (STORED, True)
    assert measured.document["settings"] == whole["settings"]


def _n_settings():
    return len(list(ResultStore().results("sweep-setting")))


def test_what_today_s_code_can_not_run_is_listed_with_the_reason(here):
    text = '[[grid]]\ntechnique = "direct"\nmodel = "ghost"'
    (here / "tiny.toml").write_text(text)
    (listed,) = list_sweeps()
    assert listed.plan is None
    assert listed.problem
    assert listed.document is None
    write_table(grid_document(), here / "tiny.json")
    assert list_sweeps()[0].document is not None
    (here / "tiny.json").write_text("nonsense")
    assert list_sweeps()[0].document is None


def test_a_sweep_whose_log_is_gone_is_listed_with_the_reason(here):
    (here / "tiny.toml").write_text(config_text(replace(SMALL, log="gone")))
    (listed,) = list_sweeps()
    assert listed.document is None
    assert "no log 'gone'" in listed.problem


def test_a_sweep_of_other_code_is_still_there_to_be_read(here, monkeypatch):
    with monkeypatch.context() as patch:
        change_behaviour(patch)
        run_sweep(SMALL)
    (listed,) = list_sweeps()
    assert listed.n_done == 0
    assert "played otherwise" in listed.problem
    assert len(listed.document["settings"]) == 3


def test_the_discriminator_orders_the_shipped_settings():
    """Where it was measured: the unbiased search is told best of all that lie nearer by KL, and a
    stronger bias of C_BT 0.1 is told the better the more it overshoots."""
    table = view_table(library.read_document(library.SWEEPS / "devlin-fig1.json"))
    told = table.dropna(subset=["auc"])
    assert len(told) >= 10
    assert told["auc"].between(0.55, 0.7).all(), "no setting is a human, none gives itself away"
    assert told[["auc", "kl"]].corr(method="spearman").iloc[0, 1] > 0.8
    unbiased = told.iloc[0]
    nearer = told[told["kl"] < unbiased["kl"]]
    assert (nearer["auc_high"] < unbiased["auc_low"]).all()
    overshooting = told[(told["c_bt"] == 0.1) & (told["k"] >= 100)].sort_values("k")
    assert overshooting["auc"].is_monotonic_increasing
    assert overshooting["accuracy"].is_monotonic_increasing, "though it plays more of their cards"
