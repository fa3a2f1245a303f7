"""The command ``dashboard``: the pages in a browser, or a study's participants' page alone."""

import argparse
import os
import sys
from pathlib import Path
from typing import NoReturn

from analysis.runs.command import say
from spades.core.access import VARIABLE, access_token, token_file
from spades.core.errors import SpadesError

ROOT = Path(__file__).resolve().parents[2]
WHOLE, STUDY = "app.py", "ui/studies/alone.py"
MAX_PORT = 65_535
OWN_NAMES = ("localhost", "127.0.0.1")


class DashboardError(SpadesError):
    """A dashboard that can't be started."""


def add_dashboard(parser: argparse.ArgumentParser) -> None:
    """Start the dashboard on this machine; Ctrl-C ends it. ``--study`` serves participants their
    study and nothing else. Others reach it under the names of ``--host`` at ``--address``."""
    parser.add_argument("--study", action="store_true", help="the participants' page alone")
    parser.add_argument("--port", type=int, default=8501, metavar="N")
    parser.add_argument("--address", default="127.0.0.1", help="to listen at; this machine alone")
    parser.add_argument(
        "--host", action="append", default=[], metavar="NAME", help="another name of this server"
    )


def run_dashboard(options: argparse.Namespace) -> NoReturn:
    command = command_of(options)
    for line in greeting(options):
        say(line)
    os.chdir(ROOT)
    os.execv(command[0], command)  # signals reach the server itself


def command_of(options: argparse.Namespace) -> list[str]:
    """What starts the server; ``DashboardError`` where it can't be."""
    script = ROOT / (STUDY if options.study else WHOLE)
    if not script.is_file():
        where = script.relative_to(ROOT)
        raise DashboardError(f"{ROOT} has no {where}: the dashboard runs in a checkout alone")
    if not 1 <= options.port <= MAX_PORT:
        raise DashboardError(f"--port is {options.port}; 1 to {MAX_PORT} are legal")
    for name in options.host:
        if not name or not name.isascii() or set(name) & set("/:@?# *,"):
            raise DashboardError(f"--host is {name!r}; a name as spades.example.org is legal")
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.headless", "true"]
    command += ["--server.port", str(options.port), "--server.address", options.address]
    for name in (*OWN_NAMES, *options.host):
        command += ["--server.allowedHosts", name]
    return command


def greeting(options: argparse.Namespace) -> list[str]:
    """The address, and where the access token is."""
    name = options.host[0] if options.host else "localhost"
    lines = [f"http://{name}:{options.port}"]
    if not options.study:
        access_token()  # from now on it is there
        place = f"${VARIABLE}" if VARIABLE in os.environ else token_file()
        lines.append(f"access token of programs that open tables: {place}")
    return lines
