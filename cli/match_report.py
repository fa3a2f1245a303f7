"""What ``match`` prints for people."""

from __future__ import annotations

from typing import Any

from analysis.intervals import SIDES
from analysis.text_tables import text_table


def match_table(document: dict[str, Any]) -> str:
    """A match as text: who won how often, and a line a side."""
    variant = ", nil-only" if document["nil_only"] else ""
    floor = "" if document["floor"] is None else f", floor {document['floor']}"
    return "\n".join(
        [
            f"{document['ns']} against {document['ew']}: {document['games']:,} games to "
            f"{document['target']}{floor}{variant}, seed {document['seed']}",
            _win_line(document),
            "",
            *text_table([_HEAD, *(_side_row(document, side) for side in SIDES)]),
            "",
            f"key {document['key']}  code {document['code']}  tables {document['tables']}",
        ]
    )


_HEAD = ("side", "agent", "wins", "points a round", "bags a round", "nils made", "contracts made",
         "ms a move")  # fmt: skip


def _win_line(document: dict[str, Any]) -> str:
    wins, undecided = document["wins"], document["undecided"]
    if document["win_rate"] is None:
        return f"none of {undecided} games was decided"
    line = (
        f"{document['ns']} wins {document['win_rate']:.1%} of {sum(wins.values()):,} games "
        f"[{_range(document['interval'], '.1%')}], Clopper-Pearson 95 %"
    )
    if document["interval_pairs"]:
        line += f"; [{_range(document['interval_pairs'], '.1%')}] over pairs of games"
    return line + (f"; {undecided} undecided" if undecided else "")


def _side_row(document: dict[str, Any], side: str) -> tuple[str, ...]:
    points, interval = document["points_per_round"][side], document["points_interval"][side]
    milliseconds = document["ms_per_move"][side]
    return (
        side,
        document[side],
        f"{document['wins'][side]:,}",
        f"{points:.1f}" + (f" [{_range(interval, '.1f')}]" if interval else ""),
        f"{document['bags_per_round'][side]:.2f}",
        _share(document["nil"][side]),
        _share(document["contract"][side]),
        "-" if milliseconds is None else f"{milliseconds:.3f}",
    )


def _share(counts: dict[str, Any]) -> str:
    if not counts["bid"]:
        return "none bid"
    return f"{counts['share']:.1%} of {counts['bid']:,} [{_range(counts['interval'], '.1%')}]"


def _range(interval: tuple[float, float], form: str) -> str:
    return f"{interval[0]:{form}} to {interval[1]:{form}}"
