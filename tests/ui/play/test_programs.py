"""Programs that connect over HTTP: they play as agents, and what they spoil is their own."""

import sys
import threading
import time

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware

from analysis.matches.league import match_table
from analysis.matches.match import MatchPlan, play_match, stored_match
from analysis.matches.result import MatchResult
from analysis.matches.running import USUAL, expected_time
from spades.agents import parse_agent
from spades.agents.component import UnknownAgentError
from spades.core import access
from spades.core.cards import SEATS
from spades.core.programs import ProgramError
from spades.notation.log_store import open_log
from spades.programs import close_programs, connected, session
from spades.programs.connection import MAX_UNSENT
from tests.analysis.workers import InProcess
from tests.asgi import post
from tests.programs.conftest import SCRIPT
from tests.ui.play.test_tournaments import ACCESS, TOKEN, ended
from ui.play import routes, tournaments
from ui.play.routes import ROUTES
from ui.play.tournaments import Tournaments
from ui.shared.gate import Gate, Rates

NAMED = {"name": "m", "version": "1"}
AGENT = "external:http=m"
SHORT = {"target": 60, "losing_floor": -60}


@pytest.fixture
def app(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    monkeypatch.setenv(access.VARIABLE, TOKEN)
    monkeypatch.setattr(connected, "_CONNECTIONS", connected._Connections())
    monkeypatch.setattr(connected, "QUESTIONS_A_SECOND", 1e6)
    monkeypatch.setattr("analysis.matches.match._warm_up", lambda duel: None)
    monkeypatch.setattr(session, "START_SECONDS", 1.0)
    monkeypatch.setattr(session, "GRACE_SECONDS", 0.2)
    monkeypatch.setattr(routes, "WAIT_SECONDS", 0.5)
    monkeypatch.setattr(routes, "_opened", Rates(20 / 60, 20))
    own = Tournaments()
    monkeypatch.setattr(tournaments, "tournaments", lambda: own)
    yield Starlette(routes=ROUTES, middleware=[Middleware(Gate, routes=ROUTES)])
    close_programs()


def connect(app, document=NAMED, headers=ACCESS):
    return post(app, "/tables/connect", document, headers=headers)


def answer(app, token, after=0, **more):
    return post(app, "/tables/answer", {"token": token, "after": after, **more})


class Bot:
    """A program in four threads, one a seat, which plays the first legal card. ``spoil``: what it
    answers instead, of (message, how many it was asked before), None to say nothing; ``told``: the
    messages by seat."""

    def __init__(self, app, document=NAMED, spoil=lambda message, n: ...):
        self.app = app
        self.version = document["version"]
        self.spoil = spoil
        self.told = {seat: [] for seat in SEATS}
        self.n_asked = 0
        self.is_over = False
        seats = connect(app, document).json["seats"]
        self.threads = [threading.Thread(target=self.sit, args=seat) for seat in seats.items()]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *error):
        self.is_over = True
        for thread in self.threads:
            thread.join()

    def sit(self, seat, token):
        request = {}
        while not self.is_over:
            got = answer(self.app, token, **request)
            if got.status != 200:
                return
            request = {"after": got.json["after"]}
            for message in got.json["messages"]:
                self.told[seat].append(message)
                request["answer"] = self.answer_to(message)

    def answer_to(self, message):
        number = message.get("id")
        if message["type"] == "hello":
            return {"id": number, "protocol": 1, "name": "m", "version": self.version}
        if message["type"] not in ("bid", "play"):
            return None
        spoiled = self.spoil(message, self.n_asked)
        self.n_asked += 1
        if spoiled is not ...:
            return spoiled
        if message["type"] == "bid":
            return {"id": number, "bid": message["legal"][3]}
        return {"id": number, "card": message["legal"][0]}


def games(n=4, **more):
    return {"agents": [AGENT, "srp+bis"], "games": n, "rules": SHORT, **more}


def test_it_plays_a_tournament_as_the_same_program_listed_does(app, tmp_path, monkeypatch):
    runs = InProcess(monkeypatch)
    with Bot(app) as bot:
        result = ended(app, games(log=True))
        match = the_match(result)
        plan = MatchPlan(AGENT, "srp+bis", 4, target=60, floor=-60)
        (name,) = result["logs"]
    assert runs.opened == []  # no worker can have it
    assert (match.ns, match.programs, match.faults) == (AGENT, {AGENT: "1"}, ())
    assert match.command is None  # no terminal has it either

    log = open_log(name)
    assert set(log.agents) == {AGENT, "srp+bis"}
    assert log.record(0).kinds[0] == "bot"
    command = f'["{sys.executable}", "{SCRIPT}", "well"]'
    (tmp_path / "programs.toml").write_text(f'[well]\ncommand = {command}\nversion = "1"\n')
    monkeypatch.setenv("SPADES_PROGRAMS", str(tmp_path / "programs.toml"))
    other = play_match(MatchPlan("external:cmd=well", "srp+bis", 4, target=60, floor=-60))
    assert (match.wins, match.points_per_round) == (other.wins, other.points_per_round)
    assert stored_match(plan).wins == other.wins  # to be had when the program has gone
    assert all(told(bot, seat, "newround") for seat in SEATS)


def the_match(answer):
    """The one match of a tournament that has been played."""
    assert answer["state"] == "done", answer
    (document,) = answer["matches"]
    return MatchResult.from_document(document)


def told(bot, seat, kind):
    return [message for message in bot.told[seat] if message["type"] == kind]


def test_a_seat_is_sent_its_own_hand_and_what_lies_on_the_table(app):
    with Bot(app) as bot:
        assert ended(app, games(2))["state"] == "done"
    for seat in SEATS:
        seen = set()
        assert told(bot, seat, "play")
        for message in bot.told[seat]:
            if message["type"] == "newround":
                assert message["seat"] == seat
                seen = set(message["hand"])
            elif message["type"] == "event" and message["event"] == "card":
                seen.add(message["card"])
            elif message["type"] == "play":
                on_table = {played["card"] for played in message["trick"]}
                assert {*message["hand"], *message["legal"], *on_table} <= seen


def test_a_question_is_sent_once_somebody_waits_for_its_answer():
    seat = connected.ConnectedSeat(connected._Pace(1e6))
    seat.send(b'{"id": 1}')
    assert seat.messages() == {"messages": [], "after": 0}
    reader = threading.Thread(target=seat.read_line, args=(5.0,))
    reader.start()
    while not seat.is_due(0):
        time.sleep(0.01)
    assert seat.messages() == {"messages": [{"id": 1}], "after": 1}
    seat.take(1, {"id": 1, "bid": 3})
    reader.join()
    assert seat.messages() == {"messages": [], "after": 1}


SPOILED = {
    "illegal": ({"id": 0, "card": "XX"}, "it played 'XX'"),
    "no card": ({"id": 0, "cart": "HT"}, "no 'card' in the answer"),
    "silent": (None, "it didn't answer within 0.3 s, nor 0.2 s after stop"),
}


@pytest.mark.parametrize("how", SPOILED)
def test_what_it_spoils_loses_the_game_and_the_next_one_is_played(app, how):
    wrong, reason = SPOILED[how]

    def spoil(message, n):
        if message["type"] != "play" or n != 5:
            return ...
        return wrong and {**wrong, "id": message["id"]}

    with Bot(app, {**NAMED, "seconds": 0.3}, spoil):
        match = the_match(ended(app, games()))
    assert match.forfeits == (1, 0)
    (fault,) = match.faults
    assert reason in fault
    assert "m 1, ply" in fault


def test_one_that_has_gone_ends_its_tournament_and_goes_on_when_it_is_back(app):
    connect(app)
    gone = ended(app, games())
    assert gone["state"] == "failed"
    assert gone["error"] == "m 1 can't play: it didn't answer hello in 1 s"
    with Bot(app):
        assert ended(app, games())["state"] == "done"


def test_one_that_lets_all_questions_pass_ends_its_tournament(app):
    with Bot(app, {**NAMED, "seconds": 0.3}, lambda message, n: None):
        late = ended(app, games(40))
    assert late["state"] == "failed"
    assert late["games"] < 40
    assert late["error"].startswith("m 1, ")
    assert "didn't answer within 0.3 s" in late["error"]
    assert late["error"].endswith("again and again: it is asked no more")


def test_late_answers_count_in_a_row(app):
    connect(app)
    program = connected.find_connected("m")
    late = [True, True, False, True, True, True, True, True]
    given_up = [program.note_answer(is_late=one) for one in late]
    assert given_up == [False] * 5 + [True, False, False]  # another tournament begins anew


def test_one_that_has_gone_is_not_asked_how_fast_it_is(app):
    connect(app)
    seconds, source = expected_time(MatchPlan(AGENT, "wrp+bis", 2), match_table([]))
    assert source == USUAL
    assert 1 < seconds < 60


def test_a_request_sent_again_or_too_late_changes_nothing(app):
    seats = connect(app).json["seats"]
    seat = connected.connected_seat(seats["N"])
    assert answer(app, seats["N"], answer={"id": 0}).json == {"messages": [], "after": 0}

    seat.send(b'{"type": "play", "id": 1}\n')
    assert seat.read_line(0.01) is None
    got = answer(app, seats["N"]).json
    assert got == {"messages": [{"type": "play", "id": 1}], "after": 1}
    assert answer(app, seats["N"]).json == got  # until it says that it has them
    for card in ("HT", "H2"):
        answer(app, seats["N"], 1, answer={"id": 1, "card": card})
    assert seat.read_line(1) == b'{"id": 1, "card": "HT"}'

    seat.send(b'{"type": "play", "id": 2}\n')
    assert seat.read_line(0.01) is None
    answer(app, seats["N"], 1, answer={"id": 1, "card": "HT"})
    assert seat.read_line(0.01) is None
    seat.close()
    answer(app, seats["N"], 2, answer={"id": 2, "card": "late"})
    seat.send(b'{"type": "hello", "id": 0}\n')
    assert seat.read_line(0.01) is None


def test_an_unread_megabyte_is_a_fault(app):
    seats = connect(app).json["seats"]
    seat = connected.connected_seat(seats["N"])
    seat.send(b"x" * MAX_UNSENT)
    with pytest.raises(ProgramError, match="leaves 1 MB unread"):
        seat.send(b"x")
    seat.close()
    seat.send(b"x")


def test_stopping_a_tournament_waits_for_no_slow_program(app):
    asked = threading.Event()

    def think(message, n):
        asked.set()
        return None

    with Bot(app, {**NAMED, "seconds": 30}, think) as bot:
        request = games(2)
        assert ended(app, {**request, "stop": True}, ("stopped",))
        post(app, "/tables/tournament", request, headers=ACCESS)
        assert asked.wait(20)
        wait_until(lambda: any(seat._question for seat in seats_of(bot)))
        assert ended(app, {**request, "stop": True}, ("stopped",))["games"] == 0
        wait_until(lambda: not tournaments.tournaments()._waiting)
        bot.spoil = lambda message, n: ...
        assert ended(app, request)["state"] == "done"


def test_a_slow_program_doesnt_hold_up_a_tournament_that_waits(app, monkeypatch):
    asked = threading.Event()

    def think(message, n):
        asked.set()
        return None

    InProcess(monkeypatch)
    monkeypatch.setattr(tournaments, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(tournaments.tournaments(), "_turn_seconds", 0.1)
    with Bot(app, {**NAMED, "seconds": 30}, think) as bot:
        post(app, "/tables/tournament", games(2), headers=ACCESS)
        assert asked.wait(20)
        other = {**games(2), "agents": ["wrp+bis", "srp+bis"]}
        assert ended(app, other)["state"] == "done"
        bot.spoil = lambda message, n: ...
        assert ended(app, games(2))["state"] == "done"


def test_another_version_is_another_program(app):
    with Bot(app):
        old = parse_agent(AGENT).player.program
        ended(app, games(2))
    with Bot(app, {**NAMED, "version": "2"}):
        with pytest.raises(ProgramError, match="has connected as version 2, not 1"):
            old.admit()
        match = the_match(ended(app, games(2)))
    assert match.programs == {AGENT: "2"}


def test_a_name_is_one_programs_while_it_is_here(app):
    with Bot(app) as bot:
        wait_until(lambda: all(seat.is_listened_to for seat in seats_of(bot)))
        refused = connect(app)
        assert (refused.status, refused.json["error"]) == (429, "a program called m is connected")
        assert int(refused.headers["retry-after"]) > 0
    before = connect(app).json["seats"]
    after = connect(app).json["seats"]
    assert answer(app, before["N"]).status == 400
    assert answer(app, after["N"]).status == 200


def seats_of(bot):
    return connected._CONNECTIONS.find("m").seats


def wait_until(is_so):
    deadline = time.monotonic() + 20
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert is_so()


def test_the_name_of_one_that_has_gone_makes_room(app, monkeypatch):
    monkeypatch.setattr(connected, "MOST", 2)
    for name in ("a", "b", "c"):
        assert connect(app, {**NAMED, "name": name}).status == 200
    assert parse_agent("external:http=c+bis").player.http == "c"
    with pytest.raises(UnknownAgentError, match=r"called 'a' has connected .* there are: b, c"):
        parse_agent("external:http=a")
    with pytest.raises(UnknownAgentError, match="cmd and http"):
        parse_agent("external:cmd=c,http=c")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"name": "a b"}, "is no program's name"),
        ({"name": None}, "a text is legal"),
        ({"version": ""}, "a text of 1 to 60 letters on one line"),
        ({"version": 1}, "a text of 1 to 60 letters on one line"),
        ({"seconds": 31}, "a number above 0, to 30, is legal"),
        ({"seconds": True}, "a number above 0, to 30, is legal"),
        ({"command": ["sh"]}, "unknown 'command'; known: name, version, seconds"),
    ],
)
def test_what_is_refused(app, change, reason):
    refused = connect(app, {**NAMED, **change})
    assert refused.status == 400
    assert reason in refused.json["error"]


def test_it_takes_the_access_token_to_connect_and_a_seats_to_play(app):
    assert connect(app, headers={}).status == 401
    token = connect(app).json["seats"]["N"]
    for document, reason in [
        ({"token": "guessed"}, "no token of a connected program's seat"),
        ({"token": 3}, "no token of a connected program's seat"),
        ({"token": token, "after": 1}, "after is 1; the last answer's, up to 0, is legal"),
        ({"token": token, "after": -1}, "after is -1"),
        ({"token": token, "answer": "HT"}, "an object, as"),
    ]:
        refused = post(app, "/tables/answer", document)
        assert refused.status == 400
        assert reason in refused.json["error"]
