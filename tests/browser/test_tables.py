"""Tables over HTTP on a real server: many at once, and through kills at random moments."""

import json
import random
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

import pytest

from experiments.bench.dashboard import free_port, start_server
from spades.tables import TableStore
from spades.tables.game import replay
from tests.browser.conftest import _wait_for, running_server
from tests.ui.play.test_seen import CARD_TEXT, lowest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser-2")]
N_GAMES, N_KILLS = 50, 20
TOKEN = "an access token of these tests"
AGENTS = ["srp+bis", "ismcts:iterations=100", None, "srp+bis"]


def send(home, path, body=None, *, source="127.0.0.1"):
    """A request from an address of this machine: its status, what ``Retry-After`` says, and the
    answer."""
    place = urlsplit(home)
    connection = HTTPConnection(place.hostname, place.port, timeout=90, source_address=(source, 0))
    headers = {"content-type": "application/json", "authorization": f"token {TOKEN}"}
    data = None if body is None else json.dumps(body)
    with closing(connection):
        connection.request("GET" if body is None else "POST", f"/tables{path}", data, headers)
        answer = connection.getresponse()
        return answer.status, int(answer.headers.get("retry-after", 0)), json.loads(answer.read())


def ask(home, path, body=None, **options):
    """As ``send``, once more where the server is asked too much; the answer alone."""
    while True:
        status, wait, answer = send(home, path, body, **options)
        if status != 429:
            assert status == 200, answer
            return answer
        time.sleep(wait)


def play(home, token, n_moves=10**9, **options):
    """A scripted player at a table, to the end or for so many moves; the last view."""
    view = ask(home, f"/view?token={token}", **options)
    for _ in range(n_moves):
        if view["phase"] == "over":
            break
        if view["thinking"]:
            view = ask(home, f"/view?token={token}&after={view['n']}", **options)
            continue
        move = {"token": token, "n": view["n"], "ms": 1, **lowest(view)}
        view = ask(home, "/move", move, **options)
        known = {*view["round"]["hands"][view["seat"]], *view["round"]["plays"], "?"}
        del view["round"]["trump_extra"]
        assert set(CARD_TEXT.findall(json.dumps(view))) <= known
    return view


def stored(folder, token):
    store = TableStore(folder / "tables.sqlite")
    place = store.seat_of(token)
    return replay(store.setup_of(place.game), store.moves_of(place.game))


@pytest.mark.exhaustive
def test_fifty_games_at_once(tmp_path):
    with running_server(SPADES_GAMES=str(tmp_path), SPADES_ACCESS_TOKEN=TOKEN) as home:
        document = {"agents": AGENTS, "rules": {"target": 200}}
        sources = [f"127.0.0.{2 + i % 5}" for i in range(N_GAMES)]
        tokens = [ask(home, "/open", document, source=one)["seats"]["S"] for one in sources]
        with ThreadPoolExecutor(N_GAMES) as pool:
            views = list(pool.map(lambda *one: play(home, one[0], source=one[1]), tokens, sources))
    for token, view in zip(tokens, views, strict=True):
        game = stored(tmp_path, token)
        assert game.phase == "over"
        assert list(game.score.score) == view["score"]
        assert len(game.moves) == view["n"]


@pytest.mark.exhaustive
def test_a_server_killed_at_random_moments_keeps_every_finished_play(tmp_path):
    rng, port, made = random.Random(4), free_port(), 0
    home, token = f"http://127.0.0.1:{port}", None
    for _ in range(N_KILLS):
        server = start_server(port, SPADES_GAMES=str(tmp_path), SPADES_ACCESS_TOKEN=TOKEN)
        try:
            _wait_for(server, f"{home}/_stcore/health")
            if token is None:
                document = {"agents": AGENTS, "rounds": 100}
                token = ask(home, "/open", document)["seats"]["S"]
            until = time.monotonic() + rng.uniform(0.0, 3.0)
            with ThreadPoolExecutor(1) as pool:
                playing = pool.submit(play, home, token)
                time.sleep(max(0.0, until - time.monotonic()))
                server.kill()
                with pytest.raises((HTTPException, OSError, ValueError)):
                    playing.result()
        finally:
            server.kill()
            server.wait()
        moves = stored(tmp_path, token).moves  # replayed: no wrong card, none twice
        assert len(moves) >= made
        made = len(moves)
    assert made > N_KILLS


def test_refusals_have_a_text_and_a_status(tmp_path):
    with running_server(SPADES_GAMES=str(tmp_path), SPADES_ACCESS_TOKEN=TOKEN) as home:
        for path, body in (("/view?token=x", None), ("/move", {"n": 1}), ("/open", {"seed": 1})):
            status, _, answer = send(home, path, body)
            assert status == 400
            assert answer["error"]
        seats = ask(home, "/open", {"agents": [None] * 4})["seats"]
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(ask, home, f"/view?token={seats['S']}&after=0")
            time.sleep(0.5)
            assert not waiting.done(), "it waits for the next move"
            ask(home, "/move", {"token": seats["E"], "n": 0, "bid": 3})
            assert waiting.result(timeout=10)["round"]["seats"][1]["bid"] == 3
