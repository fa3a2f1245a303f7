"""``python -m analysis.disagreements.search_log human-south``: search a log of the store.

Resumable: run again, it goes on where it was interrupted. ``--out`` writes the results as one file,
as that in ``data/disagreements`` which the Disagreements page opens on.
"""

import argparse
import sys
from pathlib import Path

from analysis.disagreements import plan, stored
from analysis.disagreements.search import run_log_search
from analysis.runs.command import INTERRUPTED, RESUMABLE, add_cluster_options, on_cluster, say
from spades.core.errors import SpadesError
from spades.notation.log_store import open_log


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        asked = plan_of(options, options.log)
        on_cluster(run_log_search, asked, options=options)
        if options.out:
            stored.write_shipped(asked, options.out)
    except SpadesError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say(RESUMABLE)
        return INTERRUPTED
    return 0


def _parser() -> argparse.ArgumentParser:
    about = "Search every decision of a log's first rounds, once."
    parser = argparse.ArgumentParser(prog=stored.COMMAND, description=about)
    parser.add_argument("log", help="name of a stored log")
    add_plan_options(parser, 100)
    add_cluster_options(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write a file to be shipped there")
    return parser


def add_plan_options(parser: argparse.ArgumentParser, n_rounds: int) -> None:
    """The options of a log search; ``n_rounds``: how many rounds it covers by default."""
    rounds = f"the first N rounds, {n_rounds} by default"
    parser.add_argument("--rounds", type=int, default=n_rounds, metavar="N", help=rounds)
    agent = "whose visits are stored beside the judge's points, as ismcts:iterations=2500"
    parser.add_argument("--agent", default=plan.STANDARD_AGENT, metavar="SPEC", help=agent)
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of every decision")
    parser.add_argument(
        "--played-on",
        type=int,
        default=plan.STANDARD_PLAYED_ON,
        metavar="N",
        help=f"rounds of a decision at most, {plan.LEAST_ROUNDS} to {plan.MOST_ROUNDS}",
    )


def plan_of(options: argparse.Namespace, log: str) -> plan.LogSearchPlan:
    """The log search that the options describe, with at most the rounds that the log has."""
    n_rounds = min(options.rounds, len(open_log(log)))
    return plan.LogSearchPlan(log, n_rounds, options.agent, options.seed, options.played_on)


if __name__ == "__main__":
    sys.exit(main())
