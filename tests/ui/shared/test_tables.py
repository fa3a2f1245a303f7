"""Tables: shares have one decimal; no download holds what a spreadsheet takes for a formula."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
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


def test_no_message_refers_to_one_that_the_browser_may_have_dropped():
    check = """
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_cache import populate_hash_if_needed
message = ForwardMsg()
message.delta.new_element.markdown.body = "long " * 100_000
populate_hash_if_needed(message)
print(message.metadata.cacheable)
"""
    done = subprocess.run(
        [sys.executable, "-c", check], cwd=CONFIG.parents[1], capture_output=True, text=True
    )
    assert done.stdout.split() == ["False"], done.stderr


def draw_numbers():
    import pandas as pd

    from ui.shared import tables
    from ui.shared.panel import Panel

    shares = {"rate": [0.3287, 0.4999, None], "rare": 0.00049}
    ends = {"rate_low": [0.3035, 0.00049, None], "rate_high": [0.6835, 0.5, None]}
    points = {"points": [-33.64, 2.0, None], "n": [1234, 5, 6], "bare": [-2, 3, 12.34567]}
    columns = {
        **tables.with_ends("rate", "Share"),
        "bar": tables.percent("Bar", bar=True),
        "rare": tables.percent("Rare", step=tables.TENTH / 10),
        "points": tables.number("Points", "%+.1f"),
        "n": tables.count("Rounds"),
    }
    table = pd.DataFrame(shares | ends | points).astype({"rate": object}).assign(bar=0.6666)
    Panel("numbers").table(table, columns, column_order=list(columns))


def columns_after(table, name, n):
    """The next columns that are shown after one."""
    order = list(table.proto.column_order)
    return order[order.index(name) + 1 :][:n]


def test_a_table_writes_numbers_as_sentences_do():
    """One rule of rounding, a minus sign, one decimal of a share; bars have Streamlit's texts."""
    (table,) = AppTest.from_function(draw_numbers).run().dataframe
    with pa.ipc.open_stream(table.proto.arrow_data.styler.display_values) as reader:
        texts = reader.read_all().to_pydict()
    assert texts["rate"] == ["32.9%", "50.0%", "–"]
    assert texts["rare"] == ["0.05%"] * 3
    assert texts["points"] == ["−33.6", "+2.0", "–"]
    assert texts["n"] == ["1,234", "5", "6"]
    assert texts["bare"] == ["−2", "3", "12.3457"]
    interval, bar = columns_after(table, "rate", 2)
    assert texts[interval] == [f"{0.3035:.1%} to {0.6835:.1%}", "0.0% to 50.0%", "–"]
    columns = json.loads(table.proto.columns)
    assert [columns[name]["label"] for name in (interval, bar)] == ["95%", "Bar"]
    assert columns["rate_low"]["hidden"]
    assert columns["rate_high"]["hidden"]
    assert columns["bar"]["type_config"]["format"] == "percent"
    assert table.value["bar"][0] == pytest.approx(0.667)
    assert table.value["points"].tolist()[:2] == [-33.64, 2.0]  # by which it is sorted
