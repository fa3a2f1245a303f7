"""Where shipped and new files are, in a checkout and installed."""

import pytest

from spades.core import paths
from spades.notation import log_store


@pytest.fixture
def installed(tmp_path, monkeypatch):
    monkeypatch.delenv("SPADES_LOGS", raising=False)
    monkeypatch.setenv("SPADES_DATA", str(tmp_path / "user"))
    monkeypatch.setattr(paths, "IS_INSTALLED", True)
    return tmp_path / "user"


def test_a_checkout_has_one_folder(monkeypatch):
    monkeypatch.delenv("SPADES_LOGS", raising=False)
    assert paths.folders_of("logs") == [paths.DATA / "logs"]


def test_the_environment_names_the_only_folder(installed, monkeypatch, tmp_path):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path))
    assert paths.folders_of("logs") == [tmp_path]


def test_installed_new_logs_go_to_the_user_and_shipped_ones_are_found(installed):
    log = log_store.open_log("human-south").take(slice(0, 2))
    log_store.store_log(log, "mine")
    assert (installed / "logs" / "mine.parquet").is_file()
    assert {"mine", "human-south"} <= {entry.name for entry in log_store.list_logs()}
    assert len(log_store.open_log("mine")) == 2
