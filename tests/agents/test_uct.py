"""One-level UCT over the legal cards."""

import random

import numpy as np
import pytest

from spades.agents import UnknownAgentError, parse_agent
from spades.agents.players.rules import StrongPlayer
from spades.agents.players.uct import Arms, UctPlayer, choose_arm, uct_steps
from spades.core.cards import cards_in
from spades.core.errors import IllegalPlayError
from spades.core.observation import observe
from spades.core.scoring import evaluation_table
from spades.core.steps import last_value
from tests.positions import random_round


def uct_search(seen, **options):
    return last_value(uct_steps(seen, **options))


def test_text():
    assert str(parse_agent("uct:last=5")) == "uct:iterations=1000,last=5"
    assert str(parse_agent("uct").with_option("iterations", 7)) == "uct:iterations=7"


@pytest.mark.parametrize("text", ["uct:iterations=0", "uct:last=14", "uct:exploration=-1"])
def test_settings_out_of_range_are_refused(text):
    with pytest.raises(UnknownAgentError, match="legal"):
        parse_agent(text)


def test_visits_sum_to_iterations_and_a_seed_gives_one_result():
    seen = observe(random_round(random.Random(1), 20))
    found = uct_search(seen, iterations=500, exploration=50.0, seed=3)
    again = uct_search(seen, iterations=500, exploration=50.0, seed=3)
    assert found.visits.sum() == 500
    assert found.cards.tolist() == list(cards_in(seen.legal_mask))
    assert found.values.tolist() == again.values.tolist()


def test_the_next_arm_is_the_one_with_the_highest_bound():
    arms = Arms(np.arange(3), np.array([10, 5, 0]), np.array([100.0, 20.0, 0.0]))
    assert choose_arm(arms, 15, 1.0) == 2
    arms.visits[2] = 5
    arms.values[2] = 45.0
    bounds = arms.values / arms.visits + 2.0 * np.sqrt(np.log(20) / arms.visits)
    assert choose_arm(arms, 20, 2.0) == np.argmax(bounds)
    assert choose_arm(arms, 20, 0.0) == 0


@pytest.mark.parametrize(("lead", "arm"), [(1.9, 1), (2.1, 0)])
def test_a_bound_is_the_mean_and_c_times_the_root_of_ln_n_by_visits(lead, arm):
    """With C = 4, ln 55 = 4.007 and visits of 16 and 4: 4 sqrt(4 / 16) = 2, 4 sqrt(4 / 4) = 4, so
    that the first arm needs a mean 2 points higher; with 2 ln n it would need 2.8."""
    arms = Arms(np.arange(2), np.array([16, 4]), np.array([16 * lead, 0.0]))
    assert choose_arm(arms, 55, 4.0) == arm


def test_values_of_the_last_trick_are_what_it_comes_to():
    """One card each: the value is the mean over the ways the three cards can lie."""
    rng = random.Random(5)
    for _ in range(10):
        state = random_round(rng, 51)
        seen = observe(state)
        found = uct_search(seen, iterations=4, exploration=10.0, seed=1)
        table = state.table
        final = state.copy()
        final.play(int(found.cards[0]))
        rewards = evaluation_table(table.rules, tuple(table.bids), tuple(table.blind))
        n, e, s, _ = final.table.tricks_taken
        sign = 1 if seen.seat % 2 == 0 else -1
        assert found.values[0] / 4 == sign * rewards[n, e, s]


def test_srp_plays_until_the_last_tricks():
    rng = random.Random(2)
    for ply in range(0, 48, 5):
        seen = observe(random_round(rng, ply))
        late = UctPlayer(iterations=30, last=13 - len(seen.table.winners) - 1)
        assert late.play(seen, 1) == StrongPlayer().play(seen, 1)


def test_a_seat_not_to_play_is_refused():
    state = random_round(random.Random(3), 4)
    with pytest.raises(IllegalPlayError, match="turn"):
        uct_search(observe(state, (state.table.turn + 1) % 4), iterations=5, exploration=1, seed=1)
