"""Shared by commands that make results: options, Ctrl-C, writing a document. Loads no tables."""

import argparse
import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from spades.core.documents import Document
from spades.core.paths import replacing

INTERRUPTED = 130  # exit status of a command that Ctrl-C ended
RESUMABLE = "interrupted; run the same command again to resume"
_Made = TypeVar("_Made")


def write_table(content: Document, path: Path, *, indent: int = 2) -> None:
    """Write a document as JSON, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        text = json.dumps(content, indent=indent, allow_nan=False)
        temporary.write_text(text + "\n", encoding="utf-8")


def worker_count(text: str) -> int:
    """The number after ``--workers``; less than one is wrong usage."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}; 1 or more are possible")
    return int(text)


def add_workers(parser: argparse.ArgumentParser) -> None:
    hint = "local processes, one a core"
    parser.add_argument("--workers", type=worker_count, metavar="N", help=hint)


def add_cluster_options(parser: argparse.ArgumentParser) -> None:
    """``--workers`` and ``--scheduler``: where a command's tasks run."""
    add_workers(parser)
    parser.add_argument("--scheduler", metavar="tcp://...", help="a Dask scheduler instead")


def on_cluster(
    run: Callable[..., _Made | None], *arguments: Any, options: argparse.Namespace
) -> _Made:
    """Call ``run`` with the options of a cluster; ``KeyboardInterrupt`` if Ctrl-C cancelled it."""
    with interruptible(say) as is_cancelled:
        made = run(
            *arguments,
            workers=options.workers,
            scheduler=options.scheduler,
            tell=lambda progress: say(progress.text()),
            is_cancelled=is_cancelled,
        )
    if not made:
        raise KeyboardInterrupt
    return made


def say(text: str) -> None:
    sys.stderr.write(text + "\n")


@contextmanager
def interruptible(report: Callable[[str], None]) -> Iterator[Callable[[], bool]]:
    """Ctrl-C asks what runs inside to stop; a second Ctrl-C interrupts it at once.

    Yields a function that says whether it was cancelled.
    """
    is_cancelled = threading.Event()

    def cancel(number: int, frame: Any) -> None:
        if is_cancelled.is_set():
            raise KeyboardInterrupt
        is_cancelled.set()
        report("cancelling ...")

    before = signal.signal(signal.SIGINT, cancel)
    try:
        yield is_cancelled.is_set
    finally:
        signal.signal(signal.SIGINT, before)
