"""Arguments that several commands share."""

import argparse

AGENT = "as ismcts:iterations=1000+bis; spades agents lists all"
"""What ``--help`` says of an agent's text."""


LOG_HINT = "a file, or a log's name"


def add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="0 by default")


def add_game_end(parser: argparse.ArgumentParser, target: int | None = None) -> None:
    """``--target`` and ``--floor``: the scores at which a game is won and lost."""
    parser.add_argument(
        "--target",
        type=int,
        default=target,
        metavar="POINTS",
        help="points that win the game, 500 by default",
    )
    parser.add_argument(
        "--floor",
        type=int,
        metavar="POINTS",
        help="points that lose the game; none by default",
    )
