"""Tournaments over HTTP: one call, played once, within limits."""

import time

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware

from analysis.intervals import share_interval
from spades.core import access
from spades.core.errors import SpadesError
from tests.analysis.workers import InProcess
from tests.asgi import post
from ui.play import tournaments
from ui.play.routes import ROUTES
from ui.play.tournaments import Tournaments
from ui.shared.gate import Gate

TOKEN = "a token for the tests alone"
ACCESS = {"authorization": f"token {TOKEN}"}
ASKED = {"agents": ["srp+bis", "random+bis", "wrp+bis"], "games": 4, "rules": {"target": 100}}


@pytest.fixture
def app(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv(access.VARIABLE, TOKEN)
    own = Tournaments()
    monkeypatch.setattr(tournaments, "tournaments", lambda: own)
    return Starlette(routes=ROUTES, middleware=[Middleware(Gate, routes=ROUTES)])


def ask(app, document, headers=ACCESS):
    return post(app, "/tables/tournament", document, headers=headers)


def ended(app, document, states=("done", "failed")):
    """The last answer, once it neither waits nor is played."""
    for _ in range(600):
        answer = ask(app, document)
        assert answer.status == 200, answer.body
        if answer.json["state"] in states:
            return answer.json
        time.sleep(0.1)
    raise AssertionError("it never ended")


def test_every_two_play_and_nothing_twice(app, monkeypatch):
    runs = InProcess(monkeypatch)
    first = ask(app, ASKED).json
    assert first["of"] == 12
    result = ended(app, ASKED)
    assert (result["tournament"], result["games"]) == (first["tournament"], 12)
    pairs = [(match["ns"], match["ew"]) for match in result["matches"]]
    assert pairs == [("srp+bis", "random+bis"), ("srp+bis", "wrp+bis"), ("random+bis", "wrp+bis")]
    for match in result["matches"]:
        wins, losses = match["wins"].values()
        assert wins + losses == match["games"] == 4
        assert match["interval"] == pytest.approx(share_interval(wins, 4))
    n_played = len(runs.done)
    assert ended(app, {**ASKED, "games": 4}) == result
    assert len(runs.done) == n_played


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"games": 3}, "an even number from 2 to 10,000"),
        ({"games": "4"}, "an even number from 2 to 10,000"),
        ({"games": 10**9}, "an even number from 2 to 10,000"),
        ({"agents": "srp"}, "a list of agents' texts"),
        ({"agents": ["srp+bis"]}, "1 different agents; 2 to 20 can meet"),
        ({"agents": ["srp+bis"] * 21}, "21 agents; 2 to 20 are legal"),
        ({"agents": ["srp+bis", "py:os.system"]}, "names Python code"),
        ({"agents": ["srp+bis", "external:cmd=sh"]}, "no program is called 'sh'"),
        ({"seed": 2**70}, "seed is"),
        ({"rules": ["target"]}, "an object of options"),
        ({"scheduler": "tcp://elsewhere:1"}, "unknown 'scheduler'"),
    ],
)
def test_what_is_refused(app, monkeypatch, change, reason):
    monkeypatch.delenv("SPADES_PROGRAMS", raising=False)
    answer = ask(app, {**ASKED, **change})
    assert answer.status == 400
    assert reason in answer.json["error"]


def test_it_takes_the_access_token(app):
    assert ask(app, ASKED, headers={}).status == 401


def test_a_flood_waits_and_a_failure_is_told_once(app, monkeypatch):
    starts = []

    def play(plans, is_cancelled):
        starts.append(plans[0].seed)
        while len(starts) == 1 and not released:
            time.sleep(0.01)
        raise RuntimeError("boom")

    released = []
    monkeypatch.setattr(tournaments, "play_round_robin", play)
    states = [ask(app, {**ASKED, "seed": seed}) for seed in range(6)]
    assert [answer.status for answer in states] == [200] * 5 + [429]
    assert "4 tournaments wait already" in states[-1].json["error"]
    assert int(states[-1].headers["retry-after"]) > 0
    assert [answer.json["state"] for answer in states[:5]] == ["playing"] + ["waiting"] * 4
    assert ask(app, {**ASKED, "seed": 0}).json["state"] == "playing"
    released.append(True)
    assert ended(app, {**ASKED, "seed": 0})["error"] == "it failed; the server's log says why"
    wait_until(lambda: len(starts) >= 5)
    assert sorted(starts)[:5] == [0, 1, 2, 3, 4]


def wait_until(is_so):
    deadline = time.monotonic() + 20
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert is_so()


def test_a_long_one_lets_those_go_first_that_wait(app, monkeypatch):
    begun = []

    def play(plans, is_cancelled):
        seed = plans[0].seed
        begun.append(seed)
        while seed == 0 and not is_cancelled():
            time.sleep(0.01)

    monkeypatch.setattr(tournaments, "play_round_robin", play)
    monkeypatch.setattr(tournaments, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(tournaments.tournaments(), "_turn_seconds", 0.2)
    assert ask(app, {**ASKED, "seed": 0}).json["state"] == "playing"
    time.sleep(0.4)
    assert begun == [0], "alone, it goes on"
    ask(app, {**ASKED, "seed": 1})
    ask(app, {**ASKED, "seed": 2})
    wait_until(lambda: begun.count(0) > 1 and {1, 2} < set(begun))
    assert begun[:2] == [0, 1]
    assert ask(app, {**ASKED, "seed": 0}).json["state"] == "playing"
    ask(app, {**ASKED, "seed": 0, "stop": True})
    wait_until(lambda: not tournaments.tournaments()._waiting)


@pytest.mark.parametrize("minutes", ["", "soon", "0", "-1", "inf", "nan"])
def test_a_turn_is_a_time_above_0(monkeypatch, minutes):
    monkeypatch.setenv("SPADES_TOURNAMENT_MINUTES", minutes)
    with pytest.raises(SpadesError, match=r"SPADES_TOURNAMENT_MINUTES is .* above 0 is legal"):
        Tournaments()
    monkeypatch.setenv("SPADES_TOURNAMENT_MINUTES", "0.5")
    assert tournaments.turn_seconds() == 30


def test_whoever_has_the_token_can_stop_one(app, monkeypatch):
    ends = []

    def play(plans, is_cancelled):
        while not is_cancelled():
            time.sleep(0.01)
        ends.append(plans[0].seed)

    monkeypatch.setattr(tournaments, "play_round_robin", play)
    for seed in (0, 1):
        ask(app, {**ASKED, "seed": seed})
    waiting = ask(app, {**ASKED, "seed": 1, "stop": True}).json
    assert (waiting["state"], waiting["games"]) == ("stopped", 0)
    assert ask(app, {**ASKED, "seed": 0, "stop": True}).json["state"] == "stopped"
    wait_until(lambda: ends == [0])
    assert ask(app, {**ASKED, "seed": 2}).json["state"] == "playing"
    ask(app, {**ASKED, "seed": 2, "stop": True})
    wait_until(lambda: ends == [0, 2])
