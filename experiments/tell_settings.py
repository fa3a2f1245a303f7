"""Add the discriminator's AUC to shipped sweeps that were measured before there was one.

    python -m experiments.tell_settings devlin-fig1 baier

plays the rounds of every setting that lacks it again, in the human's seat, some 20 minutes of a
core in all, and writes ``data/sweeps/NAME.json`` after each setting. Resumable. They are the rounds
of the setting's KL: where that doesn't come out as it was, nothing is added.
"""

import argparse

from analysis.runs.command import say, write_table
from analysis.sweeps.library import SWEEPS
from analysis.sweeps.replays import rounds_part
from analysis.sweeps.run import Sweep
from analysis.sweeps.sweep import ROUNDS_PART, read_sweep
from spades.core.documents import Document, read_json
from spades.core.errors import SpadesError


def add_auc(sweep: Sweep, measured: Document) -> None:
    """The AUC of a setting; ``SpadesError`` if its agent plays otherwise than it did."""
    plan = sweep.plan
    agent = measured["agent"]
    plays = []
    for first, end in sweep.ranges(ROUNDS_PART, agent):
        rounds = sweep.held.records(sweep.held.rounds[first:end])
        plays += rounds_part(agent, plan.baseline, rounds, plan.seed, first)["plays"]
    replays = sweep.humans.replays(plays)
    if sweep.humans.divergences(replays)["value"] != measured["kl"]["value"]:
        raise SpadesError(f"{measured['label']} plays otherwise than when its KL was measured")
    measured["auc"] = sweep.humans.discrimination(replays)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="+", metavar="NAME", help="sweeps of data/sweeps")
    for name in parser.parse_args().names:
        path = SWEEPS / f"{name}.json"
        document = read_json(path)
        sweep = Sweep(read_sweep(path.with_suffix(".toml")))
        for measured in document["settings"]:
            if measured.get("auc") is None and measured["kl"]:
                add_auc(sweep, measured)
                write_table(document, path, indent=1)
                say(f"{name}: {measured['label']}: AUC {measured['auc']['value']:.3f}")


if __name__ == "__main__":
    main()
