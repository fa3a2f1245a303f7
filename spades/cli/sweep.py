"""The command ``sweep``: a grid of settings of human bias, measured on a cluster."""

import argparse
from pathlib import Path

from analysis.runs.command import add_cluster_options, on_cluster, say, write_table
from analysis.sweeps import run as sweeps
from analysis.sweeps.library import sweep_table
from analysis.sweeps.sweep import read_sweep
from spades.cli.answer import Answer
from spades.cli.own import admitted_models


def add_sweep(parser: argparse.ArgumentParser) -> None:
    """Measure every setting of a grid: how often it plays the human's card on held-out decisions,
    KL divergence of its abstract moves from humans', how well a classifier tells it from them, win
    rate against the unbiased search, time and model calls per move. Resumable: interrupt it at any
    moment, and the same command continues; no setting is measured twice."""
    parser.add_argument(
        "config", type=Path, metavar="CONFIG.toml", help="the grid, as those in data/sweeps"
    )
    parser.add_argument(
        "--prior",
        nargs="+",
        default=[],
        metavar="py:MODULE.NAME",
        help="Python functions of your own that the grid may name as models; no file loads one",
    )
    add_cluster_options(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the JSON document there")


def run_sweep(options: argparse.Namespace) -> Answer:
    admitted_models(options.prior)
    document = on_cluster(sweeps.run_sweep, read_sweep(options.config), options=options)
    if options.out is not None:
        write_table(document, options.out, indent=1)
        say(f"{len(document['settings'])} settings written to {options.out}")
    return Answer(document, sweep_table)
