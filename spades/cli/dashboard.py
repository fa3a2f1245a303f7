"""The command ``dashboard``: the pages in a browser, or the participants' page of studies alone."""

import argparse
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from analysis.runs.command import say
from spades.core.access import VARIABLE, access_token, token_file
from spades.core.errors import SpadesError
from spades.core.paths import DASHBOARD, FOLDER_VARIABLES

ALL_PAGES = "app.py"
STUDY_PAGE = "ui/study/alone.py"
MAX_PORT = 65_535
OWN_NAMES = ("localhost", "127.0.0.1")


class DashboardError(SpadesError):
    """A dashboard that can't be started."""


def add_dashboard(parser: argparse.ArgumentParser) -> None:
    """Start the dashboard on this machine; Ctrl-C stops it. ``--study`` serves participants their
    study and nothing else. For readers on other machines, listen at ``--address`` and give every
    name of this server by ``--host``."""
    parser.add_argument("--study", action="store_true", help="only the participants' page")
    parser.add_argument("--port", type=int, default=8501, metavar="N", help="8501 by default")
    parser.add_argument(
        "--address",
        default="127.0.0.1",
        help="to listen at; by default only this machine reaches it",
    )
    parser.add_argument(
        "--host",
        action="append",
        default=[],
        metavar="NAME",
        help="another name of this server, as spades.example.org",
    )


def run_dashboard(options: argparse.Namespace) -> NoReturn:
    if find_spec("streamlit") is None:
        raise ModuleNotFoundError(name="streamlit")
    command = command_of(options)
    for line in greeting(options):
        say(line)
    environment = environment_of_server(Path.cwd())
    os.chdir(DASHBOARD)  # the server reads .streamlit there, and none of the user's Python files
    os.execve(command[0], command, environment)  # signals then reach the server itself


def command_of(options: argparse.Namespace) -> list[str]:
    """The command that starts the server; ``DashboardError`` for a port or name that can't be."""
    if not 1 <= options.port <= MAX_PORT:
        raise DashboardError(f"--port is {options.port}; 1 to {MAX_PORT} are legal")
    for name in options.host:
        if not name or not name.isascii() or set(name) & set("/:@?# *,"):
            raise DashboardError(f"--host is {name!r}; a name as spades.example.org is legal")
    script = DASHBOARD / (STUDY_PAGE if options.study else ALL_PAGES)
    command = [sys.executable, "-m", "streamlit", "run", str(script)]
    command += ["--server.headless", "true"]
    command += ["--server.port", str(options.port)]
    command += ["--server.address", options.address]
    for name in (*OWN_NAMES, *options.host):
        command += ["--server.allowedHosts", name]
    return command


def environment_of_server(folder: Path) -> dict[str, str]:
    """This process's environment for a server in another folder: names of folders that are
    relative to ``folder`` made absolute, and Python told to look for modules where it starts."""
    environment = dict(os.environ)
    for name in FOLDER_VARIABLES:
        if environment.get(name):
            environment[name] = str(folder / environment[name])
    environment.pop("PYTHONSAFEPATH", None)
    return environment


def greeting(options: argparse.Namespace) -> list[str]:
    """The dashboard's address, and where programs find the access token."""
    name = options.host[0] if options.host else "localhost"
    lines = [f"http://{name}:{options.port}"]
    if not options.study:
        access_token()  # creates the file if there is none yet
        place = f"${VARIABLE}" if VARIABLE in os.environ else token_file()
        lines.append(f"access token for programs that open tables: {place}")
    return lines
