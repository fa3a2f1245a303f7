"""A decision as a report in Markdown, to paste into a bug tracker.

Record, settings, decision table, verdict, link, code version: what somebody else needs to see the
same numbers. Text from records (names, sources) stands in the fenced record alone, where no mark
means anything; the fence is longer than any run of its own in there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from analysis.decisions.decision import AnalysisSettings, CardRow, Decision, pretty
from analysis.decisions.searching import search_key
from analysis.decisions.verdict import verdict
from analysis.runs.store import model_hash
from spades.core.cards import SEAT_NAMES, SEATS
from spades.core.records import RoundRecord
from spades.core.version import source_hash
from spades.notation import format_records
from spades.search import SearchSettings

_LEAST_FENCE = 3
_NO_VALUE = "–"


def report_markdown(
    record: RoundRecord, decision: Decision, settings: AnalysisSettings, link: str
) -> str:
    """The report on a decision of a round; ``link`` opens it on Replay."""
    seat = SEAT_NAMES[SEATS[decision.seat]]
    kind = record.kinds[decision.seat].replace("-", " ")
    played = f", played {pretty(decision.played)}" if decision.played else ""
    blocks = [
        f"## Spades: {seat} to play, trick {decision.trick + 1}, ply {decision.ply}",
        verdict(decision, settings.models[0]),
        f"{seat} ({kind}{played}). Divergence of visit shares and human probabilities: "
        f"{decision.divergence:.3f} bits (Jensen–Shannon, 0 to 1).",
        markdown_table(_decision_rows(decision, settings)),
        "Values are points for the mover's side, with standard errors; iterations of a search "
        "are no independent draws, so read the errors as lower bounds.",
        "### Settings",
        markdown_table([("setting", "value"), *_settings_rows(record, decision, settings)]),
        f"Link: {plain_link(link)}",
        "### Record",
        fenced(format_records([replace(record, source="")], "ptn").strip("\n")),
    ]
    return "\n\n".join(blocks) + "\n"


def _decision_rows(decision: Decision, settings: AnalysisSettings) -> list[tuple[str, ...]]:
    choice = decision.search_choice.card
    head = ("card", *(f"human, {name}" for name in settings.models), "visits", "share")
    rows = [(*head, "available", "value", "s.e.", "abstract move", "")]
    rows += [_card_row(row, decision, settings, choice) for row in decision.cards]
    return rows


def _card_row(
    row: CardRow, decision: Decision, settings: AnalysisSettings, choice: str
) -> tuple[str, ...]:
    marks = [
        "search" if row.card == choice else "",
        "played" if row.card == decision.played else "",
    ]
    return (
        pretty(row.card),
        *(f"{row.human[name]:.1%}" for name in settings.models),
        f"{row.visits:,}",
        f"{row.share:.1%}",
        f"{row.availability:,}",
        _points(row.value, "+.1f"),
        _points(row.value_se, ".1f"),
        row.abstract_move,
        ", ".join(filter(None, marks)),
    )


def _points(value: float, form: str) -> str:
    return _NO_VALUE if math.isnan(value) else format(value, form)


def _settings_rows(
    record: RoundRecord, decision: Decision, settings: AnalysisSettings
) -> list[tuple[str, str]]:
    models = [f"{name} ({model_hash(name)})" for name in settings.models_asked]
    rows = [
        ("search", _search_text(settings.search)),
        ("hidden cards drawn", settings.dealing.text()),
        ("iterations", f"{decision.search.iterations:,}"),
        ("seed", str(settings.seed)),
        ("human models", ", ".join(models)),
    ]
    if settings.beside is not None:
        rows.append(("search beside it", _search_text(settings.beside)))
    key = search_key(record, settings, ply=decision.ply)
    return [*rows, ("code", source_hash()), ("key", key)]


def _search_text(search: SearchSettings) -> str:
    told = f"ISMCTS, exploration {search.exploration:g}, playout {search.playout}"
    told += f", reward scale {search.reward_scale:g}"
    if search.epsilon != SearchSettings.epsilon:
        told += f", epsilon {search.epsilon:g}"
    if search.skew:
        told += f", skew on, skew_k {search.skew_k:g}"
    if bias := search.bias:
        told += f", bias {bias.technique} towards {bias.model}, c_bt {bias.c_bt:g}, k {bias.k:g}"
        told += f", w {bias.w}, delay {bias.delay}"
    return told


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of text as a table; the first is its head."""
    lines = ["| " + " | ".join(map(_cell, row)) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|")


def plain_link(link: str) -> str:
    """A link that ends where it ends: what could close or break it is percent-encoded."""
    unsafe = re.compile(r"[\s<>\"`|\\^{}]")
    return "<" + unsafe.sub(lambda found: f"%{ord(found[0]):02X}", link) + ">"


def fenced(text: str) -> str:
    """A text as a code block that nothing in it can end."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(_LEAST_FENCE, longest + 1)
    return f"{fence}\n{text}\n{fence}"
