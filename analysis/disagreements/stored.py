"""Searched rounds in the result store, and whole searches that came with the project.

A search is one stored result; its question says what was asked (``LogSearchPlan.question``). Each
of its rounds is another result, of a kind that ends in the search's key. A shipped search is a file
of the same results (``analysis.runs.store.packed``) in ``data/disagreements``.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from analysis.disagreements.plan import SEARCH, LogSearchError, LogSearchPlan, Question, search_key
from analysis.disagreements.rows import Rows, joined, round_document, rows_of_round
from analysis.runs.store import ResultStore, ResultStoreError, packed, write_packed
from spades.core.errors import SpadesError
from spades.core.paths import DATA
from spades.notation.log_store import list_logs

SHIPPED = DATA / "disagreements"
ENDING = ".jsonl.xz"
COMMAND = "python -m analysis.disagreements.search_log"
ASKED = ("log", "content", "agent", "iterations", "seed", "played_on")
"""A shipped search by earlier code stands in for one that has these fields."""
MAX_CHECKED = 2**17  # rounds whose damage is remembered
Asked = tuple[str, str, int, int]
"""Log, agent, seed and rounds played on, by which a search is chosen."""


@dataclass(frozen=True)
class StoredSearch:
    """What there is of a search: its ``question``, and the ``rounds`` that were searched.

    ``is_shipped``: it came with the project, by an earlier version of the agent or the judge.
    ``damaged``: what is wrong with stored rounds that can't be read, in their order.
    """

    question: Question
    rounds: tuple[int, ...] = ()
    is_shipped: bool = False
    damaged: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return search_key(self.question)

    def read(self, index: int) -> Rows:
        """The results of one round. Raises ``SpadesError`` if they can't be read or are gone."""
        for search in shipped():
            if search.key == self.key and index in search.rounds:
                return search.rows.within(index, index + 1)
        try:
            document = ResultStore().get(round_kind(self.key), {"round": index})
        except ResultStoreError:
            forget_checks()  # it was damaged since: the next ``find`` leaves it out
            raise
        if document is None:
            raise LogSearchError(f"round {index} of this search is not stored any more")
        return rows_of_round(document, index)

    def read_all(self) -> Iterator[Rows]:
        """Round by round."""
        for index in self.rounds:
            yield self.read(index)


def find(plan: LogSearchPlan) -> StoredSearch:
    """What has been searched as the plan asks: by today's code, or else a shipped search by an
    earlier version."""
    question = plan.question()
    key = search_key(question)
    rounds, damaged = _check_stored(key)
    for search in shipped():
        if search.key == key:
            rounds |= search.rounds
    reasons = [reason for index, reason in damaged if index not in rounds]
    damage = tuple(dict.fromkeys(reasons))
    if rounds:
        return StoredSearch(question, tuple(sorted(rounds)), damaged=damage)
    for search in shipped():
        if all(search.question.get(name) == question[name] for name in ASKED):
            shipped_rounds = tuple(sorted(search.rounds))
            return StoredSearch(search.question, shipped_rounds, is_shipped=True, damaged=damage)
    return StoredSearch(question, damaged=damage)


def begin(plan: LogSearchPlan) -> str:
    """Store that a search has begun; returns the kind of result of its rounds."""
    question = plan.question()
    ResultStore().put(SEARCH, question, {"command": command_of(plan)})
    return round_kind(search_key(question))


def begun() -> list[Question]:
    """Questions of all searches in the result store, the newest first."""
    results = ResultStore().sound_results(SEARCH, lambda result: result.question["log"])
    return [result.question for result in reversed(results)]


def list_searches() -> list[Asked]:
    """Searches that have results, shipped ones first, then the newest."""
    logs = {entry.name for entry in list_logs() if entry.is_readable}
    listed: dict[Asked, None] = {}
    for question in [search.question for search in shipped()] + begun():
        try:
            plan = LogSearchPlan(
                question["log"],
                1,
                question["agent"],
                question["seed"],
                question["played_on"],
            )
            if plan.log in logs and find(plan).rounds:
                listed[plan.log, plan.agent, plan.seed, plan.played_on] = None
        except (SpadesError, KeyError, TypeError):
            continue  # a log or a model that is gone, or a question of other code
    return list(listed)


def round_kind(key: str) -> str:
    """The kind of stored result of the rounds of the search with this key."""
    return f"{SEARCH} {key}"


Check = tuple[int | None, str]
"""The round of a stored result, None if it has none, and what is wrong with it, '' if nothing."""
_checked: dict[tuple[str, str, float], Check] = {}
"""Checks of stored results, by store, key and time of storing: each result is checked once a
process, and again whenever it is read."""


def _check_stored(key: str) -> tuple[set[int], list[Check]]:
    """The sound rounds of a search in the result store, and (round, what is wrong) of others."""
    store = ResultStore()
    path = str(store.path)
    stored_at = store.keys(round_kind(key))
    checks: list[Check] = []
    unchecked = []
    for result_key, time in stored_at.items():
        known = _checked.get((path, result_key, time))
        if known is None:
            unchecked.append(result_key)
        else:
            checks.append(known)
    for entry in store.entries(unchecked):
        index = entry.question.get("round")
        check = (index if isinstance(index, int) else None, entry.damage)
        checks.append(check)
        if len(_checked) >= MAX_CHECKED:
            _checked.clear()
        _checked[path, entry.key, stored_at[entry.key]] = check
    sound = set()
    damaged = []
    for index, damage in checks:
        if damage:
            round_name = "a round" if index is None else f"round {index}"
            damaged.append((index, f"{round_name}: {damage}"))
        elif index is not None:
            sound.add(index)
    damaged.sort(key=lambda row: math.inf if row[0] is None else row[0])
    return sound, damaged


def forget_checks() -> None:
    """Check stored rounds again, as a new process does."""
    _checked.clear()


# Searches that came with the project


class ShippedSearch(NamedTuple):
    """A whole search: its question, the command that made it, its rounds and their results."""

    question: Question
    command: str
    rounds: frozenset[int]
    rows: Rows

    @property
    def key(self) -> str:
        return search_key(self.question)


def shipped() -> list[ShippedSearch]:
    """Searches that came with the project and can be read."""
    searches = []
    for path in shipped_files():
        try:
            searches.append(read_shipped(path))
        except (OSError, SpadesError):
            continue  # `spades check` reports it
    return searches


def shipped_files() -> list[Path]:
    return sorted(SHIPPED.glob(f"*{ENDING}"))


def read_shipped(path: Path) -> ShippedSearch:
    """The search in a file; ``SpadesError`` where it can't be read."""
    return _read_shipped(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=16)
def _read_shipped(path: Path, modified: int) -> ShippedSearch:
    results = packed(path, COMMAND)
    searches = [(question, answer) for kind, question, answer in results if kind == SEARCH]
    if len(searches) != 1:
        raise LogSearchError(f"{path.name} holds {len(searches)} searches; one is due")
    question, facts = searches[0]
    kind_of_rounds = round_kind(search_key(dict(question)))
    documents: dict[int, Any] = {}
    for kind, place, answer in results:
        if kind == kind_of_rounds:
            documents[place["round"]] = answer
        elif kind != SEARCH:
            raise LogSearchError(f"{path.name} holds results of another search")
    rounds = sorted(documents)
    rows = joined(rows_of_round(documents[index], index) for index in rounds)
    return ShippedSearch(dict(question), facts["command"], frozenset(rounds), rows)


def write_shipped(plan: LogSearchPlan, path: Path) -> None:
    """Write the results of a plan's rounds as a file to be shipped."""
    search = find(plan)
    kind = round_kind(search.key)
    facts = {"command": f"{command_of(plan)} --out {path.as_posix()}"}
    answers: list[tuple[str, Question, Any]] = [(SEARCH, search.question, facts)]
    for index in search.rounds:
        if index < plan.rounds:
            document = round_document(search.read(index), index)
            answers.append((kind, {"round": index}, document))
    write_packed(answers, path)


def command_of(plan: LogSearchPlan) -> str:
    """The command that makes a search."""
    return (
        f"{COMMAND} {plan.log} --rounds {plan.rounds} --agent {plan.agent} --seed {plan.seed} "
        f"--played-on {plan.played_on}"
    )
