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
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from fsrs import Card, Rating, Scheduler, State
from numpy.typing import NDArray

from analysis.decisions.candidates import place_of
from analysis.decisions.conclusion import LEANS, THRESHOLD
from analysis.decisions.lenses import LENS_NAMES, Scene
from analysis.decisions.review import EARLY, EARLY_TRICKS, LATE
from analysis.disagreements.found import outcomes_of, why_worse
from analysis.disagreements.search import COLUMNS, Found, covered, joined, read_part
from analysis.runs.store import key_of
from spades.core.cards import N_SEATS
from spades.core.database import Database, DatabaseError
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
        cards = {name: self.rows[name][None] for name in COLUMNS.names or ()}
        codes = [mask.bit_length() - 1 for mask in self.rows["cards"].tolist()]
        places = (self.class_of(card), 0)
        return why_worse(self.seen, *((codes[i], outcomes_of(cards, 0, i)) for i in places))


def exercise_table(decisions: pd.DataFrame, found: Found, log: Log, player: str) -> pd.DataFrame:
    """The exercises in a log's ``decision_table``, of the search ``found``: a player's costly ones,
    or for '' the disagreements, and red herrings. A row each: ``FACTS``; ``one``, the exercise."""
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
    rows = joined(read_part(one, found.key).within(i, end) for one, i, end in covered(found.parts))
    split = np.split(rows.table, rows.starts[1:])
    by_place = {at: one for one in split for at in one[["round", "ply"]][:1].tolist()}
    records = {i: log.record(i) for i in table["round"].unique().tolist()}
    those = [
        Exercise(records[i], ply, kind, lenses, found.question["agent"], by_place[i, ply])
        for i, ply, lenses, kind in table.itertuples(index=False)
    ]
    facts = [[*(getattr(one, name) for name in FACTS), one] for one in those]
    return pd.DataFrame(facts, columns=[*FACTS, "one"])


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


class DrillStore(Database):
    """The profiles in ``$SPADES_DRILL`` or ``data/drill``, or in the file given. Only answers are
    stored, each with the state of its card afterwards: one is there whole, or not at all."""

    kind, variable, error = "store of drills", "SPADES_DRILL", DrillError
    application, version = 0x53504452, 1  # "SPDR"
    schema = (
        "CREATE TABLE exercises (key TEXT PRIMARY KEY, ply INTEGER, kind TEXT, lenses INTEGER, "
        "nils INTEGER, judge TEXT, record TEXT, rows TEXT) WITHOUT ROWID",
        "CREATE TABLE answers (profile TEXT, key TEXT, n INTEGER, card TEXT, is_right INTEGER, "
        "grade INTEGER, ms INTEGER, made REAL, state TEXT, due REAL, is_learned INTEGER, "
        "PRIMARY KEY (profile, key, n)) WITHOUT ROWID",
    )

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(path or folders_of("drill")[0] / "drill.sqlite")

    def answer(self, profile: str, one: Exercise, card: str, *, ms: int, now: float) -> bool:
        """Store a profile's answer after so many milliseconds; whether it is right. ``now``:
        seconds since 1970. ``DrillError`` for a card that isn't legal."""
        is_right = bool(one.is_good[one.class_of(card)])
        at = datetime.fromtimestamp(now, UTC)
        query = "SELECT n, state FROM answers WHERE profile = ? AND key = ? ORDER BY n DESC LIMIT 1"
        before = self.read(query, (profile, one.key))
        with stored_table(self.path, "moving it away", DrillError):
            state = Card.from_json(before[0][1]) if before else Card(card_id=0, due=at)
        if state.last_review is not None:
            at = max(at, state.last_review)  # the clock may have been set back
        state, log = _SCHEDULER.review_card(state, grade_of(is_right, ms), at)
        facts = (getattr(one, name) for name in (*FACTS, "judge"))
        rows = [row.tolist() for row in one.rows]
        about = (*facts, json.dumps(row_of(one.record)), json.dumps(rows))
        self.execute("INSERT OR IGNORE INTO exercises VALUES (?, ?, ?, ?, ?, ?, ?, ?)", about)
        after = (state.to_json(), state.due.timestamp(), state.state == State.Review)
        n = before[0][0] + 1 if before else 0
        row = (profile, one.key, n, card, is_right, int(log.rating), ms, now, *after)
        self.execute("INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        return is_right

    def cards(self, profile: str) -> pd.DataFrame:
        """The exercises that a profile has begun, those due longest first: ``FACTS``, ``n`` the
        number of the last answer, ``due``, ``is_learned``: past FSRS's learning steps."""
        query = "SELECT key, ply, kind, lenses, nils, max(n), due, is_learned FROM answers "
        query += "JOIN exercises USING (key) WHERE profile = ? GROUP BY key ORDER BY due, key"
        names = [*FACTS, "n", "due", "is_learned"]
        return pd.DataFrame(self.read(query, (profile,)), columns=names)

    def exercise(self, key: str) -> Exercise:
        query = "SELECT record, ply, kind, lenses, judge, rows FROM exercises WHERE key = ?"
        found = self.read(query, (key,))
        with stored_table(self.path, "moving it away", DrillError):
            ((record, ply, kind, lenses, judge, rows),) = found
            table = np.array(list(map(tuple, json.loads(rows))), COLUMNS)
            one = Exercise(record_of(json.loads(record)), ply, kind, lenses, judge, table)
            if np.bitwise_or.reduce(table["cards"]) != one.seen.legal_mask:
                raise ValueError(f"the rows of {key} aren't of its legal cards")
        return one

    def last(self, profile: str, most: int) -> list[int]:
        """Whether the last answers were right, the newest first."""
        query = "SELECT is_right FROM answers WHERE profile = ? ORDER BY made DESC LIMIT ?"
        return [is_right for (is_right,) in self.read(query, (profile, most))]
