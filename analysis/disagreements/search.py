"""A whole log judged: every decision with a choice, round after round on Dask.

Each decision is judged as on Replay: by all possible deals where these can be solved, else searched
again and again from the same seed on, until that settles it or the budget is spent. The budget is a
number of searches, not a time, so that results repeat: they depend on the round, the agent, the
seed, the budget, the models it leans on and the code, not on how many rounds are searched in which
order. Any agent may stand in for the judge, but what cards lead to is stored of the judge alone. A
stopped search goes on. Human models come in with ``analysis.disagreements.found``.

A part is one Parquet file, a row for every class of equivalent cards; its metadata say what was
asked (``LogSearchPlan``) and which rounds it holds. It lies under that question's key in the
results folder, or is shipped in ``data/disagreements``. Files are renamed into place, whole; the
rounds of one that is damaged afterwards are searched anew.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import nan
from pathlib import Path
from typing import Any, NamedTuple, Self, Unpack

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from analysis.decisions.candidates import item_of
from analysis.decisions.claims import MAX_POSSIBLE
from analysis.decisions.conclusion import (
    CLEAR,
    LEANS,
    LEAST_LONGER,
    LEAST_SEARCHES,
    LONGER,
    LONGEST,
    THRESHOLD,
    TOSS_UP,
    ClassValue,
    Conclusion,
    judge,
    longer_than,
    next_look,
)
from analysis.decisions.evidence import MOST_SEARCHES
from analysis.decisions.judge import JUDGE
from analysis.decisions.proof import agreed, is_provable, prove
from analysis.logs.simulate import seconds_a_round
from analysis.runs.parts import Part, Run, RunOptions, part_size
from analysis.runs.store import key_of, results_file, version_of
from spades.agents import IsmctsPlayer, parse_agent
from spades.core.cards import N_CARDS, N_SEATS
from spades.core.documents import load_object, read_json
from spades.core.equivalence import equivalent_cards
from spades.core.errors import SpadesError
from spades.core.logs import Log
from spades.core.observation import Observation
from spades.core.paths import DATA, replacing
from spades.core.records import RoundRecord
from spades.notation.log_store import content_hash, list_logs, open_log
from spades.search.search import ROUND, InvalidSearchError

SHIPPED = DATA / "disagreements"
FOLDER, ENDING, QUESTION_FILE = "log-searches", ".parquet", "question.json"
STANDARD_AGENT = JUDGE
PROOF = f"up to {MAX_POSSIBLE} deals solved"
MAX_PART = 256
MAX_ROUNDS = 10_000_000
MAX_SEED = 2**31 - 1
STANDARD_SEARCHES = 500  # settle 79% of the decisions of human-south, 1,000 settle 86%
MOST_LONGER = 80  # of the longer searches that bear out what is clear
USUAL_SHARE = 0.25  # of the searches beyond the least, those that are made in the mean
CLEAR_SHARE = 0.55  # of decisions between classes, those that longer searches are made of
ASKED = ("log", "content", "agent", "iterations", "seed", "searches")
KINDS = (CLEAR, LEANS, TOSS_UP)
MEASURES = ("share", "value", "error", "behind", "low", "high")
OUTCOMES = ("own_contract", "their_set", "own_bags", "their_bags")
NILS = ("nil_n", "nil_e", "nil_s", "nil_w")
COLUMNS = np.dtype(
    [
        *(("round", np.int32), ("ply", np.int8), ("cards", np.int64)),
        *(("kind", np.int8), ("searches", np.int32)),
        *((name, np.float32) for name in (*MEASURES, *OUTCOMES, *NILS)),
    ]
)
SCHEMA = pa.schema([(name, pa.from_numpy_dtype(COLUMNS[name])) for name in COLUMNS.names or ()])
Question = dict[str, Any]
Asked = tuple[str, str, int, int]
"""What a search is chosen by: its log, agent, seed and budget."""
_META = b"spades:log_search"
_MAX_META = 8 * 2**20
_READ_ERRORS = (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError)


class LogSearchError(SpadesError):
    """A search of a log that is impossible, or a part of one that can't be read."""


@dataclass(frozen=True)
class LogSearchPlan:
    """Which rounds of a log are searched, and how: the first ``rounds`` rows, all where there are
    fewer. ``agent`` is stored as the shortest text that names the same player; only ``ismcts``
    has visits. ``searches``: at most so many of each decision."""

    log: str
    rounds: int
    agent: str = STANDARD_AGENT
    seed: int = 0
    searches: int = STANDARD_SEARCHES

    def __post_init__(self) -> None:
        agent = parse_agent(self.agent)
        if not isinstance(agent.player, IsmctsPlayer):
            raise LogSearchError(f"{agent} doesn't search, so it has no visits; ismcts does")
        object.__setattr__(self, "agent", str(agent).partition("+")[0])
        if not 1 <= self.rounds <= MAX_ROUNDS:
            raise LogSearchError(f"{self.rounds} rounds; 1 to {MAX_ROUNDS:,} are legal")
        if not 0 <= self.seed <= MAX_SEED:
            raise LogSearchError(f"seed is {self.seed}; 0 to {MAX_SEED} are legal")
        if not LEAST_SEARCHES <= self.searches <= MOST_SEARCHES:
            legal = f"{LEAST_SEARCHES} to {MOST_SEARCHES:,} are legal"
            raise LogSearchError(f"{self.searches} searches of a decision; {legal}")

    @property
    def player(self) -> IsmctsPlayer:
        player = parse_agent(self.agent).player
        assert isinstance(player, IsmctsPlayer)
        return player

    def question(self) -> Question:
        """Everything that the rows depend on; the number of rounds is no part of it."""
        return {
            "log": self.log,
            "content": content_hash(self.log),
            "agent": self.agent,
            "iterations": self.player.iterations,
            "seed": self.seed,
            "searches": self.searches,
            "threshold": THRESHOLD,
            "longer": f"{LONGER} x up to {LONGEST}; {LEAST_LONGER} to {MOST_LONGER}",
            "proof": PROOF,
            **version_of(self.agent),
        }

    @property
    def key(self) -> str:
        return search_key(self.question())

    @property
    def seconds_a_round(self) -> float:
        n = LEAST_SEARCHES + USUAL_SHARE * (self.searches - LEAST_SEARCHES)
        iterations = self.player.iterations
        n += CLEAR_SHARE * LEAST_LONGER * longer_than(iterations) / iterations
        return n * N_SEATS * seconds_a_round(parse_agent(self.agent))

    def missing(self, n_rounds: int) -> list[tuple[int, int]]:
        """What is left to search, (first, end) of each part, of a log of ``n_rounds``."""
        size = part_size(self.seconds_a_round, MAX_PART)
        return gaps(parts_of(self.question()), min(self.rounds, n_rounds), size)


@dataclass(frozen=True)
class Rows:
    """What was found in some rounds, a row a class of equivalent cards of each decision with a
    choice between classes.

    ``table``: an array of ``COLUMNS``, in the order of play and in each decision the best class
    first: ``round`` the row of the log, ``ply``, ``cards`` a mask, ``kind`` the conclusion's place
    in ``KINDS`` and its number of ``searches``; ``share`` to ``high`` as in ``ClassValue``, then
    its outcomes, ``nil_n`` by seat. What isn't known is nan. ``refused``: rounds that can't be
    searched, and why."""

    table: NDArray[Any]
    refused: dict[int, str] = field(default_factory=dict)

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where each decision's rows begin."""
        place = self.table["round"].astype(np.int64) * N_CARDS + self.table["ply"]
        return np.flatnonzero(np.diff(place, prepend=-1))

    def within(self, first: int, end: int) -> Self:
        """The rows of rounds ``first`` to ``end`` - 1."""
        is_kept = (self.table["round"] >= first) & (self.table["round"] < end)
        refused = {i: why for i, why in self.refused.items() if first <= i < end}
        return replace(self, table=self.table[is_kept], refused=refused)


def joined(rows: Iterable[Rows]) -> Rows:
    """Rows of several parts, which are given in order."""
    parts = list(rows)
    table = np.concatenate([np.empty(0, COLUMNS), *(part.table for part in parts)])
    return Rows(table, {i: why for part in parts for i, why in part.refused.items()})


def run_log_search(plan: LogSearchPlan, **options: Unpack[RunOptions]) -> bool:
    """Search what is missing of the plan's rounds; whether all are there at the end."""
    log, question = open_log(plan.log), plan.question()
    folder, key, rounds = _begin(question), search_key(question), min(plan.rounds, len(log))

    def part(first: int, end: int) -> Part:
        path = folder / f"{first:07}-{end:07}{ENDING}"
        return Part(
            search_part,
            lambda: (plan, log.take(slice(first, end)).compact(), first),
            (plan.agent,),
            is_stored=lambda: path.exists() and not flaw(_file_at(path), key),
            store=lambda rows: write_part(path, rows, question, first, end),
            size=end - first,
        )

    parts = [part(*gap) for gap in plan.missing(rounds)]
    with Run(rounds, "rounds", rounds - sum(part.size for part in parts), **options) as run:
        run.complete(parts)
    return not plan.missing(rounds)


def search_part(plan: LogSearchPlan, log: Log, first: int) -> Rows:
    """Search every round of a piece of a log, whose first is row ``first``. Runs on a worker."""
    found: list[tuple] = []
    refused = {}
    for i, record in enumerate(log.records(), first):
        try:
            found += _search_round(plan, record, i)
        except InvalidSearchError as error:
            refused[i] = str(error).partition(" | ")[0]
    return Rows(np.array(found, COLUMNS), refused)


def _search_round(plan: LogSearchPlan, record: RoundRecord, index: int) -> list[tuple]:
    """Rows of every decision of a round between classes of equivalent cards."""
    rows = []
    for ply in range(len(record.plays)):
        rows += _search_decision(plan, record, index, ply)
    return rows


def _search_decision(plan: LogSearchPlan, record: RoundRecord, index: int, ply: int) -> list[tuple]:
    """A row a class of one decision, the best first; none where there is no choice."""
    seen = record.observation(ply)
    if len(equivalent_cards(seen)) == 1:
        return []
    found = conclude(plan, seen)
    mask = seen.rules.cards.parse_cards
    head = (KINDS.index(found.kind), found.searches)
    has_outcomes = plan.agent == JUDGE
    return [
        (index, ply, mask(one.cards), *head, *_row(one, has_outcomes=has_outcomes))
        for one in found.classes
    ]


def proven_anew(plan: LogSearchPlan, log: Log, path: Path) -> Rows:
    """The plan's rounds as a file has them that was made before proofs came first, the decisions
    whose possible deals can all be solved concluded anew. ``LogSearchError`` where the file answers
    another question."""
    stamp = path.stat().st_mtime_ns
    facts = _facts_of(path, stamp)
    theirs = facts["question"]
    ours = {name: value for name, value in plan.question().items() if name != "proof"}
    if {name: value for name, value in theirs.items() if name != "proof"} != ours:
        raise LogSearchError(f"{path.name} holds another search than the one asked for")
    part = PartFile(path, facts["first"], facts["end"], stamp)
    rows = read_part(part, search_key(theirs)).within(0, plan.rounds)
    kept = []
    for one in np.split(rows.table, rows.starts[1:]):
        index, ply = int(one["round"][0]), int(one["ply"][0])
        record = log.record(index)
        if not is_provable(record.observation(ply)):
            kept.append(one)
            continue
        kept.append(np.array(_search_decision(plan, record, index, ply), COLUMNS))
    return Rows(np.concatenate(kept), rows.refused)


def conclude(plan: LogSearchPlan, seen: Observation) -> Conclusion:
    """The conclusion on a decision as Replay draws it, by at most so many searches as planned; with
    the mean shares of visits, which a proof hasn't got. Nothing is known of it where too few
    searches visited every class."""
    proven = prove(seen) if plan.player.objective == ROUND else None
    found = _searched(plan.player, plan.seed, seen, LEAST_SEARCHES, plan.searches, proven)
    if found is None:
        name = seen.rules.cards.format_card
        classes = [tuple(map(name, codes)) for codes in equivalent_cards(seen)]
        unknown = tuple(ClassValue(cards, nan, (nan, nan)) for cards in classes)
        return Conclusion(LEANS, unknown, THRESHOLD, 0)
    if proven is None:
        return borne_out(plan, seen, found)
    searched = found if proven.is_proven else borne_out(plan, seen, found)
    shares = {one.cards: one.share for one in found.classes}
    concluded = agreed(proven, searched)
    assert concluded is not None
    with_shares = tuple(replace(one, share=shares[one.cards]) for one in concluded.classes)
    return replace(concluded, classes=with_shares, searches=searched.searches)


def borne_out(plan: LogSearchPlan, seen: Observation, found: Conclusion) -> Conclusion:
    """A conclusion after longer searches, where those are to bear it out."""
    n = longer_than(plan.player.iterations)
    if not found.is_doubtful or n == plan.player.iterations:
        return found
    player = replace(plan.player, iterations=n)
    return found.borne_out(_searched(player, plan.seed, seen, LEAST_LONGER, MOST_LONGER))


def _searched(
    player: IsmctsPlayer,
    seed: int,
    seen: Observation,
    least: int,
    most: int,
    proven: Conclusion | None = None,
) -> Conclusion | None:
    """The conclusion by searches of one length, made until it is settled, or of what is ``proven``
    without them until there are enough."""
    items: list[list] = []
    found = None
    is_enough = False
    while len(items) < most and not is_enough:
        more = range(len(items), min(next_look(len(items), least), most))
        items += [item_of(player.search(seen, seed + i), seen, i) for i in more]
        found = judge(items, seen, least=least, iterations=player.iterations)
        is_enough = found is not None and (
            found.is_settled or (proven is not None and proven.is_proven)
        )
    return found


def _row(found: ClassValue, *, has_outcomes: bool) -> list[float]:
    """A class's numbers in the order of ``MEASURES``, ``OUTCOMES`` and ``NILS``."""
    numbers = [found.share, found.value, found.error, found.behind, *found.interval]
    led = found.outcomes if has_outcomes else None
    numbers += [getattr(led, name) if led else nan for name in OUTCOMES]
    numbers += [led.nils.get(seat, nan) if led else nan for seat in range(N_SEATS)]
    return [round(number, 4) for number in numbers]


def stored_rows(plan: LogSearchPlan) -> Rows:
    """Everything that has been found of the plan's rounds, in order."""
    question = plan.question()
    return joined(
        read_part(part, search_key(question)).within(first, min(end, plan.rounds))
        for part, first, end in covered(parts_of(question))
    )


class PartFile(NamedTuple):
    """Rounds ``first`` to ``end`` - 1 of a search, all of them, in one file."""

    path: Path
    first: int
    end: int
    stamp: int = 0


class Damaged(NamedTuple):
    """A part that can't be read, and why; its file is named from the results folder on."""

    part: PartFile
    why: str


class Found(NamedTuple):
    """What there is of a search: the parts of ``question``, and whether today's code asks it.
    ``is_shipped``: it came with the project, searched by an earlier agent. ``damaged``: parts that
    can't be read; their rounds aren't searched."""

    question: Question
    parts: tuple[PartFile, ...] = ()
    is_shipped: bool = False
    damaged: tuple[Damaged, ...] = ()

    @property
    def key(self) -> str:
        return search_key(self.question)

    @property
    def rounds(self) -> int:
        return sum(end - first for _, first, end in covered(self.parts))


def find(plan: LogSearchPlan) -> Found:
    """What has been searched as the plan asks: by today's code, or else shipped by another's."""
    question = plan.question()
    parts, damaged = sound_and_damaged(question)
    for part, facts in [] if parts else shipped():
        theirs = facts["question"]
        if any(theirs.get(name) != question.get(name) for name in ASKED):
            continue
        if not (why := flaw(part, search_key(theirs))):
            return Found(theirs, (part,), True, tuple(damaged))
        damaged.append(Damaged(part, why))
    return Found(question, tuple(parts), damaged=tuple(dict.fromkeys(damaged)))


def list_searches() -> list[Asked]:
    """Searches with something to see, shipped ones first, then those begun last."""
    logs = {entry.name for entry in list_logs() if entry.is_readable}
    listed: list[Asked] = []
    for question in [facts["question"] for _, facts in shipped()] + begun():
        try:
            how = (question["agent"], question["seed"], question["searches"])
            plan = LogSearchPlan(question["log"], 1, *how)
            if plan.log in logs and find(plan).rounds:
                listed.append((plan.log, plan.agent, plan.seed, plan.searches))
        except (SpadesError, KeyError, TypeError):
            continue  # a log or a model that is gone, or a question of other code
    return list(dict.fromkeys(listed))


# Parts as files


def search_key(question: Question) -> str:
    return key_of("log-search", question)


def searches_folder() -> Path:
    return results_file().parent / FOLDER


def _begin(question: Question) -> Path:
    """The folder for a question's parts, which says what is asked."""
    folder = searches_folder() / search_key(question)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / QUESTION_FILE).exists():
        with replacing(folder / QUESTION_FILE) as temporary:
            temporary.write_text(json.dumps(question, sort_keys=True), encoding="utf-8")
    return folder


def begun() -> list[Question]:
    """Questions of all searches in the results folder, the one begun last first."""
    found = []
    for path in searches_folder().glob(f"*/{QUESTION_FILE}"):
        try:
            question = read_json(path)
            if search_key(question) == path.parent.name:
                found.append((path.stat().st_mtime_ns, question))
        except (OSError, ValueError, SpadesError):
            continue  # not ours
    return [question for _, question in sorted(found, key=lambda one: -one[0])]


def write_part(
    path: Path, rows: Rows, question: Question, first: int, end: int, **more: Any
) -> None:
    """Write a part, or a whole search to be shipped; ``more`` is noted next to the question."""
    refused = {str(i): why for i, why in rows.refused.items()}
    facts = {"question": question, "first": first, "end": end, "refused": refused, **more}
    facts["digest"] = _digest(rows)
    columns = [pa.array(rows.table[name]) for name in SCHEMA.names]
    table = pa.Table.from_arrays(columns, schema=SCHEMA)
    table = table.replace_schema_metadata({_META: json.dumps(facts, sort_keys=True).encode()})
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", write_page_checksum=True)


def _digest(rows: Rows) -> str:
    """Hash of all that a part holds, 16 hex digits."""
    digest = hashlib.sha256(json.dumps(sorted(rows.refused.items())).encode())
    for name in SCHEMA.names:
        digest.update(rows.table[name].tobytes())
    return digest.hexdigest()[:16]


def parts_of(question: Question) -> list[PartFile]:
    """The sound parts of a search, shipped ones too, by first round."""
    return sound_and_damaged(question)[0]


def sound_and_damaged(question: Question) -> tuple[list[PartFile], list[Damaged]]:
    """The parts of a search, and those that can't be read and whose rounds no sound part has."""
    key, sound, damaged = search_key(question), [], []
    paths = (searches_folder() / key).glob(f"*-*{ENDING}")
    files = [_file_at(path) for path in paths if path.stem.replace("-", "", 1).isdecimal()]
    files += [part for part, facts in shipped() if search_key(facts["question"]) == key]
    for part in sorted(files, key=lambda part: (part.first, -part.end)):
        if why := flaw(part, key):
            damaged.append(Damaged(part, why))
        else:
            sound.append(part)
    return sound, [
        one
        for one in damaged
        if any(end > one.part.first for _, end in gaps(sound, one.part.end, max(1, one.part.end)))
    ]


def _file_at(path: Path) -> PartFile:
    first, end = map(int, path.stem.split("-"))
    return PartFile(path, first, end, path.stat().st_mtime_ns)


def shipped() -> list[tuple[PartFile, dict[str, Any]]]:
    """Whole searches that came with the project, and what their files say of them."""
    found = []
    for path in sorted(SHIPPED.glob(f"*{ENDING}")):
        stamp = path.stat().st_mtime_ns
        try:
            facts = _facts_of(path, stamp)
        except LogSearchError:
            continue  # nobody can say which search it was
        found.append((PartFile(path, facts["first"], facts["end"], stamp), facts))
    return found


def gaps(parts: Sequence[PartFile], rounds: int, size: int) -> list[tuple[int, int]]:
    """What the parts lack of the first ``rounds``, as (first, end) of at most ``size`` rounds."""
    missing, at = [], 0
    for first, end in [*((part.first, part.end) for part in parts), (rounds, rounds)]:
        for start in range(at, min(first, rounds), size):
            missing.append((start, min(start + size, first, rounds)))
        at = max(at, end)
    return missing


def covered(parts: Sequence[PartFile]) -> list[tuple[PartFile, int, int]]:
    """Each part that adds rounds, with the first and end of those that no part before it has."""
    found, at = [], 0
    for part in parts:
        if part.end > at:
            found.append((part, max(at, part.first), part.end))
            at = part.end
    return found


@lru_cache(maxsize=2**17)
def flaw(part: PartFile, key: str) -> str:
    """Why a file is no whole part of the search with this key; empty for a sound one."""
    try:
        read_part(part, key)
    except LogSearchError as error:
        return str(error)
    return ""


def read_part(part: PartFile, key: str) -> Rows:
    """The rows of a part; ``LogSearchError`` where it isn't a whole part of this search."""
    facts = _facts_of(part.path, part.stamp)
    if search_key(facts["question"]) != key:
        raise LogSearchError(f"{_shown(part.path)} holds another search than the one asked for")
    try:
        with pq.ParquetFile(part.path, page_checksum_verification=True) as file:
            table = file.read(use_threads=False)
        if not table.schema.remove_metadata().equals(SCHEMA):
            raise ValueError(f"its columns aren't {', '.join(SCHEMA.names)}")
        if any(column.null_count for column in table.columns):
            raise ValueError("values are missing")
        array = np.empty(len(table), COLUMNS)
        for name in SCHEMA.names:
            array[name] = table[name].to_numpy()
        rows = Rows(array, {int(i): str(why) for i, why in facts["refused"].items()})
        _check_whole(rows, part, facts)
    except _READ_ERRORS as error:
        raise _damaged(part.path, error) from None
    return rows


def _check_whole(rows: Rows, part: PartFile, facts: dict[str, Any]) -> None:
    """No decision may stem from a search that was cut short, and none may lack."""
    if (facts["first"], facts["end"]) != (part.first, part.end):
        raise ValueError(f"it holds rounds {facts['first']} to {facts['end'] - 1}")
    if "digest" in facts and facts["digest"] != _digest(rows):
        raise ValueError("its rows aren't those that were written")
    if not len(rows.table):
        return
    totals = np.add.reduceat(rows.table["share"], rows.starts)  # nan: nothing is known
    is_inside = len(rows.within(part.first, part.end).table) == len(rows.table)
    if not is_inside or (np.abs(totals - 1) > 0.01).any():
        raise ValueError("its decisions aren't searched to the end")


def _damaged(path: Path, why: object) -> LogSearchError:
    return LogSearchError(f"{_shown(path)} is no readable part of a search ({why})")


def _shown(path: Path) -> str:
    """A file as people find it: from the results folder on, a shipped one from the project's."""
    for folder in (results_file().parent, DATA.parent):
        if path.is_relative_to(folder):
            return path.relative_to(folder).as_posix()
    return path.name


@lru_cache(maxsize=512)
def _facts_of(path: Path, stamp: int) -> dict[str, Any]:
    try:
        text = (pq.read_metadata(path).metadata or {}).get(_META, b"")
        facts = load_object(text[:_MAX_META].decode())
        if not isinstance(facts["question"], dict) or not isinstance(facts["refused"], dict):
            raise ValueError("its metadata say nothing of a search")
        return {**facts, "first": int(facts["first"]), "end": int(facts["end"])}
    except _READ_ERRORS as error:
        raise _damaged(path, error) from None
