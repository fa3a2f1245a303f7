"""The command ``sweep``: its options, and what it prints."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from analysis.runs.parts import add_cluster_options


def add_sweep(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "sweep",
        help="accuracy, KL, win rate and time of a grid of settings of human bias",
        description="Measure every setting of a grid: how often it plays the human's card on "
        "held-out decisions, KL of its abstract moves from humans', win rate against the unbiased "
        "search, time and calls of the model a move. Stop it at any moment: the same command goes "
        "on where it was, and a setting once measured is never measured again.",
    )
    parser.add_argument("config", type=Path, metavar="CONFIG.toml", help="as in data/sweeps")
    add_cluster_options(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the JSON document there")
    return parser


def sweep_text(
    options: argparse.Namespace, say: Callable[[str], None], is_cancelled: Callable[[], bool]
) -> str | None:
    """Run the sweep that the options ask for; what to print, None if it was stopped."""
    from analysis.sweeps.config import read_sweep
    from analysis.sweeps.report import json_text, sweep_table, write_document
    from analysis.sweeps.run import run_sweep

    document = run_sweep(
        read_sweep(options.config),
        workers=options.workers,
        scheduler=options.scheduler,
        tell=lambda progress: say(progress.text()),
        is_cancelled=is_cancelled,
    )
    if document is None:
        return None
    if options.out is not None:
        write_document(document, options.out)
        say(f"{len(document['settings'])} settings written to {options.out}")
    return json_text(document) if options.json else sweep_table(document)
