"""Success curves: what is stored, what is looked up, what is refused."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from experiments.fit_nil_curves import save_curves
from spades.bidding.auction import INDEX_OF, N_SEQUENCES
from spades.bidding.curves import (
    HEARD,
    HEARD_OF,
    HUMAN_NIL_TABLE,
    HUMAN_TABLE,
    KNOTS,
    N_VALUE_BINS,
    NIL_TABLE,
    PATTERN_TABLE,
    TABLE,
    BidTableError,
    SuccessCurves,
    bid_context,
    load_curves,
    load_regular_fit,
    nil_logit,
)
from spades.bidding.hands import holding_table
from spades.core.errors import IllegalBidError
from spades.core.rules import Rules


def curves(**fields):
    made_up = {
        "lines": np.tile([-1.0, 3.0], (N_SEQUENCES, 1)),
        "covariance": np.tile([0.04, -0.01, 0.09], (N_SEQUENCES, 1)),
        "n": np.arange(N_SEQUENCES),
        "made": np.arange(N_SEQUENCES) // 2,
        "single": np.array([-2.0, 4.0]),
        "counts": np.ones((N_SEQUENCES, N_VALUE_BINS, 2), dtype=np.int32),
        "metadata": {"command": "a test"},
    }
    return SuccessCurves(**made_up | fields)


def test_probability_and_interval():
    lines = curves().lines.copy()
    lines[INDEX_OF[(3, 1)]] = 0.0, 1.0
    found = curves(lines=lines)
    assert found.probability((), 0.5) == pytest.approx(1 / (1 + math.exp(1.0)))
    assert found.probability((3, 1), 0.5) == pytest.approx(0.5)
    assert found.probability((3, 1), 0.7) == pytest.approx(0.75 / 1.1)  # the logit undone
    assert found.probability((3, 1), 1.0) == pytest.approx(1.05 / 1.1)
    assert found.probability((), 0.0) == 0.0
    low, high = found.interval((3, 1), 0.7)
    x = math.log(0.75 / 0.35)
    half = 1.959964 * math.sqrt(0.04 - 2 * 0.01 * x + x * x * 0.09)
    assert low == pytest.approx(1 / (1 + math.exp(half - x)))
    assert high == pytest.approx(1 / (1 + math.exp(-half - x)))
    assert found.interval((), 0.0) == (0.0, 0.0)


def shape(**fields):
    """The same curves, in a shape of their own: 2 a unit of nil value, from -1."""
    shapes = np.tile(2.0 * KNOTS - 1.0, (len(HEARD), 1))
    return curves(shape=shapes, shape_error=np.full(shapes.shape, 0.2), **fields)


def test_a_shape_stands_for_the_logit():
    lines = np.tile([0.5, 1.5], (N_SEQUENCES, 1))
    found = shape(lines=lines)
    logit = 0.5 + 1.5 * (2.0 * 0.33 - 1.0)  # linear between the knots
    assert found.probability((3, 1), 0.33) == pytest.approx(1 / (1 + math.exp(-logit)))
    low, high = found.interval((3, 1), 0.33)
    x = 2.0 * 0.33 - 1.0
    variance = 0.04 - 2 * 0.01 * x + x * x * 0.09 + (1.5 * 0.2) ** 2
    half = 1.959964 * math.sqrt(variance)
    assert low == pytest.approx(1 / (1 + math.exp(half - logit)))
    assert high == pytest.approx(1 / (1 + math.exp(-half - logit)))
    assert found.probability((3, 1), 0.0) == 0.0
    with pytest.raises(ValueError, match="logistic"):
        found.kernel_table()


def test_what_was_heard():
    heard = {(): 0, (3,): 1, (3, 4): 2, (1, 2, 3): 3, (0, 3): 4, (3, 0, 2): 4, (0, 0): 4}
    heard |= {(0,): 5, (3, 0): 5, (0, 3, 4): 5, (1, 2, 0): 5}
    assert {bids: HEARD_OF[INDEX_OF[bids]] for bids in heard} == heard


def test_the_logit_rises_and_is_finite():
    values = np.linspace(0.0, 1.0, 101)
    found = np.array([nil_logit(value) for value in values])
    assert np.all(np.diff(found) > 0.0)
    assert found[50] == pytest.approx(0.0)
    assert found[100] == pytest.approx(-found[0])
    assert found[100] == pytest.approx(math.log(1.05 / 0.05))


@pytest.mark.parametrize("previous", [(14,), (-1, 3), (3, 3, 3, 3)])
def test_impossible_sequences_are_refused(previous):
    with pytest.raises(IllegalBidError, match="legal"):
        curves().probability(previous, 0.5)


def test_what_is_saved_is_loaded(tmp_path):
    saved = curves()
    save_curves(saved, tmp_path / "curves.npz")
    loaded = load_curves(tmp_path / "curves.npz")
    for name in ("lines", "covariance", "n", "made", "single", "counts"):
        assert np.array_equal(getattr(loaded, name), getattr(saved, name))
    assert loaded.metadata["command"] == "a test"
    assert [path.name for path in tmp_path.iterdir()] == ["curves.npz"]
    table = loaded.kernel_table()
    assert table.shape == (N_SEQUENCES + 1, 2)
    assert tuple(table[-1]) == (-2.0, 4.0)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"lines": np.zeros((5, 2))}, "lines should be"),
        ({"single": np.array([np.nan, 1.0])}, "single should be"),
        ({"counts": np.ones((N_SEQUENCES, 20), dtype=np.int32)}, "counts should be"),
        ({"counts": np.ones((N_SEQUENCES, 20, 2))}, "counts should be"),
        ({"n": np.ones(N_SEQUENCES)}, "n should be"),
        ({"lines": np.tile([0.0, -1.0], (N_SEQUENCES, 1))}, "a curve falls"),
        ({"lines": np.tile([500.0, 1.0], (N_SEQUENCES, 1))}, "too steep"),
        ({"single": np.array([0.0, -1.0])}, "a curve falls"),
        ({"shape": np.zeros((4, 21))}, "shape should be"),
        ({"shape": np.tile(-KNOTS, (len(HEARD), 1))}, "a curve falls"),
        ({"metadata": {"version": 99}}, "no table of curves of version 2"),
    ],
)
def test_unsound_tables_are_refused(tmp_path, fields, message):
    made_up = shape() if "shape" in fields else curves()
    save_curves(replace(made_up, **fields), tmp_path / "curves.npz")
    with pytest.raises(BidTableError, match=message):
        load_curves(tmp_path / "curves.npz")


@pytest.mark.parametrize("metadata", ["[" * 3000, "9" * 5000, "[]", "{", '{"version": NaN}'])
def test_odd_metadata_are_refused(tmp_path, metadata):
    sound = vars(shape()) | {"metadata": np.array(metadata)}
    np.savez(tmp_path / "curves.npz", **sound)
    with pytest.raises(BidTableError, match="can't be read"):
        load_curves(tmp_path / "curves.npz")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive", b"\x80\x04N."])
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "curves.npz"
    with pytest.raises(BidTableError, match="is missing"):
        load_curves(path)
    path.write_bytes(content)
    with pytest.raises(BidTableError, match="can't be read"):
        load_curves(path)


def test_a_single_array_is_refused(tmp_path):
    with (tmp_path / "curves.npz").open("wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(BidTableError, match="no archive of arrays"):
        load_curves(tmp_path / "curves.npz")


def test_a_shape_is_saved_too(tmp_path):
    save_curves(shape(), tmp_path / "curves.npz")
    loaded = load_curves(tmp_path / "curves.npz")
    assert np.array_equal(loaded.shape, shape().shape)
    assert np.array_equal(loaded.shape_error, shape().shape_error)


@pytest.mark.parametrize(
    ("nil_table", "table"), [(NIL_TABLE, TABLE), (HUMAN_NIL_TABLE, HUMAN_TABLE)]
)
def test_the_nil_curves_are_of_the_rounds_of_the_logistic_ones(nil_table, table):
    nil_curves = load_curves(nil_table)
    logistic = load_curves(table)
    assert np.array_equal(nil_curves.counts, logistic.counts)
    assert np.diff(nil_curves.shape).min() > 0.0
    assert logistic.shape is None
    for name in ("agent", "rounds", "seed"):
        assert nil_curves.metadata[name] == logistic.metadata[name]


@pytest.mark.parametrize("table", [TABLE, HUMAN_TABLE, PATTERN_TABLE, NIL_TABLE, HUMAN_NIL_TABLE])
def test_the_shipped_curves_are_of_rounds_and_rise(table):
    shipped = load_curves(table)
    assert shipped.n.sum() == shipped.metadata["rounds"]
    assert np.all(shipped.made <= shipped.n)
    assert shipped.counts.dtype == np.int32
    assert np.array_equal(shipped.counts.sum(axis=1), np.column_stack([shipped.n, shipped.made]))
    assert shipped.lines[:, 1].min() >= 0.0
    assert "simulated" in shipped.metadata["what"]
    low, high = shipped.interval((3, 3), 0.6)
    assert low < shipped.probability((3, 3), 0.6) < high
    is_of_humans = table in (HUMAN_TABLE, HUMAN_NIL_TABLE)
    assert ("strong rule-based" in shipped.metadata["what"]) != is_of_humans


def written(tmp_path, **changes):
    table = {"version": 1, "previous": [[0.5, -0.1]] * 4, "made": [0.8, 0.7]} | changes
    path = tmp_path / "previous_bids.json"
    path.write_text(json.dumps(table))
    return path


def test_regular_fit_is_loaded(tmp_path):
    fit = load_regular_fit(written(tmp_path))
    assert fit.previous.shape == (4, 2)
    assert fit.made.tolist() == [0.8, 0.7]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 2}, "no fit of version 1"),
        ({"previous": [[0.5, -0.1]] * 3}, "previous should be"),
        ({"previous": [["a", 0.1]] * 4}, "previous should be"),
        ({"previous": [[math.nan, 0.1]] * 4}, "NaN is no JSON number"),
        ({"made": None}, "made should be"),
        ({"made": [0.8, 1.2]}, "made should be two shares"),
    ],
)
def test_unsound_fits_are_refused(tmp_path, changes, message):
    with pytest.raises(BidTableError, match=message):
        load_regular_fit(written(tmp_path, **changes))


def test_missing_and_broken_fits_are_refused(tmp_path):
    with pytest.raises(BidTableError, match="is missing"):
        load_regular_fit(tmp_path / "none.json")
    (tmp_path / "text.json").write_text("{")
    with pytest.raises(BidTableError, match="can't be read"):
        load_regular_fit(tmp_path / "text.json")


def test_a_context_is_made_once_and_holds_the_tables():
    first = bid_context(Rules())
    assert bid_context(Rules()) is first
    assert first.tables.p_hold is holding_table()
    assert not any(table.flags.writeable for table in first.tables)
    assert bid_context(Rules(target=200)).rules.target == 200
