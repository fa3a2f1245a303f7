"""A game at a table: the very game that agents play, and what a move must not be."""

import json

import pytest

from spades.agents import Seating, parse_agent
from spades.agents.play import play_games
from spades.core.errors import IllegalBidError, SpadesError
from spades.core.rules import NO_BID, Rules
from spades.tables import Game, Move, Setup, TableError, play_again, points_ahead
from spades.tables.game import AUCTION, BACK, BID, CARD, DEAL, LEAVE, OVER, PLAY, ROUND_OVER, replay

AGENTS = ("srp+bis", "wrp+rb", "human", "random+bis")
SHORT = Rules(target=150, losing_floor=-150)
KEY = "5e" * 32


def played(game, person=lambda game: None):
    """The game played to its end; ``person`` chooses for seats without an agent."""
    while game.phase != OVER:
        if game.phase == ROUND_OVER:
            game.make(Move(0, DEAL))
            continue
        game.make(game.agents_move() or person(game))
    return game


def lowest(game):
    """A person who bids 3 and plays the lowest legal card."""
    seen = game.seen(game.turn)
    if game.phase == AUCTION:
        return Move(game.turn, BID, 3)
    return Move(game.turn, CARD, (seen.legal_mask & -seen.legal_mask).bit_length() - 1)


def test_four_agents_play_the_game_of_play_games():
    game = played(Game(Setup(AGENTS, 7, SHORT)))
    seating = Seating(tuple(map(parse_agent, AGENTS)), SHORT)
    log = play_games(seating, 7, 0, 1).log()
    assert len(game.records) == len(log)
    for i, record in enumerate(game.records):
        other = log.record(i)
        for name in ("hands", "dealer", "bids", "plays", "score_before", "bags_before", "seed"):
            assert getattr(record, name) == getattr(other, name), (i, name)
        assert record.round_index == i


@pytest.mark.parametrize("rounds", [1, 3])
def test_so_many_rounds(rounds):
    game = played(Game(Setup(("srp+bis", None, "srp+bis", None), rounds=rounds, key=KEY)), lowest)
    assert len(game.records) == rounds
    assert [record.kinds for record in game.records] == [("bot", "human", "bot", "human")] * rounds
    assert game.turn is None


def test_a_game_is_its_setup_and_its_moves():
    agents = (None, "srp+bis", "wrp+rb", None)
    setup = Setup(agents, rules=SHORT, players=("Ann", "", "", "B"), key=KEY)
    game = played(Game(setup), lowest)
    again = Setup.from_document(json.loads(json.dumps(setup.document())))
    assert again == setup
    assert replay(again, game.moves).records == game.records
    half = replay(again, game.moves[:70])
    assert (half.phase, half.turn) == (PLAY, replay(setup, game.moves[:70]).turn)
    assert half.record.players == ("Ann", "srp+bis", "wrp+rb", "B")


def test_what_is_no_move_is_refused_and_changes_nothing():
    game = Game(Setup((None,) * 4, key=KEY))
    for move, error in (
        (Move(0, BID, 3), "it is East's turn, not North's"),
        (Move(1, CARD, 0), "a card in the phase auction"),
        (Move(1, DEAL), "no round to deal"),
    ):
        with pytest.raises(TableError, match=error):
            game.make(move)
    with pytest.raises(IllegalBidError):
        game.make(Move(1, BID, 14))
    for seat in (1, 2, 3, 0):
        game.make(Move(seat, BID, 3))
    hidden = game.round.hands[2] & -game.round.hands[2]
    with pytest.raises(TableError, match=r"can't be played; legal: [^|]*$"):
        game.make(Move(1, CARD, hidden.bit_length() - 1))
    assert len(game.moves) == 4
    assert not game.round.table.plays


def test_a_seat_sees_its_own_cards_alone():
    game = Game(Setup((None,) * 4, key=KEY))
    for seat in range(4):
        seen = game.seen(seat)
        assert seen.hand == game.round.hands[seat]
        assert seen.table.bids == [NO_BID] * 4
    game.round.hands[0], game.round.hands[1] = game.round.hands[1], game.round.hands[0]
    assert game.seen(2) == Game(Setup((None,) * 4, key=KEY)).seen(2)


def test_scores_of_a_finished_round_are_those_it_began_with():
    game = Game(Setup(("srp+bis",) * 4, 3, rounds=2))
    while game.phase != ROUND_OVER:
        game.make(game.agents_move())
    assert game.seen(0).score_before == (0, 0)
    assert game.score.score == game.records[0].score().points
    game.make(Move(0, DEAL))
    assert game.seen(0).score_before == game.score.score


def test_an_agent_stands_in_and_the_rounds_are_marked():
    agents = (None, "srp+bis", "srp+bis", "srp+bis")
    game = Game(Setup(agents, rounds=3, players=("Ann",) * 4, key=KEY))
    while len(game.records) < 1:
        game.make(game.agents_move() or lowest(game))
    game.make(Move(0, DEAL))
    game.make(Move(0, LEAVE))
    while game.phase == AUCTION:
        game.make(game.agents_move())  # for Ann as well
    with pytest.raises(TableError, match="North's seat is no person's at the moment"):
        game.make(Move(0, LEAVE))
    game.make(Move(0, BACK))
    with pytest.raises(TableError, match="East's seat is a person's"):
        game.make(Move(1, BACK))
    played(game, lowest)
    assert [record.kinds[0] for record in game.records] == ["human", "bot", "human"]
    assert [record.players[0] for record in game.records] == ["Ann", "srp+bis", "Ann"]
    assert [record.agents[0] for record in game.records] == ["", "srp+bis", ""]
    assert replay(game.setup, game.moves).records == game.records


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"agents": ["srp"] * 3}, "no set-up"),
        ({"agents": ["srp"] * 4, "seed": None}, "a table of four agents has a seed"),
        ({"key": "5e"}, "the key of a table is 64 hexadecimal digits"),
        ({"key": KEY}, "a seed or a key, not both"),
        ({"players": ["\ud800", "", "", ""]}, "players are texts"),
        ({"agents": ["nobody"] * 4}, "nobody"),
        ({"agents": ["py:os.system"] * 4}, "names Python code"),
        ({"seed": -1}, "seed is -1"),
        ({"seed": "x"}, "seed is 'x'; a whole number"),
        ({"seed": 1.5}, r"seed is 1\.5; a whole number"),
        ({"rounds": True}, "rounds is True; a whole number"),
        ({"players": [1, "", "", ""]}, "players are texts"),
        ({"about": [1, "", "", ""]}, "about are texts"),
        ({"deals_of": "x" * 201}, "deals_of is"),
        ({"players": ["A" * 41, "", "", ""]}, "at most 40 letters"),
        ({"rounds": 101}, "101 rounds"),
        ({"rules": {"target": "x"}}, "target"),
        ({"rules": {"first_hand_bids_itself": True}}, "bids itself"),
        ({"players": ["A"]}, "seats"),
    ],
)
def test_setups_that_are_refused(change, error):
    document = Setup((None, "srp+bis", None, "srp+bis"), 1).document()
    with pytest.raises(SpadesError, match=error):
        Setup.from_document(document | change)


def test_agents_get_a_persons_deals_again():
    setup = Setup((None, "srp+bis", None, "wrp+rb"), rounds=3, key=KEY)
    game = played(Game(setup), lowest)
    again = play_again(setup, 2, "srp+bis", game.records)
    assert [record.hands for record in again] == [record.hands for record in game.records]
    assert again[0].agents == ("srp+bis", "srp+bis", "srp+bis", "wrp+rb")
    assert play_again(setup, 2, "srp+bis", game.records[:2]) == again[:2]
    for record, ahead in zip(again, points_ahead(again, 1), strict=True):
        north, east = record.score().points
        assert ahead == east - north
    with pytest.raises(SpadesError, match="nobody"):
        play_again(setup, 2, "nobody", game.records)


def test_rounds_of_chosen_deals_are_played_again_by_agents():
    drawn = played(Game(Setup(AGENTS, 5, rounds=3))).records
    deals = tuple((one.dealer, one.hands) for one in reversed(drawn))
    setup = Setup((None, *AGENTS[1:]), rounds=3, deals=deals, key=KEY)
    game = played(Game(setup), lowest)
    assert [(one.dealer, one.hands) for one in game.records] == list(deals)
    for n in (1, 3):
        again = play_again(setup, 0, "srp+bis", game.records[:n])
        assert [(one.dealer, one.hands) for one in again] == list(deals[:n])
