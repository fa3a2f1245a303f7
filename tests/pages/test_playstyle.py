import pandas as pd
import pytest
import streamlit as st

from spades.core.logs import concatenate
from spades.notation.log_store import open_log, store_log
from tests.analysis.styles import random_log
from tests.pages.apps import charts, open_page, texts
from ui.shared.tables import csv_of

SIMULATED = {"kinds": ("simulated-human",) * 4, "agents": ("simulated",) * 4}


def show(**query):
    return open_page("3_Playstyle", query)


@pytest.fixture(autouse=True)
def _no_caches():
    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    return tmp_path / "logs"


@pytest.fixture
def logs(store):
    store_log(random_log(9, score_before=(100, 20), bags_before=(9, 1)), "bots-and-ann")
    simulated = random_log(6, **SIMULATED)
    store_log(concatenate([random_log(6), simulated]), "with-simulated")


def test_an_empty_store_says_what_to_do(store):
    page = show()
    assert "No logs yet" in page.info[0].value
    assert "python -m spades simulate" in page.info[0].value
    assert not page.get("plotly_chart")


def test_opens_on_the_first_log_and_names_it_in_the_address(logs):
    page = show()
    assert page.multiselect(key="style_logs").value == ["bots-and-ann"]
    assert page.multiselect(key="style_groups").value == ["human", "bot"]
    written = dict(page.query_params)
    assert written.pop("style_at") in ("none", "own", "partner's", "an opponent's")
    assert written.pop("style_move")
    chosen = {"style_logs": "bots-and-ann", "style_groups": "human|bot"}
    assert written == chosen | {"style_from": "human", "style_to": "bot"}
    assert not page.warning
    assert len(page.get("plotly_chart")) == 1 + 1 + 1 + 3
    sizes = page.dataframe[0].value
    assert sizes["decisions"].tolist() == [9 * 13, 9 * 39]
    assert "0.1142" in texts(page)
    assert "imulated" not in texts(page)
    before = dict(page.query_params)
    page.run()
    assert dict(page.query_params) == before


def test_a_link_shows_the_same_where_another_log_comes_first(logs):
    link = dict(show().query_params)
    store_log(random_log(4), "another")
    page = show(**link)
    assert not page.warning
    assert page.multiselect(key="style_logs").options[0] == "another"
    assert page.dataframe[0].value["decisions"].tolist() == [9 * 13, 9 * 39]
    assert dict(page.query_params) == link


def test_panels_hold_the_frequencies(logs):
    bars = charts(show())["style_panels"]["data"]
    assert [trace["name"] for trace in bars] == ["Humans", "Bots"] * 5
    assert bars[0]["y"][0] == "Lead non-spade"
    total = 0.0
    for trace in bars[::2]:
        at = [i for i, category in enumerate(trace["y"]) if category == "Lead non-spade"]
        total += sum(_numbers(trace["x"])[i] for i in at)
    assert total == pytest.approx(1)


def test_panels_are_laid_out_by_the_window(logs):
    page = show()
    assert charts(page)["style_panels"]["data"][2]["xaxis"] == "x2"
    page.session_state["window_is_narrow"] = True  # as the browser tells
    page.run()
    assert charts(page)["style_panels"]["data"][2]["yaxis"] == "y2"


def _numbers(values):
    """A column of a figure; plotly packs arrays."""
    if isinstance(values, dict):
        import base64

        import numpy as np

        return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
    return values


def test_simulated_humans_are_named(logs):
    page = show(style_logs="with-simulated")
    assert "Simulated humans" in texts(page)
    groups = next(table.value for table in page.dataframe if "decisions" in table.value)
    assert groups["group"].tolist() == ["Humans", "Simulated humans", "Bots"]
    assert any("How close simulated humans" in folded.label for folded in page.expander)
    assert "Among four simulated humans 63.13 % of nils were made" in texts(page)
    assert not show(style_logs="bots-and-ann").expander
    kinds = show(style_logs="with-simulated", style_by="agent")
    groups = next(table.value for table in kinds.dataframe if "decisions" in table.value)
    labels = groups["group"].tolist()
    assert "simulated (simulated human)" in labels


LINK = {
    "style_logs": "bots-and-ann|with-simulated",
    "style_by": "agent",
    "style_groups": "random|ismcts:iterations=2500|~none~",
    "style_classes": "68",
    "style_measure": "share",
    "style_errors": "interval",
    "style_from": "ismcts:iterations=2500",
    "style_to": "~none~",
    "style_context": "turn",
    "style_at": "second",
    "style_move": "Trump duck single",
    "style_nil": "none|an-opponents",
    "style_turn": "second|last",
    "style_bar": "Trump duck single",
    "style_rounds": "nil",
    "style_tricks": "1-11",
    "style_bids": "0-5",
    "style_forced": "0",
}


def test_a_deep_link_restores_every_control(logs):
    page = show(**LINK)
    assert not page.warning
    value = page.session_state
    assert value["style_logs"] == ["bots-and-ann", "with-simulated"]
    assert value["style_groups"] == ["random", "ismcts:iterations=2500", ""]
    assert (value["style_classes"], value["style_measure"]) == (68, "share")
    assert (value["style_from"], value["style_to"]) == ("ismcts:iterations=2500", "")
    assert (value["style_context"], value["style_at"]) == ("turn", "second")
    assert value["style_nil"] == ["none", "an opponent's"]
    assert value["style_tricks"] == (1, 11)
    assert value["style_forced"] is False
    assert dict(page.query_params) == LINK
    plays = next(table.value for table in page.dataframe if "open" in table.value)
    assert set(plays["move"]) == {"Trump duck single"}
    assert set(plays["group"]) <= {"ismcts:iterations=2500", "(no agent named)"}
    assert plays["open"].str.fullmatch(r"/\?log=[a-z-]+&round=\d+&ply=\d+").all()


def test_bad_link_is_told_until_the_reader_moves_on(logs):
    page = show(
        style_groups="martians", style_from="<b>x</b>", style_move="Throw",
        style_bar="Throw", style_rounds="sum-52", style_tricks="5-99",
    )  # fmt: skip
    plain = page.warning[0].value.replace("\\", "")
    told = ("human, bot", "Lead non-spade boss", "nil, made, set, sum-", "from 1 to 13")
    assert all(words in plain for words in told)
    assert plain.count("The link says") == 6
    page.selectbox(key="style_by").set_value("player").run()
    assert not page.warning  # what was chosen by the other grouping is no complaint
    assert len(page.multiselect(key="style_groups").value) == 3


def test_filters_narrow_and_say_so(logs):
    page = show(style_turn="leads", style_forced="0")
    assert "place in the trick: leads; no forced plays" in texts(page)
    assert page.dataframe[0].value["decisions"].sum() < 9 * 13
    nothing = show(style_nil="own", style_bids="4-5")
    assert "No play passes these filters" in texts(nothing)


def test_one_group_asks_for_a_second(logs):
    page = show(style_groups="bot")
    assert "Choose a second group" in texts(page)
    assert len(page.get("plotly_chart")) == 1 + 3


def test_groups_may_be_contexts(logs):
    page = show(style_by="turn")
    labels = page.dataframe[0].value["group"].tolist()
    assert labels == [f"Place in the trick: {name}" for name in ("leads", "second", "third")]
    assert page.dataframe[-2].value["group"].tolist() == ["All seats"]


def test_a_click_on_the_heat_map_picks_the_cell(logs):
    page = show()
    points = [{"customdata": {"0": "partner's", "1": "Lead spade boss"}}]
    page.session_state["style_heat"] = {
        "selection": {"points": points, "point_indices": [1], "box": [], "lasso": []}
    }
    page.run()
    assert page.session_state["style_at"] == "partner's"
    assert page.session_state["style_move"] == "Lead spade boss"
    assert page.query_params["style_move"] == "Lead spade boss"


def listed(page, *columns):
    """The last list of hands on the page."""
    tables = [table.value for table in page.dataframe]
    return [table for table in tables if {"open", *columns} <= set(table.columns)][-1]


def select(page, key, **selection):
    empty = {"points": [], "point_indices": [], "box": [], "lasso": []}
    page.session_state[key] = {"selection": {**empty, **selection}}
    page.run()
    assert not page.exception


def test_a_click_on_a_bar_lists_its_hands(logs):
    page = show()
    assert not [table for table in page.dataframe if "hand" in table.value.columns]
    bars = charts(page)["style_panels"]["data"]
    data = bars[3]["customdata"][2]
    select(page, "style_panels", points=[{"customdata": {"0": data[0]}}])
    assert page.query_params["style_bar"] == data[0]
    bar = next(table.value for table in page.dataframe if "open" in table.value)
    assert set(bar["move"]) == {data[0]}
    assert bar["group"].value_counts()["Bots"] == min(data[1], 25)
    assert bar["open"].str.fullmatch(r"/\?log=[a-z-]+&round=\d+&ply=\d+").all()
    page.selectbox(key="style_bar").set_value("").run()  # the chart's old click doesn't come back
    assert "style_bar" not in page.query_params


def test_a_click_on_a_sum_or_a_count_of_nils_lists_its_rounds(logs):
    page = show()
    sums = next(t for t in charts(page)["style_sums"]["data"] if t["name"] == "Bots")
    x = int(_numbers(sums["x"])[0])
    count = (open_log("bots-and-ann").bids.sum(axis=1) == x).sum()
    select(page, "style_sums", points=[{"x": x, "y": 0.1}])
    assert page.query_params["style_rounds"] == f"sum-{x}"
    found = listed(page, "bids")
    assert set(found["sum"]) == {x}
    assert (found["group"] == "Bots").sum() == count > 0
    select(page, "style_nils", rows=[], columns=[], cells=[(1, "nils")])
    assert page.query_params["style_rounds"] == "nil"
    nils = page.dataframe[[*(t.key for t in page.dataframe)].index("style_nils")].value
    found = listed(page, "bids")
    bots = found[found["group"] == "Bots"]
    assert len(bots) == nils.set_index("group").loc["Bots", "nils"] > 0
    assert bots["bids"].str.contains("nil").all()
    page.selectbox(key="style_rounds").set_value("set").run()
    assert page.query_params["style_rounds"] == "set"
    assert not (listed(page, "bids")["tricks"] == "0").any()


def test_a_cell_has_a_page_number_for_the_rest(logs):
    page = show(style_context="turn", style_at="second", style_move="any move")
    number = next(box for box in page.number_input if box.label.startswith("Page, of "))
    first = page.dataframe[2].value
    number.set_value(2).run()
    assert not page.exception
    second = page.dataframe[2].value
    assert len(second)
    assert not set(second["open"]) & set(first["open"])


def test_broken_files_in_the_store_do_not_break_the_page(logs, store):
    (store / "broken.parquet").write_bytes(b"PAR1 nothing")
    assert "broken" not in show().multiselect(key="style_logs").options


def test_texts_of_records_are_no_formulas_in_csv():
    table = pd.DataFrame({"player": ["=1+1", "@x", "Ann"], "kl": [-0.5, 0.1, 0.2]})
    assert csv_of(table).splitlines()[1:] == ["'=1+1,-0.5", "'@x,0.1", "Ann,0.2"]
