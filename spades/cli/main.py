"""The command line: ``spades COMMAND``, or ``python -m spades COMMAND``; see ``--help`` of each.

Results go to standard output, as a table or with ``--json`` as one JSON document and nothing else;
messages go to standard error. Exit status 0: done; 1: the input was refused; 2: wrong usage; 3: an
agent passed less of a suite than was required; 130: interrupted by Ctrl-C.

A command's module is imported when the command is called: ``--help`` loads nothing else.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from analysis.runs.command import INTERRUPTED, RESUMABLE, say
from spades import __version__
from spades.cli.answer import DONE, REFUSED, Answer
from spades.core.documents import MAX_INT
from spades.core.errors import SpadesError
from spades.core.extras import explain_missing


class Command(NamedTuple):
    """``module`` of ``spades.cli`` has ``add_NAME``, which adds the command's options and whose
    docstring describes it, and ``run_NAME``, which runs it; ``_`` in their names is ``-``."""

    module: str
    help: str
    is_resumable: bool = False


COMMANDS = {
    "analyze": Command("analyze", "search every decision and show human probabilities beside it"),
    "solve": Command("solve", "the exact value of every legal card with all four hands open"),
    "convert": Command("records", "convert records between notations"),
    "validate": Command("records", "what a file of records holds, what is refused and why"),
    "simulate": Command("games", "play games between agents and log them", is_resumable=True),
    "match": Command("games", "win rate, points and time of two agents", is_resumable=True),
    "tournament": Command(
        "games", "every two of some agents against each other", is_resumable=True
    ),
    "disagreements": Command(
        "disagreements",
        "where a log's players chose a worse card than the judge",
        is_resumable=True,
    ),
    "suite": Command(
        "suite", "ask an agent positions of which the best card is known", is_resumable=True
    ),
    "sweep": Command("sweep", "measure a grid of settings of human bias", is_resumable=True),
    "reproduce": Command("papers", "published results beside ours", is_resumable=True),
    "agents": Command("agents", "players, bidders and all of their options"),
    "bid": Command("bid", "what every bidder bids on a hand, and why BIS does"),
    "style": Command("style", "how groups of players differ in their abstract moves"),
    "train": Command("models", "fit a model of human play to a log"),
    "evaluate": Command("models", "how well a model predicts the plays of a log"),
    "identify": Command("people", "which model or agent played this", is_resumable=True),
    "plays-like": Command("people", "which search predicts a player best", is_resumable=True),
    "corpus": Command("corpus", "make a corpus for flat-ucb:seed=corpus, or list the corpora"),
    "study": Command("studies", "create a study with people, see its progress, export its data"),
    "engine": Command("engine", "an agent for other programs: plays and analyses by JSON lines"),
    "check": Command("check", "find damage in stored games, studies, results, logs and models"),
    "dashboard": Command("dashboard", "start the dashboard, or serve the participants of a study"),
    "bench": Command("bench", "measure the speed table"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit status."""
    try:
        return _run(parse(sys.argv[1:] if arguments is None else arguments))
    except ModuleNotFoundError as error:
        say(f"spades: {explain_missing(error)}")
        return REFUSED


def _run(options: argparse.Namespace) -> int:
    try:
        _check_seed(options)
        answer: Answer = options.command(options)
        if options.json:
            print(json.dumps(answer.document))
        elif answer.table:
            print(answer.table(answer.document))
        return answer.status
    except BrokenPipeError:  # whoever read our output has left, as in `spades style ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except (SpadesError, OSError) as error:
        say(f"spades: {error}")
        return REFUSED
    except KeyboardInterrupt:
        say(RESUMABLE if options.is_resumable else "interrupted")
        return INTERRUPTED


def _check_seed(options: argparse.Namespace) -> None:
    seed = getattr(options, "seed", 0)
    if not 0 <= seed <= MAX_INT:
        raise SpadesError(f"--seed is {seed}; 0 to {MAX_INT} are legal")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of a command; ``SystemExit`` after ``--help``, ``--version`` and wrong usage."""
    is_script = Path(sys.argv[0]).stem == "spades"
    parser = argparse.ArgumentParser(
        prog="spades" if is_script else "python -m spades",
        description="Spades decision lab: human play next to game-tree search",
    )
    parser.add_argument("--version", action="version", version=f"spades {__version__}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    called = next((word for word in arguments if not word.startswith("-")), None)
    for name, command in COMMANDS.items():
        if name == called:
            _add_called(subparsers, name, command)
        else:
            subparsers.add_parser(name, help=command.help)
    return parser.parse_args(arguments)


def _add_called(subparsers: argparse._SubParsersAction, name: str, command: Command) -> None:
    """Add the parser of the command that was called, with all its options."""
    module = import_module(f"spades.cli.{command.module}")
    function = name.replace("-", "_")
    add_options = getattr(module, f"add_{function}")
    parser = subparsers.add_parser(name, help=command.help, description=add_options.__doc__)
    add_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(
        command=getattr(module, f"run_{function}"),
        is_resumable=command.is_resumable,
    )
