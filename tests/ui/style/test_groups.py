"""The Style page in three visits: as it opens, by a full link, by links that ask too much."""

import pandas as pd
import pytest
import streamlit as st

from analysis.logs.tables import csv_of
from spades.core.logs import concatenate
from spades.notation.log_store import open_log, store_log
from tests.analysis.styles import random_log
from tests.pages.apps import address, charts, numbers, open_page, run, texts

SIMULATED = {"kinds": ("simulated-human",) * 4, "agents": ("simulated",) * 4}
REPLAY_LINK = r"/\?log=[a-z-]+&round=\d+&ply=\d+"
LINK = {
    "logs": "bots-and-ann|with-simulated",
    "by": "agent",
    "groups": "random|ismcts:iterations=2500|~none~",
    "classes": "68",
    "measure": "share",
    "errors": "interval",
    "from": "ismcts:iterations=2500",
    "to": "~none~",
    "context": "turn",
    "at": "second",
    "move": "Trump duck single",
    "nil": "none|an-opponents",
    "turn": "second|last",
    "bar": "Trump duck single",
    "bar_of": "~none~",
    "rounds": "nil",
    "tricks": "1-11",
    "bids": "0-5",
    "forced": "0",
}


@pytest.fixture
def logs(tmp_path, monkeypatch):
    folder = tmp_path / "logs"
    monkeypatch.setenv("SPADES_LOGS", str(folder))
    st.cache_data.clear()
    st.cache_resource.clear()
    store_log(random_log(9, score_before=(100, 20), bags_before=(9, 1)), "bots-and-ann")
    simulated = random_log(6, **SIMULATED)
    store_log(concatenate([random_log(6), simulated]), "with-simulated")
    return folder


def show(**query):
    return open_page("3_Style", query)


def select(page, key, **selection):
    """As a click on a chart or table does."""
    empty = {"points": [], "point_indices": [], "box": [], "lasso": []}
    page.session_state[key] = {"selection": {**empty, **selection}}
    run(page)


def choose(page, box, value):
    box.set_value(value)
    run(page)


def group_sizes(page):
    """The plays of each group."""
    tables = [table.value for table in page.dataframe]
    return next(table for table in tables if "kl_halves" in table)["decisions"].tolist()


def listed(page, *columns):
    """The last list of hands on the page."""
    tables = [table.value for table in page.dataframe]
    return [table for table in tables if {"open", *columns} <= set(table.columns)][-1]


def test_page_opens_on_the_first_log_and_clicks_list_hands(logs):
    (logs / "broken.parquet").write_bytes(b"PAR1 nothing")
    page = show()
    assert page.multiselect(key="style_logs").value == ["bots-and-ann"]
    assert "broken" not in page.multiselect(key="style_logs").options
    assert page.multiselect(key="style_groups").value == ["human", "bot"]
    written = address(page)
    assert written.pop("at") in ("none", "own", "partner's", "an opponent's")
    assert written.pop("move")
    chosen = {"logs": "bots-and-ann", "groups": "human|bot"}
    assert written == chosen | {"from": "human", "to": "bot"}
    assert not page.warning
    assert len(page.get("plotly_chart")) == 1 + 1 + 1 + 3
    assert group_sizes(page) == [9 * 13, 9 * 39]
    assert "0.1142" in texts(page)
    assert "imulated" not in texts(page)
    assert not page.expander
    drawn = charts(page)
    see_frequencies(drawn["style_panels"]["data"])
    click_a_cell(page)
    click_a_bar(page, drawn["style_panels"]["data"][3]["customdata"][2])
    sums = next(trace for trace in drawn["style_sums"]["data"] if "Bots" in trace["name"])
    assert sums["name"] == "Humans and Bots"  # of the same rounds: one curve, not two alike
    click_a_sum_and_the_nils(page, int(numbers(sums["x"])[0]))
    page.session_state["window_is_narrow"] = True  # as the browser reports
    assert drawn["style_panels"]["data"][2]["xaxis"] == "x2"
    narrow = charts(run(page))
    assert narrow["style_panels"]["data"][2]["yaxis"] == "y2"
    assert "style_sums" in narrow  # a number of them is asked for
    see_bidding_folded_away(page)


def see_bidding_folded_away(page):
    page.query_params["rounds"] = ""
    page.session_state["style_rounds"] = ""
    page.session_state["style_bidding_fold"] = False
    assert "style_sums" not in charts(run(page))
    assert "Bids, nils and branching factor" in [one.label for one in page.expander]
    page.session_state["style_bidding_fold"] = True
    assert "style_sums" in charts(run(page))


def see_frequencies(bars):
    assert [trace["name"] for trace in bars] == ["Humans", "Bots"] * 5
    assert bars[0]["y"][0] == "Lead non-spade"
    total = 0.0
    for trace in bars[::2]:
        at = [i for i, category in enumerate(trace["y"]) if category == "Lead non-spade"]
        total += sum(numbers(trace["x"])[i] for i in at)
    assert total == pytest.approx(1)


def click_a_cell(page):
    select(page, "style_heat", points=[{"customdata": {"0": "partner's", "1": "Lead spade boss"}}])
    assert page.session_state["style_at"] == "partner's"
    assert page.query_params["move"] == "Lead spade boss"


def click_a_bar(page, data):
    select(page, "style_panels", points=[{"customdata": {"0": data[0], "1": data[-1]}}])
    assert page.query_params["bar"] == data[0]
    marked = [
        (datum[0], trace["name"])
        for trace in charts(page)["style_panels"]["data"]
        for datum, width in zip(trace["customdata"], trace["marker"]["line"]["width"], strict=True)
        if width
    ]
    assert marked == [(data[0], "Bots")]  # the bar clicked is framed
    bar = next(table.value for table in page.dataframe if "open" in table.value)
    assert set(bar["move"]) == {data[0]}
    assert bar["group"].value_counts().to_dict() == {"Bots": min(data[1], 25)}  # one at a time
    assert bar["open"].str.fullmatch(REPLAY_LINK).all()
    assert page.query_params["bar_of"] == "bot"
    choose(page, page.selectbox(key="style_bar_of"), "human")
    bar = next(table.value for table in page.dataframe if "open" in table.value)
    assert set(bar["group"]) == {"Humans"}
    choose(page, page.selectbox(key="style_bar"), "")  # the chart's old click doesn't come back
    assert "bar" not in page.query_params


def click_a_sum_and_the_nils(page, x):
    count = (open_log("bots-and-ann").bids.sum(axis=1) == x).sum()
    select(page, "style_sums", points=[{"customdata": {"0": x, "1": 1, "2": 2}}])
    assert page.query_params["rounds"] == f"sum-{x}"
    found = listed(page, "bids")
    assert set(found["sum"]) == {x}
    assert set(found["group"]) == {"Humans"}
    choose(page, page.selectbox(key="style_rounds_of"), "bot")
    assert (listed(page, "bids")["group"] == "Bots").sum() == count > 0
    select(page, "style_nils_table", rows=[], columns=[], cells=[(1, "nils")])
    assert page.query_params["rounds"] == "nil"
    nils = page.dataframe[[*(t.key for t in page.dataframe)].index("style_nils_table")].value
    found = listed(page, "bids")
    bots = found[found["group"] == "Bots"]
    assert len(bots) == nils.set_index("group").loc["Bots", "nils"] > 0
    assert bots["bids"].str.contains("nil").all()
    choose(page, page.selectbox(key="style_rounds"), "set")
    assert not (listed(page, "bids")["tricks"] == "0").any()


def test_a_link_restores_every_control_and_may_be_changed(logs):
    store_log(random_log(4), "another")
    page = show(**LINK)
    assert page.multiselect(key="style_logs").options[0] == "another"
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
    assert address(page) == LINK
    words = "place in the trick: second or last; tricks 1 to 11; own bid 0 to 5; no forced plays"
    assert page.get("popover")[-1].proto.popover.label.endswith(words)
    plays = next(table.value for table in page.dataframe if "open" in table.value)
    assert set(plays["move"]) == {"Trump duck single"}
    assert set(plays["group"]) <= {"ismcts:iterations=2500", "(no agent named)"}
    assert plays["open"].str.fullmatch(REPLAY_LINK).all()
    see_simulated_humans(page)
    page.session_state["style_bar"] = ""
    page.session_state["style_turn"] = []
    choose(page, page.selectbox(key="style_move"), "any move")
    number = next(box for box in page.number_input if box.label.startswith("Page, of "))
    first = next(table.value for table in page.dataframe if "move" in table.value)
    choose(page, number, 2)
    second = next(table.value for table in page.dataframe if "move" in table.value)
    assert len(second)
    assert not set(second["open"]) & set(first["open"])
    number = next(box for box in page.number_input if box.label.startswith("Page, of "))
    choose(page, number, 0)
    assert "Not taken: 0; 1 to " in texts(page)
    same = next(table.value for table in page.dataframe if "move" in table.value)
    assert same["open"].tolist() == second["open"].tolist()


def see_simulated_humans(page):
    """The agents' log has them: they are named wherever they are counted."""
    assert "Simulated humans" in texts(page)
    assert any("How close simulated humans" in folded.label for folded in page.expander)
    assert "simulated (simulated human)" in page.multiselect(key="style_groups").options


def test_a_game_in_two_logs_counts_once_and_is_said(logs):
    store_log(random_log(9, score_before=(100, 20), bags_before=(9, 1)), "copy")
    page = show(logs="bots-and-ann|copy")
    assert group_sizes(page) == [9 * 13, 9 * 39]
    assert "9 rounds repeat another of these logs" in texts(page)
    assert "**Few games**: Humans 3, Bots 3." in texts(page)


def test_what_cannot_be_shown_is_told(logs, tmp_path, monkeypatch):
    page = show(
        groups="martians", move="Throw", bar="Throw", rounds="sum-52", tricks="5-99",
        **{"from": "<b>x</b>"},
    )  # fmt: skip
    plain = page.warning[0].value.replace("\\", "")
    legal = ("human, bot", "Lead non-spade boss", "nil, made, set, sum-", "from 1 to 13")
    assert all(words in plain for words in legal)
    assert plain.count("The link says") == 6
    choose(page, page.selectbox(key="style_by"), "turn")
    assert not page.warning  # what was chosen by the other grouping is no complaint
    labels = page.dataframe[0].value["group"].tolist()
    assert labels == [f"Place in the trick: {name}" for name in ("leads", "second", "third")]
    assert page.dataframe[-2].value["group"].tolist() == ["All seats"]
    choose(page, page.multiselect(key="style_groups"), ["leads"])
    assert "Choose a second group" in texts(page)
    assert len(page.get("plotly_chart")) == 1 + 3
    assert "No play passes these filters" in texts(show(nil="own", bids="4-5"))
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "empty"))
    empty = show()
    assert "No logs yet" in empty.info[0].value
    assert not empty.get("plotly_chart")


def test_texts_of_records_are_no_formulas_in_csv():
    table = pd.DataFrame({"player": ["=1+1", "@x", "Ann"], "kl": [-0.5, 0.1, 0.2]})
    assert csv_of(table).splitlines()[1:] == ["'=1+1,-0.5", "'@x,0.1", "Ann,0.2"]
