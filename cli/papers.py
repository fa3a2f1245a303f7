"""``spades reproduce``: the published tables and figures beside ours."""

import argparse
import time
from typing import Any

from analysis.papers import reproduce
from analysis.papers.claims import texts_of
from analysis.papers.lab import SCALES, Lab, StoppedError, parse_scale
from analysis.runs.cluster import dask_client
from analysis.runs.command import (
    INTERRUPTED,
    RESUMABLE,
    add_cluster_options,
    interruptible,
    say,
)
from analysis.runs.progress import Progress, format_seconds
from analysis.text_tables import text_table
from cli.main import DONE, Answer
from spades.core.errors import SpadesError

EVERY = 10.0  # seconds between lines of progress


def add_reproduce(parser: argparse.ArgumentParser) -> None:
    """Published tables and figures beside ours: every claim with the paper's figure, ours, its 95%
    interval, n, and a verdict by one rule. Without --scale what is stored is printed; with it the
    figures are made anew, or what the store lacks of them. Resumable."""
    named = "as baier-table1, baier or cohensius-fig2-7; all by default"
    parser.add_argument("name", nargs="?", metavar="NAME", help=named)
    sizes = f"{', '.join(SCALES)}, or a share of full, as 0.1"
    parser.add_argument("--scale", metavar="SCALE", help=sizes)
    add_cluster_options(parser)


def run_reproduce(options: argparse.Namespace) -> Answer:
    figures = reproduce.figures_named(options.name)
    if options.scale is not None and not _make(figures, options):
        say(RESUMABLE)
        return Answer({key: [] for key in reproduce.LISTS}, status=INTERRUPTED)
    known = reproduce.stored()
    documents = {one.id: known[one.id] for one in figures if one.id in known}
    if missing := [one.id for one in figures if one.id not in known]:
        say(f"not made yet: {', '.join(missing)}; --scale quick makes them")
    if not documents:
        raise SpadesError("nothing is stored of these figures")
    lists = {
        key: [row for document in documents.values() for row in document[key]]
        for key in reproduce.LISTS
    }
    return Answer(lists, _text, DONE)


def _make(figures: list[reproduce.Figure], options: argparse.Namespace) -> bool:
    """Make the figures at a scale; False where Ctrl-C stopped it."""
    share, last = parse_scale(options.scale), [0.0]

    def tell(progress: Progress) -> None:
        if time.monotonic() - last[0] >= EVERY or progress.done == progress.total:
            last[0] = time.monotonic()
            say(f"  {progress.text()}")

    def begin(figure: reproduce.Figure) -> None:
        full = format_seconds(3600 * figure.study.hours)
        together = [one.id for one in reproduce.FIGURES if one.study == figure.study]
        say(f"{', '.join(together)}; full: {figure.study.sizes}, about {full} of one core")

    with (
        interruptible(say) as is_cancelled,
        dask_client(options.workers, options.scheduler) as client,
    ):
        try:
            lab = Lab(share, client=client, tell=tell, is_cancelled=is_cancelled)
            reproduce.run(figures, lab, begin)
        except StoppedError:
            return False
    return True


def _text(lists: dict[str, list[dict[str, Any]]]) -> str:
    parts = [_table(lists["rows"])]
    if lists["readings"]:
        parts += ["", "Other readings", _table(lists["readings"])]
    return "\n".join(parts)


def _table(rows: list[dict[str, Any]]) -> str:
    head = ("figure", "claim", "published", "ours", "95% interval", "points/round", "n", "verdict")
    cells = [(one["id"], *texts_of(one).values()) for one in rows]
    return "\n".join(text_table([head, *cells]))
