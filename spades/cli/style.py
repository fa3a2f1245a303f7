"""The command ``style``: how groups of players differ in their abstract moves."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from analysis.records import documents_of
from analysis.style import compare
from analysis.style.compare import Sample, StyleComparison, move_names
from analysis.style.counts import Group, PlayFilter
from analysis.style.habits import Habit, find_habits, habit_table
from analysis.style.kl_sample import OF_THESE_PLAYS
from analysis.style.streamed import StreamedChoices, stream_samples
from analysis.text_tables import shown, span, text_table
from spades.cli.answer import Answer, refused_rows, report_refused
from spades.core.documents import Document, without_nan
from spades.core.errors import InvalidRecordError, SpadesError
from spades.core.errors import shown as shown_text
from spades.core.logs import Log
from spades.human.features.abstract_moves import DEFINITIONS_NOTE, N_MOVES
from spades.notation import stream_log

MAX_GROUPS = 12


def add_style(parser: argparse.ArgumentParser) -> None:
    """How groups of players differ: frequencies of abstract moves, and Kullback-Leibler divergences
    with bootstrap intervals over games."""
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="LOG", help="files or folders of rounds"
    )
    parser.add_argument(
        "--by",
        choices=("kind", "agent", "player"),
        default="kind",
        help="what makes a group: humans and agents (default), agents by text, players by name",
    )
    parser.add_argument(
        "--classes",
        type=int,
        choices=(32, 68),
        default=32,
        help="abstract moves told apart, 32 by default",
    )
    parser.add_argument(
        "--habits",
        nargs=2,
        metavar=("GROUP", "GROUP"),
        help="also what the first of two groups does more or less often than the second, where",
    )


@dataclass(frozen=True)
class StyleOfFiles:
    """How groups differ in the plays of files, as one set. ``refused``: rounds that were left out,
    by file and line; ``groups_left_out``: how many are too small to be among ``MAX_GROUPS``;
    ``habits``: of two groups, where they were asked for."""

    files: tuple[str, ...]
    by: str
    comparison: StyleComparison
    refused: list[Document]
    simulated_humans: bool
    rounds_repeated: int
    groups_left_out: int
    habits: "HabitsOfGroup | None" = None

    def document(self) -> Document:
        """What ``style --json`` prints."""
        return {
            **documents_of(
                self,
                (
                    *("files", "refused", "by", "simulated_humans", "rounds_repeated"),
                    "groups_left_out",
                ),
            ),
            **self.comparison.document(),
            **({"habits": self.habits.document()} if self.habits else {}),
            "note": DEFINITIONS_NOTE,
        }


class HabitsOfGroup(NamedTuple):
    """What the group ``of`` does more or less often than ``to``, largest first."""

    of: Group
    to: Group
    habits: list[Habit]

    def document(self) -> Document:
        rows = [without_nan(row) for row in habit_table(self.habits).to_dict("records")]
        return {"of": self.of.label, "to": self.to.label, "rows": rows}


def run_style(options: argparse.Namespace) -> Answer:
    found = compare_files(options.files, options.by, options.classes, options.habits)
    return Answer(found.document(), lambda _: style_text(found), report_refused(found.refused))


def compare_files(
    paths: Sequence[Path],
    by: str = "kind",
    classes: int = N_MOVES,
    habits: Sequence[str] | None = None,
) -> StyleOfFiles:
    """The plays of files or folders of any size compared by kind, agent or player; at most
    ``MAX_GROUPS`` groups, those with the most rounds. ``habits``: two of the groups, by their
    labels or what they are, to find the habits of the first in. Raises ``InvalidRecordError`` where
    no group has a play, and ``SpadesError`` for no such group."""
    refused: list[Document] = []

    def parts() -> Iterator[Log]:
        refused.clear()  # read twice
        for path in paths:
            for log, refusals in stream_log(path):
                refused.extend(refused_rows(path, refusals))
                yield log

    found = stream_samples(parts, by, classes, PlayFilter(), most=MAX_GROUPS)
    if not found.samples:
        raise InvalidRecordError(f"no play to compare in {', '.join(path.name for path in paths)}")
    habits_of_group = None
    if habits:
        first, second = habits
        of = _group(first, found.samples)
        to = _group(second, found.samples)
        own = StreamedChoices(parts, of, PlayFilter())
        others = StreamedChoices(parts, to, PlayFilter())
        habits_of_group = HabitsOfGroup(of, to, find_habits(own, others, classes=classes))
    return StyleOfFiles(
        files=tuple(path.name for path in paths),
        by=by,
        comparison=StyleComparison.of(found.samples, classes),
        refused=refused,
        simulated_humans=found.has_simulated,
        rounds_repeated=found.repeated,
        groups_left_out=found.groups_left_out,
        habits=habits_of_group,
    )


def _group(name: str, samples: Sequence[Sample]) -> Group:
    groups = [sample.group for sample in samples]
    for group in groups:
        if name in (group.label, group.value):
            return group
    labels = ", ".join(group.label for group in groups)
    raise SpadesError(f"no group is called {shown_text(name)}; there are: {labels}")


def style_text(found: StyleOfFiles) -> str:
    """The comparison for people: groups, divergences, frequencies."""
    comparison = found.comparison
    groups = [("", "group", "games", "decisions", "")]
    groups += [
        ("", row.group, f"{row.games:,}", f"{row.decisions:,}", "")
        for row in comparison.groups.itertuples()
    ]
    pairs = [("", "KL (nats)", "", "95%", "chance", "JS (bits)", "")]
    for row in comparison.divergences.itertuples():
        kl, chance, js = (shown(value, ".4f") for value in (row.kl, row.chance, row.js))
        interval = span((row.kl_low, row.kl_high), ".4f")
        pairs.append(("", f"{row.of} || {row.to}", kl, interval, chance, js, ""))
    published = ", ".join(f"{name} {kl:.4f}" for name, kl in compare.PUBLISHED_KL.items())
    lines = text_table(groups)
    if found.rounds_repeated:
        lines.append(f"  {found.rounds_repeated:,} rounds repeat another and count once")
    if found.groups_left_out:
        lines.append(f"  and {found.groups_left_out} more")
    lines += ["", *text_table(pairs)]
    lines.append(OF_THESE_PLAYS)
    lines.append(f"published (Devlin 2016, agents against real humans): {published}")
    if found.simulated_humans:
        lines.append("the humans here are simulated")
    if found.habits:
        lines += ["", *_habit_lines(found.habits)]
    lines += ["", *text_table(_frequency_rows(comparison))]
    return "\n".join(line.rstrip() for line in lines)


def _habit_lines(found: HabitsOfGroup) -> list[str]:
    """A row a habit: shares of the plays where it was a choice, and what it adds in nats."""
    of, to = found.of.label, found.to.label
    if not found.habits:
        return [f"  no habit tells {of} from {to}"]
    rows = [("", f"habits of {of}", "where", of, "n", to, "n", "adds", "KL left", "")]
    for row in habit_table(found.habits).itertuples():
        shares = (f"{row.of_share:.1%}", f"{row.of_n:,}", f"{row.to_share:.1%}", f"{row.to_n:,}")
        nats = (shown(row.nats, ".4f"), shown(row.kl_left, ".4f"))
        rows.append(("", row.habit, row.situation, *shares, *nats, ""))
    return text_table(rows)


def _frequency_rows(comparison: StyleComparison) -> list[tuple[str, ...]]:
    """A row an abstract move, a column a group: share of all plays."""
    groups = comparison.groups["group"].tolist()
    shares = comparison.frequencies.pivot(index="move", columns="group", values="share")
    rows = [("", f"share of plays, {comparison.classes} classes", *groups, "")]
    for move in move_names(comparison.classes):
        rows.append(("", move, *(f"{shares.loc[move, group]:.2%}" for group in groups), ""))
    return rows
