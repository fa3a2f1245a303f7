"""Drill: decisions of judged logs as exercises, and who has answered them, repeated by FSRS.

What is right is a matter of evidence (``analysis.decisions.conclusion``): a class of equivalent
cards is right within the threshold of the best, wrong where it is clearly worse by more. A decision
that isn't settled, or leaves a class between the two, is no exercise. There are three kinds:

- *costly*: the card that was played is wrong,
- *disagreement*: the card that a human most likely plays is wrong,
- *red herring*: neither, and several cards are right, some wrong. One in four begun is one.
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

from analysis.decisions.candidates import place_of
from analysis.decisions.conclusion import LEANS, THRESHOLD
from analysis.decisions.lenses import LENS_NAMES, Scene
from analysis.decisions.review import EARLY, EARLY_TRICKS, LATE
from analysis.disagreements.rows import COLUMNS
from analysis.disagreements.stored import StoredSearch
from analysis.disagreements.table import rated_card, why_worse
from analysis.runs.store import key_of
from spades.core.cards import N_SEATS
from spades.core.checked import CheckedDatabase, CheckedTable, Row, Rows
from spades.core.database import DatabaseError, Finding
from spades.core.logs import Log
from spades.core.observation import Observation
from spades.core.paths import folders_of, stored_table
from spades.core.records import RoundRecord
from spades.notation.schema import record_of, row_of

COSTLY, DISAGREEMENT, HERRING = "costly", "disagreement", "herring"
HERRING_ONE_IN = 4
NILS = ("own", "partner", "opponents", "none")  # whose is alive, a bit each
QUICK_MS, SLOW_MS = 10_000, 60_000
FACTS = ("key", "ply", "kind", "lenses", "nils")
Names = Sequence[str]
_SCHEDULER = Scheduler(enable_fuzzing=False)


class DrillError(DatabaseError):
    """A store of drills or an exercise that can't be read, or an answer that is refused."""


@dataclass(frozen=True, eq=False)
class Exercise:
    """One decision and what the searches of ``judge``, an agent, found: ``rows`` of ``COLUMNS``,
    the best class first. ``lenses``: what they find of the wrong card, a mask."""

    record: RoundRecord
    ply: int
    kind: str
    lenses: int
    judge: str
    rows: NDArray[Any]

    @property
    def key(self) -> str:
        """The same wherever the position comes from, and whoever judges it."""
        return key_of("drill", place_of(self.record, self.ply))

    @property
    def seen(self) -> Observation:
        return self.record.observation(self.ply)

    @property
    def is_good(self) -> NDArray[np.bool_]:
        """Which classes are right."""
        return self.rows["high"] <= THRESHOLD

    @property
    def is_proven(self) -> bool:
        """Whether all possible deals were solved, so that no value has an error."""
        return bool((self.rows["error"] == 0).all())

    @property
    def nils(self) -> int:
        """Whose nil is alive, a mask over ``NILS``."""
        scene = Scene(self.seen)
        seats = ((scene.seat,), (scene.partner,), scene.opponents)
        return sum(any(map(scene.nil_alive, those)) << i for i, those in enumerate(seats)) or 8

    def class_of(self, card: str) -> int:
        """The row of a card; ``DrillError`` for one that isn't legal."""
        (found,) = np.nonzero(self.rows["cards"] & self.record.rules.cards.parse_cards([card]))
        if not len(found):
            raise DrillError(f"{card} isn't legal in this exercise")
        return int(found[0])

    def why(self, card: str) -> str:
        """Why a wrong card is worse than the best, empty where nothing says it."""
        one_decision = {name: self.rows[name][None] for name in COLUMNS.names or ()}
        other = rated_card(one_decision, 0, self.class_of(card))
        best = rated_card(one_decision, 0, 0)
        return why_worse(self.seen, other, best)


def exercise_table(
    decisions: pd.DataFrame, search: StoredSearch, log: Log, player: str
) -> pd.DataFrame:
    """The exercises in the ``decision_table`` of a searched log: a player's costly ones, or for ''
    the disagreements, and red herrings. A row each: ``FACTS``; ``one``, the exercise."""
    is_trap, is_costly = (decisions[f"{role}_low"] > THRESHOLD for role in ("human", "played"))
    is_herring = decisions["n_good"].between(2, decisions["classes"] - 1) & ~is_trap & ~is_costly
    role, is_asked = "human", is_trap
    if player:
        codes = log.player_code[decisions["round"].to_numpy(int), decisions["seat"].to_numpy(int)]
        role, is_asked = "played", is_costly & (np.array(log.players)[codes] == player)
    is_settled = decisions["is_decided"] & (decisions["conclusion"] != LEANS)
    kinds = np.where(is_herring, HERRING, COSTLY if player else DISAGREEMENT)
    table = decisions[["round", "ply", f"{role}_lenses"]].assign(kind=kinds)
    table = table[is_settled & (is_asked | is_herring)]
    rows = []
    for index, places in table.groupby("round", sort=True):
        searched = {int(one["ply"][0]): one for one in search.read(int(index)).decisions()}
        record = log.record(int(index))
        for _, ply, lenses, kind in places.itertuples(index=False):
            one = Exercise(record, ply, kind, lenses, search.question["agent"], searched[ply])
            rows.append([*(getattr(one, name) for name in FACTS), one])
    return pd.DataFrame(rows, columns=[*FACTS, "one"])


def passing(table: pd.DataFrame, lenses: Names, phases: Names, nils: Names) -> pd.DataFrame:
    """The rows, with ``FACTS``, that pass; what is empty lets all pass, of several one suffices.
    Red herrings have no lens, and pass."""
    of_lens = sum(1 << LENS_NAMES.index(name) for name in lenses) or ~0
    alive = sum(1 << NILS.index(name) for name in nils) or ~0
    keep = (table["kind"] == HERRING) | (table["lenses"] & of_lens != 0) | (not lenses)
    phase = np.where(table["ply"] < EARLY_TRICKS * N_SEATS, EARLY, LATE)
    return table[keep & (table["nils"] & alive != 0) & np.isin(phase, phases or (EARLY, LATE))]


def draw(table: pd.DataFrame, profile: str, begun: pd.Series) -> Exercise | None:
    """A profile's next new exercise; ``begun``: keys of those that it knows. One of each four begun
    is a red herring; which one, and what comes first, a hash of the profile says. Where one kind
    has run out the other is drawn."""
    fresh = table[~table["key"].isin(begun)]
    block, place = divmod(len(begun), HERRING_ONE_IN)
    is_due = place == int(_hash(profile, str(block)), 16) % HERRING_ONE_IN
    is_of_kind = (fresh["kind"] == HERRING) == is_due
    drawn = fresh[is_of_kind] if is_of_kind.any() else fresh
    order = {_hash(profile, key): i for i, key in enumerate(drawn["key"])}
    return drawn["one"].iloc[order[min(order)]] if order else None


def _hash(profile: str, text: str) -> str:
    return hashlib.sha256(f"{profile}\n{text}".encode()).hexdigest()


def grade_of(is_right: bool, ms: int) -> Rating:
    """Again where the answer is wrong; else Easy in 10 s, Hard after a minute, Good between."""
    if not is_right:
        return Rating.Again
    return Rating.Easy if ms < QUICK_MS else Rating.Hard if ms > SLOW_MS else Rating.Good


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
    """A row of ``ANSWERS``: a profile's number ``n``, from 0 on, to an exercise. ``state``: that of
    its card afterwards, as FSRS has it."""

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
    """Profile, exercise and number of an answer, in a row that may be damaged."""
    number = row[2] if isinstance(row[2], int) else math.inf
    return str(row[0]), str(row[1]), number


class DrillStore(CheckedDatabase):
    """The profiles in ``$SPADES_DRILL`` or ``data/drill``, or in the file given. Only answers are
    stored, each with the state of its card afterwards: one is there whole, or not at all. Raises
    ``DrillError`` where what would be read is damaged."""

    kind, variable, error = "store of drills", "SPADES_DRILL", DrillError
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
        super().__init__(path or folders_of("drill")[0] / "drill.sqlite")

    def answer(self, profile: str, one: Exercise, card: str, *, ms: int, now: float) -> bool:
        """Store a profile's answer after so many milliseconds; whether it is right. ``now``:
        seconds since 1970. ``DrillError`` for a card that isn't legal."""
        is_right = bool(one.is_good[one.class_of(card)])
        facts = (one.key, int(one.ply), one.kind, int(one.lenses), int(one.nils), one.judge)
        rows = json.dumps([row.tolist() for row in one.rows])
        about = EXERCISES.with_digest((*facts, json.dumps(row_of(one.record)), rows))

        def store(connection: sqlite3.Connection) -> None:
            before = self._answers(connection, "profile = ? AND key = ?", (profile, one.key))
            answer = self._next_answer(before, profile, one.key, card, (is_right, ms, now))
            if not self.sound_rows(connection, EXERCISES, "key = ?", (one.key,)):
                self.insert(connection, EXERCISES, [about])
            self.insert(connection, ANSWERS, [ANSWERS.with_digest(answer)])

        self.run(store, writes=True)
        return is_right

    def _next_answer(
        self,
        before: Sequence[_Answer],
        profile: str,
        key: str,
        card: str,
        how: tuple[bool, int, float],
    ) -> _Answer:
        """The answer after those ``before``; ``how``: whether it is right, ms, and when."""
        is_right, ms, now = how
        at = datetime.fromtimestamp(now, UTC)
        with stored_table(self.path, "moving it away", DrillError):
            state = Card.from_json(before[-1].state) if before else Card(card_id=0, due=at)
        if state.last_review is not None:
            at = max(at, state.last_review)  # the clock may have been set back
        state, log = _SCHEDULER.review_card(state, grade_of(is_right, ms), at)
        return _Answer(
            profile=profile,
            key=key,
            n=len(before),
            card=card,
            is_right=int(is_right),
            grade=int(log.rating),
            ms=ms,
            made=now,
            state=state.to_json(),
            due=state.due.timestamp(),
            is_learned=int(state.state == State.Review),
        )

    def _answers(self, connection: sqlite3.Connection, where: str, values: tuple) -> list[_Answer]:
        """A profile's answers, sound ones, by exercise and number; none may be missing."""
        found = [_Answer(*row) for row in self.sound_rows(connection, ANSWERS, where, values)]
        found.sort(key=lambda one: (one.key, one.n))
        for key, answers in groupby(found, key=lambda one: one.key):
            numbers = [one.n for one in answers]
            if numbers != list(range(len(numbers))):
                raise self.damage(f"the list of answers to exercise {key}")
        return found

    def _read_answers(self, profile: str) -> list[_Answer]:
        if not self.path.exists():
            return []
        return self.run(lambda connection: self._answers(connection, "profile = ?", (profile,)))

    def cards(self, profile: str) -> pd.DataFrame:
        """The exercises that a profile has begun, those due longest first: ``FACTS``, ``n`` the
        number of the last answer, ``due``, ``is_learned``: past FSRS's learning steps."""
        last = {one.key: one for one in self._read_answers(profile)}
        about = self._facts()
        rows = []
        for one in sorted(last.values(), key=lambda one: (one.due, one.key)):
            if one.key not in about:
                raise self.damage(f"exercise {one.key}")
            rows.append((*about[one.key], one.n, one.due, one.is_learned))
        return pd.DataFrame(rows, columns=[*FACTS, "n", "due", "is_learned"])

    def _facts(self) -> dict[str, Row]:
        """The ``FACTS`` of every exercise that somebody has begun, by its key."""
        if not self.path.exists():
            return {}
        rows = self.run(lambda connection: self.sound_rows(connection, EXERCISES, "TRUE", ()))
        return {row[0]: row[: len(FACTS)] for row in rows}

    def exercise(self, key: str) -> Exercise:
        """One that somebody has begun."""
        found = self.run(lambda one: self.sound_rows(one, EXERCISES, "key = ?", (key,)))
        with stored_table(self.path, "moving it away", DrillError):
            ((_, ply, kind, lenses, _, judge, record, rows),) = found
            table = np.array(list(map(tuple, json.loads(rows))), COLUMNS)
            one = Exercise(record_of(json.loads(record)), ply, kind, lenses, judge, table)
            if np.bitwise_or.reduce(table["cards"]) != one.seen.legal_mask:
                raise ValueError(f"the rows of {key} aren't of its legal cards")
        return one

    def last(self, profile: str, most: int) -> list[int]:
        """Whether the last answers were right, the newest first."""
        newest = sorted(self._read_answers(profile), key=lambda one: -one.made)
        return [one.is_right for one in newest[:most]]

    def upgraded(self, rows: Rows) -> Rows:
        return {
            table.name: [table.with_digest(row) for row in rows[table.name]]
            for table in self.checked
        }

    def sound(self, rows: Rows) -> tuple[Rows, list[Finding]]:
        kept: Rows = {table.name: [] for table in self.checked}
        wrong = list[Finding]()
        for row in rows[EXERCISES.name]:
            if EXERCISES.is_sound(row):
                kept[EXERCISES.name].append(row)
            else:
                what = "it is damaged: it is removed, and all answers to it"
                wrong.append(Finding(EXERCISES.called(row), what, is_repaired=False))
        known = {row[0] for row in kept[EXERCISES.name]}
        next_number = Counter[tuple[str, str]]()
        for row in sorted(rows[ANSWERS.name], key=_place_of_answer):
            profile, key = row[:2]
            if not ANSWERS.is_sound(row) or key not in known:
                what = "it is damaged, or its exercise is: it is removed"
            elif row[2] != next_number[profile, key]:
                what = "an answer before it is damaged or missing: it is removed"
            else:
                next_number[profile, key] += 1
                kept[ANSWERS.name].append(row)
                continue
            wrong.append(Finding(ANSWERS.called(row), what, is_repaired=False))
        return kept, wrong
