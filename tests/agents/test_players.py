"""Agents as text, and what they play."""

import random

import pytest

from spades.agents import (
    BIDDERS,
    PLAYERS,
    Seating,
    UnknownAgentError,
    parse_agent,
    parse_bidder,
    play_games,
    play_range,
)
from spades.agents.bidders import END_GAME
from spades.core.cards import cards_in
from spades.core.errors import SpadesError
from spades.core.observation import observe
from spades.core.rules import Rules
from spades.core.scoring import GameScore, add_round, winner
from tests.positions import random_bids, random_round, swap_hidden

QUICK = {
    "ismcts": "ismcts:iterations=20",
    "best": "best:iterations=20",
    "uct": "uct:iterations=20",
    "flat-mc": "flat-mc:simulations=5",
    "stars": "stars:level=1",
    "flat-ucb": "flat-ucb:iterations=20",
    "pimc": "pimc:deals=4,depth=5,simulations=4",
}
GAME = {"score_before": (430, 380), "bags_before": (9, 2)}
EVERY = [QUICK.get(name, name) for name in PLAYERS]
EVERY.append("ismcts:iterations=60,bias=pikl,lambda=60,play=sample")
EVERY += ["human:spread=2,player=3", "human:person=devlin2016"]
EVERY += ["ismcts:iterations=20,solved=3", "ismcts:iterations=30,objective=game"]


def seating(*texts, rules=None):
    return Seating(tuple(parse_agent(text) for text in texts), rules or Rules())


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("ismcts", "ismcts:iterations=2500"),
        (" ismcts:iterations=50,playout=nil-aware ", "ismcts:iterations=50,playout=nil-aware"),
        ("human+human", "human"),
        ("human:spread=0.50,player=7", "human:spread=0.5,player=7"),
        ("human:spread=0+bis", "human+bis"),
        ("random+random", "random+random"),
        ("ismcts:exploration=0.7", "ismcts:iterations=2500"),
        ("best+bis", "best+bis"),
        ("best:iterations=50,duck=off", "best:iterations=50,duck=off"),
        ("random+bis:threshold=20,end_game=off", "random+bis:threshold=20.0,end_game=off"),
        ("random+bis:end_game=on,big5=on", "random+bis:big5=on"),
        ("random+kb:personality=-0.5", "random+kb:personality=-0.5"),
        ("random+noisy:of=bis,noise=1.5", "random+noisy:noise=1.5"),
        ("random+noisy:of=rb,nil=0", "random+noisy:of=rb,nil=0.0"),
    ],
)
def test_text_of_an_agent(text, canonical):
    assert str(parse_agent(text)) == canonical
    assert parse_agent(canonical) == parse_agent(text)


def test_best_is_ismcts_with_other_defaults():
    best = parse_agent("best:exploration=0.5+bis")
    plain = best.written_out
    assert plain == parse_agent(str(plain)) == plain.written_out
    assert (plain.player.name, str(plain.bidder)) == ("ismcts", str(best.bidder))
    assert plain.player.exploration == 0.5
    seen = observe(random_round(random.Random(3), 9, bids=(3, 0, 4, 2)))
    values = [agent.player.evaluate(seen, 2).cards for agent in (best, plain)]
    assert values[0] == values[1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "unknown player ''; known: random, ismcts, human, srp, wrp, uct, direct"),
        ("deep-blue", "human, srp, wrp, uct, direct, flat-mc, stars"),
        ("pimc:deals=0", "deals is 0; 1 to 10,000 are legal"),
        ("pimc:depth=10", "depth is 10; 1 to 9 are legal"),
        ("ismcts:depth=4", "known: iterations=, exploration=, playout=, epsilon="),
        ("ismcts:iterations", "unknown option 'iterations'"),
        ("ismcts:iterations=1,iterations=2", "comes twice"),
        ("ismcts:iterations=0", "1 to 1,000,000"),
        ("human:mood=good", "known: spread=, player=, person="),
        ("human:spread=6", "spread is 6.0; 0 to 5 are legal"),
        ("human:player=7", "not person=, and no player= is without it"),
        ("human:person=devlin2016,spread=1", "spread= takes player=, not person="),
        ("human:person=t-200-100", "no log-linear model, as persons' are"),
        (f"ismcts:iterations={'9' * 5000}", "is no whole number of up to 19 digits"),
        ("human+oracle", "unknown bidder 'oracle'; known: human, random, bis, rb, ms, io, kb"),
        ("human+bis:big7=on", "known: threshold=, bid_sensitive=, single_curve=, end_game="),
        ("human+bis:third_card=4", "third_card is .4.; printed, pattern are legal"),
        ("human+bis:end_game=no", "end_game=no is no switch; on and off are legal"),
        ("human+bis:threshold=nan", "threshold is nan; -1,000 to 1,000 are legal"),
        ("human+bis:risky_chance=2", "risky_chance is 2.0; 0 to 1 are legal"),
        ("human+kb:personality=3", "personality is 3.0; -1 to 1 are legal"),
        ("human+rb:threshold=3", "known: nil_ranks="),
        ("human+io:threshold=3", "known: none"),
        ("human+noisy:of=human", "of is .human.; bis, rb, ms, io, kb are legal"),
        ("human+noisy:of=noisy", "bis, rb, ms, io, kb are legal"),
        ("human+noisy:of=bis:threshold=3", "of is .bis:threshold=3."),
        ("human+noisy:noise=-1", "noise is -1.0; 0 to 13 are legal"),
    ],
)
def test_what_is_no_agent_is_refused_with_what_is(text, message):
    with pytest.raises(UnknownAgentError, match=message.replace("+", r"\+")):
        parse_agent(text)


@pytest.mark.parametrize("text", EVERY)
def test_no_player_looks_at_hidden_cards(text):
    rng, player = random.Random(1), parse_agent(text).player
    for ply in range(0, 50, 3):
        state = random_round(rng, ply, bids=random_bids(rng))
        other = swap_hidden(state, state.table.turn, rng)
        for seed in range(3):
            card = player.play(observe(state, **GAME), seed)
            assert card == player.play(observe(other, **GAME), seed)
            assert state.legal_plays() >> card & 1


@pytest.mark.parametrize("name", BIDDERS)
def test_no_bidder_looks_at_hidden_cards_and_all_bid_legally(name):
    rng, bidder = random.Random(2), BIDDERS[name]()
    for seed in range(40):
        state = random_round(rng, 0, rules=Rules(min_bid=4), bids=(-1, 3, -1, -1))
        other = swap_hidden(state, 0, rng)
        bid = bidder.bid(observe(state, 0), seed)
        assert bid == bidder.bid(observe(other, 0), seed)
        assert bid in state.table.legal_bids(0)


@pytest.mark.parametrize("agents", [("random", "human", QUICK["ismcts"], "human"), ("human",) * 4])
def test_a_game_is_rounds_to_the_target(agents):
    rules = Rules(target=120, losing_floor=-200)
    log = play_range(seating(*agents, rules=rules), 5, 3, 4, unit="games")
    score = GameScore((0, 0), (0, 0))
    for i, record in enumerate(log.records()):
        assert winner(rules, score.score) is None
        assert (record.round_index, record.dealer) == (i, (3 + i) % 4)
        assert (record.score_before, record.bags_before) == (score.score, score.bags)
        assert record.agents == agents
        score = add_round(rules, score, record.score())
    assert winner(rules, score.score) is not None


@pytest.mark.parametrize("unit", ["games", "rounds"])
@pytest.mark.parametrize("agents", [("random", "human", "random", "human"), ("human",) * 4])
def test_a_game_depends_on_its_index_alone(agents, unit):
    table = seating(*agents, rules=Rules(target=100))
    whole = list(play_range(table, 9, 0, 4, unit=unit).records())
    parts = [play_range(table, 9, i, i + 1, unit=unit).records() for i in range(4)]
    assert whole == [record for part in parts for record in part]
    assert len({record.hands for record in whole}) == len(whole)


def test_switches_reach_the_compiled_bidder():
    bidder = parse_bidder("bis:threshold=20,ahead=off,big5=on")
    assert bidder.options._asdict() | {"threshold": 20.0, "ahead": 0, "big5": 1, "big6": 0} == (
        bidder.options._asdict()
    )
    assert bidder.options.third_card == 0
    assert parse_bidder("bis:third_card=pattern").options.third_card == 1
    off = parse_bidder("bis:end_game=off").options
    assert not any(getattr(off, switch) for switch in END_GAME)
    assert all(getattr(parse_bidder("bis").options, switch) for switch in END_GAME)
    noisy = parse_bidder("noisy:of=kb,noise=2,nil=0.5").options
    assert noisy == parse_bidder("kb").options._replace(noise=2.0, nil_rate=0.5)


def test_noise_draws_by_seed():
    bidder = parse_bidder("noisy:noise=3")
    seen = observe(random_round(random.Random(5), 0, bids=(-1,) * 4), 0)
    bids = [bidder.bid(seen, seed) for seed in range(30)]
    assert bids == [bidder.bid(seen, seed) for seed in range(30)]
    assert len(set(bids)) > 3


def test_blind_nil_is_logged_as_blind():
    agents = seating(*["random+bis:big6=on,blind_nil=on"] * 4, rules=Rules(target=200))
    rounds = play_games(agents, 1, 0, 10, by_card=True).rounds
    assert rounds.blind.any()
    assert not rounds.bids[rounds.blind].any()


def test_kinds_name_simulated_humans():
    agents = seating("random", "human", "random", "human", rules=Rules(target=50))
    log = play_games(agents, 1, 0, 1).log()
    assert log.record(0).kinds == ("bot", "simulated-human", "bot", "simulated-human")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ismcts:c_bt=0.2", "c_bt does nothing with bias=none; it belongs to bias=knowledge"),
        ("ismcts:bias=experience,k=10", "k does nothing with bias=experience"),
        ("ismcts:bias=love", "none, knowledge, experience, pikl"),
        ("ismcts:lambda=3", "lambda does nothing with bias=none; it belongs to bias=pikl"),
        ("ismcts:bias=pikl,delay=root", "delay does nothing with bias=pikl"),
        ("ismcts:bias=pikl,play=worst", "play is 'worst'; likeliest, sample are legal"),
        ("ismcts:bias=pikl,lambda=1,lambda=2", "option lambda of ismcts comes twice"),
        ("ismcts:bias=pikl,skew=on", "skew and bias can't both be on"),
        ("ismcts:bias=pikl,equivalence=on", "equivalence goes with neither skew nor bias"),
        ("ismcts:bias=knowledge,model=../secret", "the models are devlin2016"),
        ("ismcts:bias=knowledge,delay=0", "a whole number from 1, root and inf"),
        (f"ismcts:bias=knowledge,delay={'9' * 5000}", "a whole number from 1, root and inf"),
    ],
)
def test_a_bias_that_no_search_has_is_refused(text, told):
    with pytest.raises(SpadesError, match=told):
        parse_agent(text)


def test_a_biased_agent_is_named_by_what_differs_from_the_defaults():
    text = "ismcts:bias=knowledge,model=devlin2016-nil,c_bt=0.2,k=1000,delay=root"
    agent = parse_agent(text)
    assert str(agent) == (
        "ismcts:iterations=2500,bias=knowledge,model=devlin2016-nil,c_bt=0.2,delay=root"
    )
    assert parse_agent(str(agent)) == agent


@pytest.mark.parametrize(
    "method", ["uniform", "biased", "mixed", "posterior", "posterior,players=rules"]
)
def test_a_search_may_draw_hidden_cards_in_any_way(method):
    agent = parse_agent(f"ismcts:iterations=50,determinization={method}")
    assert parse_agent(str(agent)) == agent
    state = random_round(random.Random(5), 20)
    seen = observe(state)
    card = agent.player.play(seen, 3)
    assert seen.legal_mask >> card & 1
    assert agent.player.play(observe(swap_hidden(state, seen.seat, random.Random(1))), 3) == card


def test_an_unknown_determinization_is_refused():
    with pytest.raises(SpadesError, match="uniform, biased, mixed, posterior, network are legal"):
        parse_agent("ismcts:determinization=telepathy")


VALUING = [
    *("ismcts:iterations=80", "best:iterations=80", "uct:iterations=60", "flat-mc:simulations=10"),
    *("stars:level=1", "stars:level=4,by=ismcts", "flat-ucb:iterations=60,seed=heuristic"),
    *("pimc:deals=6,depth=6,simulations=4", "pimc:deals=1,depth=6,simulations=4"),
]


@pytest.mark.parametrize("text", VALUING)
def test_a_player_plays_the_choice_of_its_evaluation(text):
    rng, player = random.Random(8), parse_agent(text).player
    for ply in (0, 13, 30):
        seen = observe(random_round(rng, ply, bids=(3, 0, 4, 2)))
        found = player.evaluate(seen, 5)
        assert found.best.card.code == player.choose(seen, 5)
        assert [row.card.code for row in found.cards] == list(cards_in(seen.legal_mask))
        assert sum(row.visits for row in found.cards) == found.iterations


VALUED = ("ismcts", "best", "uct", "flat-mc", "stars", "flat-ucb", "pimc")


def test_only_players_without_values_refuse_an_evaluation():
    for name, kind in PLAYERS.items():
        assert kind.has_values() == (name in VALUED)
    with pytest.raises(SpadesError, match="no values"):
        parse_agent("srp").player.evaluate(observe(random_round(random.Random(1), 5)), 1)
