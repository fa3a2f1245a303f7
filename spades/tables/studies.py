"""Studies, which a researcher writes in TOML, and their participants.

``data/studies/keys.csv`` declares the keys of a study, which is a mapping of all of them. A
participant is a pseudonym with a token that gives access to their own data alone; the owner's token
gives access to all. The tables of a study are sealed: a participant's seat can be used in the study
only, and nothing played there is published before the owner exports it. Deals come from a secret of
the study: games with the same seed have the same deals for all its participants, and for nobody
else.
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

from spades.core.cards import SEAT_NAMES, SEATS, Hands, format_hand, four, parse_hand
from spades.core.checked import CheckedDatabase, CheckedTable, Row, Rows
from spades.core.database import DatabaseError, Finding
from spades.core.documents import load_toml
from spades.core.errors import InvalidRecordError, SpadesError, shown
from spades.core.paths import DATA
from spades.core.rules import Rules
from spades.notation.hands import parse_seat
from spades.notation.log_store import delete_log, open_log
from spades.tables.game import BID, CARD, COMPUTER, OVER, Game, replay
from spades.tables.log import old_log_name
from spades.tables.secret import derived_key, new_key
from spades.tables.setup import Setup
from spades.tables.store import TableStore

FOLDER = DATA / "studies"
CONSENT = "consent"
BEFORE = "questions before"
AFTER = "questions after"
DONE = "done"
PARTICIPANT = "participant"
MAX_ANSWER = 2_000
_ANSWER = {"default": "", "meaning": "it needs an answer", "type": "number", "pattern": ""}
_TYPES = {"switch": bool, "number": int, "table": dict, "text": str}  # others are lists


class StudyError(SpadesError):
    """An illegal study, or an action that isn't allowed in one."""


def read_table(name: str) -> list[dict[str, str]]:
    """The rows of ``keys`` or ``codebook``."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


_KEYS = read_table("keys")


def study_of(document: Mapping[str, Any]) -> dict[str, Any]:
    """The study of a TOML document, complete and checked; ``SpadesError`` says what is wrong and
    where."""
    defaults = {key: document[key] for key in ("seats", "rules") if key in document}
    games = document.get("games")
    if isinstance(games, list):
        games = list(games)
        for i, game in enumerate(games):
            if isinstance(game, dict):
                games[i] = {**defaults, **game}
    study = _checked("study", {**document, "games": games}, "study")
    if study["rating"]:
        rating = load_toml((FOLDER / "rating.toml").read_text("utf-8"))["before"]
        study["before"] += [_checked("question", question, "rating") for question in rating]
    study["rating"] = False  # its questions have been added
    names = [question["name"] for question in study["before"] + study["after"]]
    if len(set(names)) < len(names):
        raise StudyError(f"each question has a name of its own, not {', '.join(names)}")
    return study


def steps_of(study: Mapping[str, Any]) -> dict[str, Any]:
    """The steps of a participant by name: the consent, lists of questions, games."""
    steps = {CONSENT: study["consent"], BEFORE: study["before"]}
    for number, game in enumerate(study["games"], 1):
        steps[f"game {number}"] = game
    steps[AFTER] = study["after"]
    return {name: plan for name, plan in steps.items() if plan}


def setup_of(game: Mapping[str, Any], secret: str) -> Setup:
    """The table of a game; the participant's seat is the one without an agent. The agents' names
    are hidden. ``secret``: the study's; without a seed or deals, each participant has other deals.
    """
    names = [name.lower() for name in SEAT_NAMES.values()]
    seats = [game["seats"].get(name) for name in names]
    are_texts = all(isinstance(seat, str) for seat in seats)
    if not are_texts or seats.count(PARTICIPANT) != 1:
        raise StudyError(f'seats are {", ".join(names)}, one of them "{PARTICIPANT}"')
    rules = Rules.from_options(game["rules"])
    deals = tuple(_deal(str(line), rules) for line in game["deals"])
    is_drawn = game["seed"] < 0 and not deals
    key = new_key() if is_drawn else derived_key(secret, f"seed {max(0, game['seed'])}")
    return Setup(
        agents=four(None if seat == PARTICIPANT else seat for seat in seats),
        rules=rules,
        rounds=len(deals) or game["rounds"],
        players=(COMPUTER, COMPUTER, COMPUTER, COMPUTER),
        deals=deals,
        key=key,
        is_sealed=True,
    )


def _deal(line: str, rules: Rules) -> tuple[int, Hands]:
    dealer, *hands = line.split() or [""]
    if len(hands) != len(SEATS):
        raise StudyError(f"deals are a dealer and four hands S.H.D.C, not {shown(line)}")
    masks = four(parse_hand(hand, rules.cards) for hand in hands)
    return parse_seat(dealer, "the dealer"), masks


def check_answer(question: Mapping[str, Any], value: Any) -> Any:
    """The answer to store, None if there is none; ``StudyError`` says what is legal."""
    if value in (None, "") and not question["required"]:
        return None
    key = {**question, **_ANSWER}
    if question["kind"] in ("text", "choice"):
        key |= {"type": "text", "low": 1, "high": MAX_ANSWER}
    answer = _value(key, None if value == "" else value, shown(question["ask"]))
    if question["kind"] == "choice" and answer not in question["options"]:
        raise StudyError(f"{shown(answer)} is none of {', '.join(question['options'])}")
    return answer


def _checked(table: str, given: object, where: str) -> dict[str, Any]:
    """The values of all keys of a table, given or default, checked. ``table``: ``study``, ``game``
    or ``question``; ``where``: for messages."""
    keys = {row["key"]: row for row in _KEYS if row["table"] == table}
    if not isinstance(given, dict):
        raise StudyError(f"{where} is {shown(given)}; a table is legal")
    unknown = sorted(set(given) - set(keys))
    if unknown:
        raise StudyError(f"{where}: unknown {shown(', '.join(unknown))}; known: {', '.join(keys)}")
    values = {}
    for name, key in keys.items():
        values[name] = _value(key, given.get(name), f"{where}: {name}")
    try:
        if table == "game":
            _write_deals(values)
            setup_of(values, new_key())
        elif table == "question":
            _check_question(values)
    except SpadesError as error:
        raise StudyError(f"{where}: {error}") from None
    return values


def _check_question(question: Mapping[str, Any]) -> None:
    """``StudyError`` for an illegal range or illegal options."""
    low = question["low"]
    high = question["high"]
    is_too_wide = question["kind"] == "scale" and high - low > 10
    if low >= high or is_too_wide:
        raise StudyError(f"low {low}, high {high}; low is less, on a scale by at most 10")
    options = question["options"]
    texts = {option for option in options if isinstance(option, str)}
    least = 2 if question["kind"] == "choice" else 0
    if len(texts) < max(least, len(options)):
        raise StudyError(f"options are {shown(options)}; two or more texts are due")


def _value(key: Mapping[str, Any], value: Any, where: str) -> Any:
    if value is None:
        if not key["default"]:
            raise StudyError(f"{where} is missing: {key['meaning']}")
        value = json.loads(key["default"])
    name = key["type"]
    pattern = key["pattern"]
    least = int(key["low"])
    most = int(key["high"])
    has_type = type(value) is _TYPES.get(name, list)
    is_legal = has_type and (not pattern or re.fullmatch(pattern, value) is not None)
    if is_legal:
        size = value if isinstance(value, int) else len(value)
        is_legal = least <= size <= most
    if not is_legal:
        legal = f"legal: {pattern or name}, {least:,} to {most:,}"
        raise StudyError(f"{where} is {shown(value)}; {legal}")
    if name in ("game", "question"):
        return [_checked(name, entry, f"{where}[{i}]") for i, entry in enumerate(value, 1)]
    return value


def _write_deals(game: dict[str, Any]) -> None:
    """Replace a game's log by the deals of its rounds."""
    name = game["log"]
    if not name:
        return
    log = open_log(name)
    rounds = game["log_rounds"]
    are_rounds = all(type(i) is int and 0 <= i < len(log) for i in rounds)
    if not rounds or not are_rounds:
        raise StudyError(f"log_rounds are {shown(rounds)}; {name} has 0 to {len(log) - 1}")
    for record in map(log.record, rounds):
        deck = record.rules.cards
        hands = [format_hand(hand, deck) for hand in record.hands]
        game["deals"].append(f"{SEATS[record.dealer]} {' '.join(hands)}")
    game["log"] = ""


class Participant(NamedTuple):
    """A participant. ``state``: by step the time when it was ``made``, and its ``answers`` or its
    ``seat`` (a token) and ``game``; ``step``: the current one; ``of``: the study's id."""

    token: str
    name: str
    study: dict[str, Any]
    state: dict[str, dict[str, Any]]
    step: str
    of: str

    def all(self, entry: str) -> list[Any]:
        """An entry of the state of every step that has it, in order."""
        entries = []
        for step in steps_of(self.study):
            state = self.state.get(step, {})
            if entry in state:
                entries.append(state[entry])
        return entries


STUDIES = CheckedTable(
    "studies", ("id", "owner", "toml", "document", "secret", "ended", "n", "n_people"), "study"
)
PEOPLE = CheckedTable(
    "participants", ("token", "study", "name", "state"), "participant", named_by=2
)
NO_STUDY = "no study has this link: it is wrong, or what it led to was deleted"


class _Study(NamedTuple):
    """A row of ``studies``. ``n``: participants ever invited; ``n_people``: participants stored."""

    id: str
    owner: str
    toml: str
    document: str
    secret: str
    ended: float | None
    n: int
    n_people: int


class StudyStore(CheckedDatabase):
    """The studies, stored next to the tables at which they are played."""

    kind = "store of studies"
    variable = "SPADES_GAMES"
    error = DatabaseError
    application = 0x53505355
    version = 2  # "SPSU"
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
        """Store the study of a TOML text; returns its owner's token. Raises as ``study_of``."""
        document = json.dumps(study_of(load_toml(toml)))
        owner = secrets.token_hex(16)  # no hyphen ahead, which a command would take for an option
        study = _Study(
            id=secrets.token_hex(8),
            owner=owner,
            toml=toml,
            document=document,
            secret=new_key(),
            ended=None,
            n=0,
            n_people=0,
        )
        rows = [STUDIES.with_digest(study)]
        self.run(lambda connection: self.insert(connection, STUDIES, rows), writes=True)
        return owner

    def owned(self, owner: str) -> tuple[str, str, float | None]:
        """Id, TOML and end time of an owner's study; ``StudyError`` for another token."""
        study = self._study_where("owner = ?", owner)
        return study.id, study.toml, study.ended

    def study(self, study: str) -> dict[str, Any]:
        return _study(self._study_where("id = ?", study).document)

    def _study_where(self, where: str, value: str) -> _Study:
        if not self.path.exists():
            raise StudyError(NO_STUDY)
        return self.run(lambda opened: self._one(opened, where, value))

    def _one(self, connection: sqlite3.Connection, where: str, value: str) -> _Study:
        """The study with an id or owner's token; ``StudyError`` if there is none."""
        rows = self.sound_rows(connection, STUDIES, where, (value,))
        if not rows:
            raise StudyError(NO_STUDY)
        return _Study(*rows[0])

    def _people(self, connection: sqlite3.Connection, study: _Study) -> list[Row]:
        """The rows of a study's participants, in the order of invitation."""
        rows = self.sound_rows(connection, PEOPLE, "study = ? ORDER BY rowid", (study.id,))
        if len(rows) != study.n_people:
            raise self.damage(f"a participant of study {study.id}")
        return rows

    def invite(self, study: str) -> str:
        """The token of a new participant, P01, P02, ...; numbers are never reused."""
        token = secrets.token_urlsafe(16)

        def invite(connection: sqlite3.Connection) -> None:
            stored = self._one(connection, "id = ?", study)
            most = _study(stored.document)["participants"]
            if stored.ended is not None or stored.n >= most:
                raise StudyError("the study has ended, or has all its participants")
            changed = stored._replace(n=stored.n + 1, n_people=stored.n_people + 1)
            self.change(connection, STUDIES, changed)
            row = PEOPLE.with_digest((token, study, f"P{changed.n:02}", "{}"))
            self.insert(connection, PEOPLE, [row])

        self.run(invite, writes=True)
        return token

    def person(self, token: str) -> Participant:
        """The current state of a participant; ``StudyError`` for another token."""

        def read(connection: sqlite3.Connection) -> Participant:
            row = self._person(connection, token)
            return _participant(row, self._one(connection, "id = ?", row[1]))

        if not self.path.exists():
            raise StudyError(NO_STUDY)
        return self.run(read)

    def _person(self, connection: sqlite3.Connection, token: str) -> Row:
        rows = self.sound_rows(connection, PEOPLE, "token = ?", (token,))
        if not rows:
            raise StudyError(NO_STUDY)
        return rows[0]

    def _put(self, person: Participant, **values: Any) -> None:
        """Add values to the state of the current step, unless it has changed meanwhile."""
        step = person.state.get(person.step, {})
        state = {**person.state, person.step: {**step, **values}}

        def put(connection: sqlite3.Connection) -> None:
            token, study, name, before = self._person(connection, person.token)
            if json.loads(before) == person.state:
                self.change(connection, PEOPLE, (token, study, name, json.dumps(state)))

        self.run(put, writes=True)

    def go_on(self, token: str, step: str, given: Mapping[str, Any] | None = None) -> None:
        """Complete a step: agree, answer, or leave a finished game. Any step but the current one
        changes nothing. ``StudyError`` if it can't be completed."""
        person = self.person(token)
        given = given or {}
        if step != person.step or step == DONE:
            return
        plan = steps_of(person.study)[step]
        answers = {}
        if isinstance(plan, dict):
            game = person.state.get(step, {}).get("game")
            if game is None or self.game(game).phase != OVER:
                raise StudyError("the game isn't over")
        elif isinstance(plan, list):
            for question in plan:
                name = question["name"]
                answers[name] = check_answer(question, given.get(name))
        self._put(person, made=time.time(), answers=answers)

    def table(self, token: str) -> dict[str, Any]:
        """The ``seat`` (a token) and ``game`` of the current step; its table is opened if it hasn't
        been."""
        person = self.person(token)
        plan = steps_of(person.study).get(person.step)
        if not isinstance(plan, dict):
            raise StudyError(f"no game is due: {person.step} is")
        place = person.state.get(person.step, {})
        before = place.get("game")
        if before is not None and self._can_go_on(before):
            return place
        secret = self._study_where("id = ?", person.of).secret
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
        """Whether a game is stored, and either has a key or is over."""
        if not self.tables.has(game):
            return False
        if not self.tables.setup_of(game).is_predictable:
            return True
        return self.game(game).phase == OVER

    def game(self, game: str) -> Game:
        """A game, rebuilt from its stored moves."""
        return replay(self.tables.setup_of(game), self.tables.moves_of(game))

    def people(self, owner: str) -> list[Participant]:
        """All participants in the order of invitation, also those who haven't begun."""

        def read(connection: sqlite3.Connection) -> list[Participant]:
            study = self._one(connection, "owner = ?", owner)
            return [_participant(row, study) for row in self._people(connection, study)]

        if not self.path.exists():
            raise StudyError(NO_STUDY)
        return self.run(read)

    def progress(self, person: Participant) -> dict[str, Any]:
        """How far a participant is, for the owner; ``think_ms``: median."""
        ids = person.all("game")
        games = [self.game(game) for game in ids]
        times = person.all("made")
        for game in ids:
            times += self.tables.times_of(game)[-1:]
        think_times = [
            move.ms
            for game in games
            for move in game.moves
            if move.kind in (BID, CARD) and move.ms is not None
        ]
        return {
            "participant": person.name,
            "step": person.step,
            "rounds": sum(len(game.records) for game in games),
            "begun": time_text(min(person.all("made"), default=None)),
            "seen": time_text(max(times, default=None)),
            "think_ms": statistics.median(think_times) if think_times else None,
        }

    def delete(self, owner: str, name: str, delete_game: Callable[[str], None]) -> None:
        """Remove a participant with all answers, games and logs; their token becomes invalid."""
        for person in self.people(owner):
            if person.name == name:
                for game in person.all("game"):
                    delete_game(game)
                    with suppress(InvalidRecordError):  # only old versions wrote such logs
                        delete_log(old_log_name(game))
                self._remove(owner, "token = ?", person.token)

    def end(self, owner: str) -> None:
        """End a study: nobody new can take part; those who have agreed may go on."""
        study, *_ = self.owned(owner)
        self._remove(owner, "state = '{}' AND study = ?", study, ended=time.time())

    def _remove(self, owner: str, where: str, value: str, **changes: Any) -> None:
        """Remove participants of a study and change the study in one transaction."""

        def remove(connection: sqlite3.Connection) -> None:
            study = self._one(connection, "owner = ?", owner)
            query = f"DELETE FROM participants WHERE {where}"
            n_removed = connection.execute(query, (value,)).rowcount
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
        kept_people = [row for row in rows[PEOPLE.name] if row[1] in known]
        return {
            STUDIES.name: list(map(STUDIES.with_digest, studies)),
            PEOPLE.name: list(map(PEOPLE.with_digest, kept_people)),
        }

    def sound(self, rows: Rows) -> tuple[Rows, list[Finding]]:
        findings = list[Finding]()
        studies = dict[str, _Study]()
        for row in rows[STUDIES.name]:
            if STUDIES.is_sound(row):
                studies[row[0]] = _Study(*row[:-1])
            else:
                problem = "it is damaged: it is removed, and all its participants"
                findings.append(Finding(STUDIES.called(row), problem))
        people = list[Row]()
        for row in rows[PEOPLE.name]:
            if PEOPLE.is_sound(row) and row[1] in studies:
                state, lost = self._without_lost_games(row)
                if lost:
                    findings += [Finding(PEOPLE.called(row), problem) for problem in lost]
                    row = PEOPLE.with_digest((*row[:3], state))
                people.append(row)
            else:
                problem = "it is damaged, or its study is: it is removed"
                findings.append(Finding(PEOPLE.called(row), problem))
        people.sort(key=lambda row: (len(row[2]), row[2]))  # in the order of invitation
        n_people = Counter(row[1] for row in people)
        kept = list[Row]()
        for study in studies.values():
            n = n_people[study.id]
            if study.n_people != n:
                problem = f"it had {study.n_people} participants, and has {n}"
                findings.append(Finding(f"study {study.id}", problem))
            kept.append(STUDIES.with_digest(study._replace(n_people=n)))
        return {STUDIES.name: kept, PEOPLE.name: people}, findings

    def _without_lost_games(self, row: Row) -> tuple[str, list[str]]:
        """A participant's state without games whose table is gone, and a message for each."""
        state = json.loads(row[3])
        lost = list[str]()
        for step, entries in state.items():
            if "game" in entries and not self.tables.has(entries["game"]):
                lost.append(f"the table of {step} is gone: the step is without it")
                state[step] = {
                    name: value for name, value in entries.items() if name not in ("seat", "game")
                }
        return json.dumps(state), lost


def _participant(row: Row, study: _Study) -> Participant:
    token, of, name, text = row
    plan = _study(study.document)
    state = json.loads(text)
    is_made = {step: "made" in state.get(step, ()) for step in steps_of(plan)}
    unfinished = [step for step in is_made if not is_made[step]]
    return Participant(
        token=token,
        name=name,
        study=plan,
        state=state,
        step=unfinished[0] if unfinished else DONE,
        of=of,
    )


def time_text(seconds: float | None) -> str | None:
    """Seconds since 1970 as ISO 8601, UTC."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


@lru_cache(maxsize=64)
def _study(document: str) -> dict[str, Any]:
    return study_of(json.loads(document))
