"""Help at a table: hints, taking back, claims and blind nils; all of it is noted in the log."""

import pytest

from spades.core.cards import partnership_of
from spades.core.records import HINTED, TAKEN_BACK, aided_plies, aids_text
from spades.core.rules import NO_BID, Rules
from spades.core.scoring import GameScore
from spades.tables import Game, Move, Setup, TableError
from spades.tables.game import (
    AUCTION,
    BID,
    CARD,
    CLAIM,
    HINT,
    LOOK,
    OVER,
    PLAY,
    UNDO,
    replay,
)  # fmt: skip
from tests.tables.test_game import KEY, lowest, played

ALONE = Setup(("srp+bis", "srp+bis", None, "srp+bis"), rounds=1, help=True, key=KEY)
SOUTH = 2


def due(setup=ALONE, cards=0):
    """A game in which South is due after so many cards of its own."""
    game = Game(setup)
    while True:
        is_due = game.turn == SOUTH and len(game.round.table.plays) >= 4 * cards
        if is_due and (game.phase == PLAY or not cards):
            return game
        game.make(game.agents_move() or lowest(game))


def test_help_is_off_unless_the_table_has_it():
    game = due(Setup(ALONE.agents, rounds=1, key=KEY))
    for kind in (HINT, UNDO, CLAIM):
        with pytest.raises(TableError, match="help is off"):
            game.make(Move(SOUTH, kind))


@pytest.mark.parametrize("cards", [0, 1, 5])
def test_what_is_taken_back_is_played_again_and_marked(cards):
    game = due(cards=cards)
    before, ply = game.seen(SOUTH), game._ply
    game.make(lowest(game))
    while game.turn != SOUTH:
        game.make(game.agents_move())
    game.make(Move(SOUTH, UNDO))
    assert game.seen(SOUTH) == before
    legal = before.legal_mask
    other = Move(SOUTH, BID, 5) if not cards else Move(SOUTH, CARD, legal.bit_length() - 1)
    game.make(other)
    (record,) = played(game, lowest).records
    assert f"; {TAKEN_BACK} {ply}; " in record.source
    assert aided_plies(record.source) == set(range(ply, 52))
    assert replay(ALONE, game.moves).records == [record]
    assert (record.bids[SOUTH] == 5) == (not cards)


def test_agents_play_the_same_after_a_card_that_is_played_again():
    game = due(cards=3)
    straight = played(replay(ALONE, game.moves), lowest).records
    game.make(lowest(game))
    while game.turn != SOUTH:
        game.make(game.agents_move())
    game.make(Move(SOUTH, UNDO))
    (again,) = played(game, lowest).records
    assert again.plays == straight[0].plays


def test_taking_back_needs_something_to_take_back_and_nobody_else():
    game = due()
    with pytest.raises(TableError, match="South has nothing to take back"):
        game.make(Move(SOUTH, UNDO))
    two = due(Setup((None, "srp+bis", None, "srp+bis"), rounds=1, help=True, key=KEY), cards=1)
    with pytest.raises(TableError, match="several people"):
        two.make(Move(SOUTH, UNDO))
    over = played(due(cards=1), lowest)
    with pytest.raises(TableError, match="nothing to take back"):
        over.make(Move(SOUTH, UNDO))


def test_hints_are_noted_by_card():
    game = due()
    game.make(Move(SOUTH, HINT))
    game.make(lowest(game))
    while game.turn != SOUTH or game.phase == AUCTION:
        game.make(game.agents_move())
    ply = len(game.round.table.plays)
    game.make(Move(SOUTH, HINT))
    game.make(Move(SOUTH, HINT))
    (record,) = played(game, lowest).records
    bid = -4 + (SOUTH - record.dealer - 1) % 4
    assert f"; {HINTED} {bid} {ply}; " in record.source
    assert aided_plies(record.source) == {bid, ply}


def test_a_claim_is_played_with_open_hands_for_tricks():
    game = due(cards=10)
    plies = len(game.round.table.plays)
    game.make(Move(SOUTH, CLAIM))
    n = len(game.moves)
    while game.phase != OVER:
        game.make(game.agents_move())
    (record,) = game.records
    played = [card.code for card in record.plays[plies:]]
    assert played == [move.value for move in game.moves[n:]]
    assert aided_plies(record.source) == set(range(plies, 52))
    assert replay(ALONE, game.moves).records == [record]


def behind(points):
    """South to bid, whose side is so many points behind."""
    game = Game(Setup(ALONE.agents, key=KEY))
    game.score = GameScore((0, points), (0, 0))
    while game.turn != SOUTH:
        game.make(game.agents_move())
    return game


def test_a_blind_nil_is_bid_unseen_by_who_is_far_behind():
    game = behind(100)
    assert game.hides_hand(SOUTH)
    game.make(Move(SOUTH, BID, 0, blind=True))
    assert not game.hides_hand(SOUTH)
    assert game.round.table.blind[SOUTH]

    looked = behind(100)
    looked.make(Move(SOUTH, LOOK))
    for game in (behind(99), looked):
        assert not game.hides_hand(SOUTH)
        with pytest.raises(TableError, match="a blind nil is bid unseen"):
            game.make(Move(SOUTH, BID, 0, blind=True))
        with pytest.raises(TableError, match="has been seen"):
            game.make(Move(SOUTH, LOOK))
        assert game.round.table.bids[SOUTH] == NO_BID
    assert partnership_of(SOUTH) == 0


@pytest.mark.parametrize("rules", [Rules(blind_nil=None), Rules(nil=None)])
def test_no_hand_is_hidden_where_no_nil_is_blind(rules):
    game = Game(Setup(ALONE.agents, rules=rules, key=KEY))
    game.score = GameScore((0, 300), (0, 0))
    assert not game.hides_hand(SOUTH)


@pytest.mark.parametrize(
    ("aids", "text", "plies"),
    [
        ({}, "", set()),
        ({"hinted": {17, 3, -2}}, "hinted -2 3 17", {-2, 3, 17}),
        ({"hinted": {3}, "taken back": {50}}, "hinted 3; taken back 50", {3, 50, 51}),
        ({"claimed": {49}, "taken back": ()}, "claimed 49", {49, 50, 51}),
    ],
)
def test_aids_in_a_source(aids, text, plies):
    assert aids_text(aids) == text
    assert aided_plies(f"file.jsonl; {text}") == plies
