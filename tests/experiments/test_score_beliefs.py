"""Beliefs measured: scores by hand, bootstrap, parts, and what the stored table says."""

import math

import numpy as np
import pytest

from analysis.decisions.card_beliefs import INFERRED, log_scores, other_seats, unseen_cards
from analysis.papers.belief_scores import (
    DEALT_FIRST,
    DEALT_LAST,
    NETWORK_TOLD,
    NO_RULE,
    POSTERIOR_TOLD,
    load_scores,
)
from experiments.score_beliefs import (
    GROUPS,
    N_DEALS,
    N_ROUNDS,
    PLIES,
    Scored,
    bootstrap_means,
    group_document,
    part_scores,
    rounds_of,
    rules_document,
    score_position,
    score_rounds,
    shares_of,
)
from spades.belief import RULE_NAMES, Dealing
from spades.core.errors import SpadesError
from spades.core.kernel import seed_state
from spades.core.rules import NIL_BID


def test_the_smoothed_log_by_hand():
    found = log_scores(np.array([0.0, 1 / 3, 1.0]), 400)
    assert found == pytest.approx(
        [math.log(1 / 3 / 401), math.log(1 / 3), math.log((400 + 1 / 3) / 401)]
    )


def test_a_position_is_the_sum_over_its_cards():
    record = rounds_of("simulated humans", 2)[1]
    state = record.at(13)
    seen = record.observe(state)
    total, n = score_position(seen, state.hands, ["uniform", INFERRED], 5)
    cards, seats = unseen_cards(seen), other_seats(seen)
    expected = 0.0
    for i, card in enumerate(cards):
        holder = next(k for k in range(3) if state.hands[seats[k]] >> card & 1)
        share = shares_of(INFERRED, seen, 5)[i, holder]
        expected += math.log((N_DEALS * share + 1 / 3) / (N_DEALS + 1))
    assert n.sum() == len(cards)
    assert total[:, 1].sum() == pytest.approx(expected)
    high = [card for card in cards if card < 16 or card & 15 >= 9]
    assert n[0] == len(high)


def test_the_bootstrap_weighs_rounds_by_their_cards():
    total, n = np.array([[-10.0], [-60.0]]), np.array([10, 30])
    mean, *again = bootstrap_means(total, n, ["biased"])["biased"]
    assert mean == pytest.approx(-70 / 40)
    assert set(np.round(again, 6)) == {-1.0, -1.75, -2.0}


def test_parts_take_their_own_rounds_plies_and_cards():
    shape = (4, len(PLIES), 2, 2)
    total = np.zeros(shape)
    total[..., 0] = -1.0
    total[:2, ..., 1] = -2.0  # rounds with a nil
    total[2:, ..., 1] = -1.0
    total[:, 0, 0, 1] -= 1.0
    scored = Scored(
        ("uniform", "biased"), total, np.ones(shape[:3], int), np.array([True, True, False, False])
    )
    parts = group_document(scored)
    value = {name: part["scores"]["biased"]["value"] for name, part in parts.items()}
    assert parts["all"]["cards"] == 32
    assert value["rounds with a nil"] == pytest.approx(-2 - 1 / 8)
    assert value["rounds without"] == pytest.approx(-1 - 1 / 8)
    assert value[DEALT_FIRST] == pytest.approx(-1.5 - 1 / 4)
    assert value[DEALT_LAST] == pytest.approx(-1.5)
    assert value["before ply 0"] == pytest.approx(-2.0)
    gap = parts["rounds with a nil"]["differences"]["biased - uniform"]
    assert gap["value"] == pytest.approx(-1.125)
    assert parts["rounds with a nil"]["rounds"] == 2


def test_rules_are_measured_by_switching_them_off():
    off = [f"{name} - {rule}" for rule in (*RULE_NAMES, NO_RULE) for name in ("biased", INFERRED)]
    scored = score_rounds(rounds_of("simulated humans", 2), ["biased", INFERRED, *off])
    gains = rules_document(scored)
    assert set(gains) == {*RULE_NAMES, NO_RULE}
    column = scored.methods.index(f"{INFERRED} - {NO_RULE}")
    n = scored.n.sum()
    bare = scored.total[..., column].sum() / n
    whole = scored.total[..., 1].sum() / n
    assert gains[NO_RULE][INFERRED]["value"] == pytest.approx(whole - bare)
    record = rounds_of("simulated humans", 1)[0]
    plain = shares_of(f"{INFERRED} - {NO_RULE}", record.observation(0), 1)
    assert plain == pytest.approx(np.full(plain.shape, 1 / 3))


def test_scores_repeat_and_need_no_more_than_one_method():
    records = rounds_of("four-ismcts", 2)
    first = score_rounds(records, ["biased"])
    again = score_rounds(records, ["uniform", "biased"])
    assert np.array_equal(first.total[..., 0], again.total[..., 1])
    assert first.has_nil.tolist() == [NIL_BID in record.bids for record in records]
    found = part_scores(first.total.sum(axis=(1, 2)), first.n.sum(axis=(1, 2)), ["biased"])
    assert found["differences"] == {}


def test_the_stored_table_has_every_group_with_n_and_intervals():
    document = load_scores()
    assert set(document["groups"]) == set(GROUPS)
    assert document["rounds"] == N_ROUNDS
    for found in document["groups"].values():
        part = found["parts"]["all"]
        assert part["rounds"] == N_ROUNDS
        assert part["cards"] == N_ROUNDS * (39 + 29 + 19 + 9)  # unseen before each ply
        assert {"uniform", INFERRED, NETWORK_TOLD, POSTERIOR_TOLD} < set(part["scores"])
        for score in part["scores"].values():
            low, high = score["interval"]
            assert low < score["value"] < high < 0


def test_what_the_stored_table_found():
    """Posterior beats biased everywhere; biased is worse than uniform; dealing is the cause."""
    for found in load_scores()["groups"].values():
        gaps = found["parts"]["all"]["differences"]
        assert gaps["posterior - biased"]["interval"][0] > 0
        assert gaps["posterior - uniform"]["interval"][0] > 0
        assert gaps["biased - uniform"]["interval"][1] < 0
        assert gaps["biased - inferred"]["interval"][1] < 0
        first, last = (
            found["parts"][name]["differences"]["biased - uniform"]
            for name in (DEALT_FIRST, DEALT_LAST)
        )
        assert last["interval"][1] < first["interval"][0]  # the flood costs most


def test_who_plays_helps_the_posterior_more_than_the_network():
    """All reach their goals: 0.079, 0.05 and 0.15 nats a card over counting."""
    for found, goal in zip(load_scores()["groups"].values(), (0.079, 0.05, 0.15), strict=True):
        gaps = found["parts"]["all"]["differences"]
        assert gaps[f"{POSTERIOR_TOLD} - {NETWORK_TOLD}"]["interval"][0] > 0
        assert gaps[f"{POSTERIOR_TOLD} - uniform"]["value"] > goal


def test_the_posterior_s_shares_are_by_the_weights_of_all_its_deals():
    record = rounds_of("four-srp-nil", 1)[0]
    seen = record.observation(13)
    found = shares_of("posterior: rules", seen, 4)
    posterior = Dealing.of("posterior", players="rules")(seen)
    posterior.sample(1, seed_state(4))
    deals, weights = posterior.weighed_
    card, seat = unseen_cards(seen)[3], other_seats(seen)[1]
    by_hand = weights[(deals[:, seat] >> card & 1) == 1].sum() / weights.sum()
    assert found[3, 1] == pytest.approx(by_hand)
    assert found.sum(axis=1) == pytest.approx(np.ones(len(found)))


@pytest.mark.parametrize("text", ["[" * 3000, "{", "7", "\udcff"])
def test_a_damaged_table_is_refused_with_what_makes_it(tmp_path, text):
    path = tmp_path / "scores.json"
    path.write_text(text, errors="surrogateescape")
    with pytest.raises(SpadesError, match=r"can't be read .* experiments\.score_beliefs makes"):
        load_scores(path)
