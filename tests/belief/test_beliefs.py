"""Inference, biased, mixed and posterior deals: what they respect, and what they believe."""

import math
import random
from collections import Counter
from itertools import permutations

import numpy as np
import pytest

from spades.belief import (
    DETERMINIZATIONS,
    RULE_NAMES,
    BiasedDeals,
    Dealing,
    PosteriorDeals,
    UniformDeals,
    inference_table,
)
from spades.belief.determinize import owner_shares_of
from spades.belief.inference import height
from spades.belief.likelihood import bid_probability
from spades.core.cards import cards_in, mask_of
from spades.core.errors import SpadesError
from spades.core.kernel import seed_state
from spades.core.observation import observe
from spades.core.rules import NO_BID, Round, Rules
from spades.human import simulate_humans
from spades.human.bidder import sample_bid
from spades.human.simulated import load_simulated_human
from spades.library import shipped
from tests.belief.scores import mean_log_likelihood
from tests.positions import random_bids, random_round, swap_hidden

MAKERS = {
    **{name: Dealing.of(name) for name in DETERMINIZATIONS},
    **{
        f"posterior of {kind}": Dealing.of("posterior", players=kind)
        for kind in ("search", "rules")
    },
}
METHODS = sorted(MAKERS)


def states(n, seed, last=50):
    rng = random.Random(seed)
    return [random_round(rng, rng.randrange(last), bids=random_bids(rng)) for _ in range(n)]


def bare_states(n, seed):
    """Positions in which a seat has led a spade that only a hand of spades may lead."""
    rng, found = random.Random(seed), []
    for _ in range(400 * n):
        state = random_round(rng, rng.randrange(28, 44), bids=random_bids(rng))
        hidden = [seat for seat in range(4) if seat != state.table.turn]
        if any(state.table.bare[seat] and state.hands[seat] for seat in hidden):
            found.append(state)
        if len(found) == n:
            return found
    raise AssertionError("no seat has led the first spade for want of another suit")


@pytest.mark.parametrize("method", METHODS)
def test_every_deal_agrees_with_what_was_seen(method):
    for state in states(25, 1) + bare_states(5, 1):
        seen = observe(state)
        deals, _ = MAKERS[method](seen).sample(60, seed_state(3))
        sizes, voids = seen.hand_sizes, state.table.voids
        for deal in deals.tolist():
            assert deal[seen.seat] == seen.hand_mask
            assert deal[0] | deal[1] | deal[2] | deal[3] == seen.hand_mask | seen.unseen_mask
            assert [hand.bit_count() for hand in deal] == sizes
            assert all(hand & void == 0 for hand, void in zip(deal, voids, strict=True))
        for deal in deals[:4]:
            again = Round.deal(Rules(), state.table.dealer, deal | np.array(state.table.played))
            for card in state.table.plays:
                again.play(card)


@pytest.mark.parametrize("method", METHODS)
def test_hidden_cards_make_no_difference(method):
    rng = random.Random(8)
    for state in states(8, 2, last=40):
        other = swap_hidden(state, state.table.turn, rng)
        first, _ = MAKERS[method](observe(state)).sample(40, seed_state(1))
        second, _ = MAKERS[method](observe(other)).sample(40, seed_state(1))
        assert np.array_equal(first, second)


@pytest.mark.parametrize("method", METHODS)
def test_the_same_state_gives_the_same_deals_and_another_others(method):
    seen = observe(states(1, 5, last=10)[0])
    draw = [MAKERS[method](seen).sample(50, seed_state(s))[0] for s in (1, 1, 2)]
    assert np.array_equal(draw[0], draw[1])
    assert not np.array_equal(draw[0], draw[2])


def biased_by_words(seen, floor):
    """The chance of every deal, as biased dealing says that it is, over all orders."""
    table, deck, beliefs = seen.table, seen.rules.cards.mask, inference_table(seen)
    hidden = [(seen.seat + i) % 4 for i in (1, 2, 3)]
    unseen = sorted(cards_in(seen.unseen_mask), key=lambda card: (-(card & 15), card))
    first = [card for card in unseen if card < 16 or height(card, deck) >= 0.3]
    found = Counter()

    def need(seat):
        if table.is_nil(seat):
            return 2.64 if table.blind[seat] else 0.02
        wanted = 2.64 if table.bids[seat] == NO_BID else table.bids[seat]
        return max(0.15, wanted - table.tricks_taken[seat])

    def may_hold(i, card, room):
        return room[i] and not table.lacks(hidden[i]) >> card & 1

    def less(values, i, n):
        return tuple(value - n * (i == j) for j, value in enumerate(values))

    def fit(cards, room):
        rest = cards[1:]
        return not cards or any(
            may_hold(i, cards[0], room) and fit(rest, less(room, i, 1)) for i in range(3)
        )

    def deal(cards, room, lacks, hands, chance):
        if not cards:
            found[hands] += chance
            return
        card, rest = cards[0], cards[1:]
        value = max(0.9 * height(card, deck), 0.35 * (card < 16))
        weights = [
            (max(lacks[i], floor) if card in first else max(beliefs[hidden[i], card], 1e-9))
            * bool(may_hold(i, card, room) and fit(rest, less(room, i, 1)))
            for i in range(3)
        ]
        for i, weight in enumerate(weights):
            if weight:
                left = less(room, i, 1), less(lacks, i, value), less(hands, i, -(1 << card))
                deal(rest, *left, chance * weight / sum(weights))

    room, lacks = (tuple(map(of, hidden)) for of in (seen.hand_sizes.__getitem__, need))
    orders = list(permutations(first))
    for order in orders:
        rest = tuple(card for card in unseen if card not in first)
        deal(order + rest, room, lacks, (0, 0, 0), 1 / len(orders))
    return found


def test_biased_deals_are_drawn_as_their_words_say():
    rng, n = random.Random(4), 5000
    for k in range(12):
        state = random_round(rng, rng.randrange(43, 47), bids=random_bids(rng))
        seen, floor = observe(state), (0.02, 0.3)[k % 2]
        expected = biased_by_words(seen, floor)
        assert sum(expected.values()) == pytest.approx(1)
        deals, _ = BiasedDeals(seen, floor=floor).sample(n, seed_state(k))
        others = np.delete(np.roll(deals, -seen.seat, axis=1), 0, axis=1).tolist()
        drawn = Counter(map(tuple, others))
        assert set(drawn) <= set(expected)
        for hands, chance in expected.items():
            error = math.sqrt(n * chance * (1 - chance))
            assert abs(drawn[hands] - n * chance) <= 5 * error + 1, (k, hands)


def nil_south():
    """North to lead; South bid nil, East and West bid high: nothing played yet."""
    rng = random.Random(3)
    rules = Rules()
    codes = [int(code) for code in rules.cards.codes]
    rng.shuffle(codes)
    state = Round.deal(rules, 3, [mask_of(codes[i::4]) for i in range(4)])
    state.table.bids[:] = [4, 5, 0, 5]
    return state


def test_biased_deals_flood_a_nil_bidder_with_low_cards():
    seen = observe(nil_south())
    assert seen.seat == 0
    low = [card for card in cards_in(seen.unseen_mask) if card >> 4 and card & 15 <= 4]
    share = {}
    for method in ("uniform", "biased", "mixed"):
        deals, _ = MAKERS[method](seen).sample(3000, seed_state(2))
        share[method] = np.mean([(deals[:, 2] >> card) & 1 for card in low])
    assert share["uniform"] == pytest.approx(1 / 3, abs=0.03)
    assert share["biased"] > 0.6
    assert share["uniform"] < share["mixed"] < share["biased"]


def test_the_inference_table_adds_up_and_follows_its_rules():
    for state in states(12, 4):
        seen = observe(state)
        table = inference_table(seen)
        unseen = list(cards_in(seen.unseen_mask))
        hidden = [seat for seat in range(4) if seat != seen.seat]
        assert table[:, unseen].sum(axis=0) == pytest.approx(np.ones(len(unseen)))
        sizes = np.array(seen.hand_sizes)
        assert table[hidden][:, unseen].sum(axis=1) == pytest.approx(sizes[hidden], abs=0.05)
        for seat in hidden:
            assert table[seat, list(cards_in(state.table.voids[seat]))].sum() == 0
        assert table[seen.seat].sum() == len(list(cards_in(seen.hand_mask)))
    seen = observe(nil_south())
    table = inference_table(seen)
    aces = [card for card in cards_in(seen.unseen_mask) if card & 15 == 12]
    assert all(table[2, card] < 0.2 < table[1, card] for card in aces)
    plain = inference_table(seen, rules=())
    assert plain[2, aces] == pytest.approx(np.full(len(aces), 1 / 3))


def test_a_blind_nil_tells_nothing_of_the_cards():
    state = nil_south()
    rule = ["low cards behind nil"]
    plain = inference_table(observe(state), rules=())
    assert not np.allclose(inference_table(observe(state), rules=rule), plain)
    state.table.blind[2] = True
    assert np.allclose(inference_table(observe(state), rules=rule), plain)


def after_a_lead(lead, second, bids):
    """South to play: North has led a heart, East has followed; hearts by their ranks."""
    hearts = "23456789TJQKA"
    north, east = (16 + hearts.index(rank) for rank in (lead, second))
    rest = [int(code) for code in Rules().cards.codes if code not in (north, east)]
    random.Random(8).shuffle(rest)
    hands = [[north, *rest[:12]], [east, *rest[12:24]], rest[24:37], rest[37:]]
    state = Round.deal(Rules(), 3, [mask_of(hand) for hand in hands])
    state.table.bids[:] = bids
    for card in (north, east):
        state.play(card)
    return observe(state)


@pytest.mark.parametrize(
    ("rule", "lead", "second", "easts_bid", "denied"),
    [
        ("didn't beat when needing tricks", "9", "5", 4, "TJQKA"),
        ("didn't beat when needing tricks", "9", "5", 0, ""),  # a nil bidder wants no trick
        ("ducked under with a live nil", "9", "5", 0, "678"),
        ("ducked under with a live nil", "9", "5", 4, ""),
        ("threw a high card", "A", "Q", 4, "23456789TJ"),
        ("threw a high card", "A", "Q", 0, ""),  # a nil bidder gets rid of it
    ],
)
def test_a_rule_of_plays_speaks_of_these_cards(rule, lead, second, easts_bid, denied):
    seen = after_a_lead(lead, second, [3, easts_bid, 3, 3])
    told, untold = (inference_table(seen, rules=rules)[1] for rules in ([rule], []))
    unseen = list(cards_in(seen.unseen_mask))
    less_likely = {card for card in unseen if told[card] < 0.85 * untold[card]}
    expected = {16 + "23456789TJQKA".index(rank) for rank in denied}
    assert less_likely == expected & set(unseen)
    assert bool(less_likely) == bool(denied)


def test_rules_can_be_switched_off_one_by_one_and_unknown_ones_are_refused():
    changed = set()
    for state in states(40, 6):
        seen = observe(state)
        whole = inference_table(seen)
        for name in RULE_NAMES:
            without = inference_table(seen, rules=[rule for rule in RULE_NAMES if rule != name])
            if not np.allclose(whole, without):
                changed.add(name)
    assert changed == set(RULE_NAMES)
    with pytest.raises(SpadesError, match="no rule 'clairvoyance'"):
        inference_table(seen, rules=["clairvoyance"])


def test_the_bid_probabilities_are_those_of_the_simulated_bidder():
    human, rules = load_simulated_human(), Rules().numbers
    state = random_round(random.Random(9), 0)
    for hand in state.hands:
        bids = np.array([4, -1, -1, -1], dtype=np.int8)
        drawn = np.zeros(14)
        random_state = seed_state(5)
        for _ in range(4000):
            bid, random_state = sample_bid(
                hand, 1, bids, rules, human.bidder, np.uint64(random_state)
            )
            drawn[bid] += 1 / 4000
        asked = [bid_probability(hand, bid, bids, 1, rules, human.bidder) for bid in range(14)]
        assert sum(asked) == pytest.approx(1)
        assert np.abs(drawn - asked).max() < 0.03


def test_the_posterior_explains_the_true_cards_better_than_uniform_deals():
    log = simulate_humans(30, 77)
    rounds = [record.at(12 + 20 * (i % 2)) for i, record in enumerate(log.records())]
    posterior = mean_log_likelihood(PosteriorDeals, rounds)
    assert posterior > mean_log_likelihood(UniformDeals, rounds) + 0.03
    assert posterior > mean_log_likelihood(BiasedDeals, rounds)


def owner_shares(posterior, seed):
    """By the weights of a posterior's deals, (cards, 3)."""
    posterior.sample(1, seed_state(seed))
    deals, weights = posterior.weighed_
    seen = posterior.observation
    return owner_shares_of(deals, seen.seat, list(cards_in(seen.unseen_mask)), weights)


def test_seeds_agree_where_the_network_is_surer_than_it_should_be():
    """Real players with another deck: a few deals that the network thinks impossible have nearly
    all of the weight."""
    seen = shipped("bug-report-335").observation(24)

    def spread(least):
        found = [PosteriorDeals(seen, particles=10_000, least_effective=least) for _ in range(4)]
        shares = np.array([owner_shares(one, seed) for seed, one in enumerate(found)])
        return min(one.effective_ for one in found), shares.std(axis=0).mean()

    n_effective, between_seeds = spread(0)
    assert n_effective < 50
    assert between_seeds > 0.04
    n_effective, between_seeds = spread(400)
    assert n_effective > 1000
    assert between_seeds < 0.015


def test_uniform_proposals_change_how_deals_are_drawn_and_not_what_is_believed():
    seen = shipped("four-bots").observation(36)
    by_network = PosteriorDeals(seen, particles=40_000, players="search")
    mixed = PosteriorDeals(seen, particles=10_000, players="search", least_effective=math.inf)
    gap = owner_shares(by_network, 1) - owner_shares(mixed, 2)
    assert len(mixed.weighed_[0]) == 40_000
    assert np.abs(gap).max() < 0.02


def test_a_mixture_is_between_its_parts():
    seen = observe(nil_south())
    low = next(card for card in cards_in(seen.unseen_mask) if card >> 4 and card & 15 == 0)
    share = [
        np.mean(
            (Dealing.of("mixed", share=part)(seen).sample(4000, seed_state(4))[0][:, 2] >> low) & 1
        )
        for part in (0, 0.5, 1)
    ]
    assert share[0] < share[1] < share[2]
