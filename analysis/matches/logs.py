"""The games of a match as a log: played again from its seed, to be watched in Replay."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from analysis.matches.documents import match_command
from analysis.matches.match import MatchPlan
from analysis.runs.parts import Progress
from spades.agents import pair_log
from spades.core.errors import SpadesError
from spades.core.logs import Log, concatenate
from spades.core.records import RoundRecord
from spades.core.scoring import GameScore, add_round
from spades.notation.log_store import LogEntry, path_of, store_log

ROUNDS_KEPT = 100


def log_name(key: str) -> str:
    """What the store of logs calls the games of the match with this key."""
    return f"match-{key}"


def has_log(key: str) -> bool:
    """Whether the games of the match are in the store of logs."""
    try:
        path_of(log_name(key))
    except SpadesError:
        return False
    return True


def first_games(
    plan: MatchPlan,
    *,
    n_rounds: int = ROUNDS_KEPT,
    tell: Callable[[Progress], None] = lambda progress: None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Log | None:
    """The first whole pairs of games until they have ``n_rounds`` rounds; None if cancelled.

    As the store keeps them: the agent whose text sorts first sits North and South in the first
    game of a pair.
    """
    stored = plan.ordered
    progress = Progress(n_rounds, 0, "rounds", time.monotonic())
    logs: list[Log] = []
    for pair in range(plan.games // 2):
        tell(progress)
        if is_cancelled():
            return None
        logs.append(pair_log(stored.duel, stored.seed, pair))
        progress.done = min(progress.done + len(logs[-1]), n_rounds)
        if progress.done == n_rounds:
            break
    progress.done = n_rounds
    tell(progress)
    return concatenate(logs)


def store_first_games(plan: MatchPlan, document: dict[str, Any], **options: Any) -> LogEntry | None:
    """Put the first games of a match into the store of logs; None if cancelled before.

    ``options`` of ``first_games``.
    """
    log = first_games(plan, **options)
    if log is None:
        return None
    command = f"the first games of: {match_command(document) or 'a match'}"
    provenance = {"command": command, "match": plan.question(), "key": plan.key}
    return store_log(log.from_source(command), log_name(plan.key), provenance)


def game_table(log: Log) -> pd.DataFrame:
    """One row a game of a log of matches, in order.

    ``pair`` and ``game`` (of the pair) from 1, ``round``: the game's first in the log, ``rounds``,
    the agents by seat, final ``points`` of both sides.
    """
    starts = np.flatnonzero(log.round_index == 0)
    ends = np.append(starts[1:], len(log))
    rows = []
    for i, (start, end) in enumerate(zip(starts, ends, strict=True)):
        last = log.record(int(end) - 1)
        ours, theirs = _final_score(last)
        rows.append(
            {
                "pair": i // 2 + 1,
                "game": i % 2 + 1,
                "round": int(start),
                "rounds": int(end - start),
                "N/S": last.agents[0],
                "E/W": last.agents[1],
                "points N/S": ours,
                "points E/W": theirs,
            }
        )
    columns = ["pair", "game", "round", "rounds", "N/S", "E/W", "points N/S", "points E/W"]
    return pd.DataFrame(rows, columns=columns)


def _final_score(last: RoundRecord) -> tuple[int, int]:
    scored = last.score()
    assert scored is not None
    assert last.score_before is not None
    assert last.bags_before is not None
    return add_round(last.rules, GameScore(last.score_before, last.bags_before), scored).score
