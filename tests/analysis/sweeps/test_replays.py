"""Rounds played again: legal, of the same deals; a simulated human isn't told from itself."""

from dataclasses import replace

import numpy as np
import pytest

import spades
from analysis.sweeps.held_out import hold_out
from analysis.sweeps.replays import Humans, rounds_part
from spades.agents.own import OWN_BIDDERS, OWN_PLAYERS
from spades.human.features.logs import MOVE, SEAT, contexts_of_log
from spades.human.own import OWN_PRIORS
from spades.notation.log_store import open_log
from tests.analysis.small_sweeps import BOT, store_tiny_log

N_ROUNDS = 300


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))


def played(humans, agent, n_rounds, seed=1):
    rounds = humans.held.records(humans.held.rounds[:n_rounds])
    return humans.replays(rounds_part(agent, BOT, rounds, seed, 0)["plays"])


def humans_of(n_rounds):
    store_tiny_log(n_rounds)
    return Humans(hold_out(open_log("tiny"), 1))


def test_replays_are_the_same_deals_and_moves_are_the_agents():
    humans = humans_of(12)
    replays = played(humans, BOT, 6)
    log = replays.log.log
    codes = contexts_of_log(log).codes
    for i in range(6):
        row, seat = humans.held.rounds[i]
        record = log.record(i)
        assert record.hands == humans.held.log.record(row).hands
        assert record.bids == humans.held.log.record(row).bids
        state = record.start()
        for card in record.plays:
            state.play(card)  # refuses what isn't legal
        assert replays.log.units[i] == humans.plays.units[row]
        assert replays.moves[i] == codes[MOVE, i, codes[SEAT, i] == seat].tolist()
    assert replays.is_agents.sum(axis=1).tolist() == [13] * 6
    parts = [rounds_part(BOT, BOT, humans.held.records(humans.held.rounds[a : a + 3]), 1, a)
             for a in (0, 3)]  # fmt: skip
    again = [
        humans.replays(part["plays"], first) for part, first in zip(parts, (0, 3), strict=True)
    ]
    assert [moves for part in again for moves in part.moves] == replays.moves


@pytest.mark.slow
def test_a_simulated_human_in_its_seat_is_not_told_from_itself_and_a_search_is():
    humans = humans_of(N_ROUNDS)
    human = humans.discrimination(played(humans, "human", N_ROUNDS, seed=5))
    assert human["value"] == pytest.approx(0.5, abs=0.02)
    low, high = human["interval"]
    assert low < 0.5 < high
    search = humans.discrimination(played(humans, BOT, N_ROUNDS))
    assert search["interval"][0] > 0.55
    n_choices = human["choices"]
    assert 0.6 * 13 * N_ROUNDS < n_choices < 13 * N_ROUNDS, "forced plays don't count"
    assert human["games"] == N_ROUNDS


def test_a_few_games_have_no_auc_but_a_kl():
    humans = humans_of(12)
    replays = played(humans, BOT, 4)
    assert humans.discrimination(replays) is None
    assert np.isfinite(humans.divergences(replays)["value"])


def test_a_logs_seats_are_played_by_shipped_agents_alone():
    """Code of other people that is registered here, by chance, plays no seat that a log names."""
    asked = []

    def spy(observation, seed):
        asked.append(observation)
        return next(iter(observation.legal))

    humans = humans_of(4)
    rounds = humans.held.records(humans.held.rounds[:2])
    others = ("spy+bis", "direct:model=spy-prior", "srp+spy-bids", "direct:model=not-here")
    named = [(replace(record, agents=others), seat) for record, seat in rounds]
    unnamed = [(replace(record, agents=("",) * 4), seat) for record, seat in rounds]
    try:
        spades.register_player("spy", spy, version="1")
        spades.register_bidder("spy-bids", spy, version="1")
        spades.register_prior("spy-prior", spy, version="1")
        played_again = rounds_part(BOT, BOT, named, 1, 0)
    finally:
        for registry in (OWN_PLAYERS, OWN_BIDDERS, OWN_PRIORS):
            registry.clear()
    assert not asked
    assert played_again == rounds_part(BOT, BOT, unnamed, 1, 0)
