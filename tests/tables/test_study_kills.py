"""A server that is killed while people take part: nothing that was acknowledged is lost."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from spades.tables import TableStore
from spades.tables.game import OVER
from spades.tables.studies import DONE, StudyStore
from tests.tables.study_texts import SMALL

ROOT = Path(__file__).resolve().parents[2]
MOST_KILLS = 8
SERVER = """
import os, signal, sys, threading
from pathlib import Path
from spades.tables import LiveTables, Move, TableStore
from spades.tables.studies import DONE, StudyStore
from tests.tables.study_texts import ANSWERS, GAMES, finish_game

class Told(LiveTables):
    def move(self, token, n, move, **more):
        super().move(token, n, move, **more)
        print("move", self.seat_of(token).game, n, flush=True)

store = StudyStore(TableStore(Path(sys.argv[1])))
live, person = Told(store.tables), sys.argv[2]
seconds = float(sys.argv[3])
if seconds:
    kill = lambda: os.kill(os.getpid(), signal.SIGKILL)
    threading.Timer(seconds, kill).start()
while (step := store.person(person).step) != DONE:
    if step in GAMES:
        finish_game(live, store.table(person))
    store.go_on(person, step, ANSWERS.get(step))
    print("step", step, flush=True)
"""


@pytest.fixture
def store(tmp_path):
    return StudyStore(TableStore(tmp_path / "tables.sqlite"))


def serve(store, person, seconds):
    """What a server acknowledged before it was killed, or the participant was done."""
    command = [sys.executable, "-c", SERVER, str(store.tables.path), person, f"{seconds}"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    lines = ended.stdout.splitlines()
    assert ended.returncode in (0, -9), ended.stderr
    return [line.split(" ") for line in lines], ended.returncode == 0


@pytest.mark.exhaustive
def test_a_participant_goes_on_where_a_killed_server_left_them(store):
    owner = store.create(SMALL)
    study, *_ = store.owned(owner)
    person = store.invite(study)
    draws = random.Random(5)
    steps, kills, is_done = [], 0, False
    while not is_done and kills < MOST_KILLS:
        told, is_done = serve(store, person, draws.uniform(2.0, 5.0))
        kills += not is_done
        steps += [" ".join(words) for kind, *words in told if kind == "step"]
        now = store.person(person)
        made = [step for step in now.state if "made" in now.state[step]]
        assert set(steps) <= set(made)
        assert len(steps) == len(set(steps))  # no step is asked for twice
        for kind, *words in told:
            if kind == "move":
                game, n = words
                assert len(store.tables.moves_of(game)) > int(n)
    assert kills
    if not is_done:
        _, is_done = serve(store, person, 0)
    assert is_done
    assert store.person(person).step == DONE
    games = [store.game(game) for game in store.person(person).all("game")]
    assert [game.phase for game in games] == [OVER, OVER]
    assert store.check() == []
