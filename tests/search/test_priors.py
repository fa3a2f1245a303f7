"""Priors of every kind: a compiled model, its copy as a Python function, a row for the root."""

import random
from dataclasses import replace

import numpy as np
import pytest

from spades.core.cards import cards_in
from spades.core.observation import observe
from spades.core.rules import Rules
from spades.human import load_model, load_prior
from spades.human.model import legal_priors, own_copy
from spades.human.own import InvalidPriorError
from spades.search import TECHNIQUES, Experience, Knowledge, Pikl, Search, SearchSettings, search
from spades.search.techniques.puct import Puct
from tests.positions import random_bids, random_round

MODEL = "devlin2016"
BIASES = [
    Knowledge(c_bt=0.3),
    Knowledge(c_bt=0.3, delay="4"),
    Experience(w=5),
    Pikl(lambda_=30.0),
    Puct(),
]


def position(seed, ply):
    rng = random.Random(seed)
    return observe(random_round(rng, ply, bids=random_bids(rng)))


def copied(seen):
    """The compiled model once more, as a Python function."""
    return legal_priors(load_prior(MODEL), seen)


@pytest.mark.parametrize("bias", BIASES, ids=lambda bias: bias.name)
@pytest.mark.parametrize("ply", [0, 18, 33])
def test_a_python_function_searches_as_the_compiled_model_that_it_copies(bias, ply):
    seen = position(ply, ply)
    settings = SearchSettings(bias=bias)
    compiled = search(seen, iterations=250, seed=3, settings=settings, prior=load_prior(MODEL))
    by_function = search(seen, iterations=250, seed=3, settings=settings, prior=copied)
    assert repr(by_function.cards) == repr(compiled.cards)
    assert by_function.model_calls == compiled.model_calls


def test_every_technique_is_compared():
    assert {bias.name for bias in BIASES} == set(TECHNIQUES)


def by_rank(seen):
    """A prior of no model."""
    return {card: 1 + card.place % 13 for card in seen.legal}


def test_a_result_names_what_was_asked():
    seen = position(3, 8)
    model = load_model("t-200-100")
    for bias in BIASES:
        settings = SearchSettings(bias=bias)
        for prior, name in (
            (load_prior(MODEL), MODEL),
            (own_copy(load_prior(MODEL)), MODEL),
            (load_model(MODEL), MODEL),
            (load_prior("t-200-100"), "other numbers"),
            (model, "t-200-100"),
            (by_rank, "by_rank"),
            (by_rank(seen), "a row"),
        ):
            result = search(seen, iterations=20, settings=settings, prior=prior)
            assert result.settings.bias == replace(bias, model=name)
    named = SearchSettings(bias=Knowledge("t-200-100"))
    for prior in (model, load_prior("t-200-100")):
        assert search(seen, iterations=20, settings=named, prior=prior).settings == named


def test_a_model_itself_is_a_prior():
    seen = position(1, 9)
    settings = SearchSettings(bias=BIASES[0])
    by_model = search(seen, iterations=200, settings=settings, prior=load_model(MODEL))
    by_numbers = search(seen, iterations=200, settings=settings, prior=load_prior(MODEL))
    assert repr(by_model.cards) == repr(by_numbers.cards)


@pytest.mark.parametrize("kind", ["in order", "by code", "by card", "by text", "not normalised"])
def test_a_row_biases_the_root_as_the_model_does_with_delay_root(kind):
    seen = position(2, 5)
    p = copied(seen)
    cards = list(cards_in(seen.legal_mask))
    rows = {
        "in order": p.tolist(),
        "by code": dict(zip(cards, p.tolist(), strict=True)),
        "by card": dict(zip(seen.legal, p.tolist(), strict=True)),
        "by text": {str(card): share for card, share in zip(seen.legal, p, strict=True)},
        "not normalised": (8 * p).tolist(),
    }
    by_row = search(
        seen,
        iterations=400,
        settings=SearchSettings(bias=Knowledge(c_bt=0.3)),
        prior=rows[kind],
    )
    by_model = search(
        seen,
        iterations=400,
        settings=SearchSettings(bias=Knowledge(c_bt=0.3, delay="root")),
        prior=load_prior(MODEL),
    )
    assert repr(by_row.cards) == repr(by_model.cards)


def test_a_function_sees_what_the_seat_to_play_sees():
    seen = position(4, 14)
    asked = []

    def uniform(observation):
        asked.append(observation)
        n = observation.legal_mask.bit_count()
        return np.full(n, 1 / n)

    settings = SearchSettings(bias=Knowledge(c_bt=0.3))
    result = search(seen, iterations=400, settings=settings, prior=uniform)
    assert len(asked) == result.model_calls > 20
    assert asked[0].text() == seen.text()
    for observation in asked:
        assert observation.table.plays[: len(seen.table.plays)] == seen.table.plays
        assert observation.seat == observation.table.turn
        assert not observation.hand & observation.table.played_mask
    assert len({observation.seat for observation in asked}) > 2


def test_pikl_asks_once_however_often_its_result_is_read():
    asked = []

    def counted(observation):
        asked.append(observation)
        return copied(observation)

    settings = SearchSettings(bias=Pikl())
    run = Search(position(7, 6), settings=settings, prior=counted)
    for _ in range(3):
        run.run(50)
        run.result()
    assert len(asked) == 1


def test_an_error_of_a_function_reaches_the_caller():
    def failing(observation):
        raise RuntimeError("no network here")

    settings = SearchSettings(bias=Knowledge())
    run = Search(position(5, 3), settings=settings, prior=failing)
    with pytest.raises(RuntimeError, match="no network here"):
        run.run(50)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([0.5, 0.5], "a prior has 2 probabilities; 13 cards are legal"),
        ({99: 1.0}, "a prior has a probability of 99; legal: S2 S7"),
        ([-1.0, *[0.1] * 12], "numbers from 0 that aren't all 0 are legal"),
        ({"D9": 0.5, "S99": 0.5}, "a prior has a probability of"),
        ("none", "a prior is 'none'; a number for each legal card is legal"),
        ([0.0] * 13, "numbers from 0 that aren't all 0 are legal"),
        ([float("nan"), *[0.1] * 12], "numbers from 0 that aren't all 0 are legal"),
    ],
)
def test_what_is_no_prior_is_refused(row, message):
    seen = observe(random_round(random.Random(6), 0, rules=Rules(spades_lead="any")))
    with pytest.raises(InvalidPriorError, match=message):
        Search(seen, settings=SearchSettings(bias=Knowledge()), prior=row)
