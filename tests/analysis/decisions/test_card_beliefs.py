"""P(card, seat) by method: the nil bidder's flood, hard facts, what the bids imply."""

import math

import numpy as np
import pytest

from analysis.decisions.card_beliefs import (
    INFERRED,
    METHODS,
    N_DEALS,
    N_QUICK_DEALS,
    CardBeliefs,
    beliefs_of,
    beliefs_series,
    deals_worth,
    effective_deals,
    expected_cards,
    furthest_stray,
    is_flood,
    rule_effects,
    score_of,
    seat_beliefs,
    shares_by,
    unseen_cards,
)
from analysis.intervals import share_interval
from analysis.plots.decisions import plot_beliefs
from spades.belief import Dealing, UniformDeals, deal_count
from spades.core.cards import SEATS, STANDARD, suit_mask
from spades.core.kernel import seed_state
from tests.analysis.decisions.test_decision import record_of
from tests.analysis.runs.test_series import work
from tests.pages.texts import shipped

NIL_PLY = 12  # West to lead; South bid nil, North 5, East 3; nobody has shown out


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))


def nil_beliefs(*methods):
    seen = shipped("south-nil").observation(NIL_PLY)
    items = [shares_by(method, seen) for method in METHODS[: METHODS.index(methods[-1]) + 1]]
    return seen, beliefs_of(items, seen)


def test_the_nil_bidder_is_flooded_with_low_cards_under_biased_dealing():
    """Published: 87% of the biased deals where 33% is right (Whitehouse et al. 2013)."""
    seen, beliefs = nil_beliefs("uniform", INFERRED, "biased")
    nobody_void = not any(seen.table.voids[seat] for seat in beliefs.seats)
    right = seen.hand_sizes[2] / len(beliefs.cards)  # exact while nobody has shown out
    assert nobody_void
    assert right == pytest.approx(1 / 3)
    club = STANDARD.parse_card("C3")
    cell = beliefs.cards.index(club), beliefs.seats.index(2)
    biased = beliefs.shares["biased"][cell]
    low, high = share_interval(round(biased * N_DEALS), N_DEALS)
    assert low > 0.75
    assert high - low < 0.05
    assert beliefs.shares["uniform"][cell] == pytest.approx(right, abs=0.04)
    assert beliefs.shares[INFERRED][cell] < 0.55  # told less than half, dealt four fifths


def test_the_furthest_stray_is_a_low_card_with_the_nil_bidder():
    _, beliefs = nil_beliefs("biased")
    stray = furthest_stray(beliefs)
    assert SEATS[stray.seat] == "S"
    assert STANDARD.format_card(stray.card)[1] in "2345"
    assert stray.biased - stray.inferred > 0.25
    assert stray.interval[0] < stray.biased < stray.interval[1]
    excess = beliefs.shares["biased"] - beliefs.shares[INFERRED]
    assert stray.biased - stray.inferred == pytest.approx(excess.max())


def stray_at(hand, ply):
    seen = shipped(hand).observation(ply)
    items = [shares_by(method, seen) for method in METHODS[:3]]
    return seen, furthest_stray(beliefs_of(items, seen))


def test_only_a_low_card_with_a_nil_bidder_is_the_published_flood():
    seen, stray = stray_at("south-nil", NIL_PLY)
    assert is_flood(stray, seen)
    assert not is_flood(stray._replace(seat=0), seen)  # North bid 5
    assert not is_flood(stray._replace(card=STANDARD.parse_card("S2")), seen)
    assert not is_flood(stray._replace(uniform=stray.biased), seen)
    seen.table.blind[stray.seat] = True  # dealt as if by the usual bid
    assert not is_flood(stray, seen)


@pytest.mark.parametrize(("hand", "ply", "card"), [("south-nil", 48, "S8"), ("four-bots", 0, "H3")])
def test_a_spade_or_a_seat_without_a_nil_strays_and_is_no_flood(hand, ply, card):
    seen, stray = stray_at(hand, ply)
    assert stray.card == STANDARD.parse_card(card)
    assert not is_flood(stray, seen)


def test_chance_among_many_cells_is_no_stray():
    """Without bids the largest of 117 shares exceeds the table by chance: 36% where it says 33."""
    _, stray = stray_at("deal-231", 0)
    assert stray is None


def test_the_interval_is_wide_enough_for_all_cells():
    cards = tuple(STANDARD.parse_card(card) for card in ("H2", "H3"))
    third = np.full((2, 3), 1 / 3)
    dealt = np.array([[0.4, 0.3, 0.3], [1.0, 0.0, 0.0]])
    beliefs = CardBeliefs(0, cards, (1, 2, 3), {"uniform": third, INFERRED: third, "biased": dealt})
    stray = furthest_stray(beliefs)
    assert (stray.card, stray.seat) == (cards[1], 1)
    one_of_six = 0.05 / 6
    assert stray.interval == pytest.approx(((one_of_six / 2) ** (1 / N_DEALS), 1.0))


def test_what_the_bids_imply_adds_up_and_shows_the_flood():
    seen, beliefs = nil_beliefs("biased")
    rows = {(row["seat"], row["kind"]): row for row in expected_cards(beliefs, seen)}
    low = [rows[seat, "low cards"] for seat in beliefs.seats]
    for method in beliefs.shares:
        n_low = sum(1 for card in beliefs.cards if card >> 4 and card & 15 < 8)
        assert sum(row[method] for row in low) == pytest.approx(n_low, abs=0.02)
    south = rows[2, "low cards"]
    assert south["biased"] > south[INFERRED] + 2 > south["uniform"] + 2


def test_every_method_gives_each_card_to_one_seat():
    seen = shipped("four-bots").observation(22)
    for method in METHODS:
        shares = shares_by(method, seen, n=200)
        assert shares.sum(axis=1) == pytest.approx(np.ones(len(unseen_cards(seen))), abs=1e-6)
    assert deal_count(seen) > 1


def test_the_rules_that_act_are_named_with_what_they_move():
    effects = rule_effects(shipped("south-nil").observation(NIL_PLY))
    names = [effect.name for effect in effects]
    assert "low cards behind nil" in names
    gaps = [abs(effect.with_rule - effect.without) for effect in effects]
    assert gaps == sorted(gaps, reverse=True)
    nil = effects[names.index("low cards behind nil")]
    assert nil.with_rule != nil.without


def test_the_score_by_hand():
    shares = np.array([[1.0, 0.0, 0.0], [0.5, 0.25, 0.25]])
    expected = (math.log((9 + 1 / 3) / 10) + math.log((9 * 0.25 + 1 / 3) / 10)) / 2
    assert score_of(shares, [0, 2], 9) == pytest.approx(expected)
    assert score_of(shares, [1, 2], 9) < expected


def test_a_run_keeps_all_methods_and_follows_seat_and_ply(store):
    record = record_of()
    items = work(beliefs_series(record, 9, 1), len(METHODS))
    beliefs = beliefs_of(items, record.observation(9, 1))
    assert beliefs.seat == 1
    assert beliefs.seats == (2, 3, 0)
    assert list(beliefs.shares) == list(METHODS)
    assert beliefs_series(record, 9, 1).items == items
    assert beliefs_series(record, 9, 2).done == 0
    assert furthest_stray(beliefs_of(items[:1], record.observation(9, 1))) is None


def test_the_maps_show_the_shares_and_rings_only_when_asked():
    shares = np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]])
    cards = (STANDARD.parse_card("SA"), STANDARD.parse_card("H2"))
    beliefs = CardBeliefs(0, cards, (1, 2, 3), {"uniform": shares, "biased": shares[::-1]})
    hidden = plot_beliefs(beliefs, STANDARD)
    assert [trace.type for trace in hidden.data] == ["heatmap", "heatmap"]
    assert np.array_equal(hidden.data[1].z, shares[::-1])
    assert list(hidden.data[0].y) == ["A♠", "2♥"]
    assert list(hidden.data[0].x) == ["E", "S", "W"]
    shown = plot_beliefs(beliefs, STANDARD, holders=[3, 2])
    rings = [trace for trace in shown.data if trace.type == "scatter"]
    assert [list(trace.x) for trace in rings] == [["W", "S"], ["W", "S"]]


@pytest.mark.parametrize("name", ["south-nil", "bug-report-335"])
def test_a_card_is_possible_where_any_deal_puts_it(name):
    record = shipped(name)
    for ply in range(24, 52):
        seen = record.observation(ply)
        dealt = sampled_uniformly(seen, 5000) > 0  # few deals agree: each comes up
        assert np.array_equal(shares_by("uniform", seen) > 0, dealt)


def sampled_uniformly(seen, n):
    deals, _ = UniformDeals(seen).sample(n, seed_state(3))
    cards = np.array(unseen_cards(seen), dtype=np.int64)
    seats = [(seen.seat + i) % 4 for i in (1, 2, 3)]
    return (deals[:, None, seats] >> cards[None, :, None] & 1).mean(axis=0)


@pytest.mark.parametrize("ply", [0, 13, 22, 30, 41])
def test_uniform_shares_are_counted_over_all_deals(ply):
    for name in ("south-nil", "bug-report-335", "four-bots"):
        seen = shipped(name).observation(ply)
        shares = shares_by("uniform", seen)
        assert np.abs(shares - sampled_uniformly(seen, 20_000)).max() < 0.025
        sizes = [seen.hand_sizes[(seen.seat + i) % 4] for i in (1, 2, 3)]
        assert shares.sum(axis=0) == pytest.approx(sizes)
        assert shares.sum(axis=1) == pytest.approx(np.ones(len(shares)))
    assert shares_by("uniform", shipped("four-bots").observation(0)) == pytest.approx(1 / 3)


def test_the_likeliest_cards_are_the_shares_in_order():
    seen = shipped("south-nil").observation(NIL_PLY)
    cards, shares = unseen_cards(seen), shares_by("biased", seen, n=N_QUICK_DEALS)
    for j, belief in enumerate(seat_beliefs(Dealing.of("biased"), seen, most=8)):
        found = [likely.share for likely in belief.cards]
        assert found == sorted(shares[:, j], reverse=True)[:8]
        assert [shares[cards.index(likely.card), j] for likely in belief.cards] == found
        assert belief.seat == (seen.seat + 1 + j) % 4
        assert not belief.voids


def test_voids_and_certain_cards():
    record, told = shipped("south-nil"), 0
    for ply in range(24, 52):
        seen = record.observation(ply)
        for belief in seat_beliefs(Dealing.of("uniform"), seen, most=52):
            shown_out = {
                suit
                for suit in range(4)
                if seen.table.voids[belief.seat] & seen.unseen_mask & suit_mask(suit)
            }
            assert shown_out <= set(belief.voids)
            for likely in belief.cards:
                told += likely.is_certain
                assert likely.share == 1 or not likely.is_certain
    assert told > 5


def test_the_posterior_s_thousand_deals_count_as_its_effective_sample_size():
    seen = shipped("south-nil").observation(12)
    assert (
        deals_worth(Dealing.of("posterior"), seen) == round(effective_deals(seen)) < N_QUICK_DEALS
    )
    assert deals_worth(Dealing.of("mixed"), seen) == N_QUICK_DEALS
    assert deals_worth(Dealing.of("uniform"), seen) == 0  # counted, not dealt
