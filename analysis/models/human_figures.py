"""How close simulated humans come to the published figures that they are calibrated to."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from spades.core.cards import N_SEATS
from spades.human.simulated import COMMAND, TABLE, CalibrationError

Z95 = 1.96
NILS_MADE = "Nils made"
LABELS = {
    "sum_of_bids": "Sum of the four bids",
    "nil_share": "Nil rate",
    "nil_made": NILS_MADE,
}


def compute_achieved(path: Path = TABLE) -> pd.DataFrame:
    """A row a figure: published, achieved on fresh rounds, half its 95 % interval, of how many.

    Four simulated humans play together. Raises ``CalibrationError`` if the table isn't sound.
    """
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        achieved = table["achieved"]
        figures, errors = achieved["figures"], achieved["standard_errors"]
        bids = achieved["rounds"] * N_SEATS
        sizes = {
            "sum_of_bids": f"{achieved['rounds']:,} rounds",
            "nil_share": f"{bids:,} bids",
            "nil_made": f"{round(figures['nil_share'] * bids):,} nils",
        }
        rows = [
            (LABELS[name], table["published"][name], figures[name], Z95 * errors[name], size)
            for name, size in sizes.items()
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CalibrationError(f"{path} can't be read ({error}); {COMMAND} makes it anew") from None
    return pd.DataFrame(rows, columns=["figure", "published", "achieved", "margin", "of"])
