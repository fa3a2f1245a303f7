"""Where shipped and new files are, in a checkout and installed."""

import os
import subprocess
import sys
import time

import pytest

from spades.core import paths
from spades.core.errors import SpadesError
from spades.notation import log_store


@pytest.fixture
def installed(tmp_path, monkeypatch):
    monkeypatch.delenv("SPADES_LOGS", raising=False)
    monkeypatch.setenv("SPADES_DATA", str(tmp_path / "user"))
    monkeypatch.setattr(paths, "IS_INSTALLED", True)
    return tmp_path / "user"


def test_a_checkout_has_models_in_one_folder_and_what_is_played_in_the_users(monkeypatch, tmp_path):
    for variable in ("SPADES_LOGS", "SPADES_MODELS"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("SPADES_DATA", str(tmp_path))
    assert paths.folders_of("models") == [paths.DATA / "models"]
    assert paths.folders_of("logs") == [tmp_path / "logs", paths.DATA / "logs"]


def test_a_store_that_lies_in_the_checkout_is_used_until_there_is_one_of_the_users(
    monkeypatch, tmp_path
):
    monkeypatch.delenv("SPADES_GAMES", raising=False)
    monkeypatch.setenv("SPADES_DATA", str(tmp_path / "user"))
    monkeypatch.setattr(paths, "DATA", tmp_path / "checkout")
    own = tmp_path / "user" / "games" / "a.sqlite"
    old = tmp_path / "checkout" / "games" / "a.sqlite"
    assert paths.file_of("games", "a.sqlite") == own
    for path in (old, own):
        path.parent.mkdir(parents=True)
        path.touch()
        assert paths.file_of("games", "a.sqlite") == path


def test_the_environment_names_the_only_folder(installed, monkeypatch, tmp_path):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path))
    assert paths.folders_of("logs") == [tmp_path]


def test_installed_new_logs_go_to_the_user_and_shipped_ones_are_found(installed):
    log = log_store.open_log("human-south").take(slice(0, 2))
    log_store.store_log(log, "mine")
    assert (installed / "logs" / "mine.parquet").is_file()
    assert {"mine", "human-south"} <= {entry.name for entry in log_store.list_logs()}
    assert len(log_store.open_log("mine")) == 2


OLD = time.time() - 7 * 3600


def left_behind(path, age=OLD):
    path.write_bytes(b"half")
    os.utime(path, (age, age))
    return path


def test_what_killed_writers_left_is_swept_by_the_next(tmp_path):
    left = left_behind(tmp_path / ".a.json.0123456789abcdef.spades.tmp")
    others = (".a.json.0123456789abcdef.tmp", ".salt", "a.spades.tmp", ".a.checkpoint")
    kept = [
        left_behind(tmp_path / ".a.json.0123456789abcde0.spades.tmp", time.time()),
        *(left_behind(tmp_path / name) for name in others),
    ]
    (tmp_path / ".folder.0123456789abcdef.spades.tmp").mkdir()
    with paths.replacing(tmp_path / "b.json") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "b.json").read_text() == "new"
    assert not left.exists()
    assert all(path.exists() for path in kept)
    assert len(list(tmp_path.iterdir())) == len(kept) + 2


WRITER = """
import os, signal, sys
from pathlib import Path
from spades.core.paths import replacing
with replacing(Path(sys.argv[1])) as temporary:
    temporary.write_text("half")
    os.utime(temporary, (0, 0))
    print(temporary, flush=True)
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_live_writer_s_file_stays_and_a_killed_one_s_goes(tmp_path):
    target = tmp_path / "log.json"
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(target)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        name = writer.stdout.readline().decode().strip()
        paths.sweep(tmp_path)
        assert os.path.exists(name)
    assert os.path.exists(name)
    paths.sweep(tmp_path)
    assert not os.path.exists(name)
    assert not target.exists()


@pytest.mark.parametrize("why", [OverflowError("big"), IndexError("short"), RecursionError])
def test_whatever_a_table_s_reader_raises_is_said(tmp_path, why):
    with (
        pytest.raises(SpadesError, match="can't be read"),
        paths.stored_table(tmp_path / "a", "this", SpadesError),
    ):
        raise why
