"""Logs and models that are deleted, cut or emptied while a page shows them."""

import pytest

from spades.core.logs import Log
from spades.human import model_names
from spades.notation.log_store import store_log
from spades.notation.parquet import save_log
from tests.analysis.styles import random_log as log_of_games
from tests.human.random_networks import random_network
from tests.pages.apps import address, open_page, run, texts
from tests.pages.conftest import compiled_kernels, empty_caches, quick_judge  # noqa: F401
from ui.shared.records import DEFAULT_HAND

pytestmark = pytest.mark.usefixtures("quick_judge")


def delete(path):
    path.unlink()


def cut(path):
    path.write_bytes(path.read_bytes()[:100])


def empty(path):
    path.write_bytes(b"")


def keep_no_round(path):
    save_log(Log.from_records([]), path, provenance={})


@pytest.fixture
def log(tmp_path, monkeypatch):
    """The file of one of two logs that are here."""
    for kind in ("LOGS", "RESULTS", "MODELS"):
        monkeypatch.setenv(f"SPADES_{kind}", str(tmp_path / kind.lower()))
    store_log(log_of_games(2), "other")
    return store_log(log_of_games(12), "mine").path


@pytest.mark.parametrize("damage", [delete, cut, keep_no_round])
def test_a_hand_of_a_log_that_is_gone_gives_way_to_a_shipped_one(damage, log):
    tuning = open_page("4_Tune", {"view": "ladder", "hand": "log.mine.1", "iterations": "100"})
    replay = open_page("", {"hand": "log.mine.1", "iterations": "100"})
    damage(log)
    for app in (tuning, replay):
        run(app)
        assert "hand=log.mine.1 can't be shown any more: " in texts(app)
        assert address(app).get("hand", DEFAULT_HAND) == DEFAULT_HAND
        assert "any more" in texts(run(app)), "until the reader moves on"


def test_of_a_shorter_log_the_last_round_is_shown(log):
    replay = open_page("", {"hand": "log.mine.9", "iterations": "100", "ply": "4"})
    save_log(log_of_games(2), log, provenance={})
    run(replay)
    assert (
        "hand=log.mine.9 can't be shown any more: log mine has no round 9; 0 to 1 are there"
        in texts(replay)
    )
    assert address(replay)["hand"] == "log.mine.1"


@pytest.mark.parametrize(
    ("page", "query", "damage"),
    [
        ("", {"view": "disagreements", "log": "mine"}, delete),
        ("3_Style", {"logs": "mine|other"}, cut),
        ("5_Bids", {"view": "curves", "logs": "mine"}, empty),
        ("7_Agents", {"view": "one", "data": "mine"}, delete),
    ],
)
def test_a_log_that_is_gone_gives_way_and_the_page_says_so(page, query, damage, log):
    app = open_page(page, query)
    damage(log)
    run(app)
    assert "=mine can't be shown any more: " in texts(app)


def test_a_log_is_not_said_to_be_gone_where_it_never_was_chosen(log):
    app = open_page("3_Style", {"logs": "other"})
    delete(log)
    assert "any more" not in texts(run(app))


@pytest.mark.parametrize(
    ("page", "query", "damage"),
    [
        ("", {"model": "new", "iterations": "100"}, delete),
        ("", {"technique": "knowledge", "bias_model": "new", "iterations": "100"}, delete),
        ("", {"technique": "knowledge", "bias_model": "new", "iterations": "100"}, cut),
        ("4_Tune", {"view": "ladder", "model": "new", "iterations": "100"}, delete),
        ("4_Tune", {"view": "ladder", "model": "new", "iterations": "100"}, cut),
        ("7_Agents", {"view": "one", "model": "new", "rounds": "200"}, delete),
        ("7_Agents", {"view": "one", "model": "new", "rounds": "200"}, cut),
        ("", {"view": "disagreements", "model": "new", "log": "mine"}, delete),
    ],
)
def test_a_model_that_is_gone_or_damaged_gives_a_message(page, query, damage, log, tmp_path):
    path = tmp_path / "models" / "new.safetensors"
    path.parent.mkdir()
    random_network("t-8").save(path)
    assert "new" in model_names()
    app = open_page(page, query)
    assert "any more" not in texts(app)
    damage(path)
    said = "model=new can't be shown any more: " if damage == delete else "new.safetensors"
    assert said in texts(run(app))
