"""Fit how ISMCTS plays: ``python -m analysis.models.fit_search``.

The searches that the belief network learned from play rounds of other seeds (they stay in
``--rounds FOLDER``); the log-linear model of human play, 45 features, is fitted to all four seats.
Writes ``data/beliefs/search-plays.safetensors``, which ``spades.belief.players`` weighs deals by,
in some six minutes on one core."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from analysis.models.train_beliefs import SOURCES, log_of
from analysis.runs.command import STOPPED, say, worker_count
from spades.belief.players import FILE, SEARCH
from spades.core.logs import Log, concatenate
from spades.core.paths import user_folder
from spades.human.features.logs import ALL_SEATS, examples_of_log
from spades.human.loglinear import FitOptions, LogLinearModel

N_ROUNDS, OTHER_SEEDS = 6_000, 1_000
OPTIONS = FitOptions(has_nil=True, passes=10, repeats=1, polish=True)


def logs_of(folder: Path, n_rounds: int, workers: int | None) -> Iterator[Log]:
    """``n_rounds`` of each search, played if they aren't there."""
    for source in SOURCES:
        if source.kind == SEARCH:
            other = source._replace(rounds=n_rounds, seed=source.seed + OTHER_SEEDS)
            if (log := log_of(other, folder, workers)) is None:
                sys.exit(STOPPED)
            yield log


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=FILE, help="where to write (default: shipped)")
    parser.add_argument("--rounds", type=Path, default=user_folder() / "beliefs", metavar="FOLDER")
    parser.add_argument("--n", type=int, default=N_ROUNDS, help="rounds of each search")
    parser.add_argument("--workers", type=worker_count, metavar="N")
    options = parser.parse_args()
    options.rounds.mkdir(parents=True, exist_ok=True)
    logs = list(logs_of(options.rounds, options.n, options.workers))
    model = LogLinearModel(FILE.stem, options=OPTIONS)
    model.fit(examples_of_log(concatenate(logs), ALL_SEATS), tell=lambda made: say(made.text()))
    model.save(options.out)


if __name__ == "__main__":
    main()
