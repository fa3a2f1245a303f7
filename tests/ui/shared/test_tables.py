"""Downloads of tables: nothing that a spreadsheet takes for a formula."""

import tomllib
from pathlib import Path

import pandas as pd

from ui.shared.tables import csv_of

CONFIG = Path(__file__).parents[3] / ".streamlit" / "config.toml"


def test_no_cell_and_no_heading_is_a_formula():
    table = pd.DataFrame({"=cmd()": ["=HYPERLINK(1)", "-1", "plain"], "n": [-1, 2, 3]})
    assert csv_of(table).splitlines() == ["'=cmd(),n", "'=HYPERLINK(1),-1", "'-1,2", "plain,3"]


def test_the_tables_own_download_which_escapes_nothing_is_off():
    """And errors show no source, and no other name of this machine is answered."""
    config = tomllib.loads(CONFIG.read_text())
    assert config["client"]["disableDataExport"] is True
    assert config["client"]["showErrorDetails"] == "none"
    assert config["server"]["allowedHosts"] == ["localhost", "127.0.0.1"]
