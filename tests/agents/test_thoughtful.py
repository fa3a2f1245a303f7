"""A simulated human who weighs habit with what cards are worth."""

import numpy as np
import pytest

from spades.agents import Seating, parse_agent
from spades.agents.bidders import HumanBidder
from spades.agents.play import play_games
from spades.agents.players.thoughtful import ThoughtfulPlayer, mark_classes, play_lowest, pool
from spades.core.cards import cards_in
from spades.core.equivalence import equivalent_cards
from spades.core.records import SIMULATED_HUMAN
from spades.core.rules import Rules
from spades.human import load_prior
from spades.human.features.logs import examples_of_log
from spades.human.features.view import view_of
from spades.human.model import legal_priors
from spades.notation.log_store import open_log

LOG = open_log("human-south")
SEEN = [LOG.record(i).observation(ply) for i in range(0, 40, 4) for ply in (0, 7, 18, 25, 33)]


def player(**options):
    return ThoughtfulPlayer(**options)


def test_without_values_it_is_the_plain_simulated_human():
    prior = load_prior("devlin2016-nil")
    for seen in SEEN:
        p = player(habit=1.0, lambda_=1e6, lowest=0.0).probabilities(seen)
        np.testing.assert_allclose(p, legal_priors(prior, seen), atol=1e-3)


def test_without_habit_the_best_class_of_the_distilled_search_is_played():
    n_same = 0
    for i, seen in enumerate(SEEN):
        p = player(habit=0.0, lambda_=0.1, lowest=1.0).probabilities(seen)
        chosen = list(cards_in(seen.legal_mask))[int(p.argmax())]
        best = parse_agent("distilled").player.play(seen, i)
        classes = [one for one in equivalent_cards(seen) if best in one]
        n_same += not classes or chosen in classes[0]
    assert n_same >= 0.9 * len(SEEN), "a class may have more in all than the best card's"


def test_classes_are_those_of_equivalent_cards():
    for seen in SEEN:
        marks = np.zeros(13, np.int64)
        mark_classes(view_of(seen), marks)
        legal = list(cards_in(seen.legal_mask))
        by_first: dict[int, set[int]] = {}
        for card, first in zip(legal, marks.tolist(), strict=False):
            by_first.setdefault(legal[first], set()).add(card)
        assert all(first == min(cards) for first, cards in by_first.items())
        assert sorted(map(sorted, by_first.values())) == sorted(map(sorted, equivalent_cards(seen)))


def test_a_card_is_worth_what_its_class_has_in_all():
    logits = np.log([0.2, 0.3, 0.4, 0.1])
    pool(logits, np.array([0, 0, 2, 3]), 4)
    np.testing.assert_allclose(np.exp(logits - logits.max()), np.array([5, 5, 4, 1]) / 5)


def test_the_lowest_of_a_class_gets_a_share_of_the_others():
    p = np.array([0.2, 0.3, 0.4, 0.1])
    play_lowest(p, np.array([0, 0, 2, 2]), 4, 0.5)
    np.testing.assert_allclose(p, [0.35, 0.15, 0.45, 0.05])


def test_cards_are_drawn_by_the_probabilities():
    seen = max(SEEN, key=lambda one: one.legal_mask.bit_count())
    one = player(lambda_=20.0)
    p = one.probabilities(seen)
    legal = list(cards_in(seen.legal_mask))
    n = 2000
    drawn = [legal.index(one.play(seen, seed)) for seed in range(n)]
    shares = np.bincount(drawn, minlength=len(legal)) / n
    assert np.abs(shares - p).max() < 4 * np.sqrt(0.25 / n)
    assert one.play(seen, 5) == one.play(seen, 5)


def test_it_bids_as_people_whose_nils_are_less_sure():
    agent = parse_agent("thoughtful")
    assert str(agent) == "thoughtful"
    assert agent.bidder == HumanBidder(tricks=0.1, nil=-1.3, nil_noise=5.0)
    assert str(parse_agent("thoughtful+human")) == "thoughtful+human"
    noisy = HumanBidder(noise=2.0, nil_noise=3.0).numbers
    usual = HumanBidder().numbers
    assert noisy.nil_noise == pytest.approx(6 * usual.nil_noise)
    assert noisy.noise == pytest.approx(2 * usual.noise)


def test_its_plays_are_simulated_peoples_but_not_of_the_plain_ones():
    agent = parse_agent("thoughtful")
    log = play_games(Seating((agent,) * 4, Rules()), 3, 0, 1).log()
    examples = examples_of_log(log)
    assert len(examples) == 52 * len(log), "people's"
    assert not examples.is_simulated.any(), "of whom the true probabilities are known"
    assert ThoughtfulPlayer.kind == SIMULATED_HUMAN
