"""Uniform determinizations are uniform: chi-square against every deal there is."""

import math
import random

import numpy as np
import pytest

import spades.belief as belief
from spades.belief import UniformDeals, deal_count
from spades.belief.determinize import _FACTORIALS, enumerate_splits, owner_groups, sample_uniform
from spades.core.cards import DECKS, NORTH, cards_in, mask_of
from spades.core.errors import InvalidDealError
from spades.core.kernel import seed_state
from spades.core.observation import Observation, observe
from spades.core.rules import Rules
from tests.belief.endings import ENDINGS, NINE, P_LEAST, cards, ending, every_deal, p_uniform
from tests.positions import random_round

P_WRONG = 1e-8
DRAWS_PER_DEAL = 40
every_ending = pytest.mark.parametrize("observation", ENDINGS.values(), ids=ENDINGS)


def sampled(observation, n, seed):
    deals, _ = UniformDeals(observation).sample(n, seed_state(seed))
    return [tuple(hands) for hands in deals[:, 1:].tolist()]


def test_the_endings_are_of_many_kinds():
    groups = {name: owner_groups(seen)[0] for name, seen in ENDINGS.items()}
    shared = {name: [g for g in (3, 5, 6, 7) if owned[g]] for name, owned in groups.items()}
    assert shared["each void, a suit for all"] == [3, 5, 6, 7]
    assert shared["each seat void in a suit"] == [3, 5, 6]
    assert sum(len(found) >= 2 for found in shared.values()) >= 5
    assert groups["cards of one owner"][4] == cards("S3 S9 SK")


@every_ending
def test_deals_are_uniform(observation):
    possible = every_deal(observation)
    if len(possible) == 1:
        assert set(sampled(observation, 100, 11)) == set(possible)
        return
    n = max(2_000, DRAWS_PER_DEAL * len(possible))
    assert p_uniform(sampled(observation, n, 11), possible) > P_LEAST / len(ENDINGS)


@every_ending
def test_deal_count_is_the_number_of_deals(observation):
    possible = every_deal(observation)
    assert deal_count(observation) == len(possible)
    listed = belief.every_deal(observation).tolist()
    assert sorted(tuple(deal[1:]) for deal in listed) == sorted(possible)
    assert {deal[0] for deal in listed} == {observation.hand_mask}


# The test of the test: samplers that are nearly right


def fills_in_order(observation, rng):
    """Seats filled one after the other from what they may hold; drawn anew where that fails."""
    sizes, voids = observation.hand_sizes, observation.table.voids
    while True:
        left, deal = observation.unseen_mask, []
        for seat in (1, 2, 3):
            may_hold = list(cards_in(left & ~voids[seat]))
            if len(may_hold) < sizes[seat]:
                break
            hand = mask_of(rng.sample(may_hold, sizes[seat]))
            left ^= hand
            deal.append(hand)
        else:
            return tuple(deal)


def deals_card_by_card(observation, rng):
    """Card after card to a seat that may hold it and has room; drawn anew where there is none."""
    sizes, voids = observation.hand_sizes, observation.table.voids
    while True:
        deal = [0, 0, 0]
        for card in cards_in(observation.unseen_mask):
            room = [
                i
                for i in range(3)
                if deal[i].bit_count() < sizes[i + 1] and not voids[i + 1] >> card & 1
            ]
            if not room:
                break
            deal[rng.choice(room)] |= 1 << card
        else:
            return tuple(deal)


def deals_and_patches(observation, rng):
    """A deal without regard to voids, then misplaced cards exchanged until it fits."""
    sizes, voids = observation.hand_sizes, observation.table.voids
    unseen = list(cards_in(observation.unseen_mask))
    rng.shuffle(unseen)
    ends = np.cumsum([0, *sizes[1:]])
    hands = [unseen[ends[i] : ends[i + 1]] for i in range(3)]
    while True:
        wrong = [(i, c) for i in range(3) for c in hands[i] if voids[i + 1] >> c & 1]
        if not wrong:
            return tuple(mask_of(hand) for hand in hands)
        i, card = rng.choice(wrong)
        j = rng.choice([k for k in range(3) if k != i])
        other = rng.choice(hands[j])
        hands[i].remove(card)
        hands[j].remove(other)
        hands[i].append(other)
        hands[j].append(card)


def draws_splits_evenly(observation, n):
    """The library's sampler with every split as likely as any other."""
    groups, sizes = owner_groups(observation)
    splits = enumerate_splits(groups, sizes, _FACTORIALS)
    splits[:, 3] = np.arange(1, len(splits) + 1)
    deals = np.empty((n, 4), dtype=np.int64)
    sample_uniform(groups, splits, NORTH, observation.hand_mask, seed_state(11), deals)
    return [tuple(hands) for hands in deals[:, 1:].tolist()]


WRONG_SAMPLERS = [fills_in_order, deals_card_by_card, deals_and_patches]
UNEVEN_ENDINGS = ["two seats void in different suits", "one on the table", "two voids each"]


@pytest.mark.parametrize("name", UNEVEN_ENDINGS)
@pytest.mark.parametrize("sampler", WRONG_SAMPLERS)
def test_a_wrong_sampler_is_rejected(sampler, name):
    observation, rng = ENDINGS[name], random.Random(11)
    possible = every_deal(observation)
    drawn = [sampler(observation, rng) for _ in range(max(2_000, DRAWS_PER_DEAL * len(possible)))]
    assert p_uniform(drawn, possible) < P_WRONG


@pytest.mark.parametrize("name", UNEVEN_ENDINGS[:2])
def test_splits_drawn_evenly_are_rejected(name):
    possible = every_deal(ENDINGS[name])
    drawn = draws_splits_evenly(ENDINGS[name], DRAWS_PER_DEAL * len(possible))
    assert p_uniform(drawn, possible) < P_WRONG


def test_a_right_sampler_by_another_way_is_accepted():
    observation, rng = ENDINGS["each seat void in a suit"], random.Random(12)
    possible = every_deal(observation)
    drawn = [rng.choice(possible) for _ in range(DRAWS_PER_DEAL * len(possible))]
    assert p_uniform(drawn, possible) > P_LEAST


# Random rounds


def random_observations(deck, n=25, least=0):
    rng = random.Random(f"{deck}{least}")
    for _ in range(n):
        state = random_round(rng, rng.randrange(least, 52), rules=Rules(deck=deck))
        yield state, observe(state, rng.randrange(4))


@pytest.mark.parametrize("deck", DECKS)
def test_every_deal_agrees_with_the_observation(deck):
    for state, seen in random_observations(deck):
        deals, _ = UniformDeals(seen).sample(200, seed_state(1))
        assert deals.shape == (200, 4)
        for hands in deals.tolist():
            assert hands[seen.seat] == seen.hand_mask
            assert [hand.bit_count() for hand in hands] == seen.hand_sizes
            assert hands[0] | hands[1] | hands[2] | hands[3] == seen.hand_mask | seen.unseen_mask
            assert all(h & v == 0 for h, v in zip(hands, state.table.voids, strict=True))


@pytest.mark.parametrize("deck", DECKS)
def test_deal_count_of_endings_of_random_rounds(deck):
    for state, seen in random_observations(deck, least=41):
        shifted = [(seen.seat + i) % 4 for i in range(4)]
        turned = Observation(0, seen.hand_mask, state.table.copy())
        turned.table.voids = [state.table.lacks(seat) for seat in shifted]
        turned.table.leader = (state.table.leader - seen.seat) % 4
        assert deal_count(seen) == len(every_deal(turned))
        listed = np.roll(belief.every_deal(seen), -seen.seat, axis=1).tolist()
        assert sorted(tuple(deal[1:]) for deal in listed) == sorted(every_deal(turned))


def test_deal_count_before_the_first_card():
    state = random_round(random.Random(1), 0)
    expected = math.factorial(39) / math.factorial(13) ** 3
    assert deal_count(observe(state, 0)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n_played", [0, 3, 20])
def test_each_unseen_card_is_as_often_with_each_seat_as_it_should(n_played):
    """Too many deals to enumerate: with no void, a seat holds a card with size / unseen."""
    state = random_round(random.Random(6), n_played)
    state.table.voids[:] = [0] * 4
    seen = observe(state)
    n = 20_000
    deals, _ = UniformDeals(seen).sample(n, seed_state(4))
    n_unseen = seen.unseen_mask.bit_count()
    for seat in set(range(4)) - {seen.seat}:
        p = seen.hand_sizes[seat] / n_unseen
        for card in cards_in(seen.unseen_mask):
            held = np.count_nonzero(deals[:, seat] >> card & 1)
            assert abs(held - n * p) < 5 * math.sqrt(n * p * (1 - p))


# Seeds and refusals


def test_the_same_state_gives_the_same_deals():
    observation = ENDINGS["no void"]
    first, after = UniformDeals(observation).sample(50, seed_state(5))
    again, after_again = UniformDeals(observation).sample(50, seed_state(5))
    assert (first == again).all()
    assert after == after_again
    assert (first != UniformDeals(observation).sample(50, seed_state(6))[0]).any()


def test_the_state_returned_carries_on():
    deals = UniformDeals(ENDINGS["each seat void in a suit"])
    whole, end = deals.sample(60, seed_state(5))
    first, state = deals.sample(25, seed_state(5))
    second, last = deals.sample(35, state)
    assert (np.concatenate([first, second]) == whole).all()
    assert last == end


@pytest.mark.parametrize(
    "voids", [("H", "H", "H"), ("SHD", "", ""), ("SH", "SH", ""), ("HD", "HD", "S")]
)
def test_a_contradictory_observation_is_refused(voids):
    observation = ending(NINE, voids)
    assert deal_count(observation) == 0 == len(every_deal(observation))
    with pytest.raises(
        InvalidDealError, match=r"no deal agrees with what was seen \| N:\.\.\.AKQ;"
    ):
        UniformDeals(observation)
