"""The command ``bench``: the speed table, measured on this machine."""

import argparse
from pathlib import Path

from analysis.runs.command import say
from spades.cli.answer import Answer
from spades.core.errors import SpadesError
from spades.core.paths import IS_INSTALLED


def add_bench(parser: argparse.ArgumentParser) -> None:
    """Measure the speed table on this machine. Rows whose requirements are missing (the yardstick's
    source, OpenSpiel, Chromium) are marked not measured."""
    parser.add_argument("--yardstick", type=Path, metavar="FILE.c", help="C search to compare with")
    parser.add_argument("--only", nargs="+", metavar="ID", help="measure only these rows")


def run_bench(options: argparse.Namespace) -> Answer:
    if IS_INSTALLED:
        raise SpadesError("bench runs from a checkout: the wheel has no benchmarks")
    from benchmarks.speed import bench_document, bench_table  # slow to import

    return Answer(bench_document(options.yardstick, only=options.only, say=say), bench_table)
