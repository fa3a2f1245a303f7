"""Tables over HTTP on a real server: many at once, and through kills at random moments."""

import json
import random
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException

import pytest

from benchmarks.dashboard import free_port, start_server
from spades.tables import TableStore
from spades.tables.game import replay
from tests.browser.conftest import _wait_for, running_server
from tests.ui.play.test_seen import CARD_TEXT, lowest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser-2")]
N_GAMES, N_KILLS = 50, 20
AGENTS = ["srp+bis", "ismcts:iterations=100", None, "srp+bis"]


def ask(home, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(f"{home}/tables{path}", data, timeout=60) as answer:
        return json.loads(answer.read())


def play(home, token, n_moves=10**9):
    """A scripted player at a table, to the end or for so many moves; the last view."""
    view = ask(home, f"/view?token={token}")
    for _ in range(n_moves):
        if view["phase"] == "over":
            break
        move = {"token": token, "n": view["n"], "ms": 1, **lowest(view)}
        view = ask(home, "/move", move)
        known = {*view["round"]["hands"][view["seat"]], *view["round"]["plays"], "?"}
        del view["round"]["trump_extra"]
        assert set(CARD_TEXT.findall(json.dumps(view))) <= known
    return view


def stored(folder, token):
    store = TableStore(folder / "tables.sqlite")
    place = store.seat_of(token)
    return replay(store.setup_of(place.game), store.moves_of(place.game))


def test_fifty_games_at_once(tmp_path):
    with running_server(SPADES_GAMES=str(tmp_path)) as home:
        document = {"agents": AGENTS, "rules": {"target": 200}}
        tokens = [ask(home, "/open", document)["seats"]["S"] for _ in range(N_GAMES)]
        with ThreadPoolExecutor(N_GAMES) as pool:
            views = list(pool.map(lambda token: play(home, token), tokens))
    for token, view in zip(tokens, views, strict=True):
        game = stored(tmp_path, token)
        assert game.phase == "over"
        assert list(game.score.score) == view["score"]
        assert len(game.moves) == view["n"]


def test_a_server_killed_at_random_moments_keeps_every_finished_play(tmp_path):
    rng, port, made = random.Random(4), free_port(), 0
    home, token = f"http://127.0.0.1:{port}", None
    for _ in range(N_KILLS):
        server = start_server(port, SPADES_GAMES=str(tmp_path))
        try:
            _wait_for(server, f"{home}/_stcore/health")
            if token is None:
                document = {"agents": AGENTS, "rounds": 100, "seed": 5}
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
    with running_server(SPADES_GAMES=str(tmp_path)) as home:
        for path, body in (("/view?token=x", None), ("/move", {"n": 1}), ("/open", {"seed": 1})):
            with pytest.raises(urllib.error.HTTPError) as refused:
                ask(home, path, body)
            assert refused.value.code == 400
            assert json.loads(refused.value.read())["error"]
        seats = ask(home, "/open", {"agents": [None] * 4})["seats"]
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(ask, home, f"/view?token={seats['S']}&after=0")
            time.sleep(0.5)
            assert not waiting.done(), "it waits for the next move"
            ask(home, "/move", {"token": seats["E"], "n": 0, "bid": 3})
            assert waiting.result(timeout=10)["round"]["seats"][1]["bid"] == 3
