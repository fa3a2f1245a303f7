"""The access token: made once, kept for its owner alone, compared in constant time."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from spades.core import access
from spades.core.access import AccessError, access_token, check_access


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_GAMES", str(tmp_path / "games"))
    monkeypatch.delenv(access.VARIABLE, raising=False)
    return tmp_path / "games"


def test_it_is_made_once_by_whoever_comes_first(folder):
    with ThreadPoolExecutor(8) as pool:
        tokens = set(pool.map(lambda _: access_token(), range(16)))
    assert len(tokens) == 1
    (token,) = tokens
    assert len(token) == 32
    assert [path.name for path in folder.iterdir()] == ["access-token"]
    assert (folder / "access-token").stat().st_mode & 0o777 == 0o600


def test_the_environment_names_another(monkeypatch, folder):
    monkeypatch.setenv(access.VARIABLE, " a token of my own ")
    assert access_token() == "a token of my own"
    assert not folder.exists()


@pytest.mark.parametrize("text", ["", "short", "\u00e9" * 20])
def test_what_is_no_token_opens_nothing(monkeypatch, folder, text):
    monkeypatch.setenv(access.VARIABLE, text)
    with pytest.raises(AccessError, match="16 ASCII letters or more"):
        check_access(f"token {text}")
    monkeypatch.delenv(access.VARIABLE)
    folder.mkdir()
    (folder / "access-token").write_text(text, "utf-8")
    with pytest.raises(AccessError, match="is no access token"):
        check_access(f"token {text}")


def test_who_is_let_in():
    token = access_token()
    check_access(f"token {token}")
    check_access(f"Bearer {token}")
    for header in (
        None,
        "",
        token,
        "token",
        f"token {token}x",
        f"token {token[:-1]}",
        "token \xff",
    ):
        with pytest.raises(AccessError, match="this server's access token") as refused:
            check_access(header)
        assert token not in str(refused.value)


def test_a_folder_that_cannot_be_written_is_said(folder):
    folder.write_text("a file")
    with pytest.raises(AccessError, match="set SPADES_ACCESS_TOKEN"):
        access_token()
