"""Which measured setting of a bias plays most like a group.

The settings are those of the shipped sweeps. Each has played the sweep's rounds in the seat of the
humans of its log; ``TABLE`` has its abstract moves by game. How far a group is from a setting is
KL(group || setting), as on Tune's frontier, where the group is the humans of that log.

**Nearest** is the setting that is surely near: settings are ordered by the upper end of their KL's
95% interval, so that one measured in few rounds isn't the first by luck.

**Told apart.** Another setting is told apart from the nearest one if the 95% interval of the
difference, beyond the chance level of either, leaves out 0. All settings of a log play the same
games, which are drawn together.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from analysis.style.compare import (
    ByGame,
    GameCounts,
    Sample,
    halves_divergence,
    kl_divergence,
    percentiles,
    shifted_interval,
    smoothed,
)
from analysis.style.counts import fold
from analysis.sweeps.library import read_document, shipped_files
from spades.core.errors import SpadesError
from spades.core.kernel import FloatArray
from spades.core.paths import DATA, stored_table
from spades.human.features.abstract_moves import N_MOVES

TABLE = DATA / "tables" / "setting_moves.npz"
COMMAND = "python -m experiments.count_setting_moves"


class MeasuredSetting(NamedTuple):
    """A setting of a shipped sweep; ``sweep`` and ``key`` are its place in Tune, ``moves`` counts
    of the 68 moves by game of the sweep's ``log``, in so many ``rounds``."""

    label: str
    sweep: str
    key: str
    log: str
    rounds: int
    moves: ByGame


@cache
def measured_settings() -> tuple[MeasuredSetting, ...]:
    """All that are shipped; of the same agent in several sweeps that with the most rounds. Raises
    ``SpadesError`` with the command that makes the table."""
    with stored_table(TABLE, COMMAND, SpadesError), np.load(TABLE) as table:
        counts = dict(zip(table["keys"].tolist(), table["counts"], strict=True))
    settings: dict[str, MeasuredSetting] = {}
    for path in shipped_files():
        if path.suffix != ".json":
            continue
        document = read_document(path)
        for measured in document["settings"]:
            key = measured["key"]
            if key not in counts:  # of a sweep that was measured anew since
                continue
            setting = MeasuredSetting(
                measured["label"],
                path.stem,
                key,
                document["plan"]["log"],
                document["plan"]["rounds"],
                ByGame(counts[key].astype(np.int32)),
            )
            known = settings.get(measured["agent"])
            if known is None or known.rounds < setting.rounds:
                settings[measured["agent"]] = setting
    return tuple(settings.values())


@dataclass(frozen=True)
class Neighbour:
    """A setting beside a group: ``kl``, nats, with 95% ``interval`` and ``chance`` level.
    ``farther``: by how much more than the nearest one, beyond chance; ``is_told_apart``: whether
    from the nearest one."""

    setting: MeasuredSetting
    kl: float
    interval: tuple[float, float]
    chance: float
    farther: float = 0.0
    is_told_apart: bool = False


def nearest_settings(
    group: Sample,
    classes: int = N_MOVES,
    settings: Sequence[MeasuredSetting] | None = None,
) -> list[Neighbour]:
    """All settings, the nearest first; none where the group has fewer than two games."""
    if group.n_games < 2:
        return []
    settings = measured_settings() if settings is None else settings
    drawn = [_drawn_kl(group.moves, setting.moves, classes) for setting in settings]
    noise = halves_divergence(group.moves, classes)
    found = []
    for setting, of_setting in zip(settings, drawn, strict=True):
        kl = _kl(group.moves, setting.moves, classes)
        chance = (noise + halves_divergence(setting.moves, classes)) / 4
        found.append(Neighbour(setting, kl, shifted_interval(of_setting, kl), chance))
    order = sorted(range(len(found)), key=lambda i: found[i].interval[1])
    return [_beside(found[i], drawn[i], found[order[0]], drawn[order[0]]) for i in order]


def _beside(
    neighbour: Neighbour, drawn: FloatArray, nearest: Neighbour, drawn_nearest: FloatArray
) -> Neighbour:
    """A setting with how it stands beside the nearest one."""
    farther = neighbour.kl - neighbour.chance - (nearest.kl - nearest.chance)
    gaps = drawn - drawn_nearest
    low, high = percentiles(gaps - gaps.mean() + farther)
    return replace(neighbour, farther=farther, is_told_apart=bool(low > 0 or high < 0))


def _kl(group: GameCounts, setting: GameCounts, classes: int) -> float:
    p = smoothed(fold(group.total, classes))
    q = smoothed(fold(setting.total, classes))
    return float(kl_divergence(p, q))


def _drawn_kl(group: GameCounts, setting: GameCounts, classes: int) -> FloatArray:
    """The KL in every resampling of the games, (replicates,)."""
    p = smoothed(fold(group.replicates, classes))
    q = smoothed(fold(setting.replicates, classes))
    return kl_divergence(p, q)
