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

from analysis.logs.simulate import (
    COMPILED_ROUNDS_A_SECOND,
    MAX_SEED,
    ROUNDS_A_GAME,
    seconds_a_round,
)
from analysis.matches.result import MatchNumbers, MatchResult
from analysis.runs.progress import Progress
from analysis.runs.store import Question, ResultStore, key_of, version_of
from analysis.runs.tasks import RunOptions, Task, TaskRunner, ranges, task_size
from spades.agents import Duel, PairResults, pair_log, parse_agent, play_pairs
from spades.agents.play import fault_text
from spades.core.cards import SEATS
from spades.core.documents import Document
from spades.core.errors import SpadesError
from spades.core.logs import Log, concatenate
from spades.core.records import Record
from spades.core.rules import Rules
from spades.core.scoring import GameScore, add_round
from spades.notation.log_store import LogEntry, path_of, store_log

if TYPE_CHECKING:  # the library does without pandas
    import pandas as pd

Pairs = tuple[int, int]  # first pair, and the one after the last
MATCH = "match"
PART = "match-part"
MAX_PAIRS_A_PART = 500
MAX_GAMES = 1_000_000
MAX_AGENTS = 20  # of a round robin
USUAL_AGENTS = ("random", "human", "wrp", "srp", "srp+rb", "srp+ms", "srp+bis")
DEFAULT_TARGET = Rules.target
SECONDS_A_MATCH = 0.2  # its start, and the few games that are timed card by card
ROUNDS_KEPT = 100  # of a match, as a log for Replay


class MatchError(SpadesError):
    """A match that can't be played as asked."""


@dataclass(frozen=True)
class MatchPlan:
    """All that a match depends on besides the code: agents as text, the number of games, the rules.

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
            given = f"target {self.target}, floor {self.floor}"
            raise MatchError(f"{given}: target above 0 and floor below are legal")
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
        duel = self.duel
        size = MAX_PAIRS_A_PART
        if not duel.is_compiled:
            seconds = seconds_a_round(duel.first) + seconds_a_round(duel.second)
            size = task_size(4 * ROUNDS_A_GAME * seconds, size)
        return ranges(self.games // 2, size)

    def question(self) -> Document:
        """What the store keeps this match under; the same with the sides exchanged."""
        return {**self._asked(), "games": self.games}

    def parts(self) -> dict[Pairs, Question]:
        """Parts and what the store keeps each under."""
        asked = self._asked()
        return {(first, end): {**asked, "first": first, "end": end} for first, end in self.ranges}

    def _asked(self) -> Document:
        return {
            "agents": sorted((self.ns, self.ew)),
            "seed": self.seed,
            "nil_only": self.nil_only,
            "rules": self.full_rules.non_defaults(),
            **version_of(self.ns, self.ew),
        }

    @property
    def key(self) -> str:
        return key_of(MATCH, self.question())

    @classmethod
    def of(cls, result: MatchResult) -> Self:
        """The plan of a played match; ``SpadesError`` if today's code has no such one."""
        return cls(**{declared.name: getattr(result, declared.name) for declared in fields(cls)})


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
) -> list[MatchResult] | None:
    """Play, one after the other, what the store lacks; all results, None if cancelled before."""
    results = []
    with TaskRunner(sum(plan.games for plan in plans), "games", **options) as runner:
        for plan in plans:
            result = complete_match(plan, runner)
            if result is None:
                return None
            results.append(result)
    return results


def play_match(plan: MatchPlan, **options: Unpack[RunOptions]) -> MatchResult | None:
    """Play a match, or what the store lacks of it: its result, None if cancelled before the end.
    Two runs of one match at once share its parts."""
    with TaskRunner(plan.games, "games", **options) as runner:
        return complete_match(plan, runner)


def complete_match(plan: MatchPlan, runner: TaskRunner) -> MatchResult | None:
    """As ``play_match``, with the workers and the progress of a runner."""
    store = ResultStore()
    tasks = match_tasks(plan, store)
    # In random order: two runs of one match at once seldom play the same part.
    if not runner.complete(random.sample(tasks, len(tasks))):
        return None
    return store_match(plan, store)


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


def play_part(plan: MatchPlan, first: int, end: int) -> Document:
    """Results of pairs ``first`` to ``end`` - 1, played on a worker."""
    _warm_up(plan.duel)
    return play_pairs(plan.duel, plan.seed, first, end).document()


@lru_cache(maxsize=64)
def _warm_up(duel: Duel) -> None:
    """Play two rounds once a process, so that no move is timed while its code is compiled."""
    play_pairs(replace(duel, rules=replace(duel.rules, target=1, losing_floor=0)), 0, 0, 1)


def store_match(plan: MatchPlan, store: ResultStore) -> MatchResult:
    """The result of a match all of whose parts are stored; the store gets it too."""
    pairs = stored_results(plan, store)
    assert pairs is not None
    to_keep = match_result(plan.ordered, _as_ordered(plan, pairs))
    store.put(MATCH, plan.question(), to_keep.document())
    return match_result(plan, pairs)


def stored_match(plan: MatchPlan) -> MatchResult | None:
    """The result of a match in the store; None while games of it are missing."""
    store = ResultStore()
    answer = store.get(MATCH, plan.question())
    if answer:
        result = MatchResult.from_document(answer)
        return result if result.ns == plan.ns else result.turned()
    pairs = stored_results(plan, store)  # parts of a longer match may hold it whole
    return None if pairs is None else match_result(plan, pairs)


def stored_games(plan: MatchPlan) -> int:
    """How many games of a match are in the store."""
    return sum(task.size for task in match_tasks(plan, ResultStore()) if task.is_stored())


def stored_results(plan: MatchPlan, store: ResultStore) -> PairResults | None:
    """The games of a match from the store; None while any of its parts is missing."""
    parts = []
    for (first, end), question in plan.parts().items():
        answer = store.get(PART, question)
        if answer is None:
            return None
        parts.append(PairResults.from_document(answer, end - first))
    return _as_ordered(plan, PairResults.joined(parts))


def _as_ordered(plan: MatchPlan, pairs: PairResults) -> PairResults:
    """Turn games of the plan into games as they are stored, or back."""
    return pairs if plan == plan.ordered else pairs.swapped()


def match_result(plan: MatchPlan, pairs: PairResults) -> MatchResult:
    """The result of a match from all its games."""
    numbers = MatchNumbers.of(pairs, plan.full_rules)
    version = version_of(plan.ns, plan.ew)
    return MatchResult(**asdict(plan), **vars(numbers), key=plan.key, **version)


def expected_seconds(plan: MatchPlan) -> float:
    """About how long a match takes on one core."""
    duel = plan.duel
    rounds = plan.games * ROUNDS_A_GAME
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
    result: MatchResult,
    *,
    n_rounds: int = ROUNDS_KEPT,
    tell: Callable[[Progress], None] = lambda progress: None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> LogEntry | None:
    """Store the first pairs of games, up to ``n_rounds`` rounds, as a log; None if cancelled. The
    agent whose text sorts first is North and South in the first game of a pair, as in stored
    results."""
    stored = plan.ordered
    logs: list[Log] = []
    progress = Progress(n_rounds, 0, "rounds", time.monotonic())
    for pair in range(plan.games // 2):
        tell(progress)
        if progress.done == n_rounds:
            break
        if is_cancelled():
            return None
        logs.append(pair_log(stored.duel, stored.seed, pair))
        progress.done = min(progress.done + len(logs[-1]), n_rounds)
    command = f"the first games of: {result.command or 'a match'}"
    provenance = {"command": command, "match": plan.question(), "key": plan.key}
    return store_log(concatenate(logs).from_source(command), log_name(plan.key), provenance)


def game_table(log: Log) -> "pd.DataFrame":
    """One row a game of a log of matches, in order. ``pair`` and ``game`` (of the pair) from 1,
    ``round``: the game's first in the log, ``rounds`` that were finished, the agents by seat, final
    ``points`` of both sides; ``fault``: the seat that lost by one, or ""."""
    import pandas as pd

    starts = np.flatnonzero(log.round_index == 0).tolist()
    rows = []
    for i, (start, end) in enumerate(itertools.pairwise([*starts, len(log)])):
        last = log.record(end - 1)
        points = _final_score(last)
        faults = [seat for i, seat in enumerate(SEATS) if fault_text(i) in last.source]
        row = {
            "pair": i // 2 + 1,
            "game": i % 2 + 1,
            "round": start,
            "rounds": end - start - len(faults),
            "N/S": last.agents[0],
            "E/W": last.agents[1],
            "points N/S": points[0],
            "points E/W": points[1],
            "fault": "".join(faults),
        }
        rows.append(row)
    return pd.DataFrame(rows)


def _final_score(last: Record) -> tuple[int, int]:
    """A game's score after its last round, if that was finished, else before it."""
    assert last.score_before is not None
    assert last.bags_before is not None
    score = last.score()
    if score is None:
        return last.score_before
    return add_round(last.rules, GameScore(last.score_before, last.bags_before), score).score
