"""Examples of human play from logs: the views, who is taken, splits by game."""

from dataclasses import replace

import numpy as np
import pytest

from spades.core.errors import InvalidRecordError, SpadesError
from spades.core.logs import Log, concatenate
from spades.core.records import BOT, HUMAN, SIMULATED_HUMAN, Record
from spades.core.rules import Rules
from spades.human import simulate_humans
from spades.human.features.logs import data_hash, examples_of_log, split_by_game
from spades.human.features.view import PLAYED, view_of


def log_of(*records):
    return Log.from_records(records)


@pytest.fixture(params=["standard", "joker-joker-deuce-deuce"])
def simulated(request):
    return simulate_humans(12, 4, rules=Rules(deck=request.param))


def test_views_are_those_of_the_observations(simulated):
    examples = examples_of_log(simulated)
    seen = [record.observation(ply) for record in simulated.records() for ply in range(52)]
    assert np.array_equal(examples.views, [view_of(observation) for observation in seen])
    assert examples.cards.tolist() == simulated.plays.ravel().tolist()
    assert examples.is_simulated.all()
    assert np.array_equal(examples.games, np.repeat(np.arange(12), 52))


def test_a_round_cut_short_ends_with_its_last_card(random_record):
    record = random_record(3, Rules(), 21)
    examples = examples_of_log(log_of(record), "all")
    assert examples.cards.tolist() == [card.code for card in record.plays]
    assert np.array_equal(examples.views[-1], view_of(record.observation(20)))


def test_cards_chosen_with_help_are_left_out(random_record):
    kinds = (HUMAN, BOT, HUMAN, BOT)
    record = replace(random_record(3, Rules(), 52), kinds=kinds)
    helped = replace(record, source="hinted 0 9; taken back 40")
    plain, left = examples_of_log(log_of(record)), examples_of_log(log_of(helped))
    plies = np.bitwise_count(plain.views[:, PLAYED])
    is_own = ~np.isin(plies, [0, 9]) & (plies < 40)
    assert np.array_equal(left.views, plain.views[is_own])
    assert np.array_equal(left.cards, plain.cards[is_own])
    assert len(examples_of_log(log_of(helped), "all")) == 52


def test_bots_are_left_out_unless_asked_for(random_record):
    base = random_record(5, Rules())
    kinds = (BOT, SIMULATED_HUMAN, HUMAN, BOT)
    record = Record(**{**vars(base), "kinds": kinds})
    examples = examples_of_log(log_of(record))
    assert len(examples) == 26
    assert examples.is_simulated.sum() == 13
    assert len(examples_of_log(log_of(record), "all")) == 52
    with pytest.raises(InvalidRecordError, match="no human or simulated human"):
        examples_of_log(log_of(base))
    with pytest.raises(SpadesError, match="humans and all are legal"):
        examples_of_log(log_of(record), "bots")


def test_unforced_have_a_choice(simulated):
    unforced = examples_of_log(simulated).unforced
    assert 0 < len(unforced) < 12 * 52
    assert min(int(legal).bit_count() for legal in unforced.views[:, 1]) == 2


def test_the_hash_is_that_of_the_data(simulated):
    examples = examples_of_log(simulated)
    assert data_hash(examples) == data_hash(examples_of_log(simulated))
    assert data_hash(examples) != data_hash(examples.take(slice(1, None)))


def test_games_are_split_whole():
    games = np.repeat(np.arange(200), 7)
    parts = split_by_game(games, (0.6, 0.2, 0.2), 1)
    assert sorted(np.concatenate(parts).tolist()) == list(range(1400))
    seen = [set(games[part].tolist()) for part in parts]
    assert [len(members) for members in seen] == [120, 40, 40]
    assert not seen[0] & seen[1]
    assert not seen[1] & seen[2]
    again = split_by_game(games, (0.6, 0.2, 0.2), 1)
    assert all(np.array_equal(a, b) for a, b in zip(parts, again, strict=True))


def test_no_part_of_a_split_is_empty():
    parts = split_by_game(np.array([5, 5, 9]), (0.9, 0.1), 0)
    assert sorted(map(len, parts)) == [1, 2]
    with pytest.raises(SpadesError, match="1 games can't be split in 2"):
        split_by_game(np.array([5, 5]), (0.9, 0.1), 0)


def test_two_logs_are_two_sets_of_games(simulated):
    both = concatenate([simulated, simulate_humans(5, 9)])
    assert len(np.unique(examples_of_log(both).games)) == 17
