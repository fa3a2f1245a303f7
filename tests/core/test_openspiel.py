"""The rules against another program: OpenSpiel's ``spades(num_tricks=13)``.

Differences found in open_spiel 2.0.2:

* It never sets ``is_spades_broken_``: a spade is led only by a hand of only spades, also after one
  was played. Its legal cards equal ours in every other respect. Here its own counts are matched by
  a table at which spades never break, and the rules ``broken`` and ``any`` by its counts with the
  leader's cards corrected (``tests.golden.make_perft``).
* It knows no blind nil, and a partnership's second bid is limited so that both make at most 13.
* Its ``returns`` are the points of the round with the bag penalty taken, bags being the last digit
  of the score before. Ours are points and bags; ``add_round`` takes the penalty
  from the count of bags. From a score of 0, or one whose last digit is the count, both agree.
* Tricks of a failed nil count for the partner's contract: our default.
"""

import json
import random
from pathlib import Path

import pytest

from spades.core.cards import WEST, cards_in
from spades.core.rules import NO_SUIT, Round, Rules, legal_mask
from spades.core.scoring import GameScore, add_round, score_round
from spades.notation import NOTATIONS
from tests.core.perft import ACTIONS, CARDS, FIRST_PLAY, N_DEALT, perft, state_of, with_lead

POSITIONS = json.loads((Path(__file__).parents[1] / "golden" / "perft.json").read_text())
LEADS = ("never", "broken", "any")


# Counts of legal sequences


def test_there_are_positions_of_every_kind():
    assert len(POSITIONS) >= 50
    for tricks, n in ((3, 40), (4, 10), (5, 10)):
        assert sum(p["tricks_left"] == tricks for p in POSITIONS) >= n
    for tricks in (4, 5):
        assert sum(len(p["counts"]["any"]) == 4 * tricks for p in POSITIONS) >= 3  # to the end


def test_the_rule_for_leading_spades_matters_in_many_positions():
    counts = [position["counts"] for position in POSITIONS]
    assert sum(c["never"] != c["broken"] for c in counts) >= 20
    assert sum(c["any"] != c["broken"] for c in counts) >= 5


def check_counts(position, lead, *, seen):
    state = with_lead(state_of(position["history"]), lead)
    expected = position["counts"][lead]
    assert perft(state, len(expected), seen) == expected


def cases():
    """Each position under each rule; ``any`` is ``broken`` where spades were broken before."""
    for i, position in enumerate(POSITIONS):
        for lead in LEADS:
            if lead != "any" or position["counts"]["any"] != position["counts"]["broken"]:
                yield pytest.param(position, lead, id=f"{i}-{lead}")


@pytest.mark.parametrize(("position", "lead"), list(cases()))
def test_legal_sequences_are_as_many_as_openspiels(position, lead):
    check_counts(position, lead, seen={})


@pytest.mark.parametrize("position", POSITIONS[:20], ids=range(20))
def test_counting_without_remembering_positions_gives_the_same(position):
    check_counts(position, "broken", seen=None)


def test_a_wrong_rule_would_be_noticed():
    """The test of the test: leading under another rule gives other counts somewhere."""
    for lead, other in (("broken", "never"), ("broken", "any"), ("never", "any")):
        wrong = [p for p in POSITIONS if p["counts"][lead] != p["counts"][other]]
        with pytest.raises(AssertionError):
            check_counts({**wrong[0], "counts": {lead: wrong[0]["counts"][other]}}, lead, seen={})


@pytest.mark.parametrize("lead", LEADS)
@pytest.mark.parametrize("position", POSITIONS[:46:5], ids=range(0, 46, 5))
def test_the_golden_counts_are_openspiels(position, lead):
    pytest.importorskip("pyspiel")
    from tests.golden import make_perft

    state = make_perft.state_of(position["history"])
    expected = position["counts"][lead]
    assert make_perft.perft(state, len(expected), lead) == expected


# Whole rounds


@pytest.fixture(scope="module")
def pyspiel():
    return pytest.importorskip("pyspiel")


def random_start(game, rng):
    """A state of OpenSpiel after deal and auction; half of the bids near what a hand makes."""
    state = game.new_initial_state()
    for card in rng.sample(range(N_DEALT), N_DEALT):
        state.apply_action(card)
    for _ in range(4):
        legal = state.legal_actions()
        state.apply_action(rng.choice(legal[:5] if rng.random() < 0.8 else legal))
    return state


def check_legal(theirs, ours):
    """The same legal cards, but for the lead of a broken spade (see the top)."""
    table, hand = ours.table, ours.hands[ours.table.turn]
    legal = {ACTIONS[card] for card in cards_in(ours.legal_plays())}
    never_broken = legal_mask.py_func(hand, table.led_suit, False)
    assert theirs.current_player() == table.turn
    assert theirs.legal_actions() == sorted(ACTIONS[card] for card in cards_in(never_broken))
    if table.led_suit == NO_SUIT and table.broken:
        assert legal == {ACTIONS[card] for card in cards_in(hand)}
    else:
        assert legal == set(theirs.legal_actions())
    return sorted(legal)


def tricks_in(text):
    """Tricks taken N E S W in the text of a state of OpenSpiel."""
    lines = text.split("Tricks taken:")[1].split("\n")
    return [int(number) for number in lines[3].split()]


def start_ours(theirs):
    return with_lead(state_of(theirs.history()), "broken")


def check_round(game, rng, bags=(0, 0)):
    """Play a random round in both programs; returns its history, our table and our score."""
    theirs = random_start(game, rng)
    theirs.set_current_scores(list(bags))
    before = GameScore((0, 0), bags)
    ours = start_ours(theirs)
    while not theirs.is_terminal():
        action = rng.choice(check_legal(theirs, ours))
        theirs.apply_action(action)
        ours.play(CARDS[action])
        if not theirs.is_terminal():
            assert theirs.current_player() == ours.table.turn
    table = ours.table
    assert table.is_over
    assert tricks_in(str(theirs)) == table.tricks_taken
    scored = score_round(table.rules, table.bids, table.blind, table.tricks_taken)
    after = add_round(table.rules, before, scored)
    assert theirs.returns() == list(after.score) * 2
    return theirs.history(), table, after


def play_rounds(pyspiel, seed, n):
    """Check ``n`` random rounds and count what they met."""
    game = pyspiel.load_game("spades(num_tricks=13)")
    rng = random.Random(seed)
    met = dict.fromkeys(("made", "failed", "nil made", "nil failed", "penalty"), 0)
    for _ in range(n):
        _, table, after = check_round(game, rng)
        for p in (0, 1):
            made = table.tricks_of(p) >= table.contract_of(p)
            met["made" if made else "failed"] += 1
        for seat in range(4):
            if table.bids[seat] == 0:
                met["nil failed" if table.tricks_taken[seat] else "nil made"] += 1
        met["penalty"] += sum(penalty > 0 for penalty in after.penalties)
    return met


def test_500_random_rounds_equal_openspiels(pyspiel):
    met = play_rounds(pyspiel, 1, 500)
    assert all(met.values()), met


@pytest.mark.exhaustive
def test_10_000_random_rounds_equal_openspiels(pyspiel):
    met = play_rounds(pyspiel, 2, 10_000)
    assert min(met.values()) >= 10, met


@pytest.mark.parametrize("bags", [(7, 9), (1, 4), (9, 0)])
def test_bag_penalty_from_a_count_equals_openspiels(pyspiel, bags):
    game = pyspiel.load_game("spades(num_tricks=13)")
    rng = random.Random(3)
    rounds = [check_round(game, rng, bags)[2] for _ in range(60)]
    assert any(max(after.penalties) > 0 for after in rounds)


def test_the_reader_replays_openspiels_rounds(pyspiel):
    game = pyspiel.load_game("spades(num_tricks=13)")
    rng = random.Random(4)
    rounds = [check_round(game, rng) for _ in range(40)]
    text = "\n".join(" ".join(map(str, history)) for history, _, _ in rounds)
    reading = NOTATIONS["openspiel"].parse(text)
    assert not reading.refused
    assert len(reading.records) == len(rounds)
    for record, (_, table, _) in zip(reading.records, rounds, strict=True):
        assert record.dealer == WEST
        assert record.final().table == table


def test_a_replay_that_revokes_is_noticed():
    """The test of the test: our replay of a history refuses what OpenSpiel's rules forbid."""
    position = POSITIONS[0]
    state = state_of(position["history"])
    assert isinstance(state, Round)
    assert state.table.rules == Rules(spades_lead="any")
    with pytest.raises(ValueError, match="can't play"):
        state_of([*position["history"][:FIRST_PLAY], position["history"][1]])
