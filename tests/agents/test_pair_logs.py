"""The rounds behind a pair: the games that were counted, card for card."""

import pytest

from spades.agents import Duel, pair_log, parse_agent, play_pairs
from spades.core.rules import Rules
from spades.core.scoring import GameScore, add_round

QUICK = Rules(target=150, losing_floor=-150)
HUMAN, SLOW = parse_agent("human"), parse_agent("ismcts:iterations=5")


@pytest.mark.parametrize(
    ("first", "second", "nil_only"),
    [
        (HUMAN, parse_agent("srp+bis"), False),
        (HUMAN, HUMAN, False),
        (HUMAN, SLOW, False),
        (HUMAN, SLOW, True),
        (parse_agent("srp+bis"), HUMAN, True),
    ],
)
def test_the_log_of_a_pair_comes_to_its_results(first, second, nil_only):
    duel = Duel(first, second, QUICK, nil_only)
    counted = play_pairs(duel, 5, 2, 3)
    log = pair_log(duel, 5, 2)
    assert log.games == ("5-2-1", "5-2-2")
    for game in (0, 1):
        records = list(log.take(log.game_code == game).records())
        assert [record.round_index for record in records] == list(range(len(records)))
        assert records[0].agents[0] == str((first, second)[game])
        score = GameScore((0, 0), (0, 0))
        for record in records:
            assert record.score_before == score.score
            assert not nil_only or 0 in record.bids
            score = add_round(record.rules, score, record.score())
        assert len(records) == counted.rounds[0, game]
        by_agent = score.score if game == 0 else score.score[::-1]
        assert by_agent == tuple(counted.scores[0, game])
