"""Matches between agents: pairs of games on common deals, in parts, stored as they finish.

A part is a fixed range of pairs that depends on its agents, variant, seed and code alone: a match
is the same whatever the number of workers, and after any interruption. A stored part serves every
match that it belongs to: a longer one, and the one with the sides exchanged.
"""

import itertools
import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np

from analysis.logs.simulate import MAX_SEED, ROUNDS_A_GAME, seconds_a_round
from analysis.matches.documents import match_command, match_summary, turned_document
from analysis.runs.progress import Progress
from analysis.runs.store import Question, ResultStore, key_of, version_of
from analysis.runs.tasks import RunOptions, Task, TaskRunner, ranges, task_size
from spades.agents import Duel, PairResults, pair_log, parse_agent, play_pairs
from spades.core.errors import SpadesError
from spades.core.logs import Log, concatenate
from spades.core.records import RoundRecord
from spades.core.rules import Rules
from spades.core.scoring import GameScore, add_round
from spades.notation.log_store import LogEntry, path_of, store_log

if TYPE_CHECKING:  # the library does without pandas
    import pandas as pd

Pairs = tuple[int, int]  # first pair, and the one after the last
MATCH, PART = "match", "match-part"
MAX_PAIRS_A_PART = 500
MAX_GAMES = 1_000_000
MAX_AGENTS = 20  # of a round robin
USUAL_AGENTS = ("random", "human", "wrp", "srp", "srp+rb", "srp+ms", "srp+bis")
DEFAULT_TARGET = Rules.target
COMPILED_ROUNDS_A_SECOND = 15_000
SECONDS_A_MATCH = 0.2  # its start, and the few games that are timed card by card
ROUNDS_KEPT = 100  # of a match, as a log for Replay


class MatchError(SpadesError):
    """A match that can't be played as asked."""


@dataclass(frozen=True)
class MatchPlan:
    """All that a match depends on but the code: agents as text, how many games, and the variant.

    ``ns`` and ``ew`` are stored as the shortest text that names the same agent; ``ns`` sits North
    and South in the first game of each pair only. ``games``: all that are played, an even number.
    ``floor``: a side at or below it loses. ``nil_only``: Whitehouse's variant, see ``Duel``.
    ``rules``: other options that aren't defaults."""

    ns: str
    ew: str
    games: int
    seed: int = 0
    target: int = DEFAULT_TARGET
    floor: int | None = None
    nil_only: bool = False
    rules: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for side in ("ns", "ew"):
            object.__setattr__(self, side, str(parse_agent(getattr(self, side))))
        if not 2 <= self.games <= MAX_GAMES or self.games % 2:
            raise MatchError(
                f"{self.games} games; an even number from 2 to {MAX_GAMES:,} is legal: every deal "
                "is played twice, with the partnerships swapped"
            )
        if not 0 <= self.seed <= MAX_SEED:
            raise MatchError(f"seed is {self.seed}; 0 to {MAX_SEED} are legal")
        if self.target < 1 or (self.floor is not None and self.floor >= 0):
            found = f"target {self.target}, floor {self.floor}"
            raise MatchError(f"{found}: target above 0 and floor below are legal")
        if not {"target", "losing_floor"}.isdisjoint(self.rules):
            raise MatchError("target and floor are fields of the plan, not among its rules")
        if self.full_rules.nil is None and self.nil_only:
            raise MatchError("rules without nil have no nil-only variant")

    @property
    def full_rules(self) -> Rules:
        return Rules.from_options({**self.rules, "target": self.target, "losing_floor": self.floor})

    @property
    def duel(self) -> Duel:
        return Duel(parse_agent(self.ns), parse_agent(self.ew), self.full_rules, self.nil_only)

    @property
    def ordered(self) -> Self:
        """This match as it is stored: the sides in the order of their agents' texts."""
        ns, ew = sorted((self.ns, self.ew))
        return replace(self, ns=ns, ew=ew)

    @property
    def ranges(self) -> list[Pairs]:
        """Parts as (first, end) pairs; the same for any number of games but for the last."""
        duel, size = self.duel, MAX_PAIRS_A_PART
        if not duel.is_compiled:
            a_round = seconds_a_round(duel.first) + seconds_a_round(duel.second)
            size = task_size(4 * ROUNDS_A_GAME * a_round, size)
        return ranges(self.games // 2, size)

    def question(self) -> dict[str, Any]:
        """What the store keeps this match under; the same with the sides exchanged."""
        return {**self._asked(), "games": self.games}

    def parts(self) -> dict[Pairs, Question]:
        """Parts and what the store keeps each under."""
        asked = self._asked()
        return {(first, end): {**asked, "first": first, "end": end} for first, end in self.ranges}

    def _asked(self) -> dict[str, Any]:
        agents, rules = sorted((self.ns, self.ew)), self.full_rules.non_defaults()
        variant = {"nil_only": self.nil_only, "rules": rules}
        return {"agents": agents, "seed": self.seed, **variant, **version_of(self.ns, self.ew)}

    @property
    def key(self) -> str:
        return key_of(MATCH, self.question())

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """The plan of a played match; ``SpadesError`` if today's code has no such one."""
        return cls(**{declared.name: document[declared.name] for declared in fields(cls)})


def round_robin(agents: Sequence[str], games: int, **variant: Any) -> list[MatchPlan]:
    """A match of every two agents, of so many games and what else ``MatchPlan`` has. Raises
    ``MatchError`` for fewer than two agents or more than ``MAX_AGENTS``, and what ``MatchPlan``
    raises."""
    different = dict.fromkeys(str(parse_agent(text)) for text in agents)
    if not 2 <= len(different) <= MAX_AGENTS:
        raise MatchError(f"{len(different)} different agents; 2 to {MAX_AGENTS} can meet")
    return [MatchPlan(*pair, games, **variant) for pair in itertools.combinations(different, 2)]


def round_robin_key(plans: Iterable[MatchPlan]) -> str:
    return key_of("round-robin", {"matches": sorted(plan.key for plan in plans)})


def play_round_robin(
    plans: Sequence[MatchPlan], **options: Unpack[RunOptions]
) -> list[dict[str, Any]] | None:
    """Play, one after the other, what the store lacks; all documents, None if cancelled before."""
    documents = []
    with TaskRunner(sum(plan.games for plan in plans), "games", **options) as runner:
        for plan in plans:
            document = complete_match(plan, runner)
            if document is None:
                return None
            documents.append(document)
    return documents


def play_match(plan: MatchPlan, **options: Unpack[RunOptions]) -> dict[str, Any] | None:
    """Play a match, or what the store lacks of it: its document, None if cancelled before the end.
    Two runs of one match at once share its parts."""
    with TaskRunner(plan.games, "games", **options) as runner:
        return complete_match(plan, runner)


def complete_match(plan: MatchPlan, runner: TaskRunner) -> dict[str, Any] | None:
    """As ``play_match``, with the workers and the progress of a runner."""
    store = ResultStore()
    tasks = match_tasks(plan, store)
    # In random order: two runs of one match at once seldom play the same part.
    is_complete = runner.complete(random.sample(tasks, len(tasks)))
    return store_match(plan, store) if is_complete else None


def complete_rounds(
    plan: MatchPlan, rounds: int, step: int, runner: TaskRunner
) -> dict[str, Any] | None:
    """The document of a match of at least so many rounds: as ``complete_match``, and then longer by
    ``step`` games at a time."""
    while True:
        document = complete_match(plan, runner)
        if document is None or document["rounds"] >= rounds:
            return document
        plan = replace(plan, games=plan.games + step)


def match_tasks(plan: MatchPlan, store: ResultStore) -> list[Task]:
    """The tasks that play a match, one for each of its parts; each counts its games."""
    stored = plan.ordered

    def task(first: int, end: int, question: Question) -> Task:
        return Task.of_store(
            (store, PART, question),
            play_part,
            lambda: (stored, first, end),
            agents=(stored.ns, stored.ew),
            size=2 * (end - first),
        )

    return [task(first, end, question) for (first, end), question in stored.parts().items()]


def play_part(plan: MatchPlan, first: int, end: int) -> dict[str, Any]:
    """Results of pairs ``first`` to ``end`` - 1, played on a worker."""
    _warm_up(plan.duel)
    return play_pairs(plan.duel, plan.seed, first, end).document()


@lru_cache(maxsize=64)
def _warm_up(duel: Duel) -> None:
    """Play two rounds once a process, so that no move is timed while its code is compiled."""
    play_pairs(replace(duel, rules=replace(duel.rules, target=1, losing_floor=0)), 0, 0, 1)


def store_match(plan: MatchPlan, store: ResultStore) -> dict[str, Any]:
    """The document of a match all of whose parts are stored; the store gets it too."""
    results = stored_results(plan, store)
    assert results is not None
    store.put(MATCH, plan.question(), match_document(plan.ordered, _turned(plan, results)))
    return match_document(plan, results)


def stored_document(plan: MatchPlan) -> dict[str, Any] | None:
    """The document of a match in the store; None while games of it are missing."""
    store = ResultStore()
    if found := store.get(MATCH, plan.question()):
        return found if found["ns"] == plan.ns else turned_document(found)
    results = stored_results(plan, store)  # parts of a longer match may hold it whole
    return None if results is None else match_document(plan, results)


def stored_games(plan: MatchPlan) -> int:
    return sum(task.size for task in match_tasks(plan, ResultStore()) if task.is_stored())


def stored_results(plan: MatchPlan, store: ResultStore) -> PairResults | None:
    """The games of a match from the store; None while any of its parts is missing."""
    parts = []
    for (first, end), question in plan.parts().items():
        found = store.get(PART, question)
        if found is None:
            return None
        parts.append(PairResults.from_document(found, end - first))
    return _turned(plan, PairResults.joined(parts))


def _turned(plan: MatchPlan, results: PairResults) -> PairResults:
    """Results as the store keeps them from results of the plan, or the other way round."""
    return results if plan == plan.ordered else results.swapped()


def match_document(plan: MatchPlan, results: PairResults) -> dict[str, Any]:
    """What ``match --json`` prints (spec 6)."""
    summary = match_summary(results, plan.full_rules)
    return {**asdict(plan), **summary, "key": plan.key, **version_of(plan.ns, plan.ew)}


def expected_seconds(plan: MatchPlan) -> float:
    """About how long a match takes on one core."""
    duel, rounds = plan.duel, plan.games * ROUNDS_A_GAME
    if duel.is_compiled:
        return SECONDS_A_MATCH + rounds / COMPILED_ROUNDS_A_SECOND
    return rounds * 2 * (seconds_a_round(duel.first) + seconds_a_round(duel.second))


# The games of a match as a log: played again from its seed, to be watched in Replay.


def log_name(key: str) -> str:
    """What the store of logs calls the games of the match with this key."""
    return f"match-{key}"


def has_log(key: str) -> bool:
    """Whether the games of the match are in the store of logs."""
    try:
        return bool(path_of(log_name(key)))
    except SpadesError:
        return False


def store_first_games(
    plan: MatchPlan,
    document: dict[str, Any],
    *,
    n_rounds: int = ROUNDS_KEPT,
    tell: Callable[[Progress], None] = lambda progress: None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> LogEntry | None:
    """Put the first whole pairs of games, until they have ``n_rounds`` rounds, into the store of
    logs; None if cancelled. As the store of results keeps them: the agent whose text sorts first is
    North and South in the first game of a pair."""
    stored, logs = plan.ordered, list[Log]()
    progress = Progress(n_rounds, 0, "rounds", time.monotonic())
    for pair in range(plan.games // 2):
        tell(progress)
        if progress.done == n_rounds:
            break
        if is_cancelled():
            return None
        logs.append(pair_log(stored.duel, stored.seed, pair))
        progress.done = min(progress.done + len(logs[-1]), n_rounds)
    command = f"the first games of: {match_command(document) or 'a match'}"
    provenance = {"command": command, "match": plan.question(), "key": plan.key}
    return store_log(concatenate(logs).from_source(command), log_name(plan.key), provenance)


def game_table(log: Log) -> "pd.DataFrame":
    """One row a game of a log of matches, in order. ``pair`` and ``game`` (of the pair) from 1,
    ``round``: the game's first in the log, ``rounds``, the agents by seat, final ``points`` of both
    sides."""
    import pandas as pd

    starts = np.flatnonzero(log.round_index == 0).tolist()
    rows = []
    for i, (start, end) in enumerate(itertools.pairwise([*starts, len(log)])):
        last = log.record(end - 1)
        place = (i // 2 + 1, i % 2 + 1, start, end - start)
        rows.append((*place, *last.agents[:2], *_final_score(last)))
    columns = ["pair", "game", "round", "rounds", "N/S", "E/W", "points N/S", "points E/W"]
    return pd.DataFrame(rows, columns=columns)


def _final_score(last: RoundRecord) -> tuple[int, int]:
    scored = last.score()
    assert scored is not None
    assert last.score_before is not None
    assert last.bags_before is not None
    return add_round(last.rules, GameScore(last.score_before, last.bags_before), scored).score
