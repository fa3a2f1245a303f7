"""Bias towards a human model in the search: what the model is told, and what its word counts."""

import random

import numpy as np
import pytest

from spades.core.cards import cards_in
from spades.core.observation import observe
from spades.human import load_model, load_prior
from spades.human.features.view import view_of
from spades.search import Experience, Knowledge, Pikl, Search, SearchSettings, search
from spades.search.priors import query_model
from spades.search.settings import InvalidSearchError
from spades.search.techniques.technique import ALL_CHILDREN, FIRST_CHILD, InvalidBiasError
from spades.search.tree import ON_TABLE, new_scratch, progress_at, start_position
from tests.positions import random_bids, random_round, swap_hidden

MODEL = "devlin2016-nil"
BIASES = [
    Knowledge(MODEL),
    Knowledge(MODEL, c_bt=0.2, delay="5"),
    Experience(MODEL, w=10),
    Experience(MODEL, w=200, delay="root"),
    Knowledge(MODEL, c_bt=0.2, delay="5", asked=FIRST_CHILD),
    Experience(MODEL, w=10, asked=ALL_CHILDREN),
    Pikl(MODEL, lambda_=60, play_="sample"),
]


def positions(seed, plies):
    rng = random.Random(seed)
    return [random_round(rng, ply, bids=random_bids(rng)) for ply in plies]


def biased(state, bias, iterations=900, seed=4):
    settings = SearchSettings(bias=bias)
    prior = load_prior(bias.model) if bias else None
    return search(observe(state), iterations=iterations, seed=seed, settings=settings, prior=prior)


def rows_of(result):
    return [
        (row.card.code, row.visits, row.availability, row.mean_value, row.standard_error)
        for row in result.cards
    ]


@pytest.mark.parametrize(
    "nothing",
    [
        Knowledge(MODEL, c_bt=0),
        Experience(MODEL, w=0),
        Knowledge(MODEL, c_bt=5, delay="inf"),
        Experience(MODEL, w=500, delay="inf"),
        Knowledge(MODEL, c_bt=5, delay="901"),  # visits that no node reaches
        Knowledge(MODEL, c_bt=0, asked=FIRST_CHILD),
        Experience(MODEL, w=0, asked=ALL_CHILDREN),
        Experience(MODEL, w=500, delay="inf", asked=ALL_CHILDREN),
    ],
)
def test_a_bias_of_nothing_is_the_unbiased_search(nothing):
    for state in positions(1, range(0, 52, 5)):
        assert repr(rows_of(biased(state, nothing))) == repr(rows_of(biased(state, None)))


@pytest.mark.parametrize(
    "strong",
    [
        Knowledge(MODEL, c_bt=1000, k=1e9),
        Experience(MODEL, w=100_000),
    ],
)
def test_a_very_strong_bias_plays_what_the_model_would(strong):
    n_checked = 0
    for state in positions(2, range(0, 48, 2)):
        asked = np.sort(load_model(MODEL).predict_proba([observe(state)])[0])
        if asked[-1] - asked[-2] < 0.05:
            continue  # two cards that the model hardly tells apart
        found = biased(state, strong)
        best = max(found.cards, key=lambda row: row.prior)
        assert found.best.card.code == best.card.code
        assert best.prior == pytest.approx(asked[-1], abs=1e-6) or len(found.cards) == 1
        n_checked += 1
    assert n_checked > 12


@pytest.mark.parametrize("bias", BIASES)
def test_the_roots_priors_are_the_models_and_visits_are_counted_as_before(bias):
    for state in positions(3, range(0, 50, 4)):
        result = biased(state, bias)
        assert sum(row.visits for row in result.cards) == result.iterations
        assert all(row.visits <= row.availability <= result.iterations for row in result.cards)
        if len(result.cards) == 1:
            continue
        seen = observe(state)
        asked = load_model(MODEL).predict_proba([seen])[0]
        indices = seen.rules.cards.indices
        for row in result.cards:
            assert row.prior == pytest.approx(asked[indices[row.card.code]], abs=1e-6)
        assert any(row.bias for row in result.cards)


def test_the_bias_term_is_the_published_formula_in_points():
    state = positions(4, [0])[0]
    result = biased(state, Knowledge(MODEL, c_bt=0.2, k=500))
    row = result.best
    assert row.bias == pytest.approx(400 * 0.2 * (500 / (900 + 500)) ** 0.5 * row.prior)
    result = biased(state, Experience(MODEL, w=30))
    row = result.best
    reward = row.mean_value / 400 + 0.5
    with_bias = (row.visits * reward + 30 * row.prior) / (row.visits + 30)
    assert row.bias == pytest.approx(400 * (with_bias - reward))


def test_the_model_is_called_as_often_as_the_delay_says():
    state = positions(5, [2])[0]
    results = [
        biased(state, Experience(MODEL, delay=delay)) for delay in ("1", "10", "100", "root", "inf")
    ]
    calls, nodes = zip(*((one.model_calls, one.queried_nodes) for one in results), strict=True)
    for counts in (calls, nodes):
        assert list(counts) == sorted(counts, reverse=True)
        assert counts[-2:] == (1, 0)
        assert counts[0] > counts[1] > counts[2] > 1
    assert all(node < call for node, call in zip(nodes[:3], calls[:3], strict=True))


def test_at_the_root_a_model_asked_first_lends_its_visits_before_a_card_is_tried():
    (state,) = positions(9, [0])
    n = state.legal_plays().bit_count()
    after, first = (
        biased(state, Experience(MODEL, w=50, delay="root", asked=asked), iterations=n)
        for asked in (ALL_CHILDREN, FIRST_CHILD)
    )
    assert [row.visits for row in after.cards] == [1] * n  # all tried, the model not yet asked
    assert after.queried_nodes == 0
    assert first.queried_nodes == first.model_calls == 1
    # The root is asked at its second visit. A card tried n times scores by
    # (rewards + w P) / (w + n) + C sqrt(ln(m w + n_avail) / (w + n)): the likeliest one leads.
    priors = [row.prior for row in first.cards]
    likeliest = first.cards[int(np.argmax(priors))]
    assert likeliest.visits == max(row.visits for row in first.cards) > 1
    untried = [row for row in first.cards if not row.visits]
    assert untried
    assert all(row.prior > 0 and row.availability == n - 1 for row in untried)
    assert sum(row.visits for row in first.cards) == n
    assert first.nodes == after.nodes == n + 1  # nodes without a visit don't count


@pytest.mark.parametrize("delay", ["1", "7", "root"])
def test_knowledge_at_the_root_is_the_same_however_early_the_model_is_asked(delay):
    for state in positions(10, range(0, 48, 6)):
        row = np.arange(1, state.legal_plays().bit_count() + 1, dtype=float)
        settings = [
            SearchSettings(bias=Knowledge("a row", c_bt=0.5, delay=delay, asked=asked))
            for asked in (ALL_CHILDREN, FIRST_CHILD)
        ]
        after, first = (
            search(observe(state), iterations=400, settings=one, prior=row / row.sum())
            for one in settings
        )
        assert repr(first.cards) == repr(after.cards)


@pytest.mark.parametrize("technique", [Knowledge, Experience])
def test_a_model_is_asked_in_more_nodes_when_it_is_asked_first(technique):
    (state,) = positions(5, [2])
    after, first = (
        biased(state, technique(MODEL, asked=asked)) for asked in (ALL_CHILDREN, FIRST_CHILD)
    )
    assert first.queried_nodes > 2 * after.queried_nodes
    assert first.model_calls > after.model_calls


def test_the_same_search_has_one_text():
    for technique, own in ((Knowledge, ALL_CHILDREN), (Experience, FIRST_CHILD)):
        assert technique(MODEL, asked=own) == technique(MODEL)
        for other in {ALL_CHILDREN, FIRST_CHILD} - {own}:
            assert technique(MODEL, asked=other) != technique(MODEL)


def test_a_tree_with_nodes_not_tried_yet_has_room_when_it_grows():
    observation = observe(positions(7, [6])[0])
    settings = SearchSettings(bias=Experience(MODEL, w=1000))
    parts = Search(observation, seed=1, settings=settings, prior=load_prior(MODEL), room=3)
    for n in (3, 1, 500, 800):
        parts.run(n)
    whole = Search(observation, seed=1, settings=settings, prior=load_prior(MODEL), room=1304)
    whole.run(1304)
    assert repr(parts.result().cards) == repr(whole.result().cards)
    assert parts.result().nodes == whole.result().nodes <= 1305
    assert parts.replies(whole.result().best.card)


@pytest.mark.parametrize("bias", BIASES)
def test_hidden_cards_make_no_difference(bias):
    rng = random.Random(6)
    for state in positions(6, range(0, 44, 7)):
        other = swap_hidden(state, state.table.turn, rng)
        assert repr(biased(state, bias).cards) == repr(biased(other, bias).cards)


@pytest.mark.parametrize("bias", BIASES)
def test_running_on_equals_running_at_once(bias):
    observation = observe(positions(7, [6])[0])
    settings, prior = SearchSettings(bias=bias), load_prior(MODEL)
    parts = Search(observation, seed=1, settings=settings, prior=prior, room=500)
    for n in (10, 490, 1500):
        parts.run(n)
    whole = Search(observation, seed=1, settings=settings, prior=prior, room=2000)
    whole.run(2000)
    assert repr(parts.result().cards) == repr(whole.result().cards)
    assert parts.result().model_calls == whole.result().model_calls
    assert parts.result().queried_nodes == whole.result().queried_nodes


@pytest.mark.parametrize("seed", range(12))
def test_in_a_node_the_model_sees_what_the_seat_would_see_there(seed):
    rng = random.Random(seed)
    state = random_round(rng, rng.randrange(30), bids=random_bids(rng))
    root, scratch = start_position(observe(state)), new_scratch()
    scratch.deal[:], scratch.on_table[:] = state.hands, root[ON_TABLE:]
    for _ in range(rng.randrange(1, 20)):
        card = rng.choice(list(cards_in(state.legal_plays())))
        scratch.on_table[state.table.turn] = 1 << card
        state.play(card)
    scratch.hands[:] = state.hands
    observation = observe(state)
    at = progress_at(start_position(observation))
    query_model(load_prior(MODEL), root, at, observation.legal_mask, scratch)
    assert scratch.seen.tolist() == view_of(observation).tolist()


def test_a_bias_without_a_model_is_refused():
    with pytest.raises(InvalidSearchError, match="needs the prior of a human model"):
        search(observe(positions(8, [0])[0]), settings=SearchSettings(bias=Knowledge()))


@pytest.mark.parametrize(
    ("technique", "options", "message"),
    [
        (Pikl, {"lambda_": float("nan")}, "lambda is nan; 0 to 1,000,000,000 are legal"),
        (Pikl, {"play_": "worst"}, "play is 'worst'; likeliest, sample are legal"),
        (Knowledge, {"c_bt": float("nan")}, "c_bt is nan"),
        (Knowledge, {"k": 0}, "k is 0; 1e-09 to 1,000,000,000"),
        (Experience, {"w": -1}, "w is -1; 0 to 100,000"),
        (
            Knowledge,
            {"asked": "later"},
            "asked is 'later'; when-needed, first-child, all-children are legal",
        ),
        (Knowledge, {"delay": "0"}, "a whole number from 1, root and inf"),
        (Knowledge, {"delay": "soon"}, "a whole number from 1, root and inf"),
        (Knowledge, {"delay": "9" * 5000}, "delay is '9{59}.*a whole number from 1, root and inf"),
    ],
)
def test_impossible_biases_are_refused(technique, options, message):
    with pytest.raises(InvalidBiasError, match=message):
        technique(**options)
