"""The command ``engine``: an agent as a program, over the engine protocol."""

import argparse
import os
import sys

from analysis.engine.server import Server
from spades.agents import parse_agent
from spades.cli.answer import Answer
from spades.cli.arguments import AGENT, add_number
from spades.cli.own import admitted
from spades.core.errors import SpadesError
from spades.programs import close_programs


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Play for another program, and analyse decisions for it: JSON lines on standard input, their
    answers on standard output, until ``quit`` or the end of the input. docs/protocol.md says what
    the lines are."""
    parser.add_argument("agent", metavar="SPEC", help=f"who plays, {AGENT}")
    hint = "analyses at a time, 1 by default"
    add_number(parser, "--threads", hint, default=1)


def run_engine(options: argparse.Namespace) -> Answer:
    most = os.cpu_count() or 1
    if not 1 <= options.threads <= most:
        raise SpadesError(f"--threads is {options.threads}; 1 to {most} are legal")
    agent = parse_agent(admitted(options.agent))
    server = Server(agent, sys.stdin.buffer, sys.stdout.buffer, threads=options.threads)
    try:
        server.run()
    finally:
        close_programs()
    return Answer({})
