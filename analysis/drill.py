"""Drill: decisions of judged logs as exercises, and players' answers, repeated by FSRS.

What is right follows from evidence (``analysis.decisions.conclusion``): a class of equivalent cards
is right if it is within the threshold of the best, and wrong if it is clearly worse by more. A
decision that isn't settled, or has a class between the two, is no exercise. There are three kinds:

- *costly*: the card that was played is wrong,
- *disagreement*: the card that a human most likely plays is wrong,
- *red herring*: neither; several cards are right, some are wrong. One in four exercises is one.
"""

import hashlib
import json
import math
import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from fsrs import Card, Rating, Scheduler, State
from numpy.typing import NDArray

from analysis.decisions.conclusion import (
    AS_GOOD,
    CLEAR,
    THRESHOLD,
    TOSS_UP,
    ClassValue,
    Conclusion,
    kind_of,
    standing_of,
)
from analysis.decisions.judge import PLAYER
from analysis.decisions.judgement import reason_of
from analysis.decisions.lenses import LENS_NAMES, Scene
from analysis.decisions.settings import place_of
from analysis.disagreements.rows import COLUMNS, STANDINGS
from analysis.disagreements.stored import StoredSearch
from analysis.disagreements.table import rated_card
from analysis.phases import phase_of
from analysis.runs.store import key_of
from spades.core.cards import cards_in
from spades.core.checked import CheckedDatabase, CheckedTable, Row, Rows
from spades.core.database import DatabaseError, Finding
from spades.core.kernel import BoolArray
from spades.core.logs import Log
from spades.core.observation import Observation
from spades.core.paths import file_of, stored_table
from spades.core.records import Record
from spades.notation.schema import record_of, row_of

COSTLY = "costly"
DISAGREEMENT = "disagreement"
HERRING = "herring"
HERRING_ONE_IN = 4
NILS = ("own", "partner", "opponents", "none")  # whose nil is alive, a bit each
NO_NIL = 1 << NILS.index("none")
QUICK_MS = 10_000
SLOW_MS = 60_000
FACTS = ("key", "ply", "kind", "lenses", "nils")
Names = Sequence[str]
_SCHEDULER = Scheduler(enable_fuzzing=False)


class DrillError(DatabaseError):
    """A store of drills or an exercise that can't be read, or an illegal answer."""


@dataclass(frozen=True, eq=False)
class Exercise:
    """One decision, and what the judge found: ``rows`` of ``COLUMNS``, the best class first.
    ``lenses``: a mask of those that find something of the wrong card."""

    record: Record
    ply: int
    kind: str
    lenses: int
    rows: NDArray[Any]

    @property
    def key(self) -> str:
        """Depends on the position alone, not on its log or judge."""
        return key_of("drill", place_of(self.record, self.ply))

    @property
    def observation(self) -> Observation:
        return self.record.observation(self.ply)

    @property
    def is_good(self) -> BoolArray:
        """Which classes are right."""
        return np.asarray(self.rows["standing"] == STANDINGS.index(AS_GOOD))

    @property
    def is_proven(self) -> bool:
        """Whether all possible deals were solved, so that no value has an error."""
        return bool((self.rows["error"] == 0).all())

    @property
    def nils(self) -> int:
        """Whose nil is alive, a mask over ``NILS``."""
        scene = Scene(self.observation)
        seats_of_bits = ((scene.seat,), (scene.partner,), scene.opponents)
        mask = 0
        for bit, seats in enumerate(seats_of_bits):
            if any(map(scene.nil_alive, seats)):
                mask |= 1 << bit
        return mask or NO_NIL

    def class_of(self, card: str) -> int:
        """The row of a card. Raises ``DrillError`` for an illegal one."""
        mask = self.record.rules.cards.parse_cards([card])
        (rows,) = np.nonzero(self.rows["cards"] & mask)
        if not len(rows):
            raise DrillError(f"{card} isn't legal in this exercise")
        return int(rows[0])

    @property
    def conclusion(self) -> Conclusion:
        """The judge's, as of a decision in Replay."""
        deck = self.record.rules.cards
        by_name = {name: self.rows[name][None] for name in COLUMNS.names or ()}
        classes = []
        for i, row in enumerate(self.rows):
            cards = tuple(map(deck.format_card, sorted(cards_in(row["cards"].item()))[::-1]))
            outcomes = rated_card(by_name, 0, i).outcomes
            classes.append(
                ClassValue(
                    cards=cards,
                    standing=STANDINGS[row["standing"]],
                    behind=float(row["behind"]),
                    interval=(float(row["low"]), float(row["high"])),
                    outcomes=None if math.isnan(outcomes.own_bags) else outcomes,
                )
            )
        rounds = int(self.rows["played_on"][0])
        return Conclusion(kind_of(classes[1:]), tuple(classes), THRESHOLD, rounds)

    def why(self, card: str) -> str:
        """Why the best card is better than this one; of a right one, than the best wrong one."""
        return reason_of(self.observation, self.conclusion, card)

    def grade(self, card: str) -> str:
        """The word for what a card gives away, of ``GRADES``."""
        return self.conclusion.loss_of(card).grade


def exercise_table(
    decisions: pd.DataFrame, search: StoredSearch, log: Log, player: str
) -> pd.DataFrame:
    """The exercises of a log, from its ``decision_table`` by this ``search``: red herrings, and a
    player's costly decisions, or for '' the disagreements. A row each: ``FACTS``, and
    ``exercise``."""
    is_trap = decisions["human_is_behind"]
    is_costly = decisions["played_is_behind"]
    has_several_good = decisions["n_good"].between(2, decisions["classes"] - 1)
    is_herring = has_several_good & ~is_trap & ~is_costly
    is_settled = decisions["is_decided"] & decisions["conclusion"].isin([CLEAR, TOSS_UP])
    if player:
        rounds = decisions["round"].to_numpy(int)
        seats = decisions["seat"].to_numpy(int)
        players = np.array(log.players)[log.player_code[rounds, seats]]
        is_mistake = is_costly & (players == player)
        kind_of_mistake = COSTLY
        lenses = decisions["played_lenses"]
    else:
        is_mistake = is_trap
        kind_of_mistake = DISAGREEMENT
        lenses = decisions["human_lenses"]
    table = decisions[["round", "ply"]].assign(
        lenses=lenses, kind=np.where(is_herring, HERRING, kind_of_mistake)
    )
    exercises = []
    is_exercise = is_settled & (is_mistake | is_herring)
    for index, chosen in table[is_exercise].groupby("round", sort=True):
        record = log.record(int(index))
        searched = {int(rows["ply"][0]): rows for rows in search.read(int(index)).decisions()}
        for _, ply, mask, kind in chosen.itertuples(index=False):
            exercises.append(Exercise(record, ply, kind, mask, searched[ply]))
    facts = [[getattr(exercise, name) for name in FACTS] for exercise in exercises]
    return pd.DataFrame(facts, columns=FACTS).assign(exercise=exercises)


def passing(table: pd.DataFrame, lenses: Names, phases: Names, nils: Names) -> pd.DataFrame:
    """The rows (with ``FACTS``) that have one of the lenses, one of the phases and one of the nils;
    an empty filter lets all pass. Red herrings have no lens, and pass that filter."""
    is_passing = np.ones(len(table), dtype=bool)
    if lenses:
        has_lens = table["lenses"] & _mask_of(lenses, LENS_NAMES) != 0
        is_passing &= has_lens | (table["kind"] == HERRING)
    if phases:
        is_passing &= table["ply"].map(phase_of).isin(phases)
    if nils:
        is_passing &= table["nils"] & _mask_of(nils, NILS) != 0
    return table[is_passing]


def _mask_of(names: Names, bits: Names) -> int:
    return sum(1 << bits.index(name) for name in names)


def draw(table: pd.DataFrame, profile: str, begun: pd.Series) -> Exercise | None:
    """A profile's next new exercise; ``begun``: keys of those it has begun. One of every four is a
    red herring; which one, and the order, follow from a hash of the profile. If one kind runs out,
    the other is drawn."""
    fresh = table[~table["key"].isin(begun)]
    if fresh.empty:
        return None
    block, place = divmod(len(begun), HERRING_ONE_IN)
    place_of_herring = int(_hash(profile, str(block)), 16) % HERRING_ONE_IN
    is_herring = fresh["kind"] == HERRING
    is_of_due_kind = is_herring == (place == place_of_herring)
    if is_of_due_kind.any():
        fresh = fresh[is_of_due_kind]
    hashes = [_hash(profile, key) for key in fresh["key"]]
    exercise: Exercise = fresh["exercise"].iloc[hashes.index(min(hashes))]
    return exercise


def _hash(profile: str, text: str) -> str:
    return hashlib.sha256(f"{profile}\n{text}".encode()).hexdigest()


def grade_of(is_right: bool, ms: int) -> Rating:
    """Again for a wrong answer; else Easy within 10 s, Hard after a minute, Good between."""
    if not is_right:
        return Rating.Again
    if ms < QUICK_MS:
        return Rating.Easy
    if ms > SLOW_MS:
        return Rating.Hard
    return Rating.Good


EXERCISES = CheckedTable("exercises", (*FACTS, "judge", "record", "rows"), "exercise")
ANSWERS = CheckedTable(
    "answers",
    (
        "profile",
        "key",
        "n",
        "card",
        "is_right",
        "grade",
        "ms",
        "made",
        "state",
        "due",
        "is_learned",
    ),
    "answer to exercise",
    named_by=1,
)


class _Answer(NamedTuple):
    """A row of ``ANSWERS``: a profile's ``n``-th answer to an exercise, from 0. ``state``: of its
    FSRS card afterwards, as JSON; ``made``, ``due``: seconds since 1970."""

    profile: str
    key: str
    n: int
    card: str
    is_right: int
    grade: int
    ms: int
    made: float
    state: str
    due: float
    is_learned: int


def _place_of_answer(row: Row) -> tuple[str, str, float]:
    """Profile, exercise and number of an answer, from a row that may be damaged."""
    number = row[2] if isinstance(row[2], int) else math.inf
    return str(row[0]), str(row[1]), number


def _with_standing(row: list) -> list:
    """A stored row of ``COLUMNS``; one of an earlier version, which said of a class only how far it
    is behind, gets its standing from the interval. It counted searches: no round was played on."""
    names = list(COLUMNS.names or ())
    if len(row) == len(names):
        return row
    place = names.index("standing")
    by_name = dict(zip((*names[:place], *names[place + 1 :]), row, strict=True))
    standing = standing_of((by_name["low"], by_name["high"]), THRESHOLD)
    by_name |= {"standing": STANDINGS.index(standing), "played_on": 0}
    return [by_name[name] for name in names]


def _exercise_row(exercise: Exercise) -> Row:
    """A row of ``EXERCISES``, with its digest."""
    return EXERCISES.with_digest(
        (
            exercise.key,
            int(exercise.ply),
            exercise.kind,
            int(exercise.lenses),
            int(exercise.nils),
            PLAYER,
            json.dumps(row_of(exercise.record)),
            json.dumps([row.tolist() for row in exercise.rows]),
        )
    )


class DrillStore(CheckedDatabase):
    """The profiles in ``$SPADES_DRILL`` or the user's folder, or in the file given. Only answers
    and their exercises are stored, an answer with the state of its card afterwards in one
    transaction. Raises ``DrillError`` where what would be read is damaged."""

    kind = "store of drills"
    variable = "SPADES_DRILL"
    error = DrillError
    application = 0x53504452  # "SPDR"
    version = 2
    schema = (
        "CREATE TABLE exercises (key TEXT PRIMARY KEY, ply INTEGER, kind TEXT, lenses INTEGER, "
        "nils INTEGER, judge TEXT, record TEXT, rows TEXT, digest TEXT NOT NULL) WITHOUT ROWID",
        "CREATE TABLE answers (profile TEXT, key TEXT, n INTEGER, card TEXT, is_right INTEGER, "
        "grade INTEGER, ms INTEGER, made REAL, state TEXT, due REAL, is_learned INTEGER, "
        "digest TEXT NOT NULL, PRIMARY KEY (profile, key, n)) WITHOUT ROWID",
    )
    checked = (EXERCISES, ANSWERS)

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(path or file_of("drill", "drill.sqlite"))

    def answer(self, profile: str, exercise: Exercise, card: str, *, ms: int, now: float) -> bool:
        """Store a profile's answer, given after ``ms`` milliseconds; whether it is right. ``now``:
        seconds since 1970. Raises ``DrillError`` for an illegal card."""
        is_right = bool(exercise.is_good[exercise.class_of(card)])
        grade = grade_of(is_right, ms)
        key = exercise.key

        def store(connection: sqlite3.Connection) -> None:
            earlier = self._answers(connection, "profile = ? AND key = ?", (profile, key))
            reviewed = self._reviewed(earlier, grade, now)
            answer = _Answer(
                profile=profile,
                key=key,
                n=len(earlier),
                card=card,
                is_right=int(is_right),
                grade=int(grade),
                ms=ms,
                made=now,
                state=reviewed.to_json(),
                due=reviewed.due.timestamp(),
                is_learned=int(reviewed.state == State.Review),
            )
            if not self.sound_rows(connection, EXERCISES, "key = ?", (key,)):
                self.insert(connection, EXERCISES, [_exercise_row(exercise)])
            self.insert(connection, ANSWERS, [ANSWERS.with_digest(answer)])

        self.run(store, writes=True)
        return is_right

    def _reviewed(self, earlier: Sequence[_Answer], grade: Rating, now: float) -> Card:
        """The FSRS card of an exercise after one more answer."""
        at = datetime.fromtimestamp(now, UTC)
        card = Card(card_id=0, due=at)
        if earlier:
            with stored_table(self.path, "moving it away", DrillError):
                card = Card.from_json(earlier[-1].state)
        if card.last_review is not None:
            at = max(at, card.last_review)  # the clock may have been set back
        card, _ = _SCHEDULER.review_card(card, grade, at)
        return card

    def _answers(self, connection: sqlite3.Connection, where: str, values: tuple) -> list[_Answer]:
        """A profile's answers by exercise and number. Raises ``DrillError`` if one is damaged or
        missing."""
        rows = self.sound_rows(connection, ANSWERS, where, values)
        answers = [_Answer(*row) for row in rows]
        answers.sort(key=lambda answer: (answer.key, answer.n))
        for key, to_exercise in groupby(answers, key=lambda answer: answer.key):
            numbers = [answer.n for answer in to_exercise]
            if numbers != list(range(len(numbers))):
                raise self.damage(f"the list of answers to exercise {key}")
        return answers

    def _read_answers(self, profile: str) -> list[_Answer]:
        if not self.path.exists():
            return []
        return self.run(lambda connection: self._answers(connection, "profile = ?", (profile,)))

    def cards(self, profile: str) -> pd.DataFrame:
        """The exercises that a profile has begun, the longest due first: ``FACTS``, ``n`` the
        number of the last answer, ``due``, ``is_learned``: past FSRS's learning steps."""
        last_answers = {answer.key: answer for answer in self._read_answers(profile)}
        facts = self._facts()
        rows = []
        for answer in sorted(last_answers.values(), key=lambda answer: (answer.due, answer.key)):
            if answer.key not in facts:
                raise self.damage(f"exercise {answer.key}")
            rows.append((*facts[answer.key], answer.n, answer.due, answer.is_learned))
        return pd.DataFrame(rows, columns=[*FACTS, "n", "due", "is_learned"])

    def _facts(self) -> dict[str, Row]:
        """The ``FACTS`` of every stored exercise, by its key."""
        if not self.path.exists():
            return {}
        rows = self.run(lambda connection: self.sound_rows(connection, EXERCISES, "TRUE", ()))
        return {row[0]: row[: len(FACTS)] for row in rows}

    def exercise(self, key: str) -> Exercise:
        """A stored exercise."""
        stored = self.run(
            lambda connection: self.sound_rows(connection, EXERCISES, "key = ?", (key,))
        )
        with stored_table(self.path, "moving it away", DrillError):
            ((_, ply, kind, lenses, _, _, record_text, rows_text),) = stored
            record = record_of(json.loads(record_text))
            rows = [tuple(_with_standing(row)) for row in json.loads(rows_text)]
            table = np.array(rows, COLUMNS)
            exercise = Exercise(record, ply, kind, lenses, table)
            if np.bitwise_or.reduce(table["cards"]) != exercise.observation.legal_mask:
                raise ValueError(f"the rows of {key} aren't of its legal cards")
        return exercise

    def last(self, profile: str, limit: int) -> list[int]:
        """Whether the last ``limit`` answers were right, the newest first."""
        newest = sorted(self._read_answers(profile), key=lambda answer: -answer.made)
        return [answer.is_right for answer in newest[:limit]]

    def upgraded(self, rows: Rows) -> Rows:
        return {
            table.name: [table.with_digest(row) for row in rows[table.name]]
            for table in self.checked
        }

    def sound(self, rows: Rows) -> tuple[Rows, list[Finding]]:
        exercises: list[Row] = []
        answers: list[Row] = []
        findings: list[Finding] = []
        for row in rows[EXERCISES.name]:
            if EXERCISES.is_sound(row):
                exercises.append(row)
            else:
                problem = "it is damaged: it is removed, and all answers to it"
                findings.append(Finding(EXERCISES.called(row), problem, is_repaired=False))
        sound_keys = {row[0] for row in exercises}
        next_number = Counter[tuple[str, str]]()
        for row in sorted(rows[ANSWERS.name], key=_place_of_answer):
            profile, key, number = row[:3]
            if not ANSWERS.is_sound(row) or key not in sound_keys:
                problem = "it is damaged, or its exercise is: it is removed"
            elif number != next_number[profile, key]:
                problem = "an answer before it is damaged or missing: it is removed"
            else:
                next_number[profile, key] += 1
                answers.append(row)
                continue
            findings.append(Finding(ANSWERS.called(row), problem, is_repaired=False))
        return {EXERCISES.name: exercises, ANSWERS.name: answers}, findings
