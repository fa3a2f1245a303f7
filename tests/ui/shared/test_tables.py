"""Tables: shares have one decimal; no download holds what a spreadsheet takes for a formula."""

import json
import tomllib
from pathlib import Path

import pandas as pd
from streamlit.testing.v1 import AppTest

from analysis.logs.tables import csv_of

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


def draw_shares():
    import pandas as pd

    from ui.shared import tables
    from ui.shared.panel import Panel

    values = {"rate": [0.3287, 0.4999, None], "rate_low": [0.2996, 0.00049, None], "rare": 0.00049}
    columns = {
        **tables.with_ends("rate", "Share"),
        "bar": tables.percent("Bar", bar=True),
        "rare": tables.percent("Rare", step=tables.TENTH / 10),
        "n": tables.count("Rounds"),
    }
    table = pd.DataFrame(values).astype({"rate": object}).assign(bar=0.6666)
    Panel("shares").table(table, columns)


def test_a_share_has_one_decimal_in_every_table():
    """Streamlit shows as many as its column's step has, and cuts off the rest."""
    (table,) = AppTest.from_function(draw_shares).run().dataframe
    known = json.loads(table.proto.columns).items()
    kinds = {name: one["type_config"] for name, one in known if "type_config" in one}
    steps = {name: (kind["format"], kind.get("step")) for name, kind in kinds.items()}
    assert steps.pop("rare") == ("percent", 0.0001)
    assert steps.pop("n") == ("localized", None)
    assert set(steps.values()) == {("percent", 0.001)}
    found = table.value.round(9)
    assert found["rate"].tolist()[:2] == [0.329, 0.5]
    assert found["rate"].isna().tolist() == [False, False, True]
    assert found["rate_low"].tolist()[:2] == [0.3, 0.0]
    assert (found["bar"][0], found["rare"][0]) == (0.667, 0.0005)
