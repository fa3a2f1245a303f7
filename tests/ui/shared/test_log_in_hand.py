"""The log in hand: taken once, and the same on every page that reads a log."""

import pytest

from spades.notation.log_store import delete_log, store_log
from tests.analysis.styles import random_log
from tests.pages.apps import address, open_page, run, texts
from tests.pages.conftest import compiled_kernels, empty_caches, quick_judge  # noqa: F401
from ui.shared import log_in_hand
from ui.shared.log_fields import SeveralLogs

pytestmark = pytest.mark.usefixtures("quick_judge")
STYLE = "3_Style"
BIDS = "5_Bids"
READERS = {
    "Disagreements": ("", {"view": "disagreements"}, "log"),
    "Drill": ("11_Play", {"view": "drill"}, "logs"),
    "Style": (STYLE, {}, "logs"),
    "One player": (STYLE, {"view": "rates"}, "log"),
    "Tune": ("4_Tune", {"view": "run"}, "sweep_log"),
    "Nil curves": (BIDS, {"view": "curves"}, "log"),
    "Points on nil curves": (BIDS, {"view": "curves"}, "logs"),
    "Partner and sum": (BIDS, {"view": "surface"}, "log"),
    "Ace of spades": (BIDS, {"view": "ace"}, "logs"),
    "Data": ("9_Data", {}, "log"),
}
"""By title: page, query without a log, the field that names the log."""


@pytest.fixture(autouse=True)
def _two_logs(tmp_path, monkeypatch):
    for kind in ("LOGS", "RESULTS", "DRILL"):
        monkeypatch.setenv(f"SPADES_{kind}", str(tmp_path / kind.lower()))
    store_log(random_log(6), "mine")
    store_log(random_log(4, game_id="b"), "other")


def go(app, script, **query):
    """By the bar, or by a link."""
    app.switch_page(f"pages/{script}.py" if script else "app.py")
    app.query_params.clear()
    for name, value in query.items():
        app.query_params[name] = value
    return run(app)


def in_hand(app):
    """What the bar says."""
    return next(one.proto.popover.label for one in popovers(app) if "rounds" in label_of(one))


def popovers(app):
    return [block for block in blocks(app.main) if block.type == "popover"]


def blocks(block):
    for child in getattr(block, "children", {}).values():
        yield child
        yield from blocks(child)


def label_of(block):
    return block.proto.popover.label


@pytest.mark.parametrize("title", READERS)
def test_every_page_reads_the_log_in_hand(title):
    script, query, field = READERS[title]
    app = open_page("10_Papers", {})
    assert in_hand(app) == "mine, 6 rounds"
    app.session_state["log_in_hand"] = "other"
    go(app, script, **query)
    assert address(app)[field] == "other"
    assert in_hand(app) == "other, 4 rounds"


@pytest.mark.parametrize("title", READERS)
def test_a_link_that_names_a_log_takes_it_in_hand(title):
    script, query, field = READERS[title]
    app = open_page("10_Papers", {})
    go(app, script, **query, **{field: "other"})
    assert address(app)[field] == "other"
    assert in_hand(app) == "other, 4 rounds"
    go(app, "9_Data")
    assert address(app)["log"] == "other"


def test_a_link_to_a_round_takes_its_log():
    app = open_page("", {"log": "other", "round": "2", "iterations": "100"})
    assert in_hand(app) == "other, 4 rounds"
    go(app, BIDS, view="curves")
    assert address(app)["log"] == "other"


def test_the_bar_takes_another_log_on_the_page_itself():
    app = open_page(STYLE, {"logs": "mine"})
    app.session_state["bar_log_open"] = True
    run(app)
    app.selectbox(key="bar_log_choice").select("other")
    run(app)
    assert address(app)["logs"] == "other"
    assert in_hand(app) == "other, 4 rounds"


def test_a_return_to_a_page_does_not_bring_its_old_log_back():
    app = open_page(STYLE, {"logs": "mine", "classes": "68"})
    go(app, "9_Data", log="other")
    go(app, STYLE)
    assert address(app)["logs"] == "other"
    assert address(app)["classes"] == "68", "all else is as it was left"


def switch_to(app, view):
    app.button_group(key="views_switch").set_value(view)
    return run(app)


def test_replays_two_views_follow_the_log_in_hand():
    app = open_page("", {"log": "mine", "round": "1", "iterations": "100"})
    switch_to(app, "disagreements")
    assert address(app)["log"] == "mine"
    app.session_state["log_in_hand"] = "other"
    switch_to(app, "hand")
    assert address(app)["hand"] == "log.mine.1", "the hand stays on the table"
    assert in_hand(app) == "other, 4 rounds"
    switch_to(app, "disagreements")
    assert address(app)["log"] == "other"


def test_several_logs_stay_while_the_log_in_hand_is_one_of_them():
    app = open_page(STYLE, {"logs": "mine|other"})
    assert in_hand(app) == "mine, 6 rounds"
    go(app, "9_Data", log="other")
    go(app, STYLE)
    assert address(app)["logs"] == "mine|other"
    app.multiselect(key="style_logs").set_value(["mine"])
    run(app)
    assert in_hand(app) == "mine, 6 rounds", "it is among those that are read"


def test_bids_draws_no_log_until_one_is_taken():
    app = open_page(BIDS, {"view": "curves"})
    assert address(app) == {"view": "curves", "logs": "", "log": "mine"}
    go(app, "9_Data", log="other")
    go(app, BIDS)
    assert address(app)["logs"] == "other"
    app.multiselect(key="bids_logs").set_value([])
    run(app)
    assert address(app)["logs"] == "", "none is drawn as long as this one is in hand"
    assert in_hand(app) == "other, 4 rounds"


def test_a_log_that_is_deleted_gives_way_and_the_reader_is_told():
    app = open_page("9_Data", {"log": "other"})
    go(app, "10_Papers")
    delete_log("other")
    run(app)
    assert in_hand(app) == "mine, 6 rounds"
    (toast,) = app.toast
    assert toast.value.replace("\\", "") == (
        "other isn't there any more. mine is the log in hand now."
    )
    assert not run(app).toast, "once"


def test_without_logs_the_bar_names_none():
    for name in ("mine", "other"):
        delete_log(name)
    app = open_page(STYLE, {})
    assert "No logs yet" in texts(app)
    assert not [one for one in popovers(app) if "round" in label_of(one)]


def test_the_usual_log_is_the_shipped_one_else_the_first():
    assert log_in_hand.log_in_hand() == "mine"
    store_log(random_log(2), log_in_hand.USUAL)
    assert log_in_hand.log_in_hand() == log_in_hand.USUAL
    assert SeveralLogs("a").get() == [log_in_hand.USUAL]
    assert SeveralLogs("b", may_be_none=True).get() == []
