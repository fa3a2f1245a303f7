"""Nils of logs, their rates beside the curves, one hand, the surface, the ace of spades."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.bidding.decisions import even_chance
from analysis.bidding.questions import ANY, sequences_of
from analysis.intervals import clopper_pearson
from analysis.nil.rates import (
    Source,
    arithmetic,
    chance_at,
    compute_cell,
    compute_curves,
    compute_places,
    compute_rates,
    compute_suits,
    compute_surface,
    compute_totals,
    nil_points,
    value_of,
)
from analysis.nil.rounds import bin_of, compute_aces, count_aces, count_nils, find_nils, find_rounds
from spades.bidding.auction import N_SEQUENCES, SEQUENCES
from spades.bidding.hands import p_cnil
from spades.core.cards import DECKS, STANDARD, parse_hand, suit_mask
from spades.core.logs import Log, concatenate
from spades.core.rules import Rules
from tests.analysis.nils import made_up_source
from tests.analysis.styles import random_log, random_round
from tests.random_logs import random_log as big_log

# Nils of a log


def plainly(log):
    """Every nil of a log, recomputed from its records."""
    found = []
    for row, record in enumerate(log.records()):
        if not record.is_complete or record.rules.nil is None:
            continue
        taken = [record.final().table.winners.count(seat) for seat in range(4)]
        order = [(record.dealer + 1 + i) % 4 for i in range(4)]
        for place, seat in enumerate(order):
            before = tuple(record.bids[other] for other in order[:place])
            if record.bids[seat] == 0 and -1 not in before and not record.blind[seat]:
                deck, hand = record.rules.cards, record.hands[seat]
                parts = [p_cnil(hand & suit_mask(suit), suit, deck) for suit in range(4)]
                has_void = any(not hand & suit_mask(suit) for suit in range(4))
                value = min(1.0, math.prod(parts) * (1.15 if has_void else 1.0))
                found.append((row, seat, before, value, taken[seat] == 0))
    return sorted(found)


def listed(nils):
    rows = zip(nils.round, nils.seat, nils.sequence, nils.value, nils.made, strict=True)
    return sorted((r, s, SEQUENCES[q], v, m) for r, s, q, v, m in rows)


@pytest.mark.parametrize("deck", DECKS)
def test_nils_are_those_of_the_records(deck):
    rules = (Rules(deck=deck), Rules(deck=deck, nil=None), Rules(deck="standard"))
    log = big_log(300, seed=3, rules=rules, p_cut=0.1)
    found, wanted = listed(find_nils(log)), plainly(log)
    assert len(wanted) > 20
    assert [row[:3] + row[4:] for row in found] == [row[:3] + row[4:] for row in wanted]
    assert [row[3] for row in found] == pytest.approx([row[3] for row in wanted])


def test_blind_nils_and_unknown_bids_are_left_out():
    plain = random_round(1, dealer=3, bids=(4, 0, 3, 2))
    blind = replace(plain, blind=(False, True, False, False))
    unknown = replace(plain, bids=(-1, 0, 3, 2))
    nils = find_nils(Log.from_records([plain, blind, unknown]))
    assert nils.round.tolist() == [0]
    assert SEQUENCES[nils.sequence[0]] == (4,)


def test_counts_hold_every_nil_once_and_kinds_add_up():
    log = random_log(60)
    nils = find_nils(log)
    counts = count_nils(nils)
    assert counts.shape == (N_SEQUENCES, 20, 2)
    assert counts[..., 0].sum() == len(nils.round) > 20
    assert counts[..., 1].sum() == nils.made.sum()
    humans, bots = count_nils(nils, "human"), count_nils(nils, "bot")
    assert humans[..., 0].sum() == (nils.seat == 2).sum() > 0
    assert (humans + bots == counts).all()
    first = counts[nils.sequence[0], bin_of(nils.value)[0]]
    same = (nils.sequence == nils.sequence[0]) & (bin_of(nils.value) == bin_of(nils.value)[0])
    assert first.tolist() == [same.sum(), nils.made[same].sum()]


def test_a_round_stored_twice_is_one_nil():
    log = big_log(60, seed=3)
    twice = concatenate([log, log])
    assert len(find_nils(twice).round) == len(find_nils(log).round) > 0
    assert count_aces(twice, 3).n_rounds == count_aces(log, 3).n_rounds > 0


def test_bins_hold_their_lower_edge_and_the_last_one_holds_1():
    assert bin_of(np.array([0.0, 0.0499, 0.05, 0.5, 0.95, 1.0])).tolist() == [0, 0, 1, 10, 19, 19]


def test_rounds_behind_a_point_are_its_nils():
    log = random_log(120)
    nils = find_nils(log)
    total = 0
    for at in range(20):
        rows, n, made = find_rounds(log, nils, sequences_of((ANY,)), at, kind="any", limit=500)
        total += n
        assert len(rows) == n
        assert made == rows["made"].sum()
        for row in rows.itertuples():
            record = log.record(row.round)
            seat = "NESW".index(row.seat)
            assert record.bids[seat] == 0
            assert (record.dealer + 2) % 4 == seat  # after one bid
            assert str(record.bids[(seat - 1) % 4]).replace("0", "nil") == row.bids
            assert parse_hand(row.hand, STANDARD) == record.hands[seat]
            assert int(bin_of(np.array([row.value]))[0]) == at
            assert row.tricks == record.final().table.winners.count(seat)
    assert total == count_nils(nils)[sequences_of((ANY,)), :, 0].sum() > 5
    rows, n, _ = find_rounds(log, nils, sequences_of((ANY,)), 0, kind="any", limit=2)
    assert (len(rows), n > 2) == (2, True)


# Rates and curves

SOURCE = made_up_source(
    {((1, 3), 16): (10, 8), ((1, 3), 4): (2, 0), ((2, 3), 16): (30, 15), ((), 0): (5, 0)},
    _1_3=(-1.0, 2.0),
    _2_3=(0.5, 1.0),
)


def test_rates_are_counts_with_exact_intervals_and_empty_bins_have_none():
    rates = compute_rates([SOURCE], [(1, 3)])
    assert rates["n"].tolist() == [0] * 4 + [2] + [0] * 11 + [10, 0, 0, 0]
    row = rates.iloc[16]
    assert (row["rate"], row["from"], row["to"]) == (0.8, 0.8, pytest.approx(0.85))
    assert (row["low"], row["high"]) == clopper_pearson(8, 10)
    assert row["curve"] == pytest.approx(SOURCE.curves.probability((1, 3), 0.825))
    empty = rates[rates["n"] == 0]
    assert empty[["rate", "low", "high"]].isna().all(axis=None)
    assert rates.iloc[4]["rate"] == 0.0  # nils, none of them made


def test_open_bids_add_up_and_weigh_the_curves_by_nils_seen():
    rates = compute_rates([SOURCE], [(ANY, 3)])
    assert rates.iloc[16][["n", "made"]].tolist() == [40, 23]
    chance, low, high = chance_at(SOURCE, (ANY, 3), 0.8)
    parts = [SOURCE.curves.probability(bids, 0.8) for bids in ((1, 3), (2, 3))]
    assert chance == pytest.approx((12 * parts[0] + 30 * parts[1]) / 42)
    assert math.isnan(low)
    assert math.isnan(high)
    unseen, _, _ = chance_at(SOURCE, (ANY, 9), 0.8)
    assert unseen == pytest.approx(0.5)


def test_curves_are_those_of_the_table():
    curves = compute_curves([SOURCE, Source("log", SOURCE.counts)], [(1, 3), (ANY,)])
    assert set(curves["source"]) == {"bots"}
    row = curves[np.isclose(curves["value"], 0.8)].iloc[0]
    assert row["chance"] == pytest.approx(SOURCE.curves.probability((1, 3), 0.8))
    assert (row["low"], row["high"]) == pytest.approx(SOURCE.curves.interval((1, 3), 0.8))
    assert curves[curves["sequence"] == "second to bid"]["low"].isna().all()
    assert curves["value"].min() > 0


def test_totals_by_sequence_and_source():
    totals = compute_totals([SOURCE, Source("log", SOURCE.counts)], [(1, 3), (9,)])
    assert totals["n"].tolist() == [12, 0, 12, 0]
    assert totals["made"].tolist() == [8, 0, 8, 0]
    assert totals["rate"].isna().tolist() == [False, True, False, True]
    assert totals["at 0.5"].notna().tolist() == [True, True, False, False]


def test_a_surface_has_every_pair_and_every_nil():
    rows = compute_surface(SOURCE, 2, 0.8)
    assert len(rows) == 14 * 14  # the sum of two bids says both
    row = rows[(rows["partner"] == 1) & (rows["total"] == 4)].iloc[0]
    assert (row["n"], row["made"]) == (12, 8)
    assert row["chance"] == pytest.approx(SOURCE.curves.probability((1, 3), 0.8))
    three = made_up_source(
        {((2, 4, 3), 5): (6, 3), ((3, 4, 2), 5): (2, 0)}, _2_4_3=(1.0, 1.0), _3_4_2=(-1.0, 1.0)
    )
    rows = compute_surface(three, 3, 0.5)
    assert len(rows) == 14 * 27
    assert (rows["total"] >= rows["partner"]).all()
    row = rows[(rows["partner"] == 4) & (rows["total"] == 9)].iloc[0]
    parts = [three.curves.probability(bids, 0.5) for bids in ((2, 4, 3), (3, 4, 2))]
    assert row["chance"] == pytest.approx((6 * parts[0] + 2 * parts[1]) / 8)
    assert (row["n"], row["rate"]) == (8, 0.375)


def test_the_sequences_behind_a_cell_are_those_of_the_surface():
    source = made_up_source(
        {((2, 4, 3), 5): (6, 3), ((3, 4, 2), 5): (2, 0), ((3, 4, 2), 9): (8, 8)}, _2_4_3=(1.0, 1.0)
    )
    rows = compute_cell(source, 3, 4, 9, 0.5)
    assert len(rows) == 6  # the two opponents share five tricks
    assert rows["bids"].tolist()[:2] == ["3,4,2", "2,4,3"]
    assert (rows["n"].iloc[0], rows["made"].iloc[0]) == (10, 8)
    assert rows["chance"].iloc[1] == pytest.approx(source.curves.probability((2, 4, 3), 0.5))
    surface = compute_surface(source, 3, 0.5)
    for cell in surface.sample(12, random_state=1).itertuples():
        behind = compute_cell(source, 3, cell.partner, cell.total, 0.5)
        assert (behind["n"].sum(), behind["made"].sum()) == (cell.n, cell.made)
        assert len(behind) > 0


def test_the_rounds_of_any_nil_value():
    log = random_log(120)
    nils = find_nils(log)
    _, n, made = find_rounds(log, nils, sequences_of((ANY,)), None, kind="any", limit=500)
    counts = count_nils(nils)[sequences_of((ANY,))].sum(axis=(0, 1))
    assert [n, made] == counts.tolist()
    assert n > 5


# One hand


def test_a_hand_suit_by_suit():
    hand = parse_hand("J52.9643.Q.K9543", STANDARD)
    suits, value = compute_suits(hand, STANDARD), value_of(hand, STANDARD)
    assert suits["p_cnil"].iloc[2] == pytest.approx(0.572, abs=0.001)  # section 4.2 of the paper
    assert suits["p_cnil"].iloc[3] == pytest.approx(1.0, abs=0.0005)
    assert value == pytest.approx(suits["p_cnil"].prod())
    assert arithmetic(suits, value).endswith(f"= {value:.3f}")
    assert suits["cards"].iloc[0] == "SJ S5 S2"


def test_a_void_counts_and_the_value_stops_at_1():
    hand = parse_hand(".JT6542.53.A8432", STANDARD)
    suits, value = compute_suits(hand, STANDARD), value_of(hand, STANDARD)
    assert value == pytest.approx(min(1.0, suits["p_cnil"].prod() * 1.15))
    assert "1.15 (void)" in arithmetic(suits, value)


def test_a_suit_that_a_rule_denies_has_no_number():
    hand = parse_hand("5432.32.5432.432", STANDARD)
    suits = compute_suits(hand, STANDARD)
    assert suits["p_cnil"].isna().tolist() == [True, False, False, False]
    told = arithmetic(suits, value_of(hand, STANDARD))
    assert told.startswith("0; BIS's rule")
    ace = parse_hand("A2.J3.65432.5432", STANDARD)
    assert compute_suits(ace, STANDARD)["p_cnil"].iloc[0] == 0.0  # a fact of the game


def test_points_and_the_chance_that_is_just_worth_it():
    assert nil_points(0.75, 100) == 50.0
    assert even_chance(25, 100) == 0.625
    assert nil_points(even_chance(25, 100), 100) == 25.0


def test_places_of_a_hand():
    places = compute_places([SOURCE, Source("log", SOURCE.counts)], (1, 3), 0.81)
    assert places["source"].tolist() == ["bots"]
    row = places.iloc[0]
    assert row["chance"] == pytest.approx(SOURCE.curves.probability((1, 3), 0.81))
    assert row["low"] < row["chance"] < row["high"]
    assert (row["after"], row["n"], row["made"], row["rate"]) == (12, 10, 8, 0.8)
    denied = compute_places([SOURCE], (1, 3), 0.0).iloc[0]  # by a rule, not by a curve
    assert denied[["chance", "low", "high"]].isna().all()
    assert denied["n"] == 0


# The ace of spades


@pytest.mark.parametrize("n_previous", [1, 2, 3])
def test_aces_are_counted_where_they_are(n_previous):
    log = big_log(200, seed=5, rules=(Rules(), Rules(deck="joker-joker-ace")))
    wanted: dict[int, list[bool]] = {}
    for record in log.records():
        seat = (record.dealer + 1 + n_previous) % 4
        total = sum(record.bids[(record.dealer + 1 + i) % 4] for i in range(n_previous))
        top = record.rules.cards.suits[0][-1]
        held = top in record.rules.cards.format_cards(record.hands[seat]).split()
        wanted.setdefault(total, []).append(held)
    rows = compute_aces([("log", count_aces(log, n_previous))])
    assert rows["total"].tolist() == sorted(wanted)
    assert rows["n"].tolist() == [len(wanted[total]) for total in sorted(wanted)]
    assert rows["held"].tolist() == [sum(wanted[total]) for total in sorted(wanted)]
    assert rows["low"].iloc[0] == clopper_pearson(rows["held"].iloc[0], rows["n"].iloc[0])[0]


def test_aces_after_bids_of_one_kind_and_after_known_bids_only():
    log = random_log(40)  # South a human, the others bots
    dealt_by_south = int((log.dealer == 2).sum())
    assert count_aces(log, 3, "bot").n_rounds == dealt_by_south
    assert count_aces(log, 3, "human").n_rounds == 0
    assert compute_aces([("log", count_aces(log, 3, "human"))]).empty
    unknown = random_log(5, bids=(-1, -1, -1, -1))
    assert count_aces(unknown, 3).n_rounds == 0
    assert isinstance(compute_aces([]), pd.DataFrame)
