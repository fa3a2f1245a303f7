"""What the commands that make results share: where the tasks run, and Ctrl-C. Loads no tables."""

from __future__ import annotations

import argparse
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


def worker_count(text: str) -> int:
    """The number after ``--workers``; less than one is wrong usage."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}; 1 or more are possible")
    return int(text)


def add_cluster_options(parser: argparse.ArgumentParser) -> None:
    """``--workers`` and ``--scheduler``: where a command's tasks run."""
    add_workers(parser)
    parser.add_argument("--scheduler", metavar="tcp://...", help="a Dask scheduler instead")


def add_workers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--workers", type=worker_count, metavar="N", help="local processes, one a core"
    )


@contextmanager
def stoppable(say: Callable[[str], None]) -> Iterator[Callable[[], bool]]:
    """Ctrl-C asks the run inside to end in good order; a second one ends it at once."""
    asked = threading.Event()

    def ask(number: int, frame: Any) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()
        say("stopping ...")

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)
