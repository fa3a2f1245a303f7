"""The secret by which names of an IRC log are hidden: made once, mended, shared."""

import os

import pytest

from spades.notation import irc, read_text
from spades.notation.irc import Pseudonyms, installation_salt
from tests.notation.test_irc import SALT, TEXT


@pytest.fixture(autouse=True)
def data_folder(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.mktemp("data")
    monkeypatch.setenv("SPADES_DATA", str(folder))
    return folder


def test_the_salt_is_made_once(data_folder):
    salt = installation_salt()
    assert (data_folder / "salt").read_bytes() == salt
    assert installation_salt() == salt
    assert os.stat(data_folder / "salt").st_mode & 0o777 == 0o600
    assert os.listdir(data_folder) == ["salt"]
    assert read_text(TEXT).records[0].players[0] == Pseudonyms(salt).of("ann")


def test_two_processes_agree_on_the_salt(data_folder, monkeypatch):
    (data_folder / "salt").write_bytes(SALT)
    monkeypatch.setattr(irc, "_read", reads_first([None]))
    assert installation_salt() == SALT


def reads_first(first):
    """``_read`` that finds no salt at first, as if another process were about to make it."""
    real, left = irc._read, list(first)
    return lambda path: left.pop() if left else real(path)


def test_a_salt_cut_short_is_replaced(data_folder):
    (data_folder / "salt").write_bytes(b"short")
    assert len(installation_salt()) == 32


def test_without_a_folder_the_salt_lasts_for_the_process(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SPADES_DATA", str(tmp_path / "file"))
    assert installation_salt() == installation_salt()
