"""Estimates of settings held against what was measured: ``python -m experiments.check_estimate``.

Writes ``data/tables/estimate.json``: every biased setting of the shipped sweeps estimated by all
others (``analysis.sweeps.estimate.leave_one_out``). ``rows`` by measure: ``n`` settings, in how
many the 95% interval ``holds`` what was measured, with the interval of that share, the mean error,
and half the mean spread between a setting and its neighbours, which the error should not exceed.
``settings``: each one.

Ten seconds.
"""

import argparse

from analysis.intervals import share_interval
from analysis.sweeps.estimate import NEIGHBOURS, leave_one_out, measured_settings
from analysis.sweeps.library import SWEEPS, read_document
from experiments.command import make_table
from spades.core.documents import Document
from spades.core.paths import DATA

PATH = DATA / "tables" / "estimate.json"
LOG = "human-south"
ITERATIONS = 2500


def make(options: argparse.Namespace) -> Document:
    documents = [read_document(path) for path in sorted(SWEEPS.glob("*.json"))]
    measured = measured_settings(documents, LOG, ITERATIONS)
    assert measured is not None
    table = leave_one_out(measured, ITERATIONS)
    rows = []
    for name, settings in table.groupby("measure", sort=False):
        n_held = int(settings["holds"].sum())
        rows.append(
            {
                "measure": name,
                "n": len(settings),
                "holds": n_held,
                "share": n_held / len(settings),
                "interval": share_interval(n_held, len(settings)),
                "mean_error": float(settings["error"].mean()),
                "half_spread": float(settings["spread"].mean()) / 2,
                "far": int(settings["is_far"].sum()),
            }
        )
    return {
        "made_by": "python -m experiments.check_estimate",
        "sweeps": [document["name"] for document in documents],
        "neighbours": NEIGHBOURS,
        "rows": rows,
        "settings": table.to_dict("records"),
    }


if __name__ == "__main__":
    make_table(__doc__, PATH, make)
