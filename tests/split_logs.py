"""A stored log as a folder of parts."""

import numpy as np

from spades.notation.log_folder import finish_folder
from spades.notation.log_store import open_log
from spades.notation.parquet import save_log


def some_games(n, name="human-south"):
    """The first games of a log."""
    log = open_log(name)
    starts = np.flatnonzero(log.round_index == 0)
    return log.take(slice(int(starts[n]))).compact()


def split(log, folder, n_parts, *, is_listed=True):
    """Write a log's games into so many files of a new folder; its path."""
    folder.mkdir()
    starts = np.flatnonzero(log.round_index == 0)
    cuts = [0, *(int(part[0]) for part in np.array_split(starts, n_parts)[1:]), len(log)]
    rounds = {}
    for i in range(n_parts):
        part = log.take(slice(cuts[i], cuts[i + 1])).compact()
        rounds[f"{i}.parquet"] = len(part)
        save_log(part, folder / f"{i}.parquet")
    if is_listed:
        finish_folder(folder, rounds, {})
    return folder
