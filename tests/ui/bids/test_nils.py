"""Nils on the Bids page under AppTest: numbers, address, refusals, links into Replay."""

import json

import pytest
import streamlit as st

from analysis.bidding.bid_trials import try_bids
from analysis.bidding.questions import sequences_of
from analysis.nil import scores as nil_scores
from analysis.nil.chance import nil_chance, verdict
from analysis.nil.rounds import bin_of, count_nils, find_nils
from analysis.plots.nil import FEW
from analysis.text_tables import signed
from spades.bidding import bidder_options, explain_bis, load_curves, observe_auction
from spades.bidding.auction import SEQUENCES
from spades.bidding.curves import HUMAN_NIL_TABLE, NIL_TABLE
from spades.core.cards import STANDARD, parse_hand
from spades.notation.log_store import open_log, store_log
from tests.analysis.nils import made_up_scores
from tests.analysis.styles import random_log
from tests.pages.apps import charts, open_page, run, texts
from tests.pages.texts import labelled

HAND = "J52.9643.Q.K9543"
SIMULATED = {"kinds": ("simulated-human",) * 4, "agents": ("simulated",) * 4}
LINK = {
    "view": "curves",
    "sequence": "4,3",
    "compare": "3,*|0,2",
    "tables": "srp|human",
    "logs": "bots-and-ann|simulated",
    "kind": "bot",
    "threshold": "10",
    "log": "simulated",
    "at": "3,*",
    "bin": "3",
}


@pytest.fixture(autouse=True)
def _own_stores(tmp_path, monkeypatch):
    """Two logs, and stored scores to be written over; Streamlit's caches outlive a test."""
    st.cache_data.clear()
    st.cache_resource.clear()
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    store_log(random_log(90), "bots-and-ann")
    store_log(random_log(12, **SIMULATED), "simulated")
    (tmp_path / "scores.json").write_text(json.dumps(made_up_scores()))
    monkeypatch.setattr(nil_scores, "SCORES", tmp_path / "scores.json")


def show(**query):
    return open_page("5_Bids", {"view": "curves", **query})


def table_with(page, column):
    return next(frame.value for frame in page.dataframe if column in frame.value)


def click(page, chart, *data):
    """The reader clicks a point of a chart."""
    point = {"customdata": {str(i): one for i, one in enumerate(data)}}
    lists = {"points": [point], "point_indices": [0], "box": [], "lasso": []}
    page.session_state[chart] = {"selection": lists}
    return run(page)


@pytest.mark.slow
def test_curves_by_the_bids_and_the_rounds_of_a_point():
    page = show()
    assert dict(page.query_params) == {"view": "curves", "logs": "", "log": "bots-and-ann"}
    assert not page.warning
    totals, curves = table_with(page, "at 0.5"), load_curves(NIL_TABLE)
    assert totals["sequence"].tolist() == ["first to bid", *(f"after {p}, 3" for p in (1, 3, 8))]
    drawn = [sequences_of(bids)[0] for bids in ((), (1, 3), (3, 3), (8, 3))]
    assert totals["n"].tolist() == [int(curves.n[index]) for index in drawn]
    names = {trace.get("name") for trace in charts(page)["nil_curves"]["data"]}
    assert names >= set(totals["sequence"])
    thin = (curves.counts[drawn[3], :, 0] < FEW).sum()
    assert f"Thin, under {FEW} nils in a twentieth, of srp bots: after 8, 3 in {thin} of 20 " in (
        texts(page)
    )
    page.button_group(key="bids_turn").set_value(1)
    assert run(page).query_params["sequence"] == "3"
    page.selectbox(key="bids_right_bid").set_value(5).run()
    page.button(key="bids_keep").click().run()
    page.selectbox(key="bids_right_bid").set_value(-1).run()
    assert page.query_params["sequence"] == "*"
    assert page.session_state["bids_compare"] == ["1,3", "3,3", "8,3", "5"]
    assert table_with(page, "at 0.5")["sequence"].tolist()[::4] == ["second to bid", "after 5"]
    page.selectbox(key="bids_at").set_value("*")
    page.selectbox(key="bids_bin").set_value(0).run()
    nils = find_nils(open_log("bots-and-ann"))
    mine = (bin_of(nils.value) == 0) & (nils.sequence >= 1) & (nils.sequence <= 14)
    rounds = table_with(page, "open")
    assert mine.sum() == len(rounds) > 3
    first = rounds["round"].iloc[0]
    assert rounds["open"].iloc[0] == f"/?log=bots-and-ann&round={first}&ply=0"
    assert f"{len(rounds)} nils in bots-and-ann" in texts(page)
    assert "counted, not stored" in texts(page)
    replay = open_page("", {"log": "bots-and-ann", "round": str(first)})
    assert replay.query_params["hand"] == f"log.bots-and-ann.{first}"
    page.multiselect(key="bids_logs").set_value(["bots-and-ann"]).run()
    click(page, "nil_curves", "bots-and-ann", "3,3", 0)
    assert (page.query_params["at"], page.query_params["bin"]) == ("3,3", "0")
    page.selectbox(key="bids_bin").set_value(7).run()
    assert page.query_params["bin"] == "7"  # the old click doesn't come back
    store_log(random_log(4), "another")
    link = dict(page.query_params)
    page = show(**link)
    assert not page.warning
    assert "another" in page.multiselect(key="bids_logs").options
    assert dict(page.query_params) == link


@pytest.mark.slow
def test_links_are_followed_refused_and_written_back(tmp_path, monkeypatch):
    page = show(**LINK)
    assert not page.warning
    state = page.session_state
    assert (state["bids_turn"], state["bids_partner_bid"], state["bids_right_bid"]) == (2, 4, 3)
    assert dict(page.query_params) == LINK
    totals, index = table_with(page, "at 0.5"), sequences_of((4, 3))[0]
    sources = ["srp bots", "simulated humans", "bots-and-ann, bots", "simulated, bots"]
    assert totals["source"].tolist()[::3] == sources
    counts = count_nils(find_nils(open_log("bots-and-ann")), "bot")[index]
    fitted = int(load_curves(HUMAN_NIL_TABLE).n[index])
    assert totals["n"].tolist()[3::3] == [fitted, counts[:, 0].sum(), 0]
    page = show(sequence="1,2,3,4", tables="x", logs="simulated", scored="human", by="sequences")
    assert page.warning[0].value.count("The link says") == 2
    assert page.query_params["sequence"] == "1,2,3"
    assert table_with(page, "at 0.5")["source"].iloc[-1] == "simulated (simulated humans)"
    assert page.expander[0].proto.expanded  # the link names scores
    page.button_group(key="bids_turn").set_value(1).run()
    assert not page.warning
    table = table_with(page, "trees")
    stored = json.loads((tmp_path / "scores.json").read_text())["agents"]["human"]
    assert len(table) == 4
    assert f"BIS's logistic curves {stored['sequences']['covered']['curves']}" in texts(page)
    page.button_group(key="bids_by").set_value("bins").run()
    page.selectbox(key="bids_group").set_value("2 previous bids").run()
    page.button_group(key="bids_by").set_value("strata").run()
    strata = table_with(page, "heard")
    assert strata["n"].sum() == stored["all"]["n"]
    assert f"{len(strata)} strata" in texts(page)
    rows = table_with(page, "brier")
    assert rows["method"].tolist() == list(nil_scores.METHODS.values())
    assert rows["n"].unique().tolist() == [stored["groups"]["2 previous bids"]["n"]]
    assert "nil_calibration" in charts(page)
    assert page.query_params["group"] == "2 previous bids"
    (tmp_path / "scores.json").write_text("{")
    assert "experiments.fit_nil_curves" in run(page).error[0].value.replace("\\", "")
    assert "nil_curves" in charts(page)
    page.selectbox(key="bids_right_bid").set_value(13).run()
    page.selectbox(key="bids_bin").set_value(19).run()
    assert "No round to open here" in texts(page)
    page.button_group(key="bids_tables").set_value([])
    page.multiselect(key="bids_logs").set_value([])
    assert "Choose whose nils" in texts(run(page))
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "nowhere"))
    page.button_group(key="bids_tables").set_value(["srp"])
    assert "No logs yet" in texts(run(page))
    page.button_group(key="bids_view").set_value("ace")
    assert "No logs yet" in texts(run(page))


def test_a_hand_has_its_chance_of_nil():
    page = show(view="nil", hand=HAND, previous="4,3")
    seen = observe_auction(parse_hand(HAND, STANDARD), (4, 3))
    answer = explain_bis(seen, bidder_options())
    chance = nil_chance(seen, try_bids(seen, [0]))
    points = 100 * (2 * chance.chance - 1)
    assert {metric.label: metric.value for metric in page.metric} == {
        "Chance of this nil": f"{chance.chance:.1%}",
        "Nil value": f"{answer.nil_value:.3f}",
        "Expected from nil": signed(points),
        "Over the threshold": signed(points - 25),
    }
    assert chance.text() in texts(page)
    assert f"BIS bids {'nil' if answer.bid == 0 else answer.bid}, by its logistic" in texts(page)
    assert verdict(chance, 25, 100) in texts(page)
    suits, places = table_with(page, "p_cnil"), table_with(page, "after")
    assert suits["p_cnil"].tolist() == pytest.approx(answer.nil_by_suit)
    assert places["source"].tolist() == ["srp bots", "simulated humans"]
    assert places["chance"].iloc[0] == pytest.approx(chance.of_value, abs=0.0005)  # as shown
    assert places["after"].iloc[0] == chance.n_after == answer.n_curve
    (star,) = [t for t in charts(page)["nil_place"]["data"] if t.get("name") == "this nil"]
    assert star["x"] == [pytest.approx(answer.nil_value)]
    assert star["y"] == [pytest.approx(chance.chance)]
    assert "What happened in bots-and-ann: " in texts(page)
    page.selectbox(key="bids_from_partner").set_value(0)
    assert "the partner has bid nil" in texts(run(page))
    page.selectbox(key="bids_from_partner").set_value(4)
    labelled(page.text_input, "Hand as text").set_value("AKJ62.AQ.Q.K95")
    assert "11 of 13 cards: 2 to add" in texts(run(page))
    assert "Complete the hand" in texts(page)
    assert not page.metric
    assert page.query_params["hand"] == "AKJ62.AQ.Q.K95"
    labelled(page.button_group, "Clubs").set_value(["CK", "C9", "C5", "C4", "C3"])
    a_fact_and_a_rule_are_told_apart(page)
    page.button(key="bids_hand_deal").click()
    assert run(page).metric[0].label == "Chance of this nil"
    page.text_input(key="bids_options").set_value("nil=None")
    assert "These rules have no nil" in texts(run(page))
    page.text_input(key="bids_options").set_value("")
    page.button_group(key="bids_view").set_value("hand")
    assert "Why BIS bids" in "".join(one.value for one in run(page).subheader), "the same hand"


def test_cells_and_the_ace():
    page = show(view="surface")
    look_into_cells(page)
    page.button_group(key="bids_view").set_value("ace").run()
    rows = table_with(page, "held")
    assert rows.groupby("source")["n"].sum().to_dict() == {"bots-and-ann": 90}  # in hand
    page.multiselect(key="bids_logs").set_value(["bots-and-ann", "simulated"])
    rows = table_with(run(page), "held")
    counted = {"bots-and-ann": 90, "simulated (simulated humans)": 12}
    assert rows.groupby("source")["n"].sum().to_dict() == counted
    assert "102 seats" in texts(page)
    page.selectbox(key="bids_kind").set_value("simulated-human")
    page.multiselect(key="bids_logs").set_value(["bots-and-ann"])
    assert "No such seat" in texts(run(page))


def a_fact_and_a_rule_are_told_apart(page):
    assert "its spades take a trick for sure" in texts(run(page))
    shown = [metric.value for metric in page.metric]
    assert shown == ["0.0%", "0.000", "−100.0", "−125.0"]  # simulated all the same
    labelled(page.text_input, "Hand as text").set_value("5432.32.5432.432")
    assert "BIS's rule denies a nil with four spades or more" in texts(run(page))
    assert float(page.metric[0].value.rstrip("%")) > 50
    assert table_with(page, "points")["what"].tolist() == ["This nil"]
    assert table_with(page, "after")["chance"].isna().all()


def look_into_cells(page):
    page.button_group(key="bids_of").set_value("human")
    page.button_group(key="bids_after").set_value(2).run()
    assert (page.session_state["bids_partner"], page.session_state["bids_sum"]) == (3, 6)
    page.selectbox(key="bids_partner").set_value(12).run()
    assert page.session_state["bids_sum"] == 12  # 6 can't be any more
    nils = find_nils(open_log("bots-and-ann"))
    third = [i for i in nils.sequence.tolist() if len(SEQUENCES[i]) == 2]
    partner, right = SEQUENCES[third[0]]
    click(page, "nil_surface", partner, partner + right)
    assert page.query_params["partner"] == str(partner)
    assert page.query_params["sum"] == str(partner + right)
    frame = charts(page)["nil_surface"]["layout"]["shapes"][0]
    assert (frame["x0"], frame["y0"]) == (partner - 0.5, partner + right - 0.5)
    behind, rounds = table_with(page, "bids"), table_with(page, "open")
    assert behind["bids"].tolist() == [f"{partner},{right}"]
    assert behind["n"].tolist() == [int(load_curves(HUMAN_NIL_TABLE).n[third[0]])]
    assert len(rounds) == third.count(third[0])
    page.button_group(key="bids_form").set_value("surface")
    assert "can't be clicked" in texts(run(page))
    page.button(key="bids_compare_cell").click().run()
    assert page.query_params["sequence"] == f"{partner},{right}"
    assert page.session_state["bids_view"] == "curves"


def test_a_game_in_two_logs_is_drawn_twice_and_said():
    store_log(random_log(1), "first")
    store_log(random_log(30), "copy")
    said = "Of {} {} in {} too, and so drawn twice"
    page = show(logs="bots-and-ann|simulated|copy")
    assert said.format("copy", "30 rounds are", "bots-and-ann or simulated") in texts(page)
    assert texts(page).count("drawn twice") == 1
    page.multiselect(key="bids_logs").set_value(["first", "copy"])
    assert said.format("copy", "1 round is", "first") in texts(run(page))
    page.button_group(key="bids_view").set_value("ace")
    assert said.format("copy", "1 round is", "first") in texts(run(page))
