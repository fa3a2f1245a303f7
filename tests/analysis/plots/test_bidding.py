"""Figures of bids by their numbers."""

import pandas as pd
import pytest

from analysis.bidding.bid_trials import expected_table, histogram_table, trials_table, try_bids
from analysis.bidding.decisions import (
    ask_bidders,
    bids_table,
    curve_table,
    parts_table,
    suits_table,
)
from analysis.plots.bidding import (
    bidder_label,
    color_of_bidder,
    plot_bids,
    plot_by_bid,
    plot_curve,
    plot_duels,
    plot_expected,
    plot_histogram,
    plot_parts,
    plot_suits,
)
from spades.bidding import explain_bis, observe_auction
from spades.bidding.auction import bidder_options
from spades.core.cards import STANDARD, parse_hand
from spades.core.rules import Rules

PAPER = parse_hand("AKJ62.AQ.Q.K9543", STANDARD)


@pytest.fixture(scope="module")
def answer():
    return explain_bis(observe_auction(PAPER, (3, 1)), bidder_options())


def test_figure_of_bids():
    bids = bids_table(ask_bidders(observe_auction(PAPER, (3, 1)), n=30), Rules())
    figure = plot_bids(bids)
    assert len(figure.data) == 6
    human = next(trace for trace in figure.data if trace.y[0] == "Simulated human")
    shares = bids[bids["bidder"] == "human"]["share"]
    assert sum(size**2 for size in human.marker.size) == pytest.approx(30**2 * shares.sum())
    assert bidder_label("bis:threshold=0") == "bis:threshold=0"
    assert color_of_bidder("bis:threshold=0") == color_of_bidder("bis")


def test_figures_of_the_parts(answer):
    parts = parts_table(answer, STANDARD)
    figure = plot_parts(parts, regular=answer.regular)
    ends = [base + x for trace in figure.data for base, x in zip(trace.base, trace.x, strict=True)]
    assert sorted(ends) == pytest.approx(sorted(parts["end"]))
    curve = plot_curve(curve_table((3, 1)), point=(0.5, 0.7), interval=(0.6, 0.8), needed=0.625)
    assert curve.data[-1].error_y.array[0] == pytest.approx(0.1)
    assert curve.layout.shapes[0].y0 == 0.625
    beyond = plot_curve(curve_table((3, 1)), point=(0, 0), interval=None, needed=1.5)
    assert not beyond.layout.shapes
    assert list(plot_suits(suits_table(answer)).data[0].x) == list(answer.nil_by_suit)


def test_figures_of_points():
    trials = try_bids(observe_auction(PAPER, ()), [5, 6], n=100)
    means, bins = trials_table(trials), histogram_table(trials)
    assert bins.groupby("bid")["share"].sum().tolist() == pytest.approx([1, 1])
    assert (bins["low"] % 10 == 0).all()
    histogram = plot_histogram(bins, means)
    assert [sum(trace.y) for trace in histogram.data] == pytest.approx([1, 1])
    lines = [shape.x0 for shape in histogram.layout.shapes if shape.type == "line"]
    assert lines == pytest.approx(means["points"].tolist())


def test_what_every_bid_is_expected_to_bring(answer):
    seen = observe_auction(PAPER, (3, 1))
    bids = bids_table(ask_bidders(seen, ("bis", "human"), n=30), Rules())
    trials = try_bids(seen, [0, *sorted(set(bids["bid"]))], n=60)
    table = expected_table(trials, bids, answer)
    estimates = table.set_index("bid")["estimate"]
    assert (estimates[0], estimates[answer.regular]) == (-100.0, answer.expected_regular)
    made = "".join(table["who"])
    assert "bis" in made
    assert "% of 30" in made
    own, lead, bis = plot_expected(table).data
    assert list(own.x) == table["points"].tolist()
    assert list(lead.x) == table["difference"].tolist()
    assert next(iter(bis.x)) == -100.0
    assert own.y[0] == "nil"


def test_figures_of_many_rounds():
    rows = pd.DataFrame(
        [("bis", bid, 9, 8, 0.9, 0.8, 0.95, 0.5, 0.1, 0.9) for bid in (-1, 2, 3)],
        columns=["group", "bid", "n", "contracts", "made", "made_low", "made_high", "over",
                 "over_low", "over_high"],
    )  # fmt: skip
    made, over = (plot_by_bid(rows, ["bis"], what) for what in ("made", "over"))
    assert list(made.data[0].x) == [2, 3]
    assert list(made.data[0].error_y.arrayminus) == pytest.approx([0.1, 0.1])
    assert list(over.data[0].y) == [0.5, 0.5]
    duels = pd.DataFrame(
        [("bis", "rb", 50, 3.0, 1.0, 5.0)],
        columns=["first", "second", "deals", "ahead", "low", "high"],
    )
    figure = plot_duels(duels)
    assert (figure.data[0].x[0], figure.data[0].error_x.array[0]) == (3.0, 2.0)
