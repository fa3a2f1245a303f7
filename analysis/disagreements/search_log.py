"""``python -m analysis.disagreements.search_log human-south``.

Stopped or killed, the same command goes on where it was. ``--out`` writes what was found as one
file, as that in ``data/disagreements`` which the Disagreements page opens on. ``--from`` takes what
such a file has, made before proofs came first, and concludes only the last tricks anew.
"""

import argparse
import sys
from pathlib import Path

from analysis.disagreements import search
from analysis.runs.command import STOPPED, add_cluster_options, on_cluster, say
from spades.core.errors import SpadesError
from spades.notation.log_store import open_log

PROG = "python -m analysis.disagreements.search_log"


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        how = (options.agent, options.seed, options.searches)
        plan = search.LogSearchPlan(options.log, options.rounds, *how)
        if options.earlier:
            rows = search.proven_anew(plan, open_log(plan.log), options.earlier)
        else:
            on_cluster(search.run_log_search, plan, options=options)
            rows = search.stored_rows(plan)
    except SpadesError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("stopped; the same command goes on")
        return STOPPED
    if out := options.out:
        end = min(plan.rounds, len(open_log(plan.log)))
        command = f"{PROG} {plan.log} --rounds {end} --agent {plan.agent} --seed {plan.seed}"
        command += f" --searches {plan.searches}"
        facts = {"command": f"{command} --out {out.as_posix()}"}
        search.write_part(out, rows, plan.question(), 0, end, **facts)
    return 0


def _parser() -> argparse.ArgumentParser:
    about = "Search every decision of a log's first rounds, once."
    parser = argparse.ArgumentParser(prog=PROG, description=about)
    parser.add_argument("log", help="name of a stored log")
    parser.add_argument("--rounds", type=int, default=100, metavar="N", help="the first N")
    parser.add_argument("--agent", default=search.STANDARD_AGENT, metavar="SPEC", help="ismcts:...")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of every decision")
    least, most = search.LEAST_SEARCHES, search.MOST_SEARCHES
    hint = f"at most so many of a decision, {least} to {most}"
    standard = search.STANDARD_SEARCHES
    parser.add_argument("--searches", type=int, default=standard, metavar="N", help=hint)
    hint = "the same search as a file without proofs; needs --out"
    parser.add_argument("--from", dest="earlier", type=Path, metavar="FILE", help=hint)
    add_cluster_options(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write one Parquet file there")
    return parser


if __name__ == "__main__":
    sys.exit(main())
