"""Options that several commands share."""

import argparse
from pathlib import Path
from typing import Any

from spades.human.features.logs import ALL_SEATS, HUMANS

AGENT = "as ismcts:iterations=1000+bis, or py:module.Name of your own; spades agents lists all"
"""What ``--help`` says of an agent's text."""


def add_number(
    parser: argparse._ActionsContainer,
    name: str,
    meaning: str,
    *,
    unit: str = "N",
    kind: type = int,
    **options: Any,
) -> None:
    """A number, by default a whole one; ``unit``: what ``--help`` writes for it."""
    parser.add_argument(name, type=kind, metavar=unit, help=meaning, **options)


def add_seed(parser: argparse.ArgumentParser) -> None:
    add_number(parser, "--seed", "0 by default", unit="S", default=0)


def add_round(parser: argparse.ArgumentParser) -> None:
    add_number(parser, "--round", "only round N of the file, from 0")


def add_game_end(parser: argparse.ArgumentParser, target: int | None = None) -> None:
    """``--target`` and ``--floor``: the scores at which a game is won and lost."""
    win = "points that win the game, 500 by default"
    lose = "points that lose the game; none by default"
    add_number(parser, "--target", win, unit="POINTS", default=target)
    add_number(parser, "--floor", lose, unit="POINTS")


def game_end_rules(options: argparse.Namespace) -> dict[str, Any]:
    """``--target`` and ``--floor``, those that were given, as options of the rules."""
    ends = {"target": options.target, "losing_floor": options.floor}
    return {rule: points for rule, points in ends.items() if points is not None}


def add_data(parser: argparse.ArgumentParser) -> None:
    hint = "a file, or a log's name"
    parser.add_argument("--data", type=Path, required=True, metavar="LOG", help=hint)


def add_seats(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seats",
        choices=(HUMANS, ALL_SEATS),
        default=HUMANS,
        help="whose plays, by default those of humans and simulated humans",
    )
