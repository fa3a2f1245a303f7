import json
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import kstest

from spades.agents import Seating, parse_agent, play_range
from spades.core.cards import STANDARD, cards_in
from spades.core.deal import deal_cards
from spades.core.errors import IllegalPlayError, SpadesError
from spades.core.kernel import mixed, seed_state
from spades.core.logs import ARRAYS
from spades.core.observation import observe
from spades.core.records import SIMULATED_HUMAN
from spades.core.rules import NIL_BID, NO_BID, Round, Rules
from spades.human import load_model, simulate_humans
from spades.human import simulated as sim
from spades.human.features.abstract_moves import MOVE_32_OF_68
from spades.human.features.card_features import NIL_FEATURE_NAMES
from spades.human.features.logs import examples_of_log, features_of_log
from spades.human.model import predict_views
from spades.human.simulated import (
    TABLE,
    CalibrationError,
    SimulatedHuman,
    load_simulated_human,
)
from tests.human import plain_rounds


def _equal(log, other):
    return all((getattr(log, name) == getattr(other, name)).all() for name in ARRAYS)


def test_rounds_replay_in_every_deck(rules):
    log = simulate_humans(60, 3, rules=rules)
    for record in log.records():
        assert record.final().table.is_over
        assert record.rules == rules
        assert not any(record.blind)


@pytest.mark.parametrize(
    "options", [{"spades_lead": "any"}, {"nil": None, "blind_nil": None}, {"min_bid": 4}]
)
def test_rounds_replay_under_other_rules(options):
    log = simulate_humans(60, 3, rules=Rules(**options))
    assert all(record.final().table.is_over for record in log.records())


def test_a_log_names_them_as_simulated():
    record = simulate_humans(2, 5).record(1)
    assert set(record.kinds) == {SIMULATED_HUMAN}
    assert set(record.agents) == {"human"}
    assert set(record.players) == {"simulated human"}
    assert record.source == "simulated humans (devlin2016-nil), seed 5"
    assert record.game_id == "simulated-5-1"
    assert (record.round_index, record.score_before, record.bags_before) == (0, (0, 0), (0, 0))


def test_tricks_are_those_of_the_replay():
    rounds = sim.simulate_rounds(40, 9, rules=Rules(), human=load_simulated_human())
    log = simulate_humans(40, 9)
    for i, record in enumerate(log.records()):
        assert record.final().table.tricks_taken == rounds.tricks[i].tolist()


def test_same_seed_same_log_and_other_seed_other_log():
    assert _equal(simulate_humans(50, 1), simulate_humans(50, 1))
    log, other = simulate_humans(50, 1), simulate_humans(50, 2)
    assert not (log.hands == other.hands).any(axis=1).all()
    assert len(set(log.seed) | set(other.seed)) == 100


def test_batches_make_no_difference():
    whole = simulate_humans(50, 1)
    for first, n in ((0, 7), (7, 1), (8, 42), (13, 20)):
        part = simulate_humans(n, 1, first=first)
        assert _equal(whole.take(slice(first, first + n)), part)
        assert part.games == whole.games[first : first + n]


def test_the_dealer_rotates():
    assert simulate_humans(6, 1, first=3).dealer.tolist() == [3, 0, 1, 2, 3, 0]


def test_no_rounds_and_too_many():
    assert len(simulate_humans(0, 1)) == 0
    with pytest.raises(SpadesError, match="-1 rounds"):
        simulate_humans(-1, 1)
    with pytest.raises(SpadesError, match="0 to 10,000,000"):
        simulate_humans(10**8, 1)


@pytest.mark.parametrize("deck", ["standard", "joker-joker-deuce-deuce"])
def test_single_bids_and_cards_agree_with_the_kernel(deck):
    """From the random state after the deal, one bid and one card at a time make the same round."""
    rules = Rules(deck=deck)
    log = simulate_humans(25, 12, rules=rules)
    for i, record in enumerate(log.records()):
        hands = np.zeros(4, dtype=np.int64)
        (state,) = mixed.py_func(log.seed[i : i + 1].view(np.uint64))
        state = np.uint64(deal_cards(rules.cards.codes.astype(np.int64), hands, state))
        assert tuple(hands) == record.hands
        played = Round.deal(rules, record.dealer, record.hands)
        for turn in range(1, 5):
            seat = (record.dealer + turn) % 4
            bid, state = sim.human_bid(observe(played, seat), state)
            played.table.bid(seat, bid)
        assert tuple(played.table.bids) == record.bids
        for expected in record.plays:
            card, state = sim.human_card(observe(played), state)
            assert card == expected.code
            played.play(card)


def test_a_card_out_of_turn_is_refused(random_record):
    state = random_record(2, Rules(), 5).final()
    with pytest.raises(IllegalPlayError, match="not this seat's turn"):
        sim.human_card(observe(state, (state.table.turn + 1) % 4), seed_state(1))


def test_a_card_sees_the_own_hand_only(random_record, walk):
    for state in walk(random_record(2, Rules())):
        seat = state.table.turn
        blank = state.copy()
        blank.hands = [hand if s == seat else 0 for s, hand in enumerate(state.hands)]
        random_state = seed_state(4)
        assert sim.human_card(observe(state), random_state) == sim.human_card(
            observe(blank), random_state
        )


@pytest.mark.parametrize(("index", "ply"), [(0, 0), (1, 5), (2, 10), (3, 19), (5, 26)])
def test_sampled_cards_follow_predict_proba(index, ply):
    stats = pytest.importorskip("scipy.stats")
    seen = simulate_humans(6, 77).record(index).observation(ply)
    (p,) = load_model("devlin2016-nil").predict_proba([seen])
    n, counts = 3000, np.zeros(52)
    state = seed_state(index, ply)
    for _ in range(n):
        card, state = sim.human_card(seen, state)
        counts[STANDARD.indices[card]] += 1
    assert not counts[p == 0].any()
    likely = p * n >= 5
    expected, found = list(p[likely] * n), list(counts[likely])
    if rest := n - sum(expected):
        expected, found = [*expected, rest], [*found, n - sum(found)]
    assert len(expected) > 2
    assert stats.chisquare(found, expected).pvalue > 0.001


def test_compiled_rounds_equal_their_plain_twins():
    # Plain uint64 arithmetic warns where it wraps; compiled it is silent.
    command = [sys.executable, "-W", "ignore::RuntimeWarning", "-m", "tests.human.plain_rounds"]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert run.stdout.splitlines() == [str(line) for line in plain_rounds.lines()]


@pytest.fixture(scope="module")
def decisions():
    """Views of 1,500 simulated rounds, (n, 24), the model's P, (n, 13), and the cards' places."""
    examples = examples_of_log(simulate_humans(1500, 2024))
    p = np.zeros((len(examples), 13))
    predict_views(load_model("devlin2016-nil").prior(), examples.views, p, np.empty(0, bool))
    below = (np.int64(1) << examples.cards.astype(np.int64)) - 1
    return examples.views, p, np.bitwise_count(examples.views[:, 1] & below).astype(int)


def test_ceiling_and_a_random_card(decisions):
    """Spec 3: the ceiling is about 67.3%, a random legal card is right in about 44.0%."""
    rows, p, played = decisions
    ceiling, right = p.max(axis=1).mean(), (p.argmax(axis=1) == played).mean()
    guess = np.mean([1 / int(legal).bit_count() for legal in rows[:, 1]])
    assert ceiling == pytest.approx(0.673, abs=0.02)
    assert right == pytest.approx(ceiling, abs=0.006)
    assert guess == pytest.approx(0.440, abs=0.01)


def test_probability_of_the_cards_played_is_what_the_model_says(decisions):
    """The mean log-probability of sampled cards is minus the mean entropy."""
    _, p, played = decisions
    chosen = np.log(p[np.arange(len(p)), played])
    entropy = -np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0).sum(axis=1)
    error = (chosen + entropy).std() / np.sqrt(len(p))
    assert abs((chosen + entropy).mean()) < 4 * error


def test_abstract_moves_of_simulated_rounds():
    log = simulate_humans(3000, 8)
    moves, _ = features_of_log(log)
    counts = np.bincount(moves.ravel(), minlength=68)
    assert (counts > 0).all()
    assert np.isin(MOVE_32_OF_68[moves[:, ::4]], [0, 1, 4, 5, 11, 12, 18, 19, 25, 26]).all()
    assert 0.05 < counts.max() / counts.sum() < 0.1


BIDDER = load_simulated_human().bidder._asdict()


def _table(path, **changes):
    content = json.loads(TABLE.read_text()) | changes
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 2}, "no calibration of version 1"),
        ({"bidder": {"offset": 0.1}}, "bidder should give offset, noise"),
        ({"bidder": None}, "bidder should give"),
        ({"bidder": BIDDER | {"noise": "0.7"}}, "noise is '0.7'"),
        ({"bidder": BIDDER | {"noise": float("nan")}}, "NaN is no JSON number"),
        ({"bidder": BIDDER | {"offset": True}}, "offset is True"),
        ({"nil_weights": {}}, "nil_weights should give Own nil"),
    ],
)
def test_a_broken_table_is_refused(tmp_path, changes, message):
    with pytest.raises(CalibrationError, match=message):
        load_simulated_human(_table(tmp_path / "table.json", **changes))


def test_a_missing_or_garbled_table_is_refused(tmp_path):
    with pytest.raises(CalibrationError, match=r"missing; python -m experiments.calibrate_humans"):
        load_simulated_human(tmp_path / "none.json")
    for i, content in enumerate((b"{", b"\xff\xfe", b"[]")):
        path = tmp_path / f"{i}.json"
        path.write_bytes(content)
        with pytest.raises(CalibrationError, match="calibrate_humans"):
            load_simulated_human(path)


def test_a_table_elsewhere_is_read(tmp_path):
    human = load_simulated_human(_table(tmp_path / "table.json"))
    assert human.bidder == load_simulated_human().bidder


def test_weights_decide_how_nils_fare():
    human = load_simulated_human()
    reckless = SimulatedHuman.of(human.bidder, dict.fromkeys(NIL_FEATURE_NAMES, 0.0))
    shares = []
    for player in (reckless, human):
        rounds = sim.simulate_rounds(2000, 3, rules=Rules(), human=player)
        shares.append((rounds.tricks[rounds.bids == NIL_BID] == 0).mean())
    assert shares[0] < 0.5 < shares[1]


def test_every_card_is_played_once():
    log = simulate_humans(50, 6)
    assert (np.sort(log.plays, axis=1) == np.array(list(cards_in(STANDARD.mask)))).all()
    assert (log.bids != NO_BID).all()


def test_other_humans_are_moved_by_normals_of_the_spread():
    known = load_simulated_human()
    moves = np.array([sim.spread_human(0.5, i).weights - known.weights for i in range(200)])
    n = moves.size
    assert abs(moves.mean()) < 4 * 0.5 / np.sqrt(n)
    assert abs(moves.std() - 0.5) < 4 * 0.5 / np.sqrt(2 * n)
    assert abs(np.corrcoef(moves.T)[np.triu_indices(45, 1)]).max() < 0.35
    assert kstest(moves.ravel() / 0.5, "norm").pvalue > 0.001
    twice = sim.spread_human(1.0, 5).weights - known.weights
    assert np.allclose(twice, 2 * moves[5])
    assert sim.spread_human(0.0, 0) is known
    assert sim.spread_human(0.5, 5).bidder == known.bidder


def test_the_truth_is_known_of_the_simulated_human_alone():
    agents = tuple(parse_agent(text) for text in ("human", "human:spread=1", "human+bis", "srp"))
    examples = examples_of_log(play_range(Seating(agents, Rules()), 3, 0, 2, unit="rounds"))
    assert len(examples) == 2 * 39
    assert examples.is_simulated.sum() == 2 * 26
