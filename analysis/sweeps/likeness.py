"""Where accuracy and KL disagree on how human a sweep's settings play.

Accuracy asks whether an agent plays the human's card, KL whether it makes each kind of move as
often as humans do. A setting is *disputed* beside a rival where accuracy calls it more human than
the rival, and KL farther from the humans. Its rivals are the sweep's unbiased search and its
neighbours: the settings next to it on its line, where one value changes. A dispute is *settled*
where chance alone doesn't explain it: the 95% intervals of both measures lie apart (beside the
unbiased search, that of the gain in accuracy on the same decisions lies above 0).
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import pandas as pd

from analysis.sweeps import views
from analysis.sweeps.sweep import NONE

Row = dict[str, Any]


class Dispute(NamedTuple):
    """A setting that accuracy calls more human than ``rival``, and KL farther from the humans; both
    by their keys."""

    setting: str
    rival: str
    is_settled: bool


def find_disputes(table: pd.DataFrame) -> list[Dispute]:
    """All disputes of a sweep, from its ``views.view_table``, in the table's order."""
    measured = table.dropna(subset=["accuracy", "kl"])
    disputes = set()
    for setting, rival in _pairs(measured):
        is_nearer = setting["accuracy"] > rival["accuracy"]
        is_farther = setting["kl"] > rival["kl"]
        if is_nearer and is_farther:
            settled = _is_settled(setting, rival)
            disputes.add(Dispute(setting["key"], rival["key"], settled))
    place = {key: i for i, key in enumerate(measured["key"])}
    return sorted(disputes, key=lambda dispute: (place[dispute.setting], place[dispute.rival]))


def _pairs(measured: pd.DataFrame) -> Iterator[tuple[Row, Row]]:
    """Settings beside each of their rivals."""
    unbiased = measured[measured["technique"] == NONE].head(1)
    for rival in unbiased.to_dict("records"):
        for setting in measured.to_dict("records"):
            yield setting, rival
    for _, line in measured.groupby("series", sort=False):
        rows = line.sort_values("order").to_dict("records")
        for first, second in pairwise(rows):
            yield first, second
            yield second, first


def _is_settled(setting: Row, rival: Row) -> bool:
    if rival["technique"] == NONE and pd.notna(setting["gain_low"]):
        is_nearer = setting["gain_low"] > 0
    else:
        is_nearer = setting["accuracy_low"] > rival["accuracy_high"]
    is_farther = setting["kl_low"] > rival["kl_high"]
    return bool(is_nearer and is_farther)


def disputes_text(table: pd.DataFrame) -> str:
    """Which settings of a sweep accuracy and KL disagree on, for people."""
    measured = table.dropna(subset=["accuracy", "kl"])
    if len(measured) < 2:
        return "Accuracy and KL can't be compared: this sweep hasn't measured both of two settings."
    disputes = find_disputes(table)
    if not disputes:
        return (
            f"Accuracy and KL agree on all {len(measured)} settings, beside the unbiased search "
            "and beside their neighbours on a line."
        )
    settled = {dispute.setting for dispute in disputes if dispute.is_settled}
    others = {dispute.setting for dispute in disputes} - settled
    parts = [
        f"Accuracy and KL disagree on {len(settled | others)} of {len(measured)} settings: "
        "accuracy calls them more human than the unbiased search or than a neighbour on their "
        "line, KL farther from the humans."
    ]
    if settled:
        parts.append(f"Beyond both 95% intervals: {_named(table, settled)}.")
    if others:
        parts.append(f"By the values alone: {_named(table, others)}.")
    return " ".join(parts)


def _named(table: pd.DataFrame, keys: set[str]) -> str:
    """Settings by their lines: each line's name once, then what changes along it."""
    short_names = views.shorter(list(dict.fromkeys(table["series"])))
    texts = []
    for series, rows in table[table["key"].isin(keys)].groupby("series", sort=False):
        name = short_names[str(series)]
        notes = ", ".join(filter(None, rows.sort_values("order")["note"]))
        texts.append(f"{name}: {notes}" if notes else name)
    return "; ".join(texts)


def rivals_of(table: pd.DataFrame, disputes: Sequence[Dispute]) -> list[str]:
    """By row of the table, the settings beside which it is disputed; a * where that is settled."""
    labels = dict(zip(table["key"], table["label"], strict=True))
    rivals: dict[str, list[str]] = {key: [] for key in labels}
    for dispute in disputes:
        mark = " *" if dispute.is_settled else ""
        rival = labels[dispute.rival]
        rivals[dispute.setting].append(f"{rival}{mark}")
    return ["; ".join(rivals[key]) for key in table["key"]]
