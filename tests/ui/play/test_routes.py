"""The tables over HTTP, in process: refusals have a status and a reason, whatever is sent."""

import asyncio
import json
import random
import sys

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware

from spades.core import access
from spades.tables import LiveTables, TableStore
from spades.tables.pool import Limits, Pool
from tests.asgi import ask, get, post, run
from tests.ui.play.test_seen import lowest
from ui.play import routes, server
from ui.play.routes import ROUTES
from ui.shared import gate
from ui.shared.gate import Gate, Rates

TOKEN = "a token for the tests alone"
ACCESS = {"authorization": f"token {TOKEN}"}
QUICK = {"agents": ["srp+bis", "srp+bis", None, "srp+bis"], "rounds": 1}
FOUR = {"agents": [None] * 4, "rounds": 1}


@pytest.fixture(autouse=True)
def own_tables(tmp_path, monkeypatch):
    live = LiveTables(TableStore(tmp_path / "tables.sqlite"), Pool(workers=1))
    monkeypatch.setattr(server, "tables", lambda: live)
    monkeypatch.setenv(access.VARIABLE, TOKEN)
    monkeypatch.setattr(routes, "_opened", Rates(1, 1000))
    monkeypatch.setattr(routes, "_opened_in_all", Rates(1, 1000))
    monkeypatch.setattr(routes, "HEARTBEAT_SECONDS", 0.1)
    return live


@pytest.fixture
def app():
    return Starlette(routes=ROUTES, middleware=[Middleware(Gate, routes=ROUTES)])


def opened(app, document=QUICK, **options):
    answer = post(app, "/tables/open", document, headers=ACCESS, **options)
    assert answer.status == 200, answer.body
    return answer.json["seats"]


def view(app, token, **query):
    asked = "&".join(f"{name}={value}" for name, value in {"token": token, **query}.items())
    return get(app, "/tables/view", query=asked)


def settled(app, token):
    """The table once agents have moved."""
    server.tables().wait(server.game_of(token))
    return view(app, token).json


def test_a_round_over_http(app):
    token = opened(app)["S"]
    seen = settled(app, token)
    while seen["phase"] != "over":
        assert seen["thinking"] is None
        answer = post(app, "/tables/move", {"token": token, "n": seen["n"], **lowest(seen)})
        assert answer.status == 200
        assert answer.headers["cache-control"] == "no-store"
        seen = answer.json if answer.json["thinking"] is None else settled(app, token)
    assert len(seen["results"]) == 1


@pytest.mark.parametrize(
    "authorization",
    [None, "", TOKEN, "token", "token x", f"Basic {TOKEN}", f"token {TOKEN}x", "token \xe9" * 9],
)
def test_opening_takes_the_access_token(app, authorization):
    answer = post(app, "/tables/open", QUICK, headers={"authorization": authorization})
    assert answer.status == 401
    assert answer.headers["www-authenticate"] == "token"
    assert "access token" in answer.json["error"]
    assert TOKEN not in answer.json["error"]


def test_the_usual_schemes_of_the_header_are_taken(app):
    for scheme in ("token", "Bearer", "TOKEN"):
        headers = {"authorization": f"{scheme} {TOKEN}"}
        assert post(app, "/tables/open", QUICK, headers=headers).status == 200


@pytest.mark.parametrize("agent", ["py:antigravity.fly", "srp+py:antigravity.fly"])
def test_a_table_runs_no_code_that_a_request_names(app, agent):
    for agents in ([agent] * 4, [None, agent, None, None]):
        answer = post(app, "/tables/open", {"agents": agents, "rounds": 1}, headers=ACCESS)
        assert answer.status == 400
        assert "names Python code, which a command or" in answer.json["error"]
    assert "antigravity" not in sys.modules


def test_so_many_tables_are_opened_a_minute(app, monkeypatch):
    def now():
        return 0.0  # so that a slow machine earns no further table meanwhile

    monkeypatch.setattr(routes, "_opened", Rates(20 / 60, 20, now))
    monkeypatch.setattr(routes, "_opened_in_all", Rates(30 / 60, 30, now))
    first = [post(app, "/tables/open", FOUR, headers=ACCESS) for _ in range(21)]
    assert [one.status for one in first] == [200] * 20 + [429]
    assert first[-1].headers["retry-after"] == "4"
    assert "a client may open 20 tables a minute" in first[-1].json["error"]
    others = [
        post(app, "/tables/open", FOUR, headers=ACCESS, client=f"10.0.0.{i}") for i in range(11)
    ]
    assert [one.status for one in others] == [200] * 10 + [429]
    assert "all clients together" in others[-1].json["error"]


def test_requests_do_not_wait_for_agents_and_say_who_thinks(app, monkeypatch, tmp_path):
    monkeypatch.setattr(routes, "ANSWER_SECONDS", 0.2)
    pool = Pool(workers=0)
    live = LiveTables(TableStore(tmp_path / "slow.sqlite"), pool)
    monkeypatch.setattr(server, "tables", lambda: live)
    token = opened(app)["S"]
    assert view(app, token).json["thinking"] == {"seat": 1, "place": 1, "waiting": 1}
    while pool.turn():
        pass
    seen = view(app, token).json
    assert (seen["turn"], seen["thinking"]) == (2, None)
    answer = post(app, "/tables/move", {"token": token, "n": seen["n"], "bid": 3})
    assert answer.json["n"] == seen["n"] + 1
    assert answer.json["thinking"] == {"seat": 3, "place": 1, "waiting": 1}
    assert pool.turn()
    assert view(app, token).json["n"] > seen["n"] + 1


def test_a_view_waits_for_moves_without_a_thread(app, monkeypatch):
    """More views wait than there are threads, and all are answered by one move."""
    monkeypatch.setattr(gate, "OPEN_OF_CLIENT", 1000)
    seats = opened(app, FOUR)

    async def scene():
        waiting = [
            asyncio.create_task(
                ask(app, "GET", "/tables/view", query=f"token={seats['S']}&after=0")
            )
            for _ in range(5 * routes.N_THREADS)
        ]
        await asyncio.sleep(0.5)
        assert not any(task.done() for task in waiting)
        move = {"token": seats["E"], "n": 0, "bid": 3}
        assert (await ask(app, "POST", "/tables/move", move)).status == 200
        return await asyncio.wait_for(asyncio.gather(*waiting), 30)

    answers = run(scene())
    assert {answer.json["n"] for answer in answers} == {1}


def test_a_client_has_so_many_tables_that_wait_and_the_rest_are_told(app, monkeypatch, tmp_path):
    pool = Pool(workers=0, limits=Limits(of_client=2))
    live = LiveTables(TableStore(tmp_path / "few.sqlite"), pool)
    monkeypatch.setattr(server, "tables", lambda: live)
    tokens = [opened(app)["S"] for _ in range(3)]
    seen = [view(app, token).json for token in tokens]
    assert [one["thinking"]["place"] for one in seen] == [1, 2, None]
    assert "2 tables of yours wait for their agents" in seen[2]["thinking"]["problem"]
    with live.playing(server.game_of(tokens[2])) as game:
        n, first = len(game.moves), game.agents_move()
    live.store.add(server.game_of(tokens[2]), n, [first])
    refused = post(app, "/tables/move", {"token": tokens[2], "n": n + 1, "bid": 3})
    assert refused.status == 429
    assert refused.headers["retry-after"] == "6"
    assert len(live.store.moves_of(server.game_of(tokens[2]))) == n + 1


def test_a_table_deleted_elsewhere_is_gone_at_once(app, own_tables):
    seats = opened(app, FOUR)
    assert view(app, seats["E"]).status == 200
    other = LiveTables(TableStore(own_tables.store.path))
    other.delete(server.game_of(seats["E"]))
    for answer in (
        view(app, seats["E"]),
        post(app, "/tables/move", {"token": seats["E"], "n": 0, "bid": 3}),
        post(app, "/tables/help", {"token": seats["E"], "n": 0, "ask": "hint"}),
    ):
        assert answer.status == 400
        assert "no table has this seat" in answer.json["error"]


def test_a_view_that_waits_ends_when_its_table_is_deleted_elsewhere(app, own_tables):
    seats = opened(app, FOUR)

    async def scene():
        query = f"token={seats['S']}&after=0"
        waiting = asyncio.create_task(ask(app, "GET", "/tables/view", query=query))
        await asyncio.sleep(0.3)
        LiveTables(TableStore(own_tables.store.path)).delete(server.game_of(seats["S"]))
        return await asyncio.wait_for(waiting, 10)

    assert run(scene()).status == 400


BAD_NUMBERS = ["-2", "-1000", "1" + "0" * 30, "1" + "0" * 5000, "NaN", "Infinity", "1.0", "1e3"]


@pytest.mark.parametrize("n", [*BAD_NUMBERS, "true", "null", '"1"', "[1]", "{}"])
def test_numbers_of_moves_that_are_none(app, n):
    token = opened(app, FOUR)["E"]
    body = f'{{"token": "{token}", "n": {n}, "bid": 3}}'.encode()
    for path in ("/tables/move", "/tables/help"):
        answer = post(app, path, body)
        assert answer.status == 400
        assert answer.json["error"]
    if n in BAD_NUMBERS:
        assert view(app, token, after=n).status == 400


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "no valid JSON"),
        (b"\xff\xfe", "JSON in UTF-8"),
        (b"[" * 8000, "nested too deep"),
        (b'{"a":' * 2000 + b"1" + b"}" * 2000, "nested too deep"),
        (b"[]", "a JSON object"),
        (b'{"n": 1, "n": 2}', "comes twice"),
        (b'{"token": "\\ud800", "n": 0}', "lone surrogate"),
        (b'{"\\udfff": 1}', "lone surrogate"),
        (b'{"token": "x", "n": 0, "extra": 1}', "no table has this seat"),
    ],
)
def test_bodies_that_are_none(app, body, said):
    answer = post(app, "/tables/move", body)
    assert answer.status == 400
    assert said in answer.json["error"]


def test_unknown_names_are_refused_with_those_known(app):
    token = opened(app, FOUR)["E"]
    move = post(app, "/tables/move", {"token": token, "n": 0, "bid": 3, "kard": "SA"})
    assert "unknown 'kard'; known: token, n, ms, bid, card, leave" in move.json["error"]
    table = post(app, "/tables/open", {**FOUR, "round": 1}, headers=ACCESS)
    assert "unknown 'round'; known: agents" in table.json["error"]
    seen = view(app, token, before=1)
    assert "unknown 'before'; known: token, after" in seen.json["error"]


ODD = (
    None, True, 0, -1, 3, 14, 2**53, 10**30, 1.5, 1e308, "", "x", "S", "SA", "blind nil", "deal",
    "\x00", "é" * 500, "\u202e", "'; DROP TABLE games", "ismcts:iterations=1000000", [], {}, [None],
    {"a": {"b": {}}}, [[0, [1, 2, 3, 4]]], ["srp+bis"] * 4, [None] * 4, ["x" * 9000],
)  # fmt: skip
NAMES = (
    "token", "n", "ms", "bid", "card", "leave", "deal", "back", "look", "undo", "hint", "claim",
    "ask", "agents", "seed", "rules", "rounds", "players", "help", "deals", "is_timed", "about",
    "deals_of", "key", "is_sealed", "__class__", "",
)  # fmt: skip
FIELDS = ("host", "origin", "content-type", "content-length", "authorization", "sec-fetch-site")
VALUES = (
    "", "x", "http://localhost:8501", "http://evil.example", "application/json", "text/plain", "-1",
    "99999999999999999999", "token", ACCESS["authorization"], "localhost:99999", "[::1", "\xff\xfe",
)  # fmt: skip

PLACES = ("open", "view", "move", "move", "move", "help", "", "x", "../x", "\x00")


def hostile(rng, token):
    """A request: method, path, body, and the rest."""
    document = {name: rng.choice(ODD) for name in rng.sample(NAMES, rng.randrange(6))}
    if rng.random() < 0.6:
        document |= {"token": token, "n": rng.choice((0, 0, 1, -5, 10**9, None))}
    body = json.dumps(document).encode()
    chance = rng.random()
    if chance < 0.1:
        body = body[: rng.randrange(len(body) + 1)]
    elif chance < 0.2:
        body = bytes(rng.randrange(256) for _ in range(rng.randrange(60)))
    elif chance < 0.25:
        body = rng.choice((b"[", b'{"a":', b'"\\ud800', b"9")) * rng.randrange(1, 3000)
    headers = {}
    if rng.random() < 0.3:
        headers = {name: rng.choice(VALUES) for name in rng.sample(FIELDS, rng.randrange(1, 4))}
    if rng.random() < 0.5:
        headers = {**ACCESS, **headers}
    after = rng.choice(ODD)
    queries = "", f"token={token}", f"token={token}&after={after}".encode(), "token=%ED%A0"
    query = rng.choice(queries)
    method = rng.choice(("POST",) * 6 + ("GET", "GET", "PUT", "OPTIONS", "HEAD", "\xe9"))
    path = "/tables/" + rng.choice(PLACES)
    how = {"leaves": True} if rng.random() < 0.05 else {}
    address = f"10.0.{rng.randrange(50)}.1"
    return (method, path, body), {"query": query, "headers": headers, "client": address, **how}


@pytest.mark.parametrize("seed", range(4))
def test_hostile_requests_end_in_a_refusal_with_a_reason(app, seed, monkeypatch, caplog):
    """2,500 each: no 5xx, nothing in the log."""
    monkeypatch.setattr(routes, "WAIT_SECONDS", 0.01)
    monkeypatch.setattr(routes, "ANSWER_SECONDS", 0.01)
    monkeypatch.setattr(gate, "REQUESTS_A_SECOND", 1e6)
    token = opened(app, {**FOUR, "help": True})["E"]
    rng = random.Random(seed)
    statuses = set()

    async def scene():
        for _ in range(2500):
            what, how = hostile(rng, token)
            answer = await ask(app, *what, **how)
            statuses.add(answer.status)
            if answer.status is None:
                continue
            assert answer.status < 500, (what, how, answer)
            if answer.status >= 400 and what[0] != "HEAD":
                assert answer.json["error"], (what, how)

    run(scene())
    assert statuses >= {None, 200, 400, 401, 403, 404, 405, 413, 415}
    assert not [one for one in caplog.records if one.levelname in ("ERROR", "CRITICAL")]
    assert view(app, token).status == 200
