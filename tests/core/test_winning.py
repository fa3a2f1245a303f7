"""The chance to win: of the game's end, of hand-worked games, and what a search makes of it."""

import numpy as np
import pytest

from spades.agents import parse_agent
from spades.core import winning
from spades.core.deal import random_deal
from spades.core.observation import observe
from spades.core.rules import Round, Rules
from spades.core.scoring import GameScore, evaluation_table
from spades.core.winning import RoundEndings, UnknownChanceError, chances_of, game_stakes
from spades.search.search import search
from spades.search.settings import InvalidSearchError

STANDARD = Rules()
SHORT = Rules(target=100, losing_floor=-100)


@pytest.fixture(scope="module")
def chances():
    return winning.winning_chances(STANDARD)


def outcomes(*rounds):
    """Rounds (bids, tricks), seats from the dealer on."""
    bids, tricks = (np.array(part, dtype=np.int8) for part in zip(*rounds, strict=True))
    return RoundEndings(bids, np.zeros(bids.shape, dtype=bool), tricks)


def test_a_game_of_one_kind_of_round_is_won_by_the_side_that_gets_there_first():
    # The dealer's side makes 7, the other its 6: 70 points to 60, and sides take turns.
    found = chances_of(SHORT, outcomes(((4, 3, 3, 3), (4, 3, 3, 3))))
    assert found.chance(GameScore((0, 0), (0, 0)), 0) == 1  # 70:60, 130:130, 200:190
    assert found.chance(GameScore((40, 0), (0, 0)), 0) == 1
    assert found.chance(GameScore((40, 50), (0, 0)), 1) == 0  # 100:120


def test_two_kinds_of_rounds_are_weighed_by_how_often_they_came():
    # Three rounds in four the dealer's side makes 10 and sets the other, one in four it is set.
    made_it, set_ = ((5, 3, 5, 3), (5, 2, 5, 1)), ((5, 3, 5, 3), (4, 3, 4, 2))
    found = chances_of(SHORT, outcomes(made_it, made_it, made_it, set_))
    # Set at 0:0 leaves -100 : 50 and the floor: the round decides, whoever deals.
    assert found.chance(GameScore((0, 0), (0, 0)), 0) == pytest.approx(0.75, abs=2e-3)
    assert found.chance(GameScore((0, 0), (0, 0)), 1) == pytest.approx(0.25, abs=2e-3)


def test_a_bag_that_costs_the_penalty_is_felt():
    # Both sides make five in every round, the dealer's with two bags, the other with one.
    found = chances_of(STANDARD, outcomes(((3, 2, 2, 3), (4, 3, 3, 3))))
    level = GameScore((450, 450), (0, 0))
    assert [found.chance(level, dealer) for dealer in (0, 1)] == [1, 0]  # 502 to 501
    assert found.chance(GameScore((459, 450), (9, 0)), 0) == 0  # 411 to 501
    assert found.chance(GameScore((450, 459), (0, 9)), 0) == 1


def test_known_ends_and_sides(chances):
    assert chances.chance(GameScore((500, 499), (0, 0)), 0) == 1
    assert chances.chance(GameScore((510, 640), (0, 0)), 2) == 0
    assert 0 < chances.chance(GameScore((520, 520), (0, 0)), 0) < 1  # equal scores play on
    for dealer in range(4):
        a = chances.chance(GameScore((230, 310), (4, 7)), dealer)
        b = chances.chance(GameScore((310, 230), (7, 4)), dealer + 1)
        assert a + b == pytest.approx(1, abs=1e-6)
        assert chances.chance(GameScore((0, 0), (0, 0)), dealer) == pytest.approx(0.5, abs=0.02)


def test_more_points_are_never_worse_before_the_end_is_near(chances):
    for bags in ((0, 0), (9, 0), (3, 8)):
        for theirs in range(-200, 500, 50):
            found = [
                chances.chance(GameScore((ours, theirs), bags), 0) for ours in range(-300, 400, 10)
            ]
            assert np.diff(found).min() > -1e-3


def test_a_score_between_two_rows_lies_between_them(chances):
    low, at, high = (chances.chance(GameScore((s, 200), (0, 0)), 0) for s in (300, 305, 310))
    assert at == pytest.approx((low + high) / 2)


def test_the_chances_are_kept_and_read_again(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_CACHE", str(tmp_path))
    some = outcomes(((4, 3, 3, 3), (4, 3, 3, 3)), ((4, 3, 3, 3), (3, 4, 3, 3)))
    first = chances_of(SHORT, some)
    (path,) = (tmp_path / "chances").iterdir()
    assert np.array_equal(chances_of(SHORT, some).values, first.values)
    path.write_bytes(path.read_bytes()[:100])  # half a file is made anew
    assert np.array_equal(chances_of(SHORT, some).values, first.values)
    assert len(list((tmp_path / "chances").iterdir())) == 1


@pytest.mark.parametrize("rules", [Rules(target=5000), Rules(bag_limit=50), Rules(target=0)])
def test_rules_out_of_range_are_refused_in_words(rules):
    with pytest.raises(UnknownChanceError, match="targets of 1 to 1000 and bag limits to 20"):
        winning.winning_chances(rules)


def seen_at(bids, score, bags, *, rules=STANDARD, seed=5):
    state = Round.deal(rules, 3, random_deal(rules.cards, seed))
    for seat, bid in enumerate(bids):
        state.table.bid(seat, bid)
    return observe(state, score_before=score, bags_before=bags)


def test_the_stakes_say_what_the_round_does_to_the_game(chances):
    seen = seen_at((4, 3, 3, 2), (0, 0), (0, 0))
    stakes = game_stakes(seen)
    assert stakes.before == chances.chance(GameScore((0, 0), (0, 0)), 3)
    # N/S make 7 with two bags, E/W 4: 72 to -50, the next dealer is North.
    after = chances.chance(GameScore((72, -50), (2, 0)), 0)
    value = int(stakes.table[5, 2, 4])
    assert stakes.chance(value) == pytest.approx(after, abs=1 / stakes.scale)
    assert stakes.chance(-value, side=1) == pytest.approx(1 - after, abs=1 / stakes.scale)


def test_bags_that_arent_told_are_the_last_digit_of_the_score():
    told = game_stakes(seen_at((4, 3, 3, 2), (242, -73), (2, 7)))
    assert game_stakes(seen_at((4, 3, 3, 2), (242, -73), None)) is told
    with pytest.raises(UnknownChanceError, match="score before the round is not known"):
        game_stakes(seen_at((4, 3, 3, 2), (242, 76), None, rules=Rules(bag_limit=5)))


def test_match_points_spread_as_widely_as_points():
    seen = seen_at((4, 3, 3, 2), (0, 0), (0, 0))
    points = evaluation_table(STANDARD, (4, 3, 3, 2), (False,) * 4)
    table = game_stakes(seen).table
    assert np.abs(table).max() <= 1000
    assert 0.5 < table.std() / points.std() < 2


def test_the_last_tricks_count_otherwise_where_a_bag_loses_the_game():
    """At 459 with nine bags a tenth costs a hundred; at 490 to 120 making is all that counts."""
    level, bagged, won = (
        game_stakes(seen_at((4, 3, 3, 2), score, bags)).table
        for score, bags in (((0, 0), (0, 0)), ((459, 380), (9, 0)), ((440, 120), (0, 0)))
    )
    exact, over = (4, 3, 3), (5, 3, 3)  # seven tricks, and one more
    assert bagged[exact] - bagged[over] > 2 * (level[exact] - level[over]) > 0
    assert won[over] >= won[exact] - 2  # the game is won with either


def test_a_search_for_the_game_needs_the_score():
    how = parse_agent("ismcts:objective=game").player.search_settings
    with pytest.raises(InvalidSearchError, match="score before the round is not known"):
        search(seen_at((4, 3, 3, 2), None, None), iterations=10, settings=how)


def test_a_round_that_bids_itself_has_stakes():
    rules = Rules(first_hand_bids_itself=True)
    state = Round.deal(rules, 3, random_deal(rules.cards, 5))
    stakes = game_stakes(observe(state, score_before=(0, 0), bags_before=(0, 0)))
    assert stakes.table[7, 0, 6] > stakes.table[6, 1, 6] > stakes.table[0, 7, 0]


def test_the_search_rewards_the_game_and_tells_the_chance():
    how = parse_agent("ismcts:objective=game").player.search_settings
    seen = seen_at((4, 3, 3, 2), (459, 380), (9, 0))
    found = search(seen, iterations=500, seed=3, settings=how)
    plain = search(seen, iterations=500, seed=3)
    assert plain.stakes is None
    assert found.stakes == game_stakes(seen)
    assert [row.mean_value for row in found.cards] != [row.mean_value for row in plain.cards]
    assert all(0 <= found.stakes.chance(row.mean_value) <= 1 for row in found.cards if row.visits)


def test_only_who_plays_for_the_game_plays_by_its_score():
    scores = [((0, 0), (0, 0)), ((459, 380), (9, 0)), ((440, 120), (0, 9))]

    def leads(text):
        player = parse_agent(text).player
        return [
            [player.play(seen_at((4, 3, 3, 2), *score, seed=seed), 1) for seed in range(6)]
            for score in scores
        ]

    level, *others = leads("ismcts:iterations=300")
    assert others == [level, level]
    level, *others = leads("ismcts:iterations=300,objective=game")
    assert level not in others
