"""Studies: what people read, answer and play, as a researcher writes it in TOML, and who does.

``data/studies/keys.csv`` declares the keys of a study, a mapping of all of them. A participant is a
pseudonym with a token, which leads to what is theirs alone; the owner's leads to everybody's.
"""

import csv
import json
import re
import secrets
import statistics
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from spades.core.cards import SEAT_NAMES, SEATS, four
from spades.core.database import Database, DatabaseError
from spades.core.documents import load_toml
from spades.core.errors import InvalidRecordError, SpadesError, shown
from spades.core.paths import DATA
from spades.core.rules import Rules
from spades.notation.hands import format_hand, parse_hand, parse_seat
from spades.notation.log_store import delete_log, open_log
from spades.tables.game import BID, CARD, MAX_SEED, OVER, Game, Setup, replay
from spades.tables.log import log_name
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


def setup_of(game: Mapping[str, Any]) -> Setup:
    """The table of a game; the participant's seat is the one without an agent. Nobody is told which
    agents play."""
    names = [name.lower() for name in SEAT_NAMES.values()]
    found = [game["seats"].get(name) for name in names]
    if not all(isinstance(who, str) for who in found) or found.count(PARTICIPANT) != 1:
        raise StudyError(f'seats are {", ".join(names)}, one of them "{PARTICIPANT}"')
    agents = four(None if who == PARTICIPANT else who for who in found)
    hidden = ("computer", "computer", "computer", "computer")
    rules, seed = Rules.from_options(game["rules"]), max(0, game["seed"])
    deals = tuple(_deal(str(line), rules) for line in game["deals"])
    return Setup(agents, seed, rules, len(deals) or game["rounds"], hidden, deals=deals)


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
            setup_of(values)
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

    def person(self, token: str) -> Participant:
        """A participant as they are now; ``StudyError`` for another token."""
        text = "SELECT name, study, state FROM participants WHERE token = ?"
        name, of, found = self._one(text, token)
        study, state = self.study(of), json.loads(found)
        due = (step for step in steps_of(study) if "made" not in state.get(step, ()))
        return Participant(token, name, study, state, next(due, DONE))

    def _put(self, person: Participant, **values: Any) -> None:
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
            setup = replace(setup_of(plan), is_timed=person.study["think_time"])
            if plan["seed"] < 0 and not setup.deals:
                setup = replace(setup, seed=secrets.randbelow(MAX_SEED))
            (seat,) = self.tables.open_table(setup).values()
            game = self.tables.seat_of(seat).game
            self.tables.join(game, person.name)
            self._put(person, seat=seat, game=game)
            person = self.person(token)
            if person.state[person.step]["game"] != game:  # another tab was quicker
                self.tables.delete(game)
        return person.state[person.step]

    def game(self, game: str) -> Game:
        """A game as it is stored."""
        return replay(self.tables.setup_of(game), self.tables.moves_of(game))

    def people(self, owner: str) -> list[Participant]:
        """The participants by name, also who was invited and hasn't come."""
        text = "SELECT token FROM participants WHERE study = ? ORDER BY rowid"
        return [self.person(token) for (token,) in self.read(text, (self.owned(owner)[0],))]

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
                    with suppress(InvalidRecordError):  # there is one where they used Play
                        delete_log(log_name(game))
                self.execute("DELETE FROM participants WHERE token = ?", (person.token,))

    def end(self, owner: str) -> None:
        """Nobody new takes part; who has agreed may go on."""
        study, *_ = self.owned(owner)
        self.execute("UPDATE studies SET ended = ? WHERE id = ?", (time.time(), study))
        self.execute("DELETE FROM participants WHERE study = ? AND state = '{}'", (study,))


def time_text(seconds: float | None) -> str | None:
    """Seconds since 1970 as ISO 8601, UTC."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


@lru_cache(maxsize=64)
def _study(document: str) -> dict[str, Any]:
    return study_of(json.loads(document))
