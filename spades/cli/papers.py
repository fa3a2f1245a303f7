"""The command ``reproduce``: the published tables and figures beside ours."""

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
from spades.cli.answer import DONE, Answer
from spades.core.errors import SpadesError

SECONDS_BETWEEN_LINES = 10.0  # of progress


def add_reproduce(parser: argparse.ArgumentParser) -> None:
    """Published tables and figures beside ours: every claim with the paper's figure, ours, its 95%
    interval, n, and a verdict by one rule. Prints what is stored; with --scale it first computes
    what is missing at that scale. Resumable."""
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="baier-table1, baier, cohensius-fig2-7, ...; all by default",
    )
    parser.add_argument(
        "--scale",
        metavar="SCALE",
        help=f"{', '.join(SCALES)}, or a share of full, as 0.1",
    )
    add_cluster_options(parser)


def run_reproduce(options: argparse.Namespace) -> Answer:
    figures = reproduce.figures_named(options.name)
    if options.scale is not None and not _compute(figures, options):
        say(RESUMABLE)
        return Answer({key: [] for key in reproduce.LISTS}, status=INTERRUPTED)
    stored = reproduce.stored()
    documents = [stored[figure.id] for figure in figures if figure.id in stored]
    missing = [figure.id for figure in figures if figure.id not in stored]
    if missing:
        say(f"not computed yet: {', '.join(missing)}; --scale quick computes them")
    if not documents:
        raise SpadesError("nothing is stored of these figures")
    lists = {
        key: [row for document in documents for row in document[key]] for key in reproduce.LISTS
    }
    return Answer(lists, _text, DONE)


def _compute(figures: list[reproduce.Figure], options: argparse.Namespace) -> bool:
    """Compute the figures at a scale; False if Ctrl-C interrupted it."""
    last_line = 0.0

    def tell(progress: Progress) -> None:
        nonlocal last_line
        now = time.monotonic()
        if now - last_line >= SECONDS_BETWEEN_LINES or progress.done == progress.total:
            last_line = now
            say(f"  {progress.text()}")

    def begin(figure: reproduce.Figure) -> None:
        together = [other.id for other in reproduce.FIGURES if other.study == figure.study]
        hours = format_seconds(3600 * figure.study.hours)
        say(f"{', '.join(together)}; full: {figure.study.sizes}, about {hours} of one core")

    share = parse_scale(options.scale)
    with (
        interruptible(say) as is_cancelled,
        dask_client(options.workers, options.scheduler) as client,
    ):
        lab = Lab(share, client=client, tell=tell, is_cancelled=is_cancelled)
        try:
            reproduce.run(figures, lab, begin)
        except StoppedError:
            return False
    return True


def _text(lists: dict[str, list[dict[str, Any]]]) -> str:
    parts = [_claims_table(lists["rows"])]
    if lists["readings"]:
        parts += ["", "Other readings", _claims_table(lists["readings"])]
    return "\n".join(parts)


def _claims_table(rows: list[dict[str, Any]]) -> str:
    head = ("figure", "claim", "published", "ours", "95% interval", "points/round", "n", "verdict")
    cells = [(row["id"], *texts_of(row).values()) for row in rows]
    return "\n".join(text_table([head, *cells]))
