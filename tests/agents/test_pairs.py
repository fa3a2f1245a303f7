"""Pairs of games on common deals, against the logs of the same games."""

import dataclasses

import numpy as np
import pytest

from spades.agents import Duel, NoNilError, PairResults, parse_agent, play_games, play_pairs
from spades.agents.pairs import FIELDS, TIMED_PAIRS, InvalidResultsError, nils_and_contracts
from spades.agents.play import MAX_ROUNDS, deal_and_bid
from spades.core.deal import derive_seed
from spades.core.rules import NIL_BID, Rules
from spades.core.scoring import GameScore, add_round

HUMAN, RANDOM = parse_agent("human"), parse_agent("random+random")
QUICK = Rules(target=150, losing_floor=-150)


def counted(seating, seed, game):
    """(rounds, score, penalties, bags) by partnership of a logged game."""
    score, penalties, bags = GameScore((0, 0), (0, 0)), np.zeros(2, int), np.zeros(2, int)
    records = list(play_games(seating, seed, game, game + 1, by_card=True).log().records())
    for record in records:
        scored = record.score()
        score = add_round(record.rules, score, scored)
        penalties += score.penalties
        bags += scored.bags
    return len(records), score.score, tuple(penalties), tuple(bags), records


def test_pairs_are_the_logged_games_each_deal_played_from_both_sides():
    duel = Duel(HUMAN, RANDOM, QUICK)
    found = play_pairs(duel, 8, 3, 7)
    assert len(found) == 4
    for i, pair in enumerate(range(3, 7)):
        deals = []
        for j, seating in enumerate(duel.seatings):
            n, score, penalties, bags, records = counted(seating, 8, pair)
            order = slice(None, None, -1 if j else 1)  # by agent: the first sits E/W in seating 1
            assert found.rounds[i, j] == n
            assert tuple(found.scores[i, j][order]) == score
            assert tuple(found.penalties[i, j][order]) == penalties
            assert tuple(found.bags[i, j][order]) == bags
            nils = [sum(r.bids[s] == 0 for r in records for s in (p, p + 2)) for p in (0, 1)]
            assert list(found.nils[i, j][order]) == nils
            deals.append([(record.dealer, record.hands) for record in records])
        common = min(map(len, deals))
        assert deals[0][:common] == deals[1][:common]


def test_a_range_is_the_join_of_its_parts_and_the_agents_can_be_exchanged():
    def without_time(results):
        return {name: array.tolist() for name, array in vars(results).items() if name != TIME}

    duel, reverse = Duel(HUMAN, RANDOM, QUICK), Duel(RANDOM, HUMAN, QUICK)
    whole = play_pairs(duel, 2, 0, 5)
    parts = PairResults.joined([play_pairs(duel, 2, 0, 2), play_pairs(duel, 2, 2, 5)])
    assert without_time(whole) == without_time(parts)
    assert without_time(whole) == without_time(play_pairs(reverse, 2, 0, 5).swapped())
    assert without_time(whole.swapped().swapped()) == without_time(whole)


TIME = "nanoseconds"


def test_compiled_games_are_the_games_played_card_by_card(monkeypatch):
    duel = Duel(HUMAN, parse_agent("srp+random"), QUICK)
    assert duel.is_compiled
    compiled = play_pairs(duel, 6, 0, 8)
    assert ((compiled.nanoseconds > 0).all(axis=(1, 2)) == (np.arange(8) < TIMED_PAIRS)).all()
    monkeypatch.setattr("spades.agents.pairs.TIMED_PAIRS", 8)
    by_card = play_pairs(duel, 6, 0, 8)
    assert (by_card.nanoseconds > 0).all()
    assert all((vars(compiled)[name] == vars(by_card)[name]).all() for name in FIELDS[:-1])
    assert FIELDS[-1] == TIME


def test_an_agent_against_itself_wins_one_game_of_each_pair():
    found = play_pairs(Duel(HUMAN, HUMAN, QUICK), 4, 0, 6)
    winners = found.winners(QUICK)
    assert (winners[:, 0] + winners[:, 1] == 1).all()


def test_every_round_of_the_nil_only_variant_has_a_nil():
    duel = Duel(HUMAN, RANDOM, QUICK, nil_only=True)
    found = play_pairs(duel, 11, 0, 10)
    assert (found.nils.sum(axis=2) >= found.rounds).all()
    standard = play_pairs(dataclasses.replace(duel, nil_only=False), 11, 0, 10)
    assert standard.nils.sum() / standard.rounds.sum() < found.nils.sum() / found.rounds.sum()


def test_nil_only_keeps_the_first_deal_on_which_somebody_bids_nil():
    duel = Duel(HUMAN, HUMAN, dataclasses.replace(QUICK, target=1, losing_floor=0), nil_only=True)
    seed = 5
    found = play_pairs(duel, seed, 0, 1)
    round_seed, nothing = derive_seed(seed, 0, 0), GameScore((0, 0), (0, 0))
    auctions = (
        deal_and_bid(duel.seatings[0], 0, derive_seed(round_seed, 3, attempt), nothing)
        for attempt in range(100)
    )
    bids = next(state.table.bids for state in auctions if NIL_BID in state.table.bids)
    first_round = found.nils[0, 0] if found.rounds[0, 0] == 1 else None
    assert first_round is not None
    assert list(first_round) == [(bids[0] == 0) + (bids[2] == 0), (bids[1] == 0) + (bids[3] == 0)]


class NeverNil:
    def bid(self, observation, seed):
        return 3

    def bids_blind(self, observation):
        return False


def test_bidders_that_never_bid_nil_are_refused_in_the_nil_only_variant(monkeypatch):
    monkeypatch.setattr("spades.agents.play.MAX_DEALS", 5)
    stubborn = dataclasses.replace(HUMAN, bidder=NeverNil())
    duel = Duel(stubborn, stubborn, QUICK, nil_only=True)
    monkeypatch.setattr(type(stubborn), "__str__", lambda agent: "stubborn")
    with pytest.raises(NoNilError, match="stubborn bid no nil in 5 deals"):
        play_pairs(duel, 0, 0, 1)


def test_compiled_bidders_that_never_bid_nil_are_refused_in_the_nil_only_variant():
    never = parse_agent("srp+bis:threshold=1000,end_game=off")
    seating = Duel(never, never, QUICK, nil_only=True).seatings[0]
    with pytest.raises(NoNilError, match=r"threshold=1000.* bid no nil in 1000 deals"):
        play_games(seating, 0, 0, 1, nil_only=True)


def test_compiled_nil_only_games_are_those_played_card_by_card(monkeypatch):
    duel = Duel(parse_agent("srp+rb"), parse_agent("wrp+bis"), QUICK, nil_only=True)
    compiled = play_pairs(duel, 9, 0, 6)
    assert (compiled.nanoseconds[TIMED_PAIRS:] == 0).all()
    assert (compiled.nils.sum(axis=2) >= compiled.rounds).all()
    monkeypatch.setattr("spades.agents.pairs.TIMED_PAIRS", 6)
    by_card = play_pairs(duel, 9, 0, 6)
    assert (by_card.nanoseconds > 0).all()
    assert all((vars(compiled)[name] == vars(by_card)[name]).all() for name in FIELDS[:-1])


def test_a_game_that_nobody_wins_ends_after_the_last_round():
    found = play_pairs(Duel(RANDOM, RANDOM, Rules(target=10**6)), 0, 0, 1)
    assert (found.rounds == MAX_ROUNDS).all()
    assert (found.winners(Rules(target=10**6)) == -1).all()


@pytest.mark.parametrize(
    ("rules", "bids", "tricks", "counts"),
    [
        (Rules(), (0, 3, 4, 3), (0, 4, 5, 4), (1, 1, 1, 1)),
        (Rules(), (0, 3, 4, 3), (1, 5, 3, 4), (1, 0, 1, 1)),  # the nil's trick makes the contract
        (Rules(failed_nil_tricks="bags"), (0, 3, 4, 3), (1, 5, 3, 4), (1, 0, 1, 0)),
        (Rules(), (0, 3, 0, 3), (0, 6, 0, 7), (2, 2, 0, 0)),
        (Rules(nil=None), (0, 3, 4, 3), (0, 6, 3, 4), (0, 0, 1, 0)),
        (Rules(), (4, 3, 4, 3), (4, 3, 3, 3), (0, 0, 1, 0)),
    ],
)
def test_nils_and_contracts_of_a_round_by_hand(rules, bids, tricks, counts):
    found = nils_and_contracts(rules, np.array([bids]), np.array([tricks]))
    assert tuple(int(column[0, 0]) for column in found) == counts


def test_results_are_read_back_from_their_document_or_refused():
    found = play_pairs(Duel(HUMAN, RANDOM, QUICK), 1, 0, 3)
    document = found.document()
    again = PairResults.from_document(document, 3)
    assert all((getattr(again, name) == getattr(found, name)).all() for name in FIELDS)
    wrong = [
        {**document, "scores": document["scores"][:2]},
        {**document, "bags": [[[1.5, 0], [0, 0]]] * 3},
        {**document, "nils": "many"},
        {**document, "nils": [[[1, 2], [3]]] * 3},
        {name: rows for name, rows in document.items() if name != "rounds"},
    ]
    for bad in wrong:
        with pytest.raises(InvalidResultsError, match="3 stored pairs should be whole numbers"):
            PairResults.from_document(bad, 3)
