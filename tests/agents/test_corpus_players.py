"""Flat-UCB and corpus as agents: text, refusals, legal rounds, nothing hidden looked at."""

import random

import pytest

from analysis.logs.simulate import seconds_a_round
from analysis.matches.match import MatchPlan
from analysis.runs.store import models_of
from spades.agents import Seating, UnknownAgentError, parse_agent, play_range
from spades.core.errors import SpadesError
from spades.core.observation import observe
from spades.core.rules import Rules
from spades.human import simulate_humans
from spades.human.corpus import DEFAULT_CORPUS, build_corpus, load_corpus, suggest, write_corpus
from spades.search.flat import flat_ucb, heuristic_seeds
from spades.search.heuristic import best_by_rule
from spades.search.playouts.heuristic import situation_of
from tests.positions import random_bids, random_round, swap_hidden

PLAYERS = (
    "flat-ucb:iterations=40",
    "flat-ucb:iterations=40,seed=heuristic",
    "flat-ucb:iterations=40,seed=corpus",
    "corpus",
    "thumb",
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_CORPORA", str(tmp_path))
    store(tmp_path, 1)
    return tmp_path


def store(folder, seed):
    corpus = build_corpus(simulate_humans(3, seed), "mine", source="simulated")
    write_corpus(folder / "mine.safetensors", corpus)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("flat-ucb", "flat-ucb:iterations=1000"),
        ("flat-ucb:seed=corpus", "flat-ucb:iterations=1000,seed=corpus"),
        ("flat-ucb:seed=corpus,corpus=" + DEFAULT_CORPUS, "flat-ucb:iterations=1000,seed=corpus"),
        (
            "flat-ucb:epsilon=0.5,exploration=2,seed=heuristic,seed_visits=5,iterations=9+bis",
            "flat-ucb:iterations=9,seed=heuristic,exploration=2.0,epsilon=0.5,seed_visits=5+bis",
        ),
        ("corpus", "corpus"),
        ("corpus+bis", "corpus+bis"),
        ("thumb", "thumb"),
    ],
)
def test_text(text, canonical):
    assert str(parse_agent(text)) == canonical
    assert parse_agent(canonical) == parse_agent(text)


def test_iterations_can_be_changed():
    agent = parse_agent("flat-ucb:seed=corpus").with_option("iterations", 7)
    assert str(agent) == "flat-ucb:iterations=7,seed=corpus"
    with pytest.raises(UnknownAgentError, match="corpus has no iterations"):
        parse_agent("corpus").with_option("iterations", 7)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("flat-ucb:iterations=0", "1 to 1,000,000 are legal"),
        ("flat-ucb:seed=luck", "seed is 'luck'; none, heuristic, corpus are legal"),
        ("flat-ucb:corpus=mine", "corpus does nothing with seed=none; it belongs to seed=corpus"),
        (
            "flat-ucb:seed_visits=5",
            "seed_visits does nothing with seed=none; it belongs to seed=heuristic and seed=corpus",
        ),
        ("flat-ucb:seed=heuristic,corpus=mine", "corpus does nothing with seed=heuristic"),
        ("flat-ucb:seed=corpus,corpus=../x", "no corpus is called '../x'; the corpora are"),
        ("corpus:corpus=ghost", "no corpus is called 'ghost'; the corpora are four-humans-59"),
        ("flat-ucb:epsilon=2", "epsilon is 2.0; 0 to 1 are legal"),
        ("flat-ucb:exploration=-1", "exploration is -1.0"),
        ("corpus:seed=corpus", "unknown option 'seed=corpus' of corpus; known: corpus="),
    ],
)
def test_what_is_no_such_agent_is_refused(text, told):
    with pytest.raises(SpadesError, match=told):
        parse_agent(text)


@pytest.mark.parametrize("text", PLAYERS)
def test_no_player_looks_at_hidden_cards(text):
    rng, player = random.Random(1), parse_agent(text).player
    for ply in range(0, 50, 4):
        state = random_round(rng, ply, bids=random_bids(rng))
        other = swap_hidden(state, state.table.turn, rng)
        for seed in range(2):
            card = player.play(observe(state), seed)
            assert card == player.play(observe(other), seed)
            assert state.legal_plays() >> card & 1


@pytest.mark.parametrize("deck", ["standard", "joker-joker-deuce-deuce"])
def test_rounds_are_legal(deck):
    table = Seating(tuple(map(parse_agent, PLAYERS[:4])), Rules(deck=deck))
    for record in play_range(table, 1, 0, 4, unit="rounds").records():
        assert len(record.plays) == 52  # every card went through the rules
        assert record.kinds == ("bot",) * 4


def test_players_play_what_their_search_finds():
    seen = observe(random_round(random.Random(4), 8, bids=(3, 0, 4, 2)))
    seeds = {
        "none": None,
        "heuristic": heuristic_seeds(seen),
        "corpus": parse_agent("flat-ucb:seed=corpus").player.seeds(seen),
    }
    for name, known in seeds.items():
        player = parse_agent(f"flat-ucb:iterations=200,seed={name}").player
        found = flat_ucb(seen, iterations=200, seed=6, seeds=known)
        assert repr(player.search(seen, 6).cards) == repr(found.cards)
        assert player.play(seen, 6) == found.best.card.code
    suggested = suggest(load_corpus(DEFAULT_CORPUS), seen)
    assert parse_agent("corpus").player.play(seen, 6) == suggested.best
    row = player.search(seen, 6).cards[0]
    assert (row.seed_value, row.n_pairs) == (suggested.values[0], suggested.n_pairs[0])


def test_thumb_plays_what_playouts_without_chance_play():
    rng, player = random.Random(7), parse_agent("thumb").player
    for ply in range(52):
        seen = observe(random_round(rng, ply, bids=random_bids(rng)))
        assert player.play(seen, 1) == int(best_by_rule(situation_of(seen))).bit_length() - 1


def test_a_corpus_of_ones_own_is_known_by_name(folder):
    seen = observe(random_round(random.Random(4), 8))
    assert parse_agent("corpus:corpus=mine").player.play(seen, 1) == (
        suggest(load_corpus("mine"), seen).best
    )
    with pytest.raises(SpadesError, match="the corpora are mine"):
        parse_agent("corpus")


def test_keys_of_matches_hold_the_corpora_that_agents_lean_on(folder):
    seeded = "flat-ucb:seed=corpus,corpus=mine"
    plans = [MatchPlan(seeded, "random", 2), MatchPlan("corpus:corpus=mine", "flat-ucb", 2)]
    plain = MatchPlan("flat-ucb:seed=heuristic", "random", 2)
    assert models_of(map(parse_agent, ["flat-ucb", "flat-ucb:seed=heuristic"])) == {}
    assert models_of(map(parse_agent, [seeded, "random"])) == {
        "corpora": {"mine": load_corpus("mine").hash}
    }
    before, left = [plan.key for plan in plans], plain.key
    store(folder, 2)
    assert not set(before) & {plan.key for plan in plans}
    assert plain.key == left
    store(folder, 1)
    assert [plan.key for plan in plans] == before


def test_parts_are_sized_by_how_long_these_players_think():
    seconds = [seconds_a_round(parse_agent(text)) for text in ("thumb", "corpus", "flat-ucb")]
    both = seconds_a_round(parse_agent("flat-ucb:seed=corpus"))
    assert seconds[0] < seconds[1] < seconds[2] < both
    assert both - seconds[2] == pytest.approx(seconds[1] - seconds[0])
