"""A panel reads in one order, whichever of its parts is drawn first."""

from streamlit.testing.v1 import AppTest

from tests.pages.apps import charts

ORDER = [
    "subheader",
    "selectbox",
    "popover",
    "markdown",
    "plotly_chart",
    "caption",
    "dataframe",
    "caption",
    "download_button",
    "download_button",
]


def draw_from_the_end():
    import pandas as pd
    import streamlit as st

    from analysis.plots.layout import figure_of
    from analysis.plots.traces import dots
    from ui.shared.panel import Panel, show_rest

    table = pd.DataFrame({"n": [1, 2]})
    panel = Panel("nil-rates", "Rates", widths=[2, 3] if st.session_state.get("is_wide") else ())
    panel.export(table, "all bids")
    panel.table(table, note="Of two groups.")
    figure = figure_of([dots([1], [2], "")], shows="rates", height=200, xaxis={}, yaxis={})
    panel.figure(figure, "Bars: 95%.", command="spades rates")
    panel.answer("They are alike.")
    with panel.question:
        st.selectbox("Of", ["all"])
        with show_rest("Which plays", "no forced plays", "tune"):
            st.caption("hidden until it is opened")


def kinds(block):
    """What is drawn, in its order; of a popover and what it holds the popover."""
    for child in block.children.values():
        if child.type == "popover":
            yield "popover"
        elif hasattr(child, "children"):
            yield from kinds(child)
        else:
            yield child.type


def test_the_parts_stand_in_the_order_of_reading():
    app = AppTest.from_function(draw_from_the_end).run()
    assert not app.exception
    assert list(kinds(app.main)) == ORDER
    app.session_state["is_wide"] = True  # figure and table side by side
    assert list(kinds(app.run().main)) == ORDER


def test_one_name_makes_the_keys_and_the_files():
    app = AppTest.from_function(draw_from_the_end).run()
    (meta,) = [figure["layout"]["meta"] for figure in charts(app).values()]
    assert list(charts(app)) == ["nil_rates"]
    assert (meta["file"], meta["command"]) == ("spades-nil-rates", "spades rates")
    labels = [button.proto.label for button in app.get("download_button")]
    assert sorted(labels) == ["Export (CSV)", "Export all bids (CSV)"]


def test_the_rest_of_a_question_says_what_is_set():
    app = AppTest.from_function(draw_from_the_end).run()
    (popover,) = app.get("popover")
    assert popover.proto.popover.label == "Which plays: no forced plays"
