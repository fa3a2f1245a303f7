"""The command ``bench``; on its own because ``benchmarks`` is slow to import."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.speed import bench_document, bench_table
from cli.console import Answer, say


def add_bench(parser: argparse.ArgumentParser) -> None:
    """Measure the speed table on this machine. Rows that need something which isn't here (the
    yardstick's source, OpenSpiel, Chromium) are marked not measured.
    """
    parser.add_argument("--yardstick", type=Path, metavar="FILE.c", help="the C search to compare")
    parser.add_argument("--only", nargs="+", metavar="ID", help="only these rows")


def run_bench(options: argparse.Namespace) -> Answer:
    return Answer(bench_document(options.yardstick, only=options.only, say=say), bench_table)
