"""The stored scores of nil forecasts: read, as tables and drawn, and refused when unsound."""

import copy
import json

import numpy as np
import pytest

from analysis.bidding.style import clopper_pearson
from analysis.nil import fit_curves as nil_curves
from analysis.nil import scores as nil_scores
from analysis.nil.calibration import NilScoresError, parse_bins
from analysis.nil.foretold import (
    ALL,
    MEASURES,
    METHODS,
    SCORES,
    calibration_rows,
    load_scores,
    score_table,
    sequence_rows,
    sequence_table,
)
from analysis.plots.nil import FADED, FEW_FORECASTS, plot_calibration
from tests.analysis.nils import made_up_scores


@pytest.fixture(scope="module")
def document():
    return made_up_scores()


@pytest.fixture
def written(tmp_path):
    def write(document):
        path = tmp_path / "scores.json"
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return path

    return write


def test_the_names_are_those_of_the_command():
    assert SCORES == nil_curves.SCORES
    assert tuple(METHODS) == nil_scores.FORECASTS
    assert MEASURES == nil_scores.MEASURES


def test_the_shipped_scores_are_sound():
    for scores in load_scores().values():
        table = score_table(scores)
        assert table["group"].iloc[0] == ALL
        assert len(table) == len(scores.groups) * len(METHODS)
        rows = calibration_rows(scores, ALL, ["curves"])
        assert rows["n"].sum() == scores.n_held_out
        assert rows["made"].sum() / rows["n"].sum() == pytest.approx(
            table["share_made"].iloc[0], abs=1e-4
        )


def test_tables_hold_what_was_written(document, written):
    stored = document["agents"]["human"]
    scores = load_scores(written(document))["human"]
    table = score_table(scores).set_index(["group", "method"])
    one = stored["all"]["value"]["brier"]
    row = table.loc[(ALL, "value")]
    assert [row["brier"], row["brier_low"], row["brier_high"]] == [one["value"], *one["interval"]]
    assert row["behind"] == -stored["all"]["curves_less"]["value"]["log_loss"]["value"]
    assert row["behind_low"] < row["behind"] < row["behind_high"]
    assert np.isnan(table.loc[(ALL, "curves"), "behind"])
    for group in scores.groups:
        bins = calibration_rows(scores, group, ["trees", "curves"])
        assert bins["method"].drop_duplicates().tolist() == ["trees", "curves"]
        by_hand = parse_bins(stored["calibration"][group]["trees"])
        first = bins.iloc[0]
        assert (first["n"], first["made"], first["forecast"]) == tuple(by_hand[0])
        assert [first["low"], first["high"]] == list(clopper_pearson(first["made"], first["n"]))
        assert bins["n"].sum() == 2 * scores.groups[group]["n"]


def test_sequences_are_those_written_and_intervals_count_as_covered(document, written):
    scores = load_scores(written(document))["srp"]
    found, table = scores.sequences, sequence_table(scores)
    assert len(table) == len(found.rows) == 4
    assert table["n"].is_monotonic_decreasing
    assert set(table["bids"]) == {"", "3", "0,4", "3,3,3"}
    rows = sequence_rows(scores, ["value", "curves"])
    assert len(rows) == 8
    for method in ("value", "curves"):
        assert rows.loc[rows["method"] == method, "is_covered"].sum() == found.covered[method]
    assert found.covered["curves"] > found.covered["value"]


def test_a_file_of_before_has_the_bins_of_all_and_no_sequences(document, written):
    old = copy.deepcopy(document)
    for scored in old["agents"].values():
        del scored["sequences"]
        scored["calibration"] = {
            method: [
                {"n": n, "forecast": forecast, "share_made": made / n, "interval": [0, 1]}
                for n, made, forecast in parse_bins(text)
            ]
            for method, text in scored["calibration"]["all"].items()
        }
    before, now = load_scores(written(old))["srp"], load_scores(written(document))["srp"]
    assert before.sequences is None
    assert sequence_table(before).empty
    methods = list(METHODS)
    assert calibration_rows(before, ALL, methods).equals(calibration_rows(now, ALL, methods))
    assert calibration_rows(before, "a partner's nil", methods).empty


def spoilt(document, spoil):
    other = copy.deepcopy(document)
    spoil(other["agents"]["srp+bis"])
    return other


@pytest.mark.parametrize(
    "spoil",
    [
        lambda scored: scored.pop("groups"),
        lambda scored: scored["all"].pop("trees"),
        lambda scored: scored["all"]["curves"]["ece"].update(interval=[0.1]),
        lambda scored: scored["all"]["curves"]["ece"].update(value="much"),
        lambda scored: scored["calibration"]["all"].update(curves="3 4 0.5"),
        lambda scored: scored["sequences"]["rows"].append("3,1 7 nine 0.1 0.1 0.1 0.1"),
        lambda scored: scored.update(sequences=[]),
    ],
)
def test_an_unsound_file_is_refused_with_the_command(document, written, spoil):
    with pytest.raises(NilScoresError, match=r"scores.json.*analysis\.nil\.fit_curves"):
        load_scores(written(spoilt(document, spoil)))


@pytest.mark.parametrize("text", ["", "[]", "{", '{"agents": 3}', "null"])
def test_what_is_no_such_file_is_refused(written, text):
    with pytest.raises(NilScoresError, match=r"analysis\.nil\.fit_curves"):
        load_scores(written(text))


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(NilScoresError, match=r"none\.json is missing"):
        load_scores(tmp_path / "none.json")


def test_the_figure_is_the_table(document, written):
    scores = load_scores(written(document))["srp"]
    rows = calibration_rows(scores, ALL, ["curves", "value"])
    figure = plot_calibration(rows)
    points = figure.data[1:]
    assert [trace.name for trace in points if trace.showlegend] == [
        METHODS["curves"], METHODS["value"],
    ]  # fmt: skip
    assert sum(len(trace.x) for trace in points) == len(rows)
    for trace in points:
        assert all(
            (row[0] >= FEW_FORECASTS) == (trace.marker.opacity == 1) for row in trace.customdata
        )
    assert {trace.marker.opacity for trace in points} == {1, FADED}
    line = figure.data[0]
    assert list(line.x) == list(line.y)


def test_sequences_whose_interval_misses_are_open(document, written):
    scores = load_scores(written(document))["srp"]
    rows = sequence_rows(scores, ["value"])
    trace = plot_calibration(rows).data[1]
    is_open = [symbol.endswith("-open") for symbol in trace.marker.symbol]
    assert any(is_open)
    by_name = dict(zip((row[4] for row in trace.customdata), is_open, strict=True))
    for row in rows.itertuples():
        assert by_name["after " + row.bids if row.bids else "first to bid"] != row.is_covered
    assert trace.customdata[0][4] in ("first to bid", "after 3", "after 0,4", "after 3,3,3")
