"""Another card from here: paired differences, deals from what was seen, nothing from the truth."""

import dataclasses
import random

import numpy as np
import pytest

from analysis.decisions.card_values import Difference, candidate_values, differences
from analysis.decisions.what_if import WhatIf, draw_deals, what_if_series
from analysis.plots.decisions import plot_differences
from spades.belief import DETERMINIZATIONS, Dealing
from spades.core.cards import cards_in
from tests.analysis.decisions.test_decision import record_of
from tests.analysis.runs.test_series import work
from tests.positions import swap_hidden

PLY = 8
CARDS = ["SA", "S2", "HK"]
VALUES = np.array([[10, 0, 10], [30, 0, 10], [20, 0, 40], [20, 10, 0]], dtype=float)


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))


def test_differences_are_paired_by_deal():
    found = {gap.card: gap for gap in differences(candidate_values(CARDS, VALUES), "SA")}
    assert set(found) == {"S2", "HK"}
    error = np.std([10, 30, 20, 10], ddof=1) / 2
    assert found["S2"].mean == -17.5
    assert found["S2"].interval == pytest.approx((-17.5 - 1.96 * error, -17.5 + 1.96 * error))
    assert found["S2"].is_clear
    assert found["HK"].mean == -5
    assert not found["HK"].is_clear
    assert found["HK"].n == 4


@pytest.mark.parametrize(
    ("mean", "is_clear"), [(1.97, True), (-1.97, True), (1.95, False), (-1.95, False)]
)
def test_a_difference_is_clear_when_its_interval_leaves_out_0(mean, is_clear):
    assert Difference("SA", 10, mean, standard_error=1).is_clear == is_clear


@pytest.mark.parametrize("dealing", sorted(DETERMINIZATIONS))
def test_permuting_the_hidden_hands_changes_nothing(store, tmp_path, monkeypatch, dealing):
    """The same observation, the other hands dealt anew: the same deals and the same points."""
    record = record_of()
    other = swap_hidden(record.at(PLY), record.at(PLY).table.turn, random.Random(1))
    start = list(other.hands)
    for seat, card in zip(other.table.seats, other.table.plays, strict=True):
        start[seat] |= 1 << card
    permuted = dataclasses.replace(record, hands=tuple(start), plays=record.plays[:PLY])
    assert permuted.hands != record.hands
    how = WhatIf(dealing=Dealing.of(dealing), seed=3)
    first = work(what_if_series(record, PLY, how), 20)
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "other"))
    assert work(what_if_series(permuted, PLY, how), 20) == first


def test_a_run_is_kept_and_follows_its_settings(store):
    record, how = record_of(), WhatIf(policy="human")
    run = what_if_series(record, PLY, how)
    items = work(run, 100)
    assert len(items[0]) == len(list(cards_in(record.observation(PLY).legal_mask)))
    assert what_if_series(record, PLY, how).items == items
    for other in (WhatIf(), WhatIf(policy="human", seed=1), WhatIf(Dealing.of("biased"), "human")):
        assert what_if_series(record, PLY, other).done == 0


def test_the_posterior_has_many_deals_for_the_trials():
    deals = draw_deals(record_of().observation(PLY), WhatIf(dealing=Dealing.of("posterior")))
    assert len(np.unique(deals, axis=0)) > 1000  # drawn by weight


def test_the_dots_say_the_differences():
    rows = differences(candidate_values(CARDS, VALUES), "SA")
    names = {card: card for card in CARDS}
    traces = plot_differences(rows, "SA", labels=names).data
    by_name = {trace.name: trace for trace in traces}
    clear, unclear = by_name["clear difference"], by_name["no clear difference"]
    assert (list(clear.y), list(clear.x)) == (["S2"], [-17.5])
    assert list(unclear.y) == ["HK"]
    assert clear.error_x.array[0] == pytest.approx(rows[-1].interval[1] - rows[-1].mean)
