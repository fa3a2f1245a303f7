"""The command ``bench``: the speed table, measured on this machine."""

import argparse
from pathlib import Path

from analysis.experiments import load_experiment
from analysis.runs.command import say
from spades.cli.answer import Answer


def add_bench(parser: argparse.ArgumentParser) -> None:
    """Measure the speed table on this machine, in a checkout. Rows whose requirements are missing
    (the yardstick's source, OpenSpiel, Chromium) are marked not measured."""
    parser.add_argument("--yardstick", type=Path, metavar="FILE.c", help="C search to compare with")
    parser.add_argument("--only", nargs="+", metavar="ID", help="measure only these rows")


def run_bench(options: argparse.Namespace) -> Answer:
    speed = load_experiment("bench.speed")
    document = speed.bench_document(options.yardstick, only=options.only, say=say)
    return Answer(document, speed.bench_table)
