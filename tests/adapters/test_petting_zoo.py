"""The environment, by PettingZoo's own tests and against the rules that it wraps."""

import random

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from spades.adapters import petting_zoo
from spades.adapters.petting_zoo import N_BIDS, PER_SEAT, PLANES, SpadesEnv
from spades.core.cards import N_CARDS, SEATS
from spades.core.errors import IllegalBidError, IllegalPlayError
from spades.core.rules import Rules
from spades.core.scoring import score_round


def choose(observation, rng):
    return rng.choice(np.flatnonzero(observation["action_mask"]).tolist())


def play_round(env, seed):
    """A round of random legal actions; the rewards that each agent has got, and the actions."""
    rng = random.Random(seed)
    env.reset(seed=seed)
    totals = dict.fromkeys(SEATS, 0.0)
    actions = []
    for agent in env.agent_iter():
        observation, reward, is_over, _, _ = env.last()
        totals[agent] += reward
        action = None if is_over else choose(observation, rng)
        if action is not None:
            actions.append(action)
        env.step(action)
    return totals, actions


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rules", [None, Rules(min_bid=4, deck="joker-joker-deuce-deuce")])
def test_pettingzoos_own_tests_pass(rules, capsys):
    api_test(petting_zoo.env(rules), num_cycles=300)
    seed_test(lambda: petting_zoo.env(rules), num_cycles=120)
    assert "Passed" in capsys.readouterr().out


def test_rewards_are_what_a_side_scored_more():
    env = SpadesEnv()
    for seed in range(20):
        totals, actions = play_round(env, seed)
        table = env._round.table
        assert len(actions) == 56
        scored = score_round(table.rules, table.bids, table.blind, table.tricks_taken)
        ahead = (scored.points[0] - scored.points[1]) / 100
        assert totals == {"N": ahead, "S": ahead, "E": -ahead, "W": -ahead}


def planes_of(env, agent):
    values = env.observe(agent)["observation"]
    return values[: PLANES * N_CARDS].reshape(PLANES, N_CARDS)


def test_what_a_seat_sees_worked_by_hand():
    env = SpadesEnv()
    env.reset(seed=3)
    first = env.agent_selection
    for bid in (3, 0, 13, 5):
        env.step(bid)
    hand = planes_of(env, first)[0]
    assert hand.sum() == 13
    legal = np.flatnonzero(env.observe(first)["action_mask"]) - N_BIDS
    assert set(legal) == set(np.flatnonzero(planes_of(env, first)[1]))
    card = int(legal[0])
    env.step(N_BIDS + card)
    second = env.agent_selection
    assert second == SEATS[(SEATS.index(first) + 1) % 4]
    seen = planes_of(env, second)
    assert np.flatnonzero(seen[2 + 4 + 3]).tolist() == [card], "the seat to its right has led it"
    assert seen[2:6].sum() == 0, "no trick is done"
    per_seat = env.observe(second)["observation"][PLANES * N_CARDS : -1].reshape(4, PER_SEAT)
    assert per_seat[:, :-1].argmax(axis=1).tolist() == [0, 13, 5, 3]
    assert env.observe(first)["action_mask"].sum() == 0, "it isn't its turn"


def test_no_hidden_card_is_seen():
    """Whatever the others hold, a seat's observation is the same."""
    env = SpadesEnv()
    rng = random.Random(5)
    env.reset(seed=5)
    for _ in range(30):
        agent = env.agent_selection
        seen = env.observe(agent)
        own = SEATS.index(agent)
        others = [seat for seat in range(4) if seat != own]
        hands = env._round.hands
        kept = list(hands)
        hands[others[0]], hands[others[1]] = hands[others[1]], hands[others[0]]
        changed = env.observe(agent)
        assert all(np.array_equal(seen[name], changed[name]) for name in seen)
        hands[:] = kept
        env.step(choose(seen, rng))


def test_illegal_actions():
    env = SpadesEnv(Rules(min_bid=4))
    env.reset(seed=1)
    env.step(1)
    env.step(6)
    with pytest.raises(IllegalBidError, match="3 to 13 are legal"):
        env.step(2)
    for bid in (4, 4):
        env.step(bid)
    spade_not_broken = int(np.flatnonzero(planes_of(env, env.agent_selection)[0])[0])
    with pytest.raises(IllegalPlayError, match="spades are not broken"):
        env.step(N_BIDS + spade_not_broken)
    wrapped = petting_zoo.env()
    wrapped.reset(seed=1)
    culprit = wrapped.agent_selection
    wrapped.step(N_BIDS)
    assert wrapped.rewards[culprit] == -1
    assert all(wrapped.terminations.values())


def test_the_same_seed_deals_the_same_rounds_one_after_another():
    def deals(env):
        env.reset(seed=9)
        first = list(env._round.hands)
        env.reset()
        return first, list(env._round.hands)

    first, second = deals(SpadesEnv())
    assert first != second
    assert deals(SpadesEnv()) == (first, second)


def test_rendering_shows_what_the_seat_to_move_sees():
    env = petting_zoo.env(render_mode="ansi")
    env.reset(seed=1)
    assert str(env.agent_selection) in env.render()
    assert SpadesEnv().render_mode is None
