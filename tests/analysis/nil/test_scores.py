"""Stored scores of nil forecasts: as tables, drawn, refused when unsound."""

import copy
import json

import numpy as np
import pytest

from analysis.intervals import clopper_pearson
from analysis.nil.scores import (
    ALL,
    METHODS,
    N_FIFTHS,
    SCORES,
    NilScoresError,
    calibration_rows,
    load_scores,
    parse_rows,
    score_table,
    sequence_rows,
    sequence_table,
    stratum_rows,
    stratum_table,
)
from analysis.plots.nil import FADED, FEW_FORECASTS, plot_calibration
from spades.bidding.curves import HEARD
from tests.analysis.nils import made_up_scores


@pytest.mark.parametrize("agent", ["srp+bis", "human"])
def test_the_shipped_curves_foretell_nils_held_out(agent):
    scored = json.loads(SCORES.read_text())["agents"][agent]["all"]
    assert scored["n"] >= 100_000
    assert scored["nil_curves"]["ece"]["interval"][1] < 0.02
    for other in ("curves", "single", "value"):
        assert scored["nil_curves_less"][other]["log_loss"]["interval"][1] < 0.0


def test_the_shipped_nil_curves_are_nowhere_worse_than_the_logistic_ones():
    """By the 95% interval of the difference in log-loss on nils held out; of 30 strata."""
    for scores in load_scores().values():
        table = stratum_table(scores)
        assert len(table) == len(HEARD) * N_FIFTHS
        assert (table["behind_high"] > 0).all()
        assert (table["behind_low"] > 0).sum() >= 8
        # Where logistic curves missed their points: nil values below a fifth.
        first = table[(table["fifth"] == 0) & (table["heard"] == "no bid")].iloc[0]
        misses = (first[["nil_curves", "curves"]] - first["rate"]).abs()
        assert misses["nil_curves"] < 0.5 * misses["curves"]


@pytest.mark.parametrize(
    "text", ["", "3,1", "3,1 9 x 0.5", "3,1 9 10 0.5", "3,1 0 0 0.5", "3,1 9 3 1.5", "3,99 9 3 0.5"]
)
def test_an_unsound_row_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        parse_rows([text], ["p"], of_bids=True)


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
    assert row["behind"] == -stored["all"]["nil_curves_less"]["value"]["log_loss"]["value"]
    assert row["behind_low"] < row["behind"] < row["behind_high"]
    assert np.isnan(table.loc[(ALL, "nil_curves"), "behind"])
    for group in scores.groups:
        bins = calibration_rows(scores, group, ["trees", "curves"])
        assert bins["method"].drop_duplicates().tolist() == ["trees", "curves"]
        by_hand = stored["calibration"][group]["trees"].partition(";")[0].split()
        first = bins.iloc[0]
        assert [first["n"], first["made"], first["forecast"]] == [float(one) for one in by_hand]
        assert [first["low"], first["high"]] == list(clopper_pearson(first["made"], first["n"]))
        assert bins["n"].sum() == 2 * scores.groups[group]["n"]


def test_sequences_are_those_written_and_intervals_count_as_covered(document, written):
    scores = load_scores(written(document))["srp"]
    covered, table = scores.covered, sequence_table(scores)
    assert len(table) == len(scores.sequences) == 4
    assert table["n"].is_monotonic_decreasing
    assert set(table["bids"]) == {"", "3", "0,4", "3,3,3"}
    rows = sequence_rows(scores, ["value", "curves"])
    assert len(rows) == 8
    for method in ("value", "curves"):
        assert rows.loc[rows["method"] == method, "is_covered"].sum() == covered[method]
    assert covered["curves"] > covered["value"]


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
        lambda scored: scored["sequences"]["rows"].append("3,1 7 nine 0.1 0.1 0.1 0.1 0.1"),
        lambda scored: scored["strata"][0].update(heard="much"),
        lambda scored: scored["strata"][0].update(fifth=5),
        lambda scored: scored["strata"][0].update(made=10**6),
        lambda scored: scored["strata"][0].pop("behind"),
        lambda scored: scored.update(sequences=[]),
    ],
)
def test_an_unsound_file_is_refused_with_the_command(document, written, spoil):
    with pytest.raises(NilScoresError, match=r"scores.json.*experiments\.fit_nil_curves"):
        load_scores(written(spoilt(document, spoil)))


@pytest.mark.parametrize("text", ["", "[]", "{", '{"agents": 3}', "null"])
def test_what_is_no_such_file_is_refused(written, text):
    with pytest.raises(NilScoresError, match=r"experiments\.fit_nil_curves"):
        load_scores(written(text))


def test_strata_are_those_written(document, written):
    stored = document["agents"]["srp+bis"]["strata"]
    scores = load_scores(written(document))["srp"]
    table = stratum_table(scores)
    assert table["n"].sum() == scores.groups[ALL]["n"]
    for row, by_hand in zip(table.to_dict("records"), stored, strict=True):
        assert [row[name] for name in by_hand if name != "behind"] == [
            value for name, value in by_hand.items() if name != "behind"
        ]
        assert [row["behind"], row["behind_low"], row["behind_high"]] == by_hand["behind"]
        assert row["low"] <= row["rate"] == row["made"] / row["n"] <= row["high"]
    rows = stratum_rows(scores, ["curves"])
    assert rows["forecast"].tolist() == table["curves"].tolist()
    trace = plot_calibration(rows).data[1]
    assert sorted(trace.x) == sorted(table["curves"])
    named = {row[4] for row in trace.customdata}
    assert "no bid heard, nil value 0.2 to 0.4" in named


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
