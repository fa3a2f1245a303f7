"""The gate before all routes: who is let in, with what, how often; what every answer carries."""

import asyncio
import json

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route

from tests.asgi import ask, get, post, run
from ui.shared import gate
from ui.shared.gate import HEADERS, Gate, Rates, client_of


async def echo(request):
    return JSONResponse({"body": (await request.body()).decode(), "client": request.state.client})


async def fail(request):
    raise ConnectionResetError


async def page(request):
    return PlainTextResponse("a page", headers={"x-frame-options": "ALLOWALL"})


OWN = [
    Route("/tables/move", echo, methods=["POST"]),
    Route("/tables/view", echo, methods=["GET"]),
    Route("/tables/gone", fail, methods=["POST"]),
]


@pytest.fixture
def app():
    pages = [Route("/", page), Route("/_stcore/health", page)]
    return Starlette(routes=OWN + pages, middleware=[Middleware(Gate, routes=OWN)])


def test_every_answer_carries_the_headers(app):
    for answer in (
        get(app, "/"),
        get(app, "/nowhere"),
        get(app, "/", headers={"host": "evil.example"}),
        post(app, "/tables/move", {}),
        post(app, "/tables/move", {}, headers={"origin": "http://evil.example"}),
    ):
        assert HEADERS.items() <= answer.headers.items()
    assert "frame-ancestors 'self'" in HEADERS["content-security-policy"]
    assert "img-src 'self' data: blob:" in HEADERS["content-security-policy"]


def test_what_is_let_in_reaches_the_route_whole(app):
    answer = post(app, "/tables/move", chunks=[b'{"n"', b": 1}"], client="10.0.0.7")
    assert answer.json == {"body": '{"n": 1}', "client": "10.0.0.7"}
    for headers in (
        {"origin": "http://localhost:8501", "sec-fetch-site": "same-origin"},
        {"origin": "https://localhost:8501"},  # a proxy ends TLS
        {"sec-fetch-site": "none"},
        {"content-type": "Application/JSON; charset=utf-8"},
    ):
        assert post(app, "/tables/move", {}, headers=headers).status == 200


@pytest.mark.parametrize("path", ["/", "/tables/view", "/tables/move", "/media/x", "/Play"])
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8501", "localhost.evil.example", None]
)
def test_a_foreign_name_gets_nothing(app, path, host):
    answer = get(app, path, headers={"host": host})
    assert answer.status == 403
    assert "another name" in answer.json["error"]


def test_health_is_told_by_any_name(app):
    assert get(app, "/_stcore/health", headers={"host": "10.1.2.3"}).status == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://localhost"}, 403),
        ({"origin": "http://localhost:8502"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://["}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
        ({"content-type": None}, 415),
        ({"content-length": "16385"}, 413),
        ({"content-length": "9" * 5000}, 413),
        ({"content-length": "-1"}, 413),
    ],
)
def test_what_is_not_let_in(app, headers, status):
    answer = post(app, "/tables/move", b"{}", headers=headers)
    assert answer.status == status
    assert answer.json["error"]
    assert answer.headers["cache-control"] == "no-store"


def test_methods_and_addresses(app):
    refused = run(ask(app, "PUT", "/tables/move"))
    assert (refused.status, refused.headers["allow"]) == (405, "POST")
    assert get(app, "/tables/move").status == 405
    assert post(app, "/tables/view", {}).status == 405
    for path in ("/tables/", "/tables/other", "/tables/move/", "/tables/../tables/move"):
        answer = post(app, path, {})
        assert answer.status == 404
        assert "/tables/move, /tables/view" in answer.json["error"]


def test_a_body_is_small_and_soon_there(app, monkeypatch):
    assert post(app, "/tables/move", b"x" * gate.MAX_BYTES).status == 200
    assert post(app, "/tables/move", chunks=[b"x" * 9000] * 2).status == 413
    monkeypatch.setattr(gate, "BODY_SECONDS", 0.05)
    late = post(app, "/tables/move", chunks=[b"{"], stays_silent=True)
    assert late.status == 408
    assert "within 0.05 s" in late.json["error"]


def test_clients_that_leave_are_told_nothing_and_nothing_is_logged(app, caplog):
    for chunks in ([], [b"{"], [b'{"n": 1}']):
        assert post(app, "/tables/move", chunks=chunks, leaves=True).status is None
    assert post(app, "/tables/gone", {}).status is None
    assert not caplog.records


def test_a_client_asks_so_often_and_others_are_not_held_up(app, monkeypatch):
    monkeypatch.setattr(gate, "REQUESTS_A_SECOND", 0.5)
    statuses = [post(app, "/tables/move", {}, client="10.0.0.1") for _ in range(220)]
    refused = [one for one in statuses if one.status == 429]
    assert 10 <= len(refused) <= 20
    assert int(refused[0].headers["retry-after"]) in (1, 2, 3)
    assert "more than 0.5 requests a second" in refused[0].json["error"]
    answers = [post(app, gate.ANSWERS, {}, client="10.0.0.1") for _ in range(220)]
    assert 429 not in {one.status for one in answers}  # a program has one for each question
    assert post(app, "/tables/move", {}, client="10.0.0.2").status == 200
    assert get(app, "/", client="10.0.0.1").status == 200  # Streamlit's files aren't counted


def test_so_many_requests_are_open_at_a_time(app, monkeypatch):
    monkeypatch.setattr(gate, "OPEN_OF_CLIENT", 3)
    monkeypatch.setattr(gate, "OPEN_IN_ALL", 4)

    async def scene():
        slow = [
            asyncio.create_task(
                ask(app, "POST", "/tables/move", chunks=[b"{"], stays_silent=True, client=client)
            )
            for client in ("10.0.0.1", "10.0.0.1", "10.0.0.1", "10.0.0.3")
        ]
        await asyncio.sleep(0.05)
        of_client = await ask(app, "POST", "/tables/move", b"{}", client="10.0.0.1")
        of_all = await ask(app, "POST", "/tables/move", b"{}", client="10.0.0.2")
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
        after = await ask(app, "POST", "/tables/move", b"{}", client="10.0.0.1")
        return of_client, of_all, after

    of_client, of_all, after = run(scene())
    assert (of_client.status, of_all.status, after.status) == (429, 429, 200)
    assert "at most 3 requests open" in of_client.json["error"]


def test_rates_come_back_with_time():
    now = [0.0]
    rates = Rates(2.0, 4.0, clock=lambda: now[0])
    assert [rates.take("a") for _ in range(5)] == [0, 0, 0, 0, 0.5]
    assert rates.take("b") == 0
    now[0] = 0.5
    assert [rates.take("a") > 0 for _ in range(2)] == [False, True]


def test_rates_forget_who_asks_no_more(monkeypatch):
    monkeypatch.setattr(gate, "MAX_CLIENTS", 100)
    now = [0.0]
    rates = Rates(1.0, 2.0, clock=lambda: now[0])
    for i in range(1000):
        now[0] += 0.1
        rates.take(str(i))
    assert len(rates._left) <= 101


def test_who_is_one_client():
    assert client_of("192.0.2.1") == "192.0.2.1"
    assert client_of("::ffff:192.0.2.1") == "192.0.2.1"
    assert client_of("2001:db8::1") == client_of("2001:db8::ffff") == "2001:db8::/64"
    assert client_of("2001:db8:0:1::1") != client_of("2001:db8::1")
    assert client_of(None) == client_of("") == "local"


def test_routes_lie_below_the_base_path(app, monkeypatch):
    monkeypatch.setattr(gate.config, "get_option", lambda name: "lab" if "base" in name else [])
    assert post(app, "/lab/tables/move", {"n": 1}).json["body"] == json.dumps({"n": 1})
