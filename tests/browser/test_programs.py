"""A program that plays over HTTP on a real server, by the script of the documents."""

import os
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from experiments.bench.dashboard import ROOT
from tests.browser.conftest import running_server
from tests.browser.test_tables import TOKEN, ask

pytestmark = [pytest.mark.exhaustive, pytest.mark.xdist_group("browser-2")]
ASKED = {
    "agents": ["external:http=careful", "srp+bis"],
    "games": 4,
    "rules": {"target": 200},
    "log": True,
}
BOTS = ROOT / "docs" / "bots"


@contextmanager
def connected(home, version="1.0"):
    """The bot of the documents over HTTP, until it is killed."""
    words = [home, "careful", version, sys.executable, BOTS / "careful.py"]
    bot = subprocess.Popen(
        [sys.executable, BOTS / "over_http.py", *words],
        env={**os.environ, "SPADES_ACCESS_TOKEN": TOKEN},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert bot.stdout.readline() == "connected as external:http=careful\n"
        yield bot
    finally:
        bot.kill()
        bot.wait()
        bot.stdout.close()


def ended(home, asked):
    until = time.monotonic() + 300
    while time.monotonic() < until:
        answer = ask(home, "/tournament", asked)
        if answer["state"] in ("done", "failed"):
            return answer
        time.sleep(0.5)
    raise AssertionError(answer)


def test_the_script_of_the_documents_plays_and_a_killed_one_goes_on(tmp_path):
    folders = {f"SPADES_{name}": str(tmp_path / name) for name in ("RESULTS", "LOGS", "GAMES")}
    with running_server(SPADES_ACCESS_TOKEN=TOKEN, **folders) as home:
        with connected(home):
            answer = ended(home, ASKED)
            assert answer["state"] == "done", answer
            (match,) = answer["matches"]
            assert "faults" not in match
            assert match["programs"] == {"external:http=careful": "1.0"}
            (name,) = answer["logs"]
            assert (tmp_path / "LOGS" / f"{name}.parquet").is_file()
        more = {**ASKED, "games": 2, "seed": 1}
        failed = ended(home, more)
        assert failed["error"] == "careful 1.0 can't play: it didn't answer hello in 10 s"
        time.sleep(6)  # until the server has seen that its client is gone
        with connected(home):
            assert ended(home, more)["state"] == "done"
