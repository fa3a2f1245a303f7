"""Players and bidders of one's own: named, called, checked, and stored under their version."""

import re
import sys
from dataclasses import replace

import numpy as np
import pytest

import spades
from analysis.matches.match import MatchPlan, game_table, match_result, play_match
from analysis.runs.store import programs_of, version_of
from spades.agents import Duel, UnknownAgentError, pair_log, parse_agent, play_pairs
from spades.agents.admission import admit
from spades.agents.behaviour import parts_beside_programs, parts_of
from spades.agents.own import OWN_BIDDERS, OWN_PLAYERS
from spades.agents.words import agent_words
from spades.core.cards import Card
from spades.core.programs import ProgramError, ProgramFaultError
from spades.core.rules import Rules
from spades.human.own import OWN_PRIORS
from tests.analysis.workers import InProcess

MODULE = '''
class Low:
    """The lowest card, one trick an ace or king."""

    version = "1"

    def play(self, observation, seed):
        return min(observation.legal, key=lambda card: card.place % 13)

    def bid(self, observation, seed):
        return max(1, sum(card[1] in "AK" for card in observation.hand))


def high(observation, seed):
    return max(observation.legal, key=lambda card: card.place % 13)


low = Low()
'''


pytestmark = pytest.mark.usefixtures("forget_own_code")


@pytest.fixture
def module(own_module):
    """The name of a module with a bot."""
    return own_module(MODULE)


def first(observation, seed):
    return next(iter(observation.legal))


def seen(ply=8):
    return spades.shipped("four-bots").observation(ply)


def test_a_class_an_object_and_a_function_play():
    class Bot:
        def play(self, observation, seed):
            return first(observation, seed)

    for name, bot in (("kind", Bot), ("object", Bot()), ("function", first)):
        spades.register_player(name, bot, version="1")
        player = parse_agent(name).player
        assert player.play(seen(), 1) == next(iter(seen().legal)).code
        assert player.text == player.words == name
        assert agent_words(name) == name


def test_who_bids_for_it(module):
    admit(f"py:{module}.Low", f"py:{module}.high")
    bids_itself = parse_agent(f"py:{module}.Low")
    assert bids_itself.bidder.text == f"py:{module}.Low"
    assert str(bids_itself) == f"py:{module}.Low"
    other = parse_agent(f"py:{module}.Low+bis")
    assert (other.bidder.text, str(other)) == ("bis", f"py:{module}.Low+bis")
    human = parse_agent(f"py:{module}.Low+human")
    assert str(human) == f"py:{module}.Low+human"
    assert str(parse_agent(str(human))) == str(human)
    does_not_bid = parse_agent(f"py:{module}.high")
    assert (does_not_bid.bidder.text, str(does_not_bid)) == ("human", f"py:{module}.high+human")
    borrowed = parse_agent(f"srp+py:{module}.Low")
    assert str(borrowed) == f"srp+py:{module}.Low"


def test_a_text_alone_loads_nothing(module):
    for text in (f"py:{module}.Low", f"srp+py:{module}.Low"):
        with pytest.raises(UnknownAgentError, match="a link, a page, a file or a stored record"):
            parse_agent(text)
    assert module not in sys.modules
    with pytest.raises(UnknownAgentError, match="names Python code"):
        MatchPlan(f"py:{module}.Low", "srp", 2)


def test_what_a_text_can_be_wrong_in(module, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "broken_bot.py").write_text("import not_there_at_all\n", encoding="utf-8")
    (tmp_path / "wrong_bot.py").write_text("\n1 / 0\n", encoding="utf-8")
    for text, reason in (
        ("py:", "py:module.Name is legal"),
        ("py:Low", "py:module.Name is legal"),
        (f"py:{module}/x.Low", "py:module.Name is legal"),
        ("py:no_such_module.Low", "no module no_such_module here"),
        (f"py:{module}.Lo", "has no Lo; it defines Low, high"),
        ("py:broken_bot.Bot", "importing broken_bot raised ModuleNotFoundError"),
        ("py:wrong_bot.Bot", r"ZeroDivisionError: division by zero \(wrong_bot.py, line 2"),
        (f"srp+py:{module}.MODULE", "has no MODULE"),
    ):
        with pytest.raises(ProgramError, match=reason):
            admit(text)
    admit(f"py:{module}.Low")
    with pytest.raises(UnknownAgentError, match="known: none"):
        parse_agent(f"py:{module}.Low:depth=3")


def test_names_that_cannot_be_registered():
    for name in ("", "srp", "a:b", "a+b", "a,b=1", "9", "py:x.y", 7, "a" * 41):
        with pytest.raises(ProgramError, match=r"legal|another player"):
            spades.register_player(name, first, version="1")
    with pytest.raises(ProgramError, match="bis is the name of another bidder"):
        spades.register_bidder("bis", lambda observation, seed: 3, version="1")
    with pytest.raises(ProgramError, match=r"has no play\("):
        spades.register_player("none", 7, version="1")

    class Needy:
        def __init__(self, depth):
            self.depth = depth

    with pytest.raises(ProgramError, match=r"Needy\(\) raised TypeError"):
        spades.register_player("needy", Needy, version="1")


def test_a_bidder_is_the_same_program_however_it_was_named_first(module):
    bot = f"py:{module}.Low"
    admit(f"srp+{bot}")
    alone = version_of(f"srp+{bot}")
    assert alone["programs"] == {f"+{bot}": "1"}
    for registry in (OWN_PLAYERS, OWN_BIDDERS):
        registry.clear()
    admit(bot, f"srp+{bot}")
    assert version_of(f"srp+{bot}") == alone
    assert version_of(bot)["programs"] == {bot: "1"}
    (program,) = programs_of(f"srp+{bot}")
    OWN_BIDDERS.clear()
    program.admit()
    assert version_of(f"srp+{bot}") == alone


def test_a_bidder_may_be_called_as_a_shipped_player():
    spades.register_bidder("srp", lambda observation, seed: 3, version="1")
    parts = set(parts_of("srp+srp"))
    assert parts == {"rules", "srp"}
    assert parts_beside_programs("srp+srp", version_of("srp+srp")["programs"], ()) == parts


def test_a_name_is_registered_again():
    spades.register_player("mine", type("Bot", (), {"play": first, "bid": first}), version="0")
    assert "mine" in OWN_BIDDERS
    spades.register_player("mine", first, version="1")
    before = version_of("mine+bis")
    spades.register_player("mine", lambda observation, seed: "S2", version="2")
    assert version_of("mine+bis")["programs"] == {"mine": "2"}
    assert before["programs"] == {"mine": "1"}
    assert before["code"] == version_of("mine+bis")["code"]
    assert "mine" not in OWN_BIDDERS


def test_the_version_is_given_or_declared_or_the_source(module, tmp_path):
    admit(f"py:{module}.Low", f"py:{module}.high", f"py:{module}.low", f"srp+py:{module}.Low")
    low, high, thing = (
        programs_of(f"py:{module}.{name}")[0].version for name in ("Low", "high", "low")
    )
    assert low == thing == "1"
    assert re.fullmatch("source [0-9a-f]{12}", high)

    spades.register_player("given", sys.modules[module].Low, version=0)
    assert programs_of("given")[0].version == "0"
    spades.register_player("given", sys.modules[module].Low, version="7")
    assert programs_of("given")[0].version == "7"
    spades.register_player("here", first)
    assert programs_of("here")[0].version.startswith("source ")
    limit = 3
    for thing in (lambda observation, seed: limit, type("Bot", (), {"play": first})()):
        with pytest.raises(ProgramError, match="declares no version"):
            spades.register_player("closure", thing)
    for version in ("a\nb", "x" * 61, ["1"]):
        with pytest.raises(ProgramError, match="a text of 1 to 60 letters"):
            spades.register_player("bad", first, version=version)

    path = tmp_path / f"{module}.py"
    path.write_text(MODULE + "# changed\n", encoding="utf-8")
    sys.modules.pop(module)
    OWN_PLAYERS.clear()
    admit(f"py:{module}.high")
    assert programs_of(f"py:{module}.high")[0].version not in (high, "")


def test_what_results_are_stored_under(module):
    admit(f"py:{module}.Low")
    plan = MatchPlan(f"py:{module}.Low", "srp+bis", 4)
    assert plan.question()["programs"] == {f"py:{module}.Low": "1"}
    key = plan.key
    result = match_result(plan, play_pairs(plan.duel, 0, 0, 2))
    assert result.programs == {f"py:{module}.Low": "1"}
    again = type(result).from_document(result.document())
    assert again == result
    assert again.is_playable
    sys.modules[module].Low.version = "2"
    OWN_PLAYERS.clear()
    admit(f"py:{module}.Low")
    assert plan.key != key
    assert not result.is_playable
    OWN_PLAYERS.clear()
    assert not result.is_playable


AGENTS_WITH_PROGRAMS = (
    "bids",
    "bids+bis:third_card=pattern",
    "bids+three",
    "plays+human",
    "plays+rb",
    "srp+three",
    "srp+bids",
    "ismcts:iterations=60,playout=human,skew=on+three",
    "ismcts:iterations=60,bias=knowledge,model=own-model",
    "ismcts:iterations=60,bias=pikl,model=own-model+three",
    "direct:model=own-model+bis",
    "direct:model=t-200-100+three",
    "best+bids",
)


def register_all():
    class Bids:
        def play(self, observation, seed):
            return first(observation, seed)

        def bid(self, observation, seed):
            return 2

    spades.register_player("bids", Bids, version="1")
    spades.register_player("plays", first, version="2")
    spades.register_bidder("three", lambda observation, seed: 3, version="3")
    spades.register_prior("own-model", lambda seen: [1] * len(seen.legal), version="4")


@pytest.mark.parametrize("text", AGENTS_WITH_PROGRAMS)
def test_what_is_shipped_of_an_agent_is_known_without_its_programs(text):
    register_all()
    assert str(parse_agent(text)) == text
    version = version_of(text)
    parts = set(parts_of(text))
    OWN_PLAYERS.clear()
    OWN_BIDDERS.clear()
    OWN_PRIORS.clear()
    models = [name for name, one in version.get("models", {}).items() if " " in one]
    programs = version.get("programs", {})
    assert parts_beside_programs(text, programs, models) == parts


def test_a_match_of_programs_that_are_not_here():
    """Such as on a server: it counts by the versions that were declared, and isn't played."""
    register_all()
    shown = {
        "bids": "bids (version 1)",
        "plays+human": "plays+human (version 2)",
        "srp+three": "srp+three (version 3)",
        "bids+three": "bids+three (version 1, version 3)",
        "ismcts:iterations=9,bias=puct,model=own-model+bis": (
            "ismcts:iterations=9,bias=puct,model=own-model+bis (version 4)"
        ),
        "srp+bis": "srp+bis",
    }
    plans = [MatchPlan(text, "direct:model=t-200-100+bis", 2) for text in shown]
    results = [match_result(plan, play_pairs(plan.duel, 0, 0, 1)) for plan in plans]
    assert all(result.is_playable and result.is_current for result in results)
    OWN_PLAYERS.clear()
    OWN_BIDDERS.clear()
    OWN_PRIORS.clear()
    for result, title in zip(results, shown.values(), strict=True):
        assert result.title_of(result.ns) == title
        assert result.is_current
        assert result.is_playable == (result.ns == "srp+bis")
        assert not replace(result, code="0" * 16).is_current
        wrong = {**result.models, "t-200-100": "0" * 12}
        assert not replace(result, models=wrong).is_current


def test_shipped_agents_are_stored_as_before():
    assert set(version_of("srp+bis")) == {"code"}
    assert "programs" not in MatchPlan("srp+bis", "random+bis", 2).question()


def test_shipped_code_as_ones_own_plays_the_same_games():
    """Each seat's cards and bids, seeds and scores are those of the compiled player."""
    shipped = parse_agent("srp+bis")

    class Copy:
        def play(self, observation, seed):
            code = shipped.player.play(observation, seed)
            return observation.rules.cards.card(code)

        def bid(self, observation, seed):
            return np.int64(shipped.bidder.bid(observation, seed))

    spades.register_player("copy", Copy, version="1")
    rival = parse_agent("random+human")
    own = play_pairs(Duel(parse_agent("copy"), rival, Rules()), 3, 0, 4).document()
    ours = play_pairs(Duel(shipped, rival, Rules()), 3, 0, 4).document()
    for document in (own, ours):
        del document["nanoseconds"]
    assert own == ours


@pytest.mark.parametrize(
    ("card", "said"),
    [
        (None, "None (NoneType)"),
        (5, "5 (int)"),
        ("XX", "'XX' (str)"),
        (Card("S2"), "Card('S2')"),
        (["HA"], "['HA'] (list)"),
    ],
)
def test_a_card_that_is_none_or_not_legal(card, said):
    spades.register_player("wrong", lambda observation, seed: card, version="1")
    observation = seen()
    with pytest.raises(ProgramError) as refusal:
        parse_agent("wrong").player.play(observation, 0)
    text = str(refusal.value)
    seat = "NESW"[observation.seat]
    assert text.startswith(f"wrong (version 1), ply 8, {seat} to play: returned {said}; legal: ")
    assert f"legal: {' '.join(observation.legal)} | {observation.text()}" in text


@pytest.mark.parametrize("bid", [-1, 14, True, None, "3", 2.0])
def test_a_bid_that_is_none_or_not_legal(bid):
    spades.register_bidder("wrong", lambda observation, seed: bid, version="1")
    result = spades.play_match("srp+wrong", "random+random", games=2)
    assert result.forfeits == (2, 0)
    assert re.search(r"to bid: returned .* from 0 to 13 is legal", result.faults[0])


def test_an_exception_names_its_place():
    def play(observation, seed):
        return [][seed]

    spades.register_player("faulty", play, version="1")
    with pytest.raises(ProgramFaultError) as refusal:
        parse_agent("faulty+bis").player.play(seen(), 0)
    line = play.__code__.co_firstlineno + 1
    place = f"raised IndexError: list index out of range (test_own.py, line {line}, in play) | "
    assert place in str(refusal.value)
    assert isinstance(refusal.value.__cause__, IndexError)


def test_code_that_exits_loses_the_game_and_ends_no_process():
    def play(observation, seed):
        sys.exit(3)

    spades.register_player("quits", play, version="1")
    result = spades.play_match("quits+bis", "random+bis", games=2)
    assert result.forfeits == (2, 0)
    assert "SystemExit: 3" in result.faults[0]


def test_a_fault_loses_its_game_alone_and_the_log_shows_where():
    """A bot that can't lead the first trick from a hand without clubs."""

    def play(observation, seed):
        if not observation.table.plays and not any(card.suit == "C" for card in observation.hand):
            raise RuntimeError("no club " * 100)
        return first(observation, seed)

    spades.register_player("faulty", play, version="1")
    plan = MatchPlan("faulty+bis", "srp+bis", 12, target=100)
    results = play_pairs(plan.duel, 4, 0, 6)
    faulty = np.argwhere(results.faults != "").tolist()
    assert 0 < len(faulty) < 12
    pair, game, agent = faulty[0]
    assert agent == 0
    text = results.faults[pair, game, agent]
    assert text.startswith(f"game {game + 1}, round ")
    assert "raised RuntimeError: no club no club" in text
    assert len(text) < 600
    assert match_result(plan, results).faults[0] == f"pair {pair + 1}, {text}"

    log = pair_log(plan.duel, 4, pair)
    row = game_table(log).iloc[game]
    assert row["fault"] in (("N", "S"), ("E", "W"))[game]
    assert row["rounds"] == results.rounds[pair, game]
    ended = log.record(row["round"] + row["rounds"])
    assert ended.plays == ()
    assert min(ended.bids) >= 0
    assert ended.source == f"{row['fault']} lost the game by a fault"
    assert not any(card.suit == "C" for card in ended.hands["NESW".index(row["fault"])])


def test_what_it_is_given_is_its_own():
    """A bot that plays on its observation's table changes no game."""

    def play(observation, seed):
        card = next(iter(observation.legal))
        observation.table.record_play(card.code)
        observation.table.bids[:] = [0, 0, 0, 0]
        return card

    spades.register_player("plays-on", play, version="1")
    spades.register_player("first", first, version="1")
    results = [
        spades.play_match(f"{name}+bis", "srp+bis", games=4, seed=2)
        for name in ("plays-on", "first")
    ]
    assert results[0].points_per_round == results[1].points_per_round


def test_no_hidden_card_reaches_it():
    """What is reachable from its observation: its own hand and what was played, no more."""
    reached = []

    def play(observation, seed):
        reached.append(observation)
        return next(iter(observation.legal))

    spades.register_player("watches", play, version="1")
    spades.play_match("watches+bis", "srp+bis", games=2, rules={"target": 60})
    assert reached
    for observation in reached:
        deck = observation.rules.cards
        known = set(observation.hand) | set(deck.cards(observation.table.plays))
        assert set(observation.unseen) == set(deck.order) - known
        assert not any(hasattr(value, "hands") for value in vars(observation).values())


def test_a_worker_that_cannot_import_it_says_so(module):
    spades.register_player("local", lambda observation, seed: "S2", version="1")
    (program,) = programs_of("local+bis")
    OWN_PLAYERS.clear()
    with pytest.raises(ProgramError, match="no other process can import local"):
        program.admit()

    admit(f"py:{module}.Low")
    spades.register_player("by-name", sys.modules[module].high, version="5")
    programs = programs_of(f"py:{module}.Low", "by-name+bis")
    OWN_PLAYERS.clear()
    for program in programs:
        program.admit()
    assert programs_of(f"py:{module}.Low", "by-name+bis") == programs
    admitted = dict(OWN_PLAYERS)
    for program in programs:
        program.admit()
    assert admitted == OWN_PLAYERS  # not registered anew


def test_a_match_carries_its_programs_to_workers(module, monkeypatch, tmp_path):
    """Calls that find nothing registered stand for those on another process."""
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    in_process = InProcess(monkeypatch)

    def elsewhere(client, function, calls, *, is_cancelled):
        for index, call in enumerate(calls):
            OWN_PLAYERS.clear()
            yield index, function(*call)

    monkeypatch.setattr("analysis.runs.tasks.map_unordered", elsewhere)
    admit(f"py:{module}.Low")
    spades.register_player("named", sys.modules[module].high, version="2")
    plan = MatchPlan(f"py:{module}.Low+bis", "named+bis", 4, target=100)
    here = match_result(plan, play_pairs(plan.duel, 0, 0, 2))
    there = play_match(plan)
    assert in_process.opened
    assert there.programs == here.programs == {f"py:{module}.Low": "1", "named": "2"}
    assert (there.wins, there.points_per_round) == (here.wins, here.points_per_round)

    spades.register_player("local", lambda observation, seed: "S2", version="1")
    with pytest.raises(ProgramError, match="on a worker: no other process can import local"):
        play_match(MatchPlan("local+bis", "srp", 2))
