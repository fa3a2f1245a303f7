"""The command ``dashboard``: what it starts, what it says, and that it answers to its names."""

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from experiments.bench.dashboard import ROOT, free_port
from spades.cli import dashboard
from spades.cli.main import main, parse
from spades.core import access


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_GAMES", str(tmp_path))
    monkeypatch.delenv(access.VARIABLE, raising=False)
    return tmp_path


def command_of(*arguments):
    return dashboard.command_of(parse(["dashboard", *arguments]))


def test_what_is_started():
    command = command_of("--port", "8600", "--host", "spades.example.org", "--address", "0.0.0.0")
    assert command[1:4] == ["-m", "streamlit", "run"]
    assert command[4] == str(ROOT / "app.py")
    options = list(zip(command[5::2], command[6::2], strict=True))
    assert ("--server.port", "8600") in options
    assert ("--server.address", "0.0.0.0") in options
    names = [value for name, value in options if name == "--server.allowedHosts"]
    assert names == ["localhost", "127.0.0.1", "spades.example.org"]


def test_this_machine_alone_by_default():
    command = command_of()
    assert command[command.index("--server.address") + 1] == "127.0.0.1"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--port", "0"], "--port is 0; 1 to 65535 are legal"),
        (["--port", "65536"], "--port is 65536"),
        (["--host", "*"], "--host is '*'"),
        (["--host", "http://x"], "--host is"),
        (["--host", ""], "--host is"),
    ],
)
def test_what_is_refused(arguments, said, capsys):
    assert main(["dashboard", *arguments]) == 1
    assert said in capsys.readouterr().err


def test_a_missing_extra_is_named(monkeypatch, capsys):
    monkeypatch.setattr(dashboard, "find_spec", lambda name: None)
    assert main(["dashboard"]) == 1
    said = capsys.readouterr().err
    assert (
        said == "spades: streamlit is not installed: pip install 'spades-decision-lab[dashboard]'\n"
    )


def test_relative_folders_stay_those_of_the_users_working_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("SPADES_DATA", "mine")
    monkeypatch.setenv("SPADES_LOGS", "/logs")
    monkeypatch.delenv("SPADES_MODELS", raising=False)
    environment = dashboard.environment_of_server(tmp_path)
    assert environment["SPADES_DATA"] == str(tmp_path / "mine")
    assert environment["SPADES_LOGS"] == "/logs"
    assert "SPADES_MODELS" not in environment


def test_the_place_of_the_access_token_is_said(own_folder, monkeypatch):
    lines = dashboard.greeting(parse(["dashboard", "--host", "spades.example.org"]))
    assert lines[0] == "http://spades.example.org:8501"
    assert lines[1].endswith(str(own_folder / "access-token"))
    assert (own_folder / "access-token").stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv(access.VARIABLE, "x" * 20)
    assert dashboard.greeting(parse(["dashboard"]))[1].endswith(access.VARIABLE)


@pytest.mark.slow
def test_a_server_that_answers_to_its_names(own_folder):
    port = free_port()
    arguments = ["dashboard", "--port", str(port), "--host", "spades.example.org"]
    server = subprocess.Popen(
        [sys.executable, "-m", "spades", *arguments],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert server.stderr.readline().strip() == f"http://spades.example.org:{port}"
        for name, status in (("spades.example.org", 400), ("evil.example", 403)):
            assert status_of(port, name) == status
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.communicate(timeout=20)


def status_of(port, name):
    """Of a view without a token, asked for until the server is there."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/tables/view", headers={"host": f"{name}:{port}"}
    )
    for _ in range(600):
        try:
            urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as refused:
            refused.close()
            return refused.code
        except OSError:
            time.sleep(0.1)
    return pytest.fail("the server doesn't answer")
