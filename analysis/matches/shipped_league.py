"""The matches that the league opens with: every agent by name against SRP.

``experiments/play_league.py`` plays them.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from analysis.matches.match import MATCH, MatchError
from analysis.matches.result import MatchResult, side_texts
from analysis.runs.store import Result, ResultStore, ResultStoreError
from spades.core.documents import Document, read_json
from spades.core.paths import DATA, stored_table
from spades.core.rules import Rules

TABLE = DATA / "league" / "against-srp.json"
COMMAND = "python -m experiments.play_league"


@lru_cache(maxsize=4)
def shipped_results(path: Path = TABLE) -> tuple[Result, ...]:
    """The shipped matches as stored results; empty without the file. ``MatchError`` where it is
    damaged."""
    if not path.exists():
        return ()
    with stored_table(path, COMMAND, MatchError):
        return tuple(map(_result_of, read_json(path)["matches"]))


def _result_of(row: Document) -> Result:
    result = Result(str(row["key"]), MATCH, row["question"], row["answer"], float(row["created"]))
    side_texts(MatchResult.from_document(result.answer))
    Rules.from_options(result.question["rules"])
    return result


def all_results(check: Callable[[Result], object], wrong: list[str] | None = None) -> list[Result]:
    """Sound matches of the store, and the shipped ones that it lacks. ``wrong`` gets messages about
    unsound ones, as in ``ResultStore.sound_results``."""
    own = ResultStore().sound_results(MATCH, check, wrong)
    known = {result.key for result in own}
    try:
        shipped = shipped_results()
    except MatchError as error:
        if wrong is None:
            raise
        wrong.append(str(error))
        shipped = ()
    return own + [result for result in shipped if result.key not in known]


def result_by_key(key: str) -> Result | None:
    """A match of the store, or a shipped one."""
    with suppress(ResultStoreError):
        own = ResultStore().by_key(key)
        if own:
            return own
    return next((result for result in shipped_results() if result.key == key), None)
