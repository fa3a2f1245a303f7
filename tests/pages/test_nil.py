"""The Nil page: numbers, address, refusals, and links into Replay."""

import pytest

from analysis.bidding.sequences import sequences_of
from analysis.nil.rounds import count_nils, find_nils
from spades.bidding import bidder_options, explain_bis, load_curves, observe_auction
from spades.bidding.auction import SEQUENCES
from spades.bidding.curves import HUMAN_TABLE
from spades.core.cards import STANDARD
from spades.notation.hands import parse_hand
from spades.notation.log_store import open_log, store_log
from tests.analysis.styles import random_log
from tests.pages.apps import charts, open_page, texts
from tests.pages.nil import show
from tests.pages.texts import labelled

HAND = "J52.9643.Q.K9543"
SIMULATED = {"kinds": ("simulated-human",) * 4, "agents": ("simulated",) * 4}


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    return tmp_path / "logs"


@pytest.fixture
def logs(store):
    store_log(random_log(90), "bots-and-ann")
    store_log(random_log(12, **SIMULATED), "simulated")


def totals_of(page):
    return next(frame.value for frame in page.dataframe if "at 0.5" in frame.value)


def test_opens_on_the_curves_and_names_the_log_only(logs):
    page = show()
    assert dict(page.query_params) == {"log": "bots-and-ann"}
    assert not page.warning
    totals = totals_of(page)
    assert totals["sequence"].tolist() == ["first to bid", *(f"after {p}, 3" for p in (1, 3, 8))]
    curves = load_curves()
    assert totals["n"].tolist() == [
        int(curves.n[sequences_of(s)[0]]) for s in ((), (1, 3), (3, 3), (8, 3))
    ]
    assert (totals["made"] <= totals["n"]).all()
    names = {trace.get("name") for trace in charts(page)["nil_curves"]["data"]}
    assert names >= set(totals["sequence"])
    page.run()
    assert dict(page.query_params) == {"log": "bots-and-ann"}


@pytest.mark.parametrize("view", ["curves", "ace"])
def test_a_link_shows_the_same_where_another_log_comes_first(logs, view):
    link = dict(show(view=view).query_params)
    store_log(random_log(4), "another")
    page = show(**link)
    assert not page.warning
    assert "another" in page.multiselect(key="nil_logs").options
    assert dict(page.query_params) == link
    if view == "ace":
        assert page.session_state["nil_logs"] == ["bots-and-ann", "simulated"]
    else:
        assert page.session_state["nil_log"] == "bots-and-ann"


def test_human_against_bot_and_logs_by_kind(logs):
    page = show(tables="srp|human", logs="bots-and-ann|simulated", kind="bot", compare="")
    totals = totals_of(page)
    assert totals["source"].tolist() == [
        *("srp bots", "simulated humans", "bots-and-ann, bots", "simulated, bots")
    ]
    counts = count_nils(find_nils(open_log("bots-and-ann")), "bot")[sequences_of(())[0]]
    assert totals["n"].tolist()[1:] == [int(load_curves(HUMAN_TABLE).n[0]), counts[:, 0].sum(), 0]
    assert totals["made"].iloc[2] == counts[:, 1].sum()
    assert totals_of(show(logs="simulated"))["source"].iloc[-1] == ("simulated (simulated humans)")


LINK = {
    "previous": "4,3",
    "compare": "3,*|0,2",
    "tables": "human",
    "logs": "simulated",
    "kind": "simulated-human",
    "hand": "AKJ62.AQ.Q.K9543",
    "view": "curves",
    "threshold": "10",
    "log": "simulated",
    "at": "3,*",
    "bin": "3",
}


def test_a_deep_link_restores_every_control(logs):
    page = show(**LINK)
    assert not page.warning
    state = page.session_state
    assert (state["nil_turn"], state["nil_partner_bid"], state["nil_right_bid"]) == (2, 4, 3)
    assert state["nil_compare"] == ["3,*", "0,2"]
    assert (state["nil_tables"], state["nil_logs"]) == (["human"], ["simulated"])
    assert dict(page.query_params) == LINK
    page.run()
    assert dict(page.query_params) == LINK


def test_bad_link_is_told_until_the_reader_moves_on(logs):
    page = show(previous="1,2,3,4", tables="x")
    assert page.warning[0].value.count("The link says") == 2
    assert "Choose whose nils" not in texts(page)
    assert page.query_params["previous"] == "1,2,3"
    page.button_group(key="nil_turn").set_value(1).run()
    assert not page.warning


def test_nothing_to_show_says_what_to_do(logs, monkeypatch, tmp_path):
    assert "No round to open here" in texts(show(previous="13,13,13", bin="19"))
    assert "Choose whose nils" in texts(show(tables=""))
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "nowhere"))
    for view in ("curves", "ace"):
        assert "No logs yet" in texts(show(view=view))


def test_a_hand_from_a_link_has_its_place_and_its_bid(logs):
    page = show(hand=HAND, previous="4,3")
    assert page.session_state["nil_view"] == "hand"
    answer = explain_bis(observe_auction(parse_hand(HAND, STANDARD), (4, 3)), bidder_options())
    shown = {metric.label: metric.value for metric in page.metric}
    assert shown["Nil value"] == f"{answer.nil_value:.3f}"
    assert shown["Chance of nil"] == f"{answer.p_nil:.1%}"
    assert shown["Expected of nil"] == f"{answer.expected_nil:+.1f}"
    assert shown["Over the threshold"] == f"{answer.expected_nil - 25:+.1f}"
    assert f"BIS bids {'nil' if answer.bid == 0 else answer.bid}" in texts(page)
    suits, places = page.dataframe[0].value, page.dataframe[1].value
    assert suits["p_cnil"].tolist() == pytest.approx(answer.nil_by_suit)
    assert places["source"].tolist() == ["srp bots", "simulated humans"]
    assert places["chance"].iloc[0] == pytest.approx(answer.p_nil)
    assert places["after"].iloc[0] == answer.n_curve
    stars = [t for t in charts(page)["nil_place"]["data"] if t.get("name") == "this hand"]
    assert stars[0]["x"] == [pytest.approx(answer.nil_value)]


def test_wrong_counts_of_cards_are_told_and_kept_in_the_address(logs):
    page = show(hand="AKJ62.AQ.Q.K95")
    assert "11 of 13 cards: 2 to add" in texts(page)
    assert "once the hand has 13 cards" in texts(page)
    assert not page.metric
    assert page.query_params["hand"] == "AKJ62.AQ.Q.K95"
    labelled(page.button_group, "Clubs").set_value(["CK", "C9", "C5", "C4", "C3"]).run()
    assert page.query_params["hand"] == "AKJ62.AQ.Q.K9543"
    assert page.metric
    labelled(page.text_input, "Hand as text").set_value(HAND).run()
    assert "hand" not in page.query_params  # the default one
    page.button(key="nil_hand_deal").click().run()
    assert page.metric[0].label == "Nil value"
    assert not page.exception


def test_a_second_nil_and_open_bids(logs):
    assert "the partner bid nil" in texts(show(hand=HAND, previous="0,3"))
    page = show(hand=HAND, previous="*,3")
    assert "Choose every bid before" in texts(page)
    assert page.metric[1].value.endswith("%")
    hopeless = show(hand="AKJ62.AQ.Q.K9543")
    assert "takes a trick for sure" in texts(hopeless)


def test_bids_are_chosen_kept_and_compared(logs):
    page = show(compare="")
    page.button_group(key="nil_turn").set_value(1).run()
    assert page.query_params["previous"] == "3"
    page.selectbox(key="nil_right_bid").set_value(5).run()
    assert page.query_params["previous"] == "5"
    page.button(key="nil_keep").click().run()
    page.selectbox(key="nil_right_bid").set_value(-1).run()
    assert page.query_params["previous"] == "*"
    assert page.session_state["nil_compare"] == ["5"]
    assert totals_of(page)["sequence"].tolist() == ["after any", "after 5"]


def test_bids_before_a_hand_are_all_that_its_address_needs(logs):
    page = show(view="hand")
    page.button_group(key="nil_turn").set_value(1).run()
    assert dict(page.query_params) == {"view": "hand", "previous": "3"}
    assert not show(**page.query_params).warning


def test_rounds_behind_a_point_open_in_replay(logs):
    page = show(previous="*", log="bots-and-ann", bin="0")
    nils = find_nils(open_log("bots-and-ann"))
    mine = (nils.bins == 0) & (nils.sequence >= 1) & (nils.sequence <= 14)
    rounds = page.dataframe[0].value
    assert mine.sum() == len(rounds) > 3
    assert rounds["open"].iloc[0] == f"/?log=bots-and-ann&round={rounds['round'].iloc[0]}&ply=0"
    assert f"{len(rounds)} nils in bots-and-ann" in texts(page)
    assert "counted, not stored" in texts(page)
    replay = open_page("", {"log": "bots-and-ann", "round": str(rounds["round"].iloc[0])})
    assert replay.query_params["hand"] == f"log.bots-and-ann.{rounds['round'].iloc[0]}"


def test_a_click_on_a_point_picks_it(logs):
    page = show(logs="bots-and-ann", previous="3")
    data = {"0": "bots-and-ann", "1": "3,3", "2": 0}
    page.session_state["nil_curves"] = {
        "selection": {
            "points": [{"customdata": data}],
            "point_indices": [0],
            "box": [],
            "lasso": [],
        }
    }
    page.run()
    assert (page.query_params["at"], page.query_params["bin"]) == ("3,3", "0")
    page.selectbox(key="nil_bin").set_value(7).run()
    assert page.query_params["bin"] == "7"  # the old click doesn't come back


def test_a_click_on_a_cell_shows_what_is_behind_it(logs):
    page = show(view="surface", of="human", after="2")
    assert (page.session_state["nil_partner"], page.session_state["nil_sum"]) == (3, 6)
    nils = find_nils(open_log("bots-and-ann"))
    third = [i for i in nils.sequence.tolist() if len(SEQUENCES[i]) == 2]
    partner, right = SEQUENCES[third[0]]
    page.session_state["nil_surface"] = {
        "selection": {
            "points": [{"customdata": {"0": partner, "1": partner + right}}],
            "point_indices": [0],
            "box": [],
            "lasso": [],
        }
    }
    page.run()
    assert not page.exception
    address = dict(page.query_params)
    assert (address["partner"], address["sum"]) == (str(partner), str(partner + right))
    assert address["log"] == "bots-and-ann"
    frame = charts(page)["nil_surface"]["layout"]["shapes"][0]
    assert (frame["x0"], frame["y0"]) == (partner - 0.5, partner + right - 0.5)
    behind = page.dataframe[0].value
    assert behind["bids"].tolist() == [f"{partner},{right}"]
    assert behind["n"].tolist() == [int(load_curves(HUMAN_TABLE).n[third[0]])]
    rounds = page.dataframe[1].value
    assert len(rounds) == third.count(third[0])
    assert rounds["open"].iloc[0].startswith("/?log=bots-and-ann&round=")
    page.button(key="nil_compare_cell").click().run()
    assert dict(page.query_params)["previous"] == f"{partner},{right}"
    assert page.session_state["nil_view"] == "curves"


def test_cells_are_chosen_by_their_bids_too(logs):
    page = show(view="surface", form="surface")
    assert "takes no clicks" in texts(page)
    page.selectbox(key="nil_partner").set_value(12).run()
    assert dict(page.query_params)["partner"] == "12"
    assert page.session_state["nil_sum"] == 12  # 10 can't be any more
    page.button_group(key="nil_after").set_value(2).run()
    assert (page.session_state["nil_partner"], page.session_state["nil_sum"]) == (3, 6)
    page = show(view="surface", partner="4", sum="9")
    page.button(key="nil_compare_cell").click().run()
    assert len(page.session_state["nil_compare"]) == 4
    assert page.query_params["previous"].split(",")[1] == "4"


def test_aces_count_the_seats(logs):
    page = show(view="ace", logs="bots-and-ann|simulated")
    rows = page.dataframe[0].value
    assert rows.groupby("source")["n"].sum().to_dict() == {
        "bots-and-ann": 90,
        "simulated (simulated humans)": 12,
    }
    assert "102 seats" in texts(page)
    assert "No such seat" in texts(show(view="ace", logs="simulated", kind="human"))
