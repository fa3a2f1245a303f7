"""The Replay page under AppTest: hands and settings, panels about cards, bids."""

import json
import subprocess
import sys
import threading
from urllib.parse import parse_qs

import numpy as np
import pytest

from analysis.bidding import decisions as bidding
from analysis.bidding.decisions import BIDDERS_COMPARED, each_bid_decision
from analysis.decisions import card_beliefs
from spades.core.cards import STANDARD, cards_in
from spades.core.equivalence import equivalent_cards
from spades.core.errors import SpadesError
from spades.human.files import MODEL_FORMAT
from spades.human.loglinear import devlin2016
from spades.look.words import pretty_class
from spades.notation import write_path
from spades.notation.hands import read_hand
from tests.pages.apps import address, run, texts
from tests.pages.texts import (
    ALL_HANDS,
    BROKEN,
    bid_decisions,
    ptn,
    shipped,
    with_names,
    without_bids,
)
from tests.random_logs import random_log
from tests.ui.replay.page import (
    answered,
    choose,
    click,
    figures,
    judged,
    open_popover,
    open_replay,
    paste,
    put,
    report,
    searched,
    settled,
    step,
    table,
    view_data,
    visit,
)
from tests.ui.replay.test_replay_state import LINK
from ui.replay import keep_position
from ui.replay.bid_data import bid_data
from ui.replay.state import TABS
from ui.shared.records import DEFAULT_HAND, unpack

QUICK = {"hand": "south-nil", "iterations": "100"}


def test_hands_steps_and_settings(tmp_path, monkeypatch):
    """What opens, what is refused and said, and what the address holds of it."""
    monkeypatch.setenv("SPADES_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("SPADES_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    app = open_replay()
    assert (view_data(app)["id"], view_data(app)["ply"], address(app)) == ("north-nil", 20, {})
    assert not app.warning
    assert not app.error
    steps_go_into_the_address(app)
    settings_go_into_the_address(app)
    links_are_followed_and_kept_on_other_pages(app)
    damaged_models_are_named_and_replaced(app, tmp_path / "models")
    hands_open_from_picker_and_text(app)
    files_open_once(app, tmp_path)


def steps_go_into_the_address(app):
    visit(app, "pages/7_Agents.py")
    visit(app, "app.py", ply="0")
    for ply in ("1", "2"):
        step(app, 1)
        assert address(app)["ply"] == ply
    step(app, -1)
    assert address(app)["ply"] == "1"
    report(app, ply=7, view="own")
    assert address(app) == {"hand": DEFAULT_HAND, "ply": "7", "view": "own"}
    assert view_data(app)["ply"] == 0  # the view is not sent back what it said
    report(app, ply=9, at="south-nil|0")  # of another hand
    assert "ply" not in address(app)
    report(app, ply=51, view="all")
    step(app, 1)
    assert address(app)["ply"] == "52"


def settings_go_into_the_address(app):
    visit(app, "app.py", hand="four-bots", ply="4", iterations="500")
    before = view_data(searched(app))["decisions"]
    open_popover(app, "settings")
    choose(app, "number_input", "seed", 9)
    assert view_data(searched(app))["decisions"] != before
    for kind, key, value, written in (
        ("toggle", "spoiler", True, "1"),
        ("toggle", "more", True, "1"),
        ("select_slider", "iterations", 100, "100"),
        ("toggle", "skew", True, "1"),
        ("slider", "threshold", 0.2, "0.2"),
        ("button_group", "colors", 4, "4"),
    ):
        choose(app, kind, key, value)
        assert address(app)[key] == written
    data = view_data(app)
    assert (data["spoiler"], data["four_color"]) == (True, True)
    assert data["searches"] == ["ISMCTS 100, skewed"]


def links_are_followed_and_kept_on_other_pages(app):
    link = {name: value for name, value in LINK.items() if name != "tab"}
    visit(app, "pages/7_Agents.py")
    visit(app, "app.py", **link)
    assert not app.warning
    assert address(app) == link
    data = view_data(app)
    assert (data["seat"], data["view"]) == ("S", "own")
    dealt = "mixed deals (without nil and ducked, share 0.25, floor 0.1)"
    name = f"ISMCTS 500, {dealt}, heuristic playouts, skewed, for the game"
    assert data["searches"][0] == f"{name}, C 0.5, scale 200, ε 0.1, skew k 50"
    visit(app, "pages/7_Agents.py")
    visit(app, "app.py")  # by the bar: settings and hand are as they were
    wanted = {name: value for name, value in link.items() if name not in ("ply", "view")}
    assert {name: address(app).get(name) for name in wanted} == wanted
    visit(app, "pages/7_Agents.py")
    visit(app, "app.py", hand="south-nil", ply="3")
    assert address(app) == {"hand": "south-nil", "ply": "3"}
    assert (view_data(app)["id"], view_data(app)["ply"]) == ("south-nil", 3)


def damaged_models_are_named_and_replaced(app, models):
    numbers = {**devlin2016().tensors()}
    numbers["weights"][0] = np.nan
    header = {"kind": "log-linear", "config": devlin2016().config()}
    models.mkdir()
    MODEL_FORMAT.write(models / "nan.safetensors", header, numbers)
    for query, shown in (
        ({"bias_model": "nan"}, ""),  # nobody asks it
        ({"bias_model": "nan", "technique": "knowledge"}, "leans towards devlin2016."),
        ({"model": "nan,devlin2016-nil"}, "Shown: devlin2016-nil."),
    ):
        visit(app, "pages/7_Agents.py")
        visit(app, "app.py", iterations="100", **query)
        told = texts(app)
        found = "The model nan can't be read: nan.safetensors: tensor weights holds"
        assert (found in told) == bool(shown)
        assert shown in told
        data = view_data(searched(app))
        if shown:
            assert [model["id"] for model in data["models"]] == [shown.rstrip(".").split()[-1]]
        assert all(data["decisions"])
    open_popover(app, "settings")
    choose(app, "multiselect", "model", ["devlin2016", "nan"])
    assert "nan.safetensors" in texts(app)
    assert len(view_data(app)["models"]) == 1
    choose(app, "multiselect", "model", ["devlin2016"])


def hands_open_from_picker_and_text(app):
    for name in reversed(ALL_HANDS):
        next(box for box in app.selectbox if box.label == "Hand").select(name)
        run(app)
        assert (view_data(app)["id"], address(app)["hand"]) == (name, name)
    next(box for box in app.selectbox if box.label == "Hand").select("deal-231")
    run(app)  # a deal without auction or play
    data = view_data(app)
    assert (data["decisions"], data["progress"]) == ([], None)
    assert not app.get("plotly_chart")
    record = shipped("deal-231")
    bids, nil = [query for query in links(app) if "rules=" in query]
    assert read_hand(parse_qs(bids)["hand"][0], record.rules.cards) == record.hands[2]
    assert parse_qs(nil)["view"] == ["nil"]
    make, line, words = BROKEN["revoke"]
    before = address(app)
    paste(app, make())
    assert f"line {line}: " in texts(app)
    assert words in texts(app)
    assert address(app) == before
    next(box for box in app.selectbox if box.label == "Hand").select("four-bots")
    run(app)
    assert words not in texts(app)  # it went with the hand that it was about
    paste(app, "AKJ62 AQ Q K9543")
    assert "hand=AKJ62.AQ.Q.K9543&previous=&rules=&view=nil" in links(app)
    assert not app.error
    paste(app, ptn(shipped("south-nil")))
    assert not app.error
    carried, given = unpack(address(app)["hand"]), shipped("south-nil")
    for name in ("rules", "dealer", "hands", "bids", "plays", "kinds"):
        assert getattr(carried, name) == getattr(given, name)
    paste(app, with_names("Nobody", "Anybody", "Somebody", "Everybody"))
    assert view_data(app)["round"]["seats"][0]["name"] == "Nobody"
    assert unpack(address(app)["hand"]).players == ("",) * 4
    paste(app, without_bids())
    for _ in range(3):
        run(app)
    assert "Not searched: " in texts(app)
    assert "bids are not known" in texts(app)
    assert view_data(app)["progress"] is None
    assert not app.get("progress")


def links(app):
    return [link.proto.query_string for link in app.get("page_link")]


def files_open_once(app, folder):
    def upload(name, content):
        open_popover(app, "hand")
        (uploader,) = app.file_uploader
        uploader.upload(name, content, "application/octet-stream")
        run(app)

    for content, words in ((b"PK\x03\x04", "zip archive"), (b"", "empty")):
        upload("a.ptn", content)
        assert words in texts(app)
    for ending, n_rounds in (("parquet", 3), ("csv", 130)):
        path = folder / f"rounds.{ending}"
        write_path(random_log(n_rounds, 3).records(), path)
        upload(path.name, path.read_bytes())
        assert not app.error
        assert address(app)["hand"].startswith("z.")
        assert ("The first 100 rounds" in texts(app)) == (n_rounds > 100)
    step(app, 1)
    assert address(app)["ply"] == "1"  # the file still there does not open the hand again


@pytest.mark.slow
@pytest.mark.usefixtures("quick_judge")
def test_panels_about_cards(monkeypatch):
    """Nothing before it is asked for, runs that go on, and what must stay hidden."""
    with monkeypatch.context() as early:
        early.setattr(card_beliefs, "shares_by", lambda *a, **k: pytest.fail("dealt too early"))
        query = {**QUICK, "searches": "20", "deal_count": "100", "trials": "200"}
        app = searched(open_replay(**query, ply="12"))
        assert not figures(app)
        assert not app.code
    every_class_is_explained(app)
    the_visits_are_drawn_once_asked_for(put(app, tab=TABS["searches"]))
    deals_show_maps_values_and_truth(put(app, tab=TABS["cards"]))
    deals_are_dealt_as_the_search_deals(app)
    searches_go_on(put(app, tab=TABS["searches"]))
    deals_are_played_on(put(app, tab=TABS["whatif"]))
    the_report_is_of_the_decision(open_popover(put(app, tab="Why"), "report"))
    hidden_cards_stay_hidden(app)
    beliefs_follow_step_and_seat(put(app, tab="Why", open_report=False))


def every_class_is_explained(app):
    assert "play the round on from each card" in texts(app)
    assert "Humans most often play " in texts(app)
    told = texts(judged(app, 12))
    for row in view_data(app)["decisions"][12]["cards"]:
        assert f"- **{pretty_class([row['card'], *row['equals']])}**: " in told
    assert view_data(app)["decisions"][12]["judgement"]["sure"] not in told  # it is over the table


def the_visits_are_drawn_once_asked_for(app):
    assert set(figures(app)[-1]) == {"scatter"}
    assert "Triangles at the right: how likely a human plays the card." in texts(app)


def deals_show_maps_values_and_truth(app):
    settled(app)
    kinds = figures(app)[0]
    assert kinds.count("heatmap") == kinds.count("scatter") == len(card_beliefs.METHODS)  # rings
    told = texts(app)
    assert "as West may believe" in told
    assert "South, who bid nil, holds it in" in told
    assert "of 2,000 biased deals" in told
    assert "High cards and spades are dealt first" in told
    assert "**low cards behind nil**: " in told
    assert "nats a card (one position)" in told
    assert "truth" in table(app, "kind").columns
    assert table(app, "best_in") is None
    settled(click(app, "Sample 100 deals"))
    found, record = table(app, "best_in"), shipped("south-nil")
    assert len(found) == len(equivalent_cards(record.observation(12)))
    assert set(found["deals"]) == {100}
    first = app.table[0].value
    assert "hidden cards lie there in truth" in texts(app)
    choose(app, "number_input", "deal", 2)
    assert address(app)["deal"] == "2"
    second = app.table[0].value
    assert not first.equals(second)
    own = {
        symbol + rank.replace("10", "T")
        for symbol, ranks in zip("SHDC", second["West (decides)"], strict=True)
        for rank in ranks.replace("–", "").split()
    }
    assert own == {STANDARD.format_card(card) for card in cards_in(record.at(12).hands[3])}


def test_few_possible_deals_are_all_solved():
    app = searched(open_replay(hand="four-bots", iterations="100", ply="45", deals="1"))
    settled(click(app, "Solve all 3 possible deals"))
    assert set(table(app, "best_in")["deals"]) == {3}
    told = texts(app)
    assert "Proven: in all 3 possible deals nothing is worth more than **Q♠**" in told
    assert "The rest is East/West's: all 2 tricks in every possible deal, if East plays A♠" in told
    assert "can't rule out 3 deals" in told


def deals_are_dealt_as_the_search_deals(app):
    open_popover(app, "settings")
    choose(app, "selectbox", "determinization", "biased")
    box = settled(searched(app)).selectbox(key="replay_dealing")
    assert (box.options[0], box.value) == ("As the search (biased)", "search")
    biased = table(settled(click(app, "Sample 100 deals")), "best_in")
    choose(app, "selectbox", "determinization", "mixed")
    assert settled(searched(app)).selectbox(key="replay_dealing").options[0].endswith("(mixed)")
    assert table(app, "best_in") is None
    choose(app, "selectbox", "dealing", "biased")
    assert table(app, "best_in")["deals"].sum() == biased["deals"].sum()
    choose(app, "selectbox", "determinization", "biased")
    assert settled(searched(app)).selectbox(key="replay_dealing").value == "biased"  # kept
    of_deals = [
        "card",
        "deals",
        "mean",
        "mean_low",
        "best_in",
    ]  # the rest is against the search's choice
    assert table(app, "best_in")[of_deals].equals(biased[of_deals])
    choose(app, "selectbox", "determinization", "uniform")


def searches_go_on(app):
    found = table(searched(app), "wins")  # of the searches that the conclusion rests on
    assert found["wins"].sum() == 20
    assert found["played"].sum() == found["likeliest_human"].sum() == 1
    assert ((found["low"] <= found["share"]) & (found["share"] <= found["high"])).all()
    assert f"{found['wins'].iloc[0]} of 20 searches" in texts(app)
    choose(app, "selectbox", "searches", 100)
    assert address(app)["tab"] == "searches"
    assert "searches" not in address(app)  # the default
    assert "60 of 100 searches are done: too early to say" in texts(app)
    assert " wins " not in texts(app)
    settled(click(app, "Go on to 100"))
    assert set(table(app, "wins")["searches"]) == {100}


def deals_are_played_on(app):
    put(app, policy="human", whatif_dealing="biased")
    settled(click(app, "Play on 200 deals"))
    found = table(app, "verdict")
    assert set(found["deals"]) == {200}
    for row in found[~found["played"]].itertuples():
        assert (row.verdict == "no clear difference") == (row.low <= 0 <= row.high)
        assert row.low <= row.difference <= row.high
    assert found[found["played"]]["difference"].isna().all()
    told = texts(app)
    assert "n = 200 deals" in told
    assert "200 deals, biased ones" in told
    assert "simulated humans played on" in told
    assert "the true hands are not looked at" in told
    wanted = {"policy": "human", "whatif_dealing": "biased", "trials": "200", "tab": "whatif"}
    assert wanted.items() <= address(app).items()
    choose(app, "selectbox", "trials", 1000)
    assert "200 of 1,000 deals are played: too early to say" in texts(app)
    assert "No clear difference" not in texts(app)
    settled(click(app, "Go on to 1,000"))
    assert set(table(app, "verdict")["deals"]) == {1000}


def the_report_is_of_the_decision(app):
    judged(app, 12)
    (text,) = (block.value for block in app.code)
    assert "60 searches" in text
    assert view_data(app)["decisions"][12]["judgement"]["text"] in text
    assert "iterations=100" in text
    assert "ply=12" in text
    labels = [button.proto.label for button in app.get("download_button")]
    assert (keep_position.LABEL in labels) != ("Not a position for a suite: " in texts(app))


def hidden_cards_stay_hidden(app):
    """West decides: an own-hand view of West shows its guesses, one of North nothing of them."""
    report(app, ply=12, view="own")
    settled(put(app, tab=TABS["cards"]))
    assert [set(kinds) for kinds in figures(app) if "heatmap" in kinds] == [{"heatmap"}]
    assert "truth" not in table(app, "kind").columns
    assert "nats a card" not in texts(app)
    assert "in truth" not in texts(app)
    assert len(app.table) == 1  # dealt hands aren't hidden: they are guesses
    assert len(app.code) == 1
    open_popover(app, "settings")
    settled(choose(app, "selectbox", "seat", "N"))
    assert "as North may believe" in texts(app)
    assert len(app.get("plotly_chart")) == 1  # the maps
    starts = ("Sample", "Search", "Play on", "Go on")
    for tab in ("Why", TABS["searches"], TABS["whatif"]):
        put(app, tab=tab)
        assert texts(app).count("West decides here, and those cards are hidden") == 2  # the report
        assert not [b for b in app.button if b.label.startswith(starts)]
        assert not app.get("plotly_chart")
    assert not app.code
    choose(app, "selectbox", "seat", "mover")
    report(app, ply=12, view="all")
    choose(app, "toggle", "spoiler", True)
    for tab in TABS.values():
        put(app, tab=tab)
        assert not app.get("plotly_chart")
        assert not app.code
        assert "Hidden in spoiler mode" in texts(app)
    choose(app, "toggle", "spoiler", False)
    report(app, ply=52, view="all")
    assert not app.code
    assert "No play is left here" in texts(app)


def beliefs_follow_step_and_seat(app):
    open_popover(app, "settings")
    report(app, ply=9, view="beliefs")
    assert address(app)["view"] == "beliefs"
    assert view_data(app)["beliefs"]["ply"] == 9
    choose(app, "selectbox", "seat", "E")
    assert view_data(app)["beliefs"]["seat"] == 1
    step(app, 1)
    assert (view_data(app)["beliefs"]["ply"], address(app)["view"]) == (10, "beliefs")
    report(app, ply=10, view="all")
    assert view_data(app)["beliefs"] is None
    assert "view" not in address(app)
    paste(app, without_bids())
    report(app, ply=0, view="beliefs")
    settled(put(app, tab=TABS["cards"]))
    found = view_data(app)["beliefs"]
    assert found["complaint"] or all(hand["cards"] for hand in found["hands"])
    assert "This decision is not searched yet" in texts(app)


@pytest.mark.usefixtures("compiled_bidders")
def test_bids(monkeypatch):
    """The four bids as steps, panel and report; asked in the background, hidden where they must."""
    asked, may_answer = threading.Event(), threading.Event()

    def slow(*arguments, **options):
        asked.set()
        assert may_answer.wait(30)
        yield from each_bid_decision(*arguments, **options)

    monkeypatch.setattr(bidding, "each_bid_decision", slow)
    app = open_replay(**QUICK)
    if view_data(app)["progress"] is not None:
        assert not asked.is_set()  # not before the round is searched
    run(searched(app))
    assert asked.wait(30)
    assert view_data(run(app))["bids"] is None  # being asked: the page is there already
    bids_are_steps(app)
    may_answer.set()
    the_view_gets_all_bidders(answered(app))
    the_panel_agrees_with_the_steps(put(app, tab=TABS["hand"]))
    the_report_is_of_the_bid(open_popover(app, "report"))
    bids_stay_hidden(app)
    bidders_that_fail_say_why(app, monkeypatch)


def bids_are_steps(app):
    for bid in ("4", "3", "2", "1"):
        step(app, -1)
        assert address(app) == {**QUICK, "bid": bid}
    report(app, ply=-2, view="own")
    assert address(app) == {**QUICK, "bid": "3", "view": "own"}
    step(app, 1)
    assert address(app) == {**QUICK, "bid": "4", "view": "own"}
    report(app, ply=-9, view="all")
    assert address(app) == {**QUICK, "bid": "1"}


def the_view_gets_all_bidders(app):
    sent, found = view_data(app)["bids"], bid_decisions(shipped("south-nil"))
    assert sent["complaint"] == ""
    north = sent["decisions"][0]["nil"]  # four spades: BIS's rule, no chance of 0
    assert north["denied"].startswith("BIS's rule")
    assert (north["chance"], north["expected"]) == (None, None)
    assert [bid["made"] for bid in sent["decisions"]] == ["5", "3", "nil", "3"]
    assert [bid["disagrees"] for bid in sent["decisions"]] == [True, False, True, True]
    for bid, decision in zip(sent["decisions"], found, strict=True):
        assert [row["id"] for row in bid["rows"]] == list(BIDDERS_COMPARED)
        is_random = [answer.is_random for answer in decision.bids]
        assert [row["share"] is not None for row in bid["rows"]] == is_random
        assert bid["nil"]["chance"] == decision.bis.p_nil
        human = bid["rows"][-1]
        assert human["low"] < human["share"] < human["high"]
        assert human["n"] == 200
    assert sent["decisions"] == json.loads(json.dumps(list(map(bid_data, found))))


def the_panel_agrees_with_the_steps(app):
    found, decisions = table(app, "made"), bid_decisions(shipped("south-nil"))
    assert found["seat"].tolist() == ["North", "East", "South", "West"]
    assert found["before"].tolist() == ["first to bid", "5", "5 3", "5 3 nil"]
    assert found["BIS"].tolist() == ["≠ 2", "3", "≠ 1", "≠ 4"]
    assert found["nil value"].tolist() == [decision.bis.nil_value for decision in decisions]
    assert "hand=5432.JT62.764.J3&" in found["open"][2].replace("%2C", ",")
    assert "previous=5,3&" in found["open"][2].replace("%2C", ",")
    assert "The human is simulated" in texts(app)
    for sent, (_, shown) in zip(view_data(app)["bids"]["decisions"], found.iterrows(), strict=True):
        assert (shown["made"], shown["open"]) == (sent["made"], sent["link"])
        for row in sent["rows"]:
            assert shown[row["label"]].startswith("≠") != row["is_made"]
            assert row["bid"] in shown[row["label"]]
    click(app, "Go to East's bid")
    assert address(app) == {**QUICK, "bid": "2", "tab": "hand"}
    assert next(b for b in app.button if b.label == "Go to East's bid").disabled


def the_report_is_of_the_bid(app):
    step(app, 1)
    (text,) = (block.value for block in app.code)
    assert view_data(app)["bids"]["decisions"][2]["verdict"] in text
    assert "South to bid, bid 3 of 4" in text
    assert "| human (simulated) | 1 | 89.5% of 200 |" in text
    assert "bid=3" in text
    assert "[Event" in text


def bids_stay_hidden(app):
    """South bids third: panels about cards say so, and other hands stay closed."""

    def seats():
        found = table(app, "made")
        return [] if found is None else found["seat"].tolist()

    for tab in ("Why", TABS["searches"], TABS["whatif"]):
        put(app, tab=tab)
        assert "this is about cards" in texts(app)
        assert not app.get("plotly_chart")
    open_popover(put(app, tab=TABS["hand"]), "settings")
    report(app, ply=-2, view="beliefs")
    assert view_data(app)["beliefs"] is None
    report(app, ply=-2, view="own")
    assert (seats(), len(app.code)) == (["South"], 1)
    choose(app, "selectbox", "seat", "N")
    assert (seats(), len(app.code)) == (["North"], 0)
    choose(app, "selectbox", "seat", "mover")
    report(app, ply=3, view="own")
    assert seats() == ["West"]
    report(app, ply=-2, view="all")
    choose(app, "toggle", "spoiler", True)
    assert view_data(app)["view"] == "own"  # the other hands are hidden with the rest
    report(app, ply=-2, view="all")
    assert (seats(), len(app.code)) == (["North", "East"], 0)
    assert table(app, "made").columns.tolist() == ["seat", "before", "made", "open"]
    assert "hidden in spoiler mode" in texts(app)
    report(app, ply=-4, view="all")
    assert seats() == []
    choose(app, "toggle", "spoiler", False)


def bidders_that_fail_say_why(app, monkeypatch):
    def refuse(record):
        raise SpadesError("no tables")
        yield

    monkeypatch.setattr(bidding, "each_bid_decision", refuse)
    visit(app, "pages/7_Agents.py")
    visit(app, "app.py", hand="four-bots", iterations="100", bid="1", bids="1")
    sent = view_data(answered(app))["bids"]
    assert sent == {"complaint": "The bidders can't bid here: no tables", "decisions": []}
    assert "no tables" in app.error[0].value
    paste(app, without_bids())  # begins with the first lead
    assert not view_data(app)["round"]["has_auction"]
    report(app, ply=-3, view="all")
    assert "bid" not in address(app)
    assert view_data(run(app))["bids"] is None
    assert "doesn't say what was bid" in texts(app)


def test_the_first_look_waits_for_nothing_that_only_other_pages_need():
    code = (
        "import sys, app; others = ('pandas', 'torch', 'spades.agents', 'ui.replay.visits', "
        "'analysis.bidding.decisions', 'sklearn'); "
        "print([name for name in others if name in sys.modules])"
    )
    run_alone = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert run_alone.stdout.strip() == "[]"
