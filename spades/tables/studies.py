"""Studies: what people read, answer and play, as a researcher writes it in TOML, and who does.

``data/studies/keys.csv`` declares the keys of a study, a mapping of all of them. A participant is a
pseudonym with a token, which leads to what is theirs alone; the owner's leads to everybody's. The
tables of a study are sealed: a participant's seat is good for the study alone, and nothing that is
played there is told before the owner exports it. Its deals come from a secret of the study: what
has one seed is the same for all participants of the study, and for nobody else.
"""

import csv
import json
import re
import secrets
import sqlite3
import statistics
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from spades.core.cards import SEAT_NAMES, SEATS, format_hand, four, parse_hand
from spades.core.checked import CheckedDatabase, CheckedTable, Row, Rows
from spades.core.database import DatabaseError, Finding
from spades.core.documents import load_toml
from spades.core.errors import InvalidRecordError, SpadesError, shown
from spades.core.paths import DATA
from spades.core.rules import Rules
from spades.notation.hands import parse_seat
from spades.notation.log_store import delete_log, open_log
from spades.tables.game import BID, CARD, COMPUTER, OVER, Game, replay
from spades.tables.log import log_name
from spades.tables.secret import derived_key, new_key
from spades.tables.setup import Setup
from spades.tables.store import TableStore

FOLDER = DATA / "studies"
CONSENT, BEFORE, AFTER, DONE = "consent", "questions before", "questions after", "done"
PARTICIPANT, MAX_ANSWER = "participant", 2_000
_ANSWER = {"default": "", "meaning": "it needs an answer", "type": "number", "pattern": ""}
_TYPES = {"switch": bool, "number": int, "table": dict, "text": str}  # others are lists


class StudyError(SpadesError):
    """A study that can't be made, or what nobody may do in one."""


def read_table(name: str) -> list[dict[str, str]]:
    """The rows of ``keys`` or ``codebook``."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


_KEYS = read_table("keys")


def study_of(found: Mapping[str, Any]) -> dict[str, Any]:
    """The study of what TOML says, whole and checked; ``SpadesError`` says what is wrong, where."""
    usual, games = {k: found[k] for k in ("seats", "rules") if k in found}, found.get("games")
    if isinstance(games, list):
        games = [{**usual, **game} if isinstance(game, dict) else game for game in games]
    study = _checked("study", {**found, "games": games}, "study")
    if study["rating"]:
        rating = load_toml((FOLDER / "rating.toml").read_text("utf-8"))["before"]
        study["before"] += [_checked("question", one, "rating") for one in rating]
    study["rating"] = False  # asked for by now
    names = [question["name"] for question in study["before"] + study["after"]]
    if len(set(names)) < len(names):
        raise StudyError(f"each question has a name of its own, not {', '.join(names)}")
    return study


def steps_of(study: Mapping[str, Any]) -> dict[str, Any]:
    """What a participant goes through, by step: the consent, questions, a game."""
    games = {f"game {i}": game for i, game in enumerate(study["games"], 1)}
    steps = {CONSENT: study["consent"], BEFORE: study["before"], **games, AFTER: study["after"]}
    return {step: what for step, what in steps.items() if what}


def setup_of(game: Mapping[str, Any], secret: str) -> Setup:
    """The table of a game; the participant's seat is the one without an agent. Nobody is told which
    agents play. ``secret``: the study's; where neither a seed nor deals are given, the participant
    has deals of their own."""
    names = [name.lower() for name in SEAT_NAMES.values()]
    found = [game["seats"].get(name) for name in names]
    if not all(isinstance(who, str) for who in found) or found.count(PARTICIPANT) != 1:
        raise StudyError(f'seats are {", ".join(names)}, one of them "{PARTICIPANT}"')
    rules = Rules.from_options(game["rules"])
    deals = tuple(_deal(str(line), rules) for line in game["deals"])
    is_drawn = game["seed"] < 0 and not deals
    key = new_key() if is_drawn else derived_key(secret, f"seed {max(0, game['seed'])}")
    return Setup(
        agents=four(None if who == PARTICIPANT else who for who in found),
        rules=rules,
        rounds=len(deals) or game["rounds"],
        players=(COMPUTER, COMPUTER, COMPUTER, COMPUTER),
        deals=deals,
        key=key,
        is_sealed=True,
    )


def _deal(line: str, rules: Rules) -> tuple[int, tuple[int, int, int, int]]:
    dealer, *hands = line.split() or [""]
    if len(hands) != len(SEATS):
        raise StudyError(f"deals are a dealer and four hands S.H.D.C, not {shown(line)}")
    return parse_seat(dealer, "the dealer"), four(parse_hand(hand, rules.cards) for hand in hands)


def check_answer(question: Mapping[str, Any], value: Any) -> Any:
    """An answer as it is stored, None for none; ``StudyError`` says what would be legal."""
    if value in (None, "") and not question["required"]:
        return None
    key = {**question, **_ANSWER}
    if question["kind"] in ("text", "choice"):
        key |= {"type": "text", "low": 1, "high": MAX_ANSWER}
    found = _value(key, None if value == "" else value, shown(question["ask"]))
    if question["kind"] == "choice" and found not in question["options"]:
        raise StudyError(f"{shown(found)} is none of {', '.join(question['options'])}")
    return found


def _checked(table: str, found: object, where: str) -> dict[str, Any]:
    """The values of every key of a table."""
    known = {one["key"]: one for one in _KEYS if one["table"] == table}
    if not isinstance(found, dict):
        raise StudyError(f"{where} is {shown(found)}; a table is legal")
    if unknown := sorted(set(found) - set(known)):
        raise StudyError(f"{where}: unknown {shown(', '.join(unknown))}; known: {', '.join(known)}")
    values = {name: _value(key, found.get(name), f"{where}: {name}") for name, key in known.items()}
    try:
        if table == "game":
            _write_deals(values)
            setup_of(values, new_key())
        elif table == "question":
            low, high, options = values["low"], values["high"], values["options"]
            if not 0 < high - low <= (10 if values["kind"] == "scale" else high - low):
                raise StudyError(f"low {low}, high {high}; low is less, on a scale by at most 10")
            texts = {one for one in options if isinstance(one, str)}
            if len(texts) < max(2 * (values["kind"] == "choice"), len(options)):
                raise StudyError(f"options are {shown(options)}; two or more texts are due")
    except SpadesError as error:
        raise StudyError(f"{where}: {error}") from None
    return values


def _value(key: Mapping[str, Any], value: Any, where: str) -> Any:
    if value is None:
        if not key["default"]:
            raise StudyError(f"{where} is missing: {key['meaning']}")
        value = json.loads(key["default"])
    name, pattern, least, most = key["type"], key["pattern"], int(key["low"]), int(key["high"])
    is_legal = type(value) is _TYPES.get(name, list)
    is_legal = is_legal and (not pattern or re.fullmatch(pattern, value) is not None)
    if not (is_legal and least <= (value if isinstance(value, int) else len(value)) <= most):
        legal = f"legal: {pattern or name}, {least:,} to {most:,}"
        raise StudyError(f"{where} is {shown(value)}; {legal}")
    if name in ("game", "question"):
        return [_checked(name, one, f"{where}[{i}]") for i, one in enumerate(value, 1)]
    return value


def _write_deals(game: dict[str, Any]) -> None:
    """Take the deals of its log into a game."""
    if name := game["log"]:
        log, rounds = open_log(name), game["log_rounds"]
        if not rounds or any(type(i) is not int or not 0 <= i < len(log) for i in rounds):
            raise StudyError(f"log_rounds are {shown(rounds)}; {name} has 0 to {len(log) - 1}")
        for record in map(log.record, rounds):
            hands = (format_hand(hand, record.rules.cards) for hand in record.hands)
            game["deals"].append(" ".join([SEATS[record.dealer], *hands]))
        game["log"] = ""


class Participant(NamedTuple):
    """A participant. ``state``: by step when it was ``made``, the ``answers``, or the ``seat`` (its
    token) and ``game``; ``step``: the one that is due; ``of``: the study's id."""

    token: str
    name: str
    study: dict[str, Any]
    state: dict[str, dict[str, Any]]
    step: str
    of: str

    def all(self, what: str) -> list[Any]:
        """Of every step that has it, in order."""
        steps = [self.state.get(step, {}) for step in steps_of(self.study)]
        return [step[what] for step in steps if what in step]


STUDIES = CheckedTable(
    "studies", ("id", "owner", "toml", "document", "secret", "ended", "n", "n_people"), "study"
)
PEOPLE = CheckedTable(
    "participants", ("token", "study", "name", "state"), "participant", named_by=2
)
NO_STUDY = "no study has this link: it is wrong, or what it led to was deleted"


class _Study(NamedTuple):
    """A study's row. ``n``: how many were ever invited; ``n_people``: how many there are."""

    id: str
    owner: str
    toml: str
    document: str
    secret: str
    ended: float | None
    n: int
    n_people: int


class StudyStore(CheckedDatabase):
    """The studies next to the tables at which they are played."""

    kind, variable, error = "store of studies", "SPADES_GAMES", DatabaseError
    application, version = 0x53505355, 2  # "SPSU"
    checked = (STUDIES, PEOPLE)
    schema = (
        "CREATE TABLE studies (id TEXT PRIMARY KEY, owner TEXT UNIQUE NOT NULL, toml TEXT NOT NULL,"
        " document TEXT NOT NULL, secret TEXT NOT NULL, ended REAL, n INTEGER NOT NULL,"
        " n_people INTEGER NOT NULL, digest TEXT NOT NULL)",
        "CREATE TABLE participants (token TEXT PRIMARY KEY, study TEXT NOT NULL REFERENCES studies"
        " ON DELETE CASCADE, name TEXT NOT NULL, state TEXT NOT NULL, digest TEXT NOT NULL)",
    )

    def __init__(self, tables: TableStore | None = None) -> None:
        self.tables = tables or TableStore()
        super().__init__(self.tables.path.with_name("studies.sqlite"))

    def create(self, toml: str) -> str:
        """Store the study of a text; its owner's token. Raises what ``study_of`` raises."""
        document, owner = json.dumps(study_of(load_toml(toml))), secrets.token_urlsafe(16)
        row = _Study(secrets.token_hex(8), owner, toml, document, new_key(), None, 0, 0)
        self.run(
            lambda opened: self.insert(opened, STUDIES, [STUDIES.with_digest(row)]), writes=True
        )
        return owner

    def owned(self, owner: str) -> tuple[str, str, float | None]:
        """A study's id and TOML, and when it was ended; ``StudyError`` for another token."""
        found = self._look("owner = ?", owner)
        return found.id, found.toml, found.ended

    def study(self, study: str) -> dict[str, Any]:
        return _study(self._look("id = ?", study).document)

    def _look(self, where: str, value: str) -> _Study:
        if not self.path.exists():
            raise StudyError(NO_STUDY)
        return self.run(lambda opened: self._one(opened, where, value))

    def _one(self, connection: sqlite3.Connection, where: str, value: str) -> _Study:
        """The study of an id or an owner's token; ``StudyError`` if there is none."""
        for row in self.sound_rows(connection, STUDIES, where, (value,)):
            return _Study(*row)
        raise StudyError(NO_STUDY)

    def _people(self, connection: sqlite3.Connection, study: _Study) -> list[Row]:
        """The rows of a study's participants, in the order invited."""
        rows = self.sound_rows(connection, PEOPLE, "study = ? ORDER BY rowid", (study.id,))
        if len(rows) != study.n_people:
            raise self.damage(f"a participant of study {study.id}")
        return rows

    def invite(self, study: str) -> str:
        """The token of a new participant, P01, P02, ...; numbers don't come again."""
        token = secrets.token_urlsafe(16)

        def invite(connection: sqlite3.Connection) -> None:
            found = self._one(connection, "id = ?", study)
            if found.ended is not None or found.n >= _study(found.document)["participants"]:
                raise StudyError("the study has ended, or has all its participants")
            more = found._replace(n=found.n + 1, n_people=found.n_people + 1)
            self.change(connection, STUDIES, more)
            row = PEOPLE.with_digest((token, study, f"P{more.n:02}", "{}"))
            self.insert(connection, PEOPLE, [row])

        self.run(invite, writes=True)
        return token

    def person(self, token: str) -> Participant:
        """A participant as they are now; ``StudyError`` for another token."""

        def look(connection: sqlite3.Connection) -> Participant:
            row = self._person(connection, token)
            return _participant(row, self._one(connection, "id = ?", row[1]))

        if not self.path.exists():
            raise StudyError(NO_STUDY)
        return self.run(look)

    def _person(self, connection: sqlite3.Connection, token: str) -> Row:
        for row in self.sound_rows(connection, PEOPLE, "token = ?", (token,)):
            return row
        raise StudyError(NO_STUDY)

    def _put(self, person: Participant, **values: Any) -> None:
        """Add to the step that is due, if nobody has meanwhile."""
        state = {**person.state, person.step: {**person.state.get(person.step, {}), **values}}

        def put(connection: sqlite3.Connection) -> None:
            token, study, name, before = self._person(connection, person.token)
            if json.loads(before) == person.state:
                self.change(connection, PEOPLE, (token, study, name, json.dumps(state)))

        self.run(put, writes=True)

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
        place = person.state.get(person.step, {})
        before = place.get("game")
        if before is not None and self._can_go_on(before):
            return place
        secret = self._look("id = ?", person.of).secret
        setup = replace(setup_of(plan, secret), is_timed=person.study["think_time"])
        (seat,) = self.tables.open_table(setup).values()
        game = self.tables.seat_of(seat).game
        self.tables.join(game, person.name)
        self._put(person, seat=seat, game=game)
        stored = self.person(token).state[person.step]
        if stored["game"] != game:  # another tab was quicker
            self.tables.delete(game)
        elif before is not None:
            self.tables.delete(before)
        return stored

    def _can_go_on(self, game: str) -> bool:
        """Whether a game can be played on: it is there, and over or of a version with keys."""
        return self.tables.has(game) and (
            not self.tables.setup_of(game).is_predictable or self.game(game).phase == OVER
        )

    def game(self, game: str) -> Game:
        """A game as it is stored."""
        return replay(self.tables.setup_of(game), self.tables.moves_of(game))

    def people(self, owner: str) -> list[Participant]:
        """The participants by name, also who was invited and hasn't come."""

        def look(connection: sqlite3.Connection) -> list[Participant]:
            study = self._one(connection, "owner = ?", owner)
            return [_participant(row, study) for row in self._people(connection, study)]

        if not self.path.exists():
            raise StudyError(NO_STUDY)
        return self.run(look)

    def progress(self, person: Participant) -> dict[str, Any]:
        """How far somebody is; think time: the median in ms."""
        games = [self.game(game) for game in person.all("game")]
        moved = [time for game in person.all("game") for time in self.tables.times_of(game)[-1:]]
        moves = [move for game in games for move in game.moves if move.kind in (BID, CARD)]
        thought = [move.ms for move in moves if move.ms is not None]
        return {
            "participant": person.name,
            "step": person.step,
            "rounds": sum(len(game.records) for game in games),
            "begun": time_text(min(person.all("made"), default=None)),
            "seen": time_text(max(person.all("made") + moved, default=None)),
            "think_ms": statistics.median(thought) if thought else None,
        }

    def delete(self, owner: str, name: str, delete_game: Callable[[str], None]) -> None:
        """Remove a participant: answers, games, moves, logs of them; their link leads nowhere."""
        for person in self.people(owner):
            if person.name == name:
                for game in person.all("game"):
                    delete_game(game)
                    with suppress(InvalidRecordError):  # of a version that showed them Play
                        delete_log(log_name(game))
                self._remove(owner, "token = ?", person.token)

    def end(self, owner: str) -> None:
        """Nobody new takes part; who has agreed may go on."""
        study, *_ = self.owned(owner)
        self._remove(owner, "state = '{}' AND study = ?", study, ended=time.time())

    def _remove(self, owner: str, where: str, value: str, **changes: Any) -> None:
        """Remove participants of a study, and change the study."""

        def remove(connection: sqlite3.Connection) -> None:
            study = self._one(connection, "owner = ?", owner)
            text = f"DELETE FROM participants WHERE {where}"
            n_removed = connection.execute(text, (value,)).rowcount
            changed = study._replace(n_people=study.n_people - n_removed, **changes)
            self.change(connection, STUDIES, changed)

        self.run(remove, writes=True)

    # Migration and repair.

    def upgraded(self, rows: Rows) -> Rows:
        people = Counter(study for _, study, *_ in rows[PEOPLE.name])
        studies = [
            _Study(study, owner, toml, document, new_key(), ended, n, people[study])
            for study, owner, toml, document, ended, n in rows[STUDIES.name]
        ]
        known = {study.id for study in studies}
        return {
            STUDIES.name: [STUDIES.with_digest(study) for study in studies],
            PEOPLE.name: [PEOPLE.with_digest(row) for row in rows[PEOPLE.name] if row[1] in known],
        }

    def sound(self, rows: Rows) -> tuple[Rows, list[Finding]]:
        studies, wrong = dict[str, _Study](), list[Finding]()
        for row in rows[STUDIES.name]:
            if STUDIES.is_sound(row):
                studies[row[0]] = _Study(*row[:-1])
            else:
                what = "it is damaged: it is removed, and all its participants"
                wrong.append(Finding(STUDIES.called(row), what, is_repaired=False))
        people = list[Row]()
        for row in rows[PEOPLE.name]:
            if PEOPLE.is_sound(row) and row[1] in studies:
                state, lost = self._without_lost_games(row)
                people.append(PEOPLE.with_digest((*row[:3], state)) if lost else row)
                wrong += [Finding(PEOPLE.called(row), one, is_repaired=False) for one in lost]
            else:
                what = "it is damaged, or its study is: it is removed"
                wrong.append(Finding(PEOPLE.called(row), what, is_repaired=False))
        people.sort(key=lambda row: (len(row[2]), row[2]))  # as they were invited
        n_people = Counter(row[1] for row in people)
        for study in studies.values():
            if study.n_people != n_people[study.id]:
                what = f"it had {study.n_people} participants, and has {n_people[study.id]}"
                wrong.append(Finding(f"study {study.id}", what, is_repaired=False))
        counted = [one._replace(n_people=n_people[one.id]) for one in studies.values()]
        kept = [STUDIES.with_digest(study) for study in counted]
        return {STUDIES.name: kept, PEOPLE.name: people}, wrong

    def _without_lost_games(self, row: Row) -> tuple[str, list[str]]:
        """A participant's state without games that aren't there any more, and which those were."""
        state, lost = json.loads(row[3]), list[str]()
        for step, made in state.items():
            if "game" in made and not self.tables.has(made["game"]):
                lost.append(f"the table of {step} is gone: the step is without it")
                state[step] = {k: v for k, v in made.items() if k not in ("seat", "game")}
        return json.dumps(state), lost


def _participant(row: Row, study: _Study) -> Participant:
    token, of, name, found = row
    plan, state = _study(study.document), json.loads(found)
    due = (step for step in steps_of(plan) if "made" not in state.get(step, ()))
    return Participant(token, name, plan, state, next(due, DONE), of)


def time_text(seconds: float | None) -> str | None:
    """Seconds since 1970 as ISO 8601, UTC."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


@lru_cache(maxsize=64)
def _study(document: str) -> dict[str, Any]:
    return study_of(json.loads(document))
