"""Figures of one decision: a card is known by its colour and dash in all of them."""

import math

import pandas as pd

from analysis.decisions.visits import Overtaking
from analysis.plots.colors import GREY
from analysis.plots.decisions import SIDE_COLORS, plot_chances, plot_ladder, plot_visit_curves
from analysis.review.chances import Chance, Cost, Goal
from analysis.review.round import Review
from spades.look.words import pretty

CARDS = ["SA", "SK", "HQ", "HJ", "D9", "D8", "C7", "C6", "C2"]
LABELS = {card: pretty(card) for card in CARDS}
HUMAN = dict.fromkeys(CARDS, 1 / len(CARDS))


def curves(featured):
    rows = [(card, n, 0.1, 0.1, 0.1) for card in CARDS for n in (10, 100)]
    table = pd.DataFrame(rows, columns=["card", "iterations", "mean", "min", "max"])
    none = Overtaking("SA", None, None)
    return plot_visit_curves(
        table, human=HUMAN, labels=LABELS, featured=featured, overtaking=none, n_seeds=1
    )


def ladder(featured):
    rows = [(card, rung, 0.1, 0.1, 0.1, 0, 1) for card in reversed(CARDS) for rung in (0.0, 0.5)]
    names = ["card", "strength", "share", "share_min", "share_max", "chosen", "seeds"]
    table = pd.DataFrame(rows, columns=names)
    table["label"] = [pretty(card) for card in table["card"]]
    known = {"chosen": 0.5, "published": {}, "axis": "C_BT"}
    return plot_ladder(table, human=HUMAN, featured=featured, **known)


def looks(figure):
    lines = [trace.line for trace in figure.data if trace.name and trace.line.color]
    names = [trace.name for trace in figure.data if trace.name and trace.line.color]
    return {name: (line.color, line.dash) for name, line in zip(names, lines, strict=True)}


def test_nine_cards_have_nine_colours_and_the_rest_are_grey():
    found = looks(curves(CARDS))
    assert len({color for color, _ in found.values()}) == len(CARDS)
    assert looks(curves(["HQ"]))["A♠"] == (GREY, "solid")


def test_a_card_looks_the_same_whichever_others_are_shown():
    all_of_them = looks(curves(CARDS))
    some = looks(ladder(["C2", "HQ"]))
    assert {name: some[name] for name in ("2♣", "Q♥")} == {
        name: all_of_them[name] for name in ("2♣", "Q♥")
    }


def test_chances_are_lines_by_side_marked_where_a_play_cost_most():
    ours = Chance(Goal(False, 0), (math.nan, 0.4, 0.7, 1.0), True, Cost(2, 0.3, 0.5))
    nil = Chance(Goal(True, 3), (math.nan, 0.4, 0.0, 0.0), False, None)
    cards = ("SA", "S2", "S3", "S4")
    found = Review(
        plays=(),
        unjudged=0,
        seats=(),
        partnerships=(),
        costliest=(),
        chances=(ours, nil),
        score=None,
        score_after=None,
        movers=(0, 1, 2, 3),
        cards=cards,
    )
    line, mark, dashed = plot_chances(found).data
    assert list(line.x) == [1, 2, 3, 4]
    assert list(line.y)[1:] == [0.4, 0.7, 1.0]
    assert (line.name, line.line.color, line.line.dash) == (
        "North/South's contract",
        SIDE_COLORS[0],
        "solid",
    )
    assert ((mark.x, mark.y), mark.legendgroup) == (((3,), (0.7,)), line.name)
    assert "South's 3♠ in trick 1 cost North/South's contract most: 30.0%, 50.0%" in (
        mark.hovertemplate
    )
    assert (dashed.name, dashed.line.color, dashed.line.dash) == (
        "West's nil",
        SIDE_COLORS[1],
        "dot",
    )
