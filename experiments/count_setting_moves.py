"""Count the abstract moves of every shipped setting: ``python -m experiments.count_setting_moves``.

A sweep's document has the KL of a setting, but not the moves that it was made of. Here each setting
of each shipped sweep plays the sweep's own rounds again, in the human's seat, and its moves are
counted by game: the same rounds and seeds, so the same KL. Rounds that the result store has aren't
played again, nor are settings that the table has: their keys name all that their moves depend on.

Writes ``data/tables/setting_moves.npz``, from nothing in some 20 minutes of one core; stopped, it
goes on.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.runs.command import INTERRUPTED, RESUMABLE, add_workers, say
from analysis.style.compare import ByGame
from analysis.sweeps.library import read_document, shipped_files
from analysis.sweeps.nearest import TABLE
from analysis.sweeps.run import Sweep
from analysis.sweeps.sweep import ROUNDS_PART, SweepPlan
from experiments.command import parse_options, run_tasks
from spades.core.paths import replacing

Counts = dict[str, NDArray[np.uint8]]
"""By the key of a setting: counts of the 68 moves by game, (games of the log, 68)."""


def counts_of(
    document: Mapping[str, Any], workers: int | None, known: Counts | None = None
) -> Counts | None:
    """The counts of all settings of a sweep's document; None where that was interrupted.
    ``known``: those that aren't played again."""
    known = known or {}
    agents = {measured["key"]: measured["agent"] for measured in document["settings"]}
    counts = {key: known[key] for key in agents if key in known}
    agents = {key: agent for key, agent in agents.items() if key not in known}
    if not agents:
        return counts
    sweep = Sweep(SweepPlan.from_document(document["plan"]))
    tasks = []
    for agent in dict.fromkeys(agents.values()):
        tasks += sweep.tasks_of(ROUNDS_PART, agent)
    if not run_tasks(tasks, "parts", workers):
        return None
    for key, agent in agents.items():
        replays = sweep.replays_of(agent)
        assert replays is not None
        moves = sweep.humans.sample_of(replays.moves).moves
        assert isinstance(moves, ByGame)
        counts[key] = moves.counts.astype(np.uint8)  # a game has some 60 plays of a seat
    return counts


def load_counts(path: Path) -> Counts:
    """The table; empty where there is none."""
    if not path.exists():
        return {}
    with np.load(path) as table:
        return dict(zip(table["keys"].tolist(), table["counts"], strict=True))


def save_counts(counts: Counts, path: Path) -> None:
    """Write the table; an interrupted write leaves the old file."""
    with replacing(path) as new, new.open("wb") as file:
        np.savez_compressed(file, keys=list(counts), counts=list(counts.values()))


def main() -> int:
    options = parse_options(__doc__, TABLE, add_workers)
    known = load_counts(options.out)
    counts: Counts = {}
    for path in shipped_files():
        if path.suffix != ".json":
            continue
        say(path.stem)
        of_sweep = counts_of(read_document(path), options.workers, known)
        if of_sweep is None:
            say(RESUMABLE)
            return INTERRUPTED
        counts |= of_sweep
    save_counts(counts, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
