"""The command line: ``spades COMMAND``, or ``python -m spades COMMAND``; see ``--help`` of each.

Results go to standard output, as a table or with ``--json`` as one JSON document and nothing else;
messages to standard error. Exit status 0: done; 1: the input was refused; 2: wrong usage; 130:
stopped by Ctrl-C.

A command's module is imported when it is called: ``--help`` loads nothing else."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from analysis.runs.command import STOPPED, say
from spades.core.documents import MAX_INT
from spades.core.errors import Refusal, SpadesError

DONE, REFUSED, USAGE = 0, 1, 2
MAX_REASONS = 10  # of refused rounds, printed
GOES_ON = "stopped; the same command goes on"
GO_ON = ("simulate", "match", "sweep", "reproduce", "identify", "plays-like")
COMMANDS = {
    "analyze": ("records", "search every play decision and put human probabilities beside it"),
    "solve": ("records", "the exact value of every legal card with all four hands open"),
    "convert": ("records", "convert a record between notations"),
    "validate": ("records", "what is in a file, what was refused and why"),
    "simulate": ("games", "play games between agents and log them"),
    "match": ("games", "win rate, interval, points and time per move between two agents"),
    "sweep": ("games", "accuracy, KL, win rate and time of a grid of settings of human bias"),
    "reproduce": ("papers", "the published tables and figures beside ours, each with a verdict"),
    "agents": ("agents", "players, bidders and all of their options"),
    "bid": ("bid", "what bidders bid on a hand, and why BIS does"),
    "style": ("humans", "abstract-move frequencies and KL divergence between groups of players"),
    "train": ("humans", "fit a model of human play to a log"),
    "evaluate": ("humans", "how well a model predicts the plays of a log"),
    "identify": ("people", "who played this: models and agents by the likelihood of the cards"),
    "plays-like": ("people", "the iterations at which ISMCTS predicts a player's cards best"),
    "corpus": ("humans", "make a corpus of a log for flat-ucb:seed=corpus, or list the corpora"),
    "study": ("studies", "make a study with people, see its progress, export its data"),
    "check": ("check", "what is damaged in the stores of games, studies, results, logs, models"),
    "dashboard": ("dashboard", "the pages in a browser, or a study's participants' page alone"),
    "bench": ("games", "the speed table, with ratios"),
}
"""Name: the module whose ``add_NAME`` adds its options and whose ``run_NAME`` runs it, ``_`` for
``-``, and what ``--help`` says; the docstring of ``add_NAME`` is the command's description."""

AGENT = "as ismcts:iterations=1000+bis; spades agents lists all"
"""What ``--help`` says of an agent's text."""

EXTRAS = {"plotly": "dashboard", "streamlit": "dashboard", "torch": "train"}
"""Packages that the library does without, and the extra that installs them."""


class Answer(NamedTuple):
    """What a command found: the document of ``--json``, its table for people, the exit status."""

    document: dict[str, Any]
    table: Callable[[dict[str, Any]], str] | None = None
    status: int = DONE


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit status."""
    try:
        return _run(parse(sys.argv[1:] if arguments is None else arguments))
    except ModuleNotFoundError as error:
        extra = EXTRAS.get(error.name or "")
        if extra is None:
            raise
        say(f"spades: {error.name} is missing; pip install spades-decision-lab[{extra}] adds it")
        return REFUSED


def _run(options: argparse.Namespace) -> int:
    try:
        if not 0 <= (seed := getattr(options, "seed", 0)) <= MAX_INT:
            raise SpadesError(f"--seed is {seed}; 0 to {MAX_INT} are legal")
        found: Answer = options.command(options)
        if options.json:
            print(json.dumps(found.document))
        elif found.table:
            print(found.table(found.document))
        return found.status
    except BrokenPipeError:  # the reader of our output went away
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except (SpadesError, OSError) as error:
        say(f"spades: {error}")
        return REFUSED
    except KeyboardInterrupt:
        say(GOES_ON if options.goes_on else "stopped")
        return STOPPED


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of the command; ``SystemExit`` for ``--help`` and wrong usage."""
    is_script = Path(sys.argv[0]).stem == "spades"
    parser = argparse.ArgumentParser(
        prog="spades" if is_script else "python -m spades", description="Spades decision lab"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    called = next((word for word in arguments if not word.startswith("-")), None)
    for name, (room, text) in COMMANDS.items():
        if name != called:
            commands.add_parser(name, help=text)
            continue
        module, as_name = import_module(f"cli.{room}"), name.replace("-", "_")
        add_options = getattr(module, f"add_{as_name}")
        own = commands.add_parser(name, help=text, description=add_options.__doc__)
        add_options(own)
        own.add_argument("--json", action="store_true", help="one JSON document")
        own.set_defaults(command=getattr(module, f"run_{as_name}"), goes_on=name in GO_ON)
    return parser.parse_args(arguments)


def add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=0, metavar="S")


def add_game_end(parser: argparse.ArgumentParser, target: int | None = None) -> None:
    points: dict[str, Any] = {"type": int, "metavar": "POINTS"}
    parser.add_argument("--target", default=target, help="500 by default", **points)
    parser.add_argument("--floor", help="losing floor, none by default", **points)


def refused_rows(path: Path, refusals: Sequence[Refusal]) -> list[dict[str, Any]]:
    return [{"file": path.name, "line": r.line, "reason": r.reason} for r in refusals]


def finish(refused: Sequence[dict[str, Any]]) -> int:
    """Say how many rounds were left out, and why the first of them were; the exit status."""
    if not refused:
        return DONE
    say(f"{len(refused):,} refused and left out:")
    for row in refused[:MAX_REASONS]:
        say(f"{row['file']}: {Refusal(row['line'], row['reason'])}")
    if len(refused) > MAX_REASONS:
        say(f"and {len(refused) - MAX_REASONS:,} more")
    return REFUSED
