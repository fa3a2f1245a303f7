"""Where KL, accuracy and the discriminator disagree on how human a sweep's settings play.

Each sees something else: accuracy whether an agent plays the human's card, KL whether it makes each
kind of move as often as humans do, the AUC whether a classifier tells its plays from theirs. A
setting is *disputed* beside a rival where one of them calls it nearer to the humans than the rival,
and another farther. Its rivals are the sweep's unbiased search and its neighbours: the settings
next to it on its line, where one value changes; of two neighbours the one with more of the humans'
cards is named. A dispute is *settled* where chance alone doesn't explain it: the 95% intervals of
one measure that says nearer and of one that says farther lie apart (beside the unbiased search,
that of the gain in accuracy on the same decisions leaves out 0).
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import pandas as pd

from analysis.sweeps import views
from analysis.sweeps.sweep import NONE

Row = dict[str, Any]
MEASURES = (views.KL, views.ACCURACY, views.AUC)
NAMES = {views.KL.name: "KL", views.ACCURACY.name: "accuracy", views.AUC.name: "AUC"}


class Dispute(NamedTuple):
    """A setting beside a ``rival``, both by their keys: the names of the measures that call it
    ``nearer`` to the humans than the rival, and ``farther``."""

    setting: str
    rival: str
    nearer: tuple[str, ...]
    farther: tuple[str, ...]
    is_settled: bool

    @property
    def text(self) -> str:
        """``nearer by accuracy, farther by KL and AUC``."""
        return f"nearer by {_listed(self.nearer)}, farther by {_listed(self.farther)}"


def find_dispute(setting: Row, rival: Row) -> Dispute | None:
    """The dispute of a setting beside a rival, if there is one: rows of ``views.view_table``, whose
    measures that weren't measured are missing."""
    nearer = []
    farther = []
    clearly = set()
    for measure in MEASURES:
        sign = 1 if measure.more_is_better else -1
        gain = sign * (setting[measure.name] - rival[measure.name])
        if gain > 0:
            nearer.append(NAMES[measure.name])
        elif gain < 0:  # neither where one wasn't measured
            farther.append(NAMES[measure.name])
        if gain and _is_apart(measure, setting, rival):
            clearly.add(NAMES[measure.name])
    if not nearer or not farther:
        return None
    is_settled = bool(clearly.intersection(nearer) and clearly.intersection(farther))
    return Dispute(setting["key"], rival["key"], tuple(nearer), tuple(farther), is_settled)


def find_disputes(table: pd.DataFrame) -> list[Dispute]:
    """All disputes of a sweep, from its ``views.view_table``, in the table's order."""
    disputes = {}
    for setting, rival in _pairs(table):
        dispute = find_dispute(setting, rival)
        if dispute:
            disputes[dispute.setting, dispute.rival] = dispute
    place = {key: i for i, key in enumerate(table["key"])}
    return sorted(disputes.values(), key=lambda one: (place[one.setting], place[one.rival]))


def _pairs(table: pd.DataFrame) -> Iterator[tuple[Row, Row]]:
    """Settings beside each of their rivals."""
    unbiased = table[table["technique"] == NONE].head(1)
    for rival in unbiased.to_dict("records"):
        for setting in table.to_dict("records"):
            yield setting, rival
    for _, line in table.groupby("series", sort=False):
        rows = line.sort_values("order").to_dict("records")
        for first, second in pairwise(rows):
            is_second_nearer = second["accuracy"] > first["accuracy"]
            yield (second, first) if is_second_nearer else (first, second)


def _is_apart(measure: views.Measure, setting: Row, rival: Row) -> bool:
    """Whether the intervals of a measure lie apart."""
    name = measure.name
    if measure is views.ACCURACY and rival["technique"] == NONE and pd.notna(setting["gain_low"]):
        return bool(setting["gain_low"] > 0 or setting["gain_high"] < 0)
    is_above = setting[f"{name}_low"] > rival[f"{name}_high"]
    is_below = setting[f"{name}_high"] < rival[f"{name}_low"]
    return bool(is_above or is_below)


def disputes_text(table: pd.DataFrame) -> str:
    """Which settings of a sweep the measures disagree on, and what wasn't measured, for people."""
    known = [measure for measure in MEASURES if table[measure.name].notna().sum() > 1]
    if len(known) < 2:
        return (
            "KL, accuracy and AUC can't be compared: this sweep hasn't two of them of two settings."
        )
    measures = _listed([NAMES[measure.name] for measure in known])
    disputes = find_disputes(table)
    parts = [_summary(table, measures, disputes)]
    settled = [dispute for dispute in disputes if dispute.is_settled]
    is_named = {dispute.setting for dispute in settled}
    others = [dispute for dispute in disputes if dispute.setting not in is_named]
    for text, some in (("Beyond the 95% intervals", settled), ("By the values alone", others)):
        if some:
            parts.append(f"{text}: {_named(table, some)}.")
    for measure in MEASURES:
        n_missing = int(table[measure.name].isna().sum())
        if n_missing:
            parts.append(f"{NAMES[measure.name]} isn't measured for {n_missing} of {len(table)}.")
    return " ".join(parts)


def _summary(table: pd.DataFrame, measures: str, disputes: Sequence[Dispute]) -> str:
    measures = measures[0].upper() + measures[1:]
    if not disputes:
        return (
            f"{measures} agree on all {len(table)} settings, beside the unbiased search and beside "
            "their neighbours on a line."
        )
    n_disputed = len({dispute.setting for dispute in disputes})
    return (
        f"{measures} disagree on {n_disputed} of {len(table)} settings, which are nearer to the "
        "humans than the unbiased search or than a neighbour on their line by one, and farther by "
        "another."
    )


def _listed(names: Sequence[str]) -> str:
    """``KL``, ``KL and AUC``, ``KL, accuracy and AUC``."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _named(table: pd.DataFrame, disputes: Sequence[Dispute]) -> str:
    """What is said of which settings, by their lines: each line's name once, then what changes
    along it."""
    keys_by_text: dict[str, set[str]] = {}
    for dispute in disputes:
        keys_by_text.setdefault(dispute.text, set()).add(dispute.setting)
    short_names = views.shorter(list(dict.fromkeys(table["series"])))
    texts = []
    for text, keys in keys_by_text.items():
        names = []
        for series, rows in table[table["key"].isin(keys)].groupby("series", sort=False):
            name = short_names[str(series)]
            notes = ", ".join(filter(None, rows.sort_values("order")["note"]))
            names.append(f"{name}: {notes}" if notes else name)
        texts.append(f"{text} ({'; '.join(names)})")
    return ", ".join(texts)


def rivals_of(table: pd.DataFrame, disputes: Sequence[Dispute]) -> list[str]:
    """By row of the table, the settings beside which it is disputed, and how; a * where that is
    settled."""
    labels = dict(zip(table["key"], table["label"], strict=True))
    rivals: dict[str, list[str]] = {key: [] for key in labels}
    for dispute in disputes:
        mark = " *" if dispute.is_settled else ""
        rivals[dispute.setting].append(f"{labels[dispute.rival]} ({dispute.text}){mark}")
    return ["; ".join(rivals[key]) for key in table["key"]]
