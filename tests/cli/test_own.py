"""Commands take Python code that their user names; what a file says is only looked up."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import spades
from spades.cli.main import main
from spades.notation import read_log

ROOT = Path(__file__).parents[2]
BOT = '''
class Bot:
    """Follows low and bids its high cards."""

    version = "1"

    def play(self, observation, seed):
        return min(observation.legal, key=lambda card: card.place % 13)

    def bid(self, observation, seed):
        return max(1, sum(card[1] in "AK" for card in observation.hand))


def by_rank(observation):
    return {card: 1 + card.place % 13 for card in observation.legal}


def faulty(observation, seed):
    return 1 / 0
'''
GRID = """
games = 2
decisions = 4
rounds = 0
iterations = 20

[[grid]]
technique = "knowledge"
model = "{model}"
c_bt = 0.3
k = 100
iterations = 20
"""


pytestmark = pytest.mark.usefixtures("forget_own_code")


@pytest.fixture
def module(own_module, tmp_path, monkeypatch):
    """The name of a module in the working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    return own_module(BOT)


def run(*words):
    """A command in a process of its own, in the working folder: (exit status, output, errors)."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    script = "import sys; from spades.cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-P", "-c", script, *words]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True)
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.slow
def test_workers_import_a_bot_of_the_working_folder(module, tmp_path):
    """A match, stored under the bot's version, and a log in which it has its name."""
    bot = f"py:{module}.Bot"
    match = ("match", "--ns", bot, "--ew", "srp+bis", "--games", "4", "--workers", "1", "--json")
    status, output, errors = run(*match)
    assert status == 0, errors
    result = json.loads(output)
    assert result["programs"] == {bot: "1"}
    assert result["nil"]["ns"]["bid"] == 0  # it bids itself
    assert result["ms_per_move"]["ns"] > 0
    status, again, errors = run(*match)
    assert (status, json.loads(again)) == (0, result)
    assert errors.splitlines() == ["4 of 4 games"]  # nothing is played twice

    path = tmp_path / "played.parquet"
    seats = [f"--{seat}={bot}" for seat in ("north", "south")]
    seats += [f"--{seat}=random+bis" for seat in ("east", "west")]
    status, _, errors = run(
        "simulate", *seats, "--games", "2", "--workers", "1", "--out", path.name
    )
    assert status == 0, errors
    log, _ = read_log(path)
    assert {log.agents[code] for code in log.agent_code[0]} == {bot, "random+bis"}


@pytest.fixture
def bot_of_the_docs(tmp_path, monkeypatch):
    """The bot of ``docs/bots.md`` as a file of the working folder."""
    page = (ROOT / "docs" / "bots.md").read_text(encoding="utf-8")
    (snippet,) = (one for one in re.findall(r"```python\n(.*?)```", page, re.S) if "Trumps" in one)
    bot, _, _ = snippet.partition("if __name__")
    lines = [line for line in bot.splitlines() if line.strip() and not line.startswith("import")]
    assert len(lines) <= 20
    (tmp_path / "trumps.py").write_text(snippet, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    yield "py:trumps.Trumps"
    sys.modules.pop("trumps", None)


def test_the_bot_of_the_docs_plays(bot_of_the_docs):
    result = spades.play_match(bot_of_the_docs, "best:iterations=20+bis", games=10, seed=3)
    assert result.decided == 10
    assert result.programs == {bot_of_the_docs: "1"}
    result = spades.play_match(bot_of_the_docs, "random+bis", games=20, seed=3)
    assert result.wins.ns >= 16


@pytest.mark.exhaustive
def test_the_bot_of_the_docs_plays_hundreds_of_games(bot_of_the_docs):
    result = spades.play_match(bot_of_the_docs, "best:iterations=100+bis", games=300, seed=7)
    assert result.decided == 300
    assert result.contract.ns.bid == result.rounds


@pytest.mark.slow
def test_a_fault_on_a_worker_loses_the_game_with_its_line(module):
    status, output, errors = run(
        "match", "--ns", f"py:{module}.faulty", "--ew", "srp", "--games", "2", "--workers", "1"
    )
    assert status == 0, errors
    assert f"py:{module}.faulty+human lost 2 of 2 games by a fault" in output
    line = BOT.splitlines().index("    return 1 / 0") + 1
    place = f"({module}.py, line {line}, in faulty)"
    assert f"pair 1, game 1, round 1, py:{module}.faulty (version source " in output
    assert f"to play: raised ZeroDivisionError: division by zero {place} | " in output


def test_commands_that_play_nothing_take_it_too(module, capsys):
    assert main(["bid", "--hand", "AKJ62.AQ.Q.K9543", "--bidder", f"py:{module}.Bot", "rb"]) == 0
    assert f"py:{module}.Bot" in capsys.readouterr().out
    prior = f"py:{module}.by_rank"
    agent = f"ismcts:iterations=50,bias=knowledge,model={prior}"
    call = ["analyze", "four-bots", "--ply", "8", "--agent", agent, "--model", prior, "--json"]
    assert main(call) == 0
    document = json.loads(capsys.readouterr().out)
    (decision,) = document["rounds"][0]["decisions"]
    assert document["models"] == [prior]
    shares = [row["human"][prior] for row in decision["cards"]]
    assert sum(shares) == pytest.approx(1)
    assert main(["analyze", "four-bots", "--agent", f"py:{module}.Bot"]) == 1
    assert "gives cards no values" in capsys.readouterr().err


def test_a_sweep_file_loads_nothing_that_it_names(module, tmp_path, capsys):
    prior = f"py:{module}.by_rank"
    path = tmp_path / "grid.toml"
    path.write_text(GRID.format(model=prior), encoding="utf-8")
    assert main(["sweep", path.name]) == 1
    assert "a link, a page, a file or a stored record can't" in capsys.readouterr().err
    assert module not in sys.modules


@pytest.mark.slow
def test_a_sweep_measures_a_prior_that_its_command_names(module, tmp_path):
    prior = f"py:{module}.by_rank"
    (tmp_path / "grid.toml").write_text(GRID.format(model=prior), encoding="utf-8")
    status, output, errors = run("sweep", "grid.toml", "--prior", prior, "--workers", "1", "--json")
    assert status == 0, errors
    biased = json.loads(output)["settings"][1]
    assert biased["setting"]["model"] == prior
    assert biased["models"][prior].startswith("version source ")
    assert biased["accuracy"]["n"] == 4


def test_what_is_not_there_is_one_line(module, capsys):
    for text, reason in (
        ("py:nothing_here.Bot", "no module nothing_here here"),
        (f"py:{module}.Boot", "has no Boot; it defines Bot, by_rank, faulty"),
    ):
        assert main(["match", "--ns", text, "--ew", "srp", "--games", "2"]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"spades: {text}: ")
        assert reason in line
