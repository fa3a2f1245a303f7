import json

import pytest

from analysis.models.tables import NILS_MADE, Z95, compute_achieved
from spades.human.simulated import TABLE, CalibrationError


def test_the_figures_are_the_calibration_s():
    achieved = json.loads(TABLE.read_text(encoding="utf-8"))["achieved"]
    rows = compute_achieved().set_index("figure")
    nils = rows.loc[NILS_MADE]
    assert nils.published == 0.632
    assert nils.achieved == achieved["figures"]["nil_made"]
    assert nils.margin == Z95 * achieved["standard_errors"]["nil_made"]
    n = int(nils["of"].split()[0].replace(",", ""))
    by_chance = (nils.achieved * (1 - nils.achieved) / n) ** 0.5
    assert nils.margin == pytest.approx(Z95 * by_chance, rel=0.02)
    assert rows.loc["Sum of the four bids", "of"] == "200,000 rounds"


def test_a_damaged_table_says_what_makes_it(tmp_path):
    path = tmp_path / "table.json"
    path.write_text('{"achieved": {}}')
    with pytest.raises(CalibrationError, match="calibrate_humans"):
        compute_achieved(path)
