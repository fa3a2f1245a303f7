"""Studies on disk: who takes part, how far they are, what they answered, where they play.

A participant is a pseudonym with a token, which leads to what is theirs alone; the owner's token
leads to everybody's.
"""

import json
import secrets
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from spades.core.database import Database, DatabaseError
from spades.core.documents import load_toml
from spades.tables.game import MAX_SEED, OVER, Game, replay
from spades.tables.store import TableStore
from spades.tables.studies import (
    DONE,
    StudyError,
    check_answer,
    setup_of,
    steps_of,
    study_of,
)  # fmt: skip


class Person(NamedTuple):
    """A participant. ``state``: by step when it was ``made``, the ``answers``, or the ``seat`` (its
    token) and ``game``; ``step``: the one that is due."""

    token: str
    name: str
    study: dict[str, Any]
    state: dict[str, dict[str, Any]]
    step: str

    def all(self, what: str) -> list[Any]:
        """Of every step that has it, in order."""
        steps = [self.state.get(step, {}) for step in steps_of(self.study)]
        return [step[what] for step in steps if what in step]


class StudyStore(Database):
    """The studies next to the tables at which they are played."""

    kind, variable, error = "store of studies", "SPADES_GAMES", DatabaseError
    application, version = 0x53505355, 1  # "SPSU"
    schema = (
        "CREATE TABLE studies (id TEXT PRIMARY KEY, owner TEXT UNIQUE NOT NULL, toml TEXT NOT NULL,"
        " document TEXT NOT NULL, ended REAL, n INTEGER NOT NULL)",
        "CREATE TABLE participants (token TEXT PRIMARY KEY, study TEXT NOT NULL, name TEXT NOT NULL"
        ", state TEXT NOT NULL)",
    )

    def __init__(self, tables: TableStore | None = None) -> None:
        self.tables = tables or TableStore()
        super().__init__(self.tables.path.with_name("studies.sqlite"))

    def create(self, toml: str) -> str:
        """Store the study of a text; its owner's token. Raises what ``study_of`` raises."""
        document, owner = json.dumps(study_of(load_toml(toml))), secrets.token_urlsafe(16)
        row = secrets.token_hex(8), owner, toml, document
        self.execute("INSERT INTO studies VALUES (?, ?, ?, ?, NULL, 0)", row)
        return owner

    def owned(self, owner: str) -> tuple[str, str, float | None]:
        """A study's id and TOML, and when it was ended; ``StudyError`` for another token."""
        return self._one("SELECT id, toml, ended FROM studies WHERE owner = ?", owner)

    def study(self, study: str) -> dict[str, Any]:
        return _study(*self._one("SELECT document FROM studies WHERE id = ?", study))

    def _one(self, text: str, key: str) -> Any:
        for found in self.read(text, (key,)):
            return found
        raise StudyError("no study has this link: it is wrong, or what it led to was deleted")

    def invite(self, study: str) -> str:
        """The token of a new participant, P01, P02, ...; numbers don't come again."""
        text = "UPDATE studies SET n = n + 1 WHERE id = ? AND ended IS NULL AND n < ? RETURNING n"
        if not (counted := self.execute(text, (study, self.study(study)["participants"]))):
            raise StudyError("the study has ended, or has all its participants")
        row = secrets.token_urlsafe(16), study, f"P{counted[0][0]:02}"
        self.execute("INSERT INTO participants VALUES (?, ?, ?, '{}')", row)
        return row[0]

    def person(self, token: str) -> Person:
        """A participant as they are now; ``StudyError`` for another token."""
        text = "SELECT name, study, state FROM participants WHERE token = ?"
        name, of, found = self._one(text, token)
        study, state = self.study(of), json.loads(found)
        due = (step for step in steps_of(study) if "made" not in state.get(step, ()))
        return Person(token, name, study, state, next(due, DONE))

    def _put(self, person: Person, **values: Any) -> None:
        """Add to the step that is due, if nobody has meanwhile."""
        state = {**person.state, person.step: {**person.state.get(person.step, {}), **values}}
        text = "UPDATE participants SET state = ? WHERE token = ? AND state = ?"
        self.execute(text, (json.dumps(state), person.token, json.dumps(person.state)))

    def go_on(self, token: str, step: str, given: Mapping[str, Any] | None = None) -> None:
        """Do a step: agree, answer, or leave a game that is over. One that isn't due changes
        nothing. ``StudyError`` where it can't be done."""
        person, given = self.person(token), given or {}
        if step != person.step or step == DONE:
            return
        plan, answers = steps_of(person.study)[step], {}
        if isinstance(plan, dict):
            game = person.state.get(step, {}).get("game")
            if game is None or self.game(game).phase != OVER:
                raise StudyError("the game isn't over")
            if not person.study["think_time"]:
                self.tables.execute("UPDATE moves SET ms = NULL WHERE game = ?", (game,))
        elif isinstance(plan, list):
            answers = {one["name"]: check_answer(one, given.get(one["name"])) for one in plan}
        self._put(person, made=time.time(), answers=answers)

    def table(self, token: str) -> dict[str, Any]:
        """The ``seat`` (its token) and ``game`` where the game that is due is played; it is dealt
        if it hasn't been."""
        person = self.person(token)
        plan = steps_of(person.study).get(person.step)
        if not isinstance(plan, dict):
            raise StudyError(f"no game is due: {person.step} is")
        if person.step not in person.state:
            setup, seed = setup_of(plan), secrets.randbelow(MAX_SEED)
            setup = replace(setup, seed=seed) if plan["seed"] < 0 and not setup.deals else setup
            (seat,) = self.tables.open_table(setup).values()
            game = self.tables.seat_of(seat).game
            self.tables.join(game, person.name)
            self._put(person, seat=seat, game=game)
            person = self.person(token)  # another tab may have been quicker
        return person.state[person.step]

    def game(self, game: str) -> Game:
        """A game as it is stored."""
        return replay(self.tables.setup_of(game), self.tables.moves_of(game))

    def people(self, owner: str) -> list[Person]:
        """The participants by name, also who was invited and hasn't come."""
        text = "SELECT token FROM participants WHERE study = ? ORDER BY rowid"
        return [self.person(token) for (token,) in self.read(text, (self.owned(owner)[0],))]

    def progress(self, person: Person) -> dict[str, Any]:
        """How far somebody is; times in seconds since 1970, the median think time in ms."""
        games = [self.game(game) for game in person.all("game")]
        moved = [time for game in person.all("game") for time in self.tables.times_of(game)[-1:]]
        thought = [move.ms for game in games for move in game.moves if move.ms is not None]
        return {
            "participant": person.name,
            "step": person.step,
            "rounds": sum(len(game.records) for game in games),
            "begun": min(person.all("made"), default=None),
            "seen": max(person.all("made") + moved, default=None),
            "think_ms": statistics.median(thought) if thought else None,
        }

    def delete(self, owner: str, name: str, delete_game: Callable[[str], None]) -> None:
        """Remove a participant: answers, games, moves; their link leads nowhere."""
        for person in self.people(owner):
            if person.name == name:
                for game in person.all("game"):
                    delete_game(game)
                self.execute("DELETE FROM participants WHERE token = ?", (person.token,))

    def end(self, owner: str) -> None:
        """Nobody new takes part; who has agreed may go on."""
        study, *_ = self.owned(owner)
        self.execute("UPDATE studies SET ended = ? WHERE id = ?", (time.time(), study))
        self.execute("DELETE FROM participants WHERE study = ? AND state = '{}'", (study,))


@lru_cache(maxsize=64)
def _study(document: str) -> dict[str, Any]:
    return study_of(json.loads(document))
