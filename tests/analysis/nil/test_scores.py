"""Scores of nil forecasts: by hand, written and read back, as tables, refused when unsound."""

import copy
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import brier_score_loss, log_loss

from analysis.intervals import clopper_pearson
from analysis.nil.rates import bin_of
from analysis.nil.scores import (
    ALL,
    METHODS,
    SCORES,
    NilScoresError,
    calibration_rows,
    load_scores,
    parse_rows,
    score_table,
    sequence_rows,
    sequence_table,
)
from analysis.plots.nil import FADED, FEW_FORECASTS, plot_calibration
from experiments.nil_scores import (
    LEAST,
    N_BINS,
    compared,
    count_covered,
    count_rows,
    format_rows,
    measures,
    score_sequences,
    scores_document,
    terms_of,
    tree_columns,
)
from experiments.trials import Trials
from spades.bidding.auction import INDEX_OF
from spades.bidding.curves import load_curves
from tests.analysis.nils import made_up_scores, made_up_trials


def test_measures_by_hand():
    p, made = np.array([0.5, 0.5, 0.9]), np.array([True, False, True])
    loss, square, ece = measures(terms_of(p, made), np.ones(3))
    assert loss == pytest.approx(-(2 * np.log(0.5) + np.log(0.9)) / 3)
    assert square == pytest.approx((0.25 + 0.25 + 0.01) / 3)
    assert ece == pytest.approx(0.1 / 3)  # the bin of 0.5 is right on the mean
    assert measures(terms_of(p, made), np.array([2.0, 0.0, 0.0]))[2] == pytest.approx(0.5)


def test_measures_are_scikit_learns():
    rng = np.random.default_rng(1)
    p = rng.uniform(0.01, 0.99, 500)
    made = rng.random(500) < p
    loss, square, _ = measures(terms_of(p, made), np.ones(500))
    assert loss == pytest.approx(log_loss(made, p))
    assert square == pytest.approx(brier_score_loss(made, p))


def test_a_forecast_that_knows_is_told_from_one_that_does_not():
    rng = np.random.default_rng(2)
    chance = rng.uniform(0.05, 0.95, 4000)
    made = rng.random(4000) < chance
    known = {**dict.fromkeys(METHODS, np.full(4000, 0.5)), "curves": chance}
    found, less = compared(known, made)
    assert found["n"] == 4000
    assert less["single"]["log_loss"]["interval"][1] < 0.0
    low, high = found["curves"]["log_loss"]["interval"]
    assert low < found["curves"]["log_loss"]["value"] < high
    assert found["curves"]["ece"]["value"] < 0.03


def test_tree_columns_name_who_bid():
    trials = Trials.empty(2)
    trials.sequence[:] = INDEX_OF[(5, 0, 4)], INDEX_OF[(3,)]
    trials.value[:], trials.total[:] = 0.5, (9, 3)
    rows = tree_columns(trials)
    assert rows[0].tolist() == [0.5, 4, 0, 5, 9]
    assert rows[1, :2].tolist() == [0.5, 3]
    assert np.isnan(rows[1, 2:4]).all()


@pytest.mark.parametrize("agent", ["srp+bis", "human"])
def test_the_shipped_curves_foretell_nils_held_out(agent):
    scored = json.loads(SCORES.read_text())["agents"][agent]["all"]
    assert scored["n"] >= 100_000
    assert scored["curves"]["ece"]["interval"][1] < 0.02
    for other in ("single", "value"):
        assert scored["curves_less"][other]["log_loss"]["interval"][1] < 0.0


def test_the_reliability_diagram_counts_every_nil():
    p, made = np.array([0.0, 0.07, 0.08, 1.0]), np.array([False, True, False, True])
    bins = count_rows(bin_of(p, N_BINS), {"p": p}, made)
    assert bins[["n", "made"]].to_numpy().tolist() == [[1, 0], [2, 1], [1, 1]]
    assert bins["p"].iloc[1] == pytest.approx(0.075)


def test_rows_read_as_they_were_written():
    bins = pd.DataFrame({"n": [12, 40], "made": [3, 40], "forecast": [0.0512, 1.0]})
    assert format_rows(bins) == ["12 3 0.0512", "40 40 1.0000"]
    assert parse_rows(format_rows(bins), ["forecast"], of_bids=False).equals(bins)
    texts = format_rows(bins, ["-", "0,13,4"])
    read = parse_rows(texts, ["forecast"], of_bids=True)
    assert read.equals(bins.assign(bids=["-", "0,13,4"])[read.columns])


@pytest.mark.parametrize(
    "text", ["", "3,1", "3,1 9 x 0.5", "3,1 9 10 0.5", "3,1 0 0 0.5", "3,1 9 3 1.5", "3,99 9 3 0.5"]
)
def test_an_unsound_row_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        parse_rows([text], ["p"], of_bids=True)


def test_only_sequences_seen_often_have_a_row_and_every_seen_one_is_counted():
    often, seldom = INDEX_OF[(3, 1)], INDEX_OF[(5,)]
    sequence = np.array([often] * LEAST + [seldom] * (LEAST - 1))
    made = np.arange(len(sequence)) % 4 > 0
    right = np.full(len(sequence), 0.75)
    found = score_sequences({"right": right, "wrong": right / 2}, sequence, made)
    assert found["rows"] == [f"3,1 {LEAST} 75 0.7500 0.3750"]
    assert (found["seen"], found["shown"], found["nils_shown"]) == (2, 1, LEAST)
    assert found["covered"] == {"right": 1, "wrong": 0}


def test_intervals_hold_a_true_forecast_about_as_often_as_they_say():
    rng = np.random.default_rng(3)
    made = [int(rng.binomial(400, 0.8)) for _ in range(500)]
    covered = count_covered(pd.DataFrame({"n": 400, "made": made, "true": 0.8, "false": 0.9}))
    assert 465 <= covered["true"] <= 495  # 95%, a little more for exact intervals
    assert covered["false"] < 25


def test_the_document_of_scores_holds_groups_and_sequences_and_is_small():
    fitted, held_out = made_up_trials(4000, seed=1), made_up_trials(4000, seed=2)
    document = scores_document(load_curves(), fitted, held_out)
    assert document["calibration"].keys() == {"all", *document["groups"]}
    for name, by_method in document["calibration"].items():
        scored = document["all"] if name == "all" else document["groups"][name]
        assert by_method.keys() == set(METHODS)
        for method, text in by_method.items():
            bins = parse_rows(text.split("; "), [method], of_bids=False)
            assert bins["n"].sum() == scored["n"]
    rows = parse_rows(document["sequences"]["rows"], METHODS, of_bids=True)
    assert rows["n"].sum() == document["sequences"]["nils_shown"] == 4000
    assert all(0 <= k <= len(rows) for k in document["sequences"]["covered"].values())
    assert json.loads(json.dumps(document)) == document


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
    assert row["behind"] == -stored["all"]["curves_less"]["value"]["log_loss"]["value"]
    assert row["behind_low"] < row["behind"] < row["behind_high"]
    assert np.isnan(table.loc[(ALL, "curves"), "behind"])
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
        lambda scored: scored["sequences"]["rows"].append("3,1 7 nine 0.1 0.1 0.1 0.1"),
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
