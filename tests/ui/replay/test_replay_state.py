"""What Replay's links mean, as plain functions."""

import pytest
import streamlit as st

from analysis.decisions.settings import STUDIED_AGENT, STUDIED_SCALE, settings_of_agent
from spades.belief import Dealing
from spades.search import SearchSettings
from tests.pages.texts import shipped
from ui.replay.state import (
    LANDING,
    NO_BIAS,
    OLD_PANELS,
    OpenHand,
    bid_at,
    end_run,
    first_step,
    page,
    parse_link,
    read_state,
    step_of_bid,
    write_state,
)
from ui.shared.options import chosen
from ui.shared.records import DEFAULT_HAND, pack

LINK = {
    "hand": "four-bots",
    "ply": "17",
    "view": "own",
    "iterations": "500",
    "seed": "3",
    "model": "devlin2016-nil,devlin2016",
    "determinization": "mixed",
    "without": "nil/ducked",
    "share": "0.25",
    "exploration": "0.5",
    "reward_scale": "200",
    "playout": "heuristic",
    "epsilon": "0.1",
    "floor": "0.1",
    "skew": "1",
    "skew_k": "50",
    "objective": "game",
    "technique": "knowledge",
    "bias_model": "devlin2016-nil",
    "c_bt": "0.2",
    "k": "500",
    "delay": "root",
    "agents": "ismcts:bias=experience,model=devlin2016;ismcts:iterations=900,equivalence=on",
    "seat": "S",
    "threshold": "0.25",
    "spoiler": "1",
    "more": "1",
    "colors": "4",
    "tab": "cards",
    "searches": "20",
    "deal_count": "100",
    "dealing": "posterior",
    "deal": "7",
    "trials": "200",
    "whatif_dealing": "uniform",
    "policy": "wrp",
    "browse": "nil",
    "browse_game": "g",
}


def test_a_link_that_names_no_search_has_the_usual_one_and_stays_short():
    values, _, complaints = parse_link({"hand": "four-bots", "ply": "17"})
    assert complaints == []
    assert values["reward_scale"] == STUDIED_SCALE
    assert page.format(values) == {"hand": "four-bots", "ply": "17"}
    usual = settings_of_agent(STUDIED_AGENT)
    assert chosen(SearchSettings, values.__getitem__, **NO_BIAS) == usual.search
    assert (values["iterations"], chosen(Dealing, values.__getitem__)) == (2500, usual.dealing)


def test_a_link_that_names_ismcts_keeps_it():
    values, _, complaints = parse_link({"hand": "four-bots", "agents": "ismcts"})
    assert complaints == []
    assert values["agents"] == ["ismcts"]
    (beside,) = map(settings_of_agent, values["agents"])
    assert beside.search.reward_scale == 400


def test_a_link_with_another_scale_says_so():
    values, _, _ = parse_link({"hand": "four-bots", "reward_scale": "100"})
    assert values["reward_scale"] == 100
    assert page.format(values)["reward_scale"] == "100"


def test_a_link_with_every_field_is_read_and_written_back():
    values, step, complaints = parse_link(LINK)
    assert not complaints
    assert step == 17
    assert values["hand"] == OpenHand("four-bots", shipped("four-bots"))
    assert (values["model"], values["without"]) == (
        ["devlin2016-nil", "devlin2016"],
        ["nil", "ducked"],
    )
    assert (values["skew"], values["colors"], values["k"]) == (True, 4, 500.0)
    assert page.format(values) == LINK


@pytest.mark.parametrize(("panel", "tab"), OLD_PANELS.items())
def test_a_link_to_a_panel_of_old_leads_to_its_tab(panel, tab):
    values, _, complaints = parse_link({panel: "1"})
    assert not complaints
    assert page.format(values) == {"hand": DEFAULT_HAND, "tab": tab}
    assert page.format(parse_link({panel: "0"})[0]) == {"hand": DEFAULT_HAND}


def test_no_link_is_the_landing_hand_and_old_links_without_a_hand_keep_theirs():
    values, step, complaints = parse_link({})
    assert (values["hand"].name, step, complaints) == (LANDING["hand"], int(LANDING["ply"]), [])
    assert page.format(values) == LANDING
    values, step, complaints = parse_link({"ply": "7"})
    assert (values["hand"].name, step, complaints) == (DEFAULT_HAND, 7, [])


@pytest.mark.parametrize(
    ("name", "text", "words", "shown"),
    [
        ("hand", "nope", "no hand 'nope'", DEFAULT_HAND),
        ("hand", "z.AAAA", "damaged", DEFAULT_HAND),
        ("hand", "z." + "A" * 5000, "too many", DEFAULT_HAND),
        ("hand", "log.none.0", "no log", DEFAULT_HAND),
        ("hand", "log.four-humans.12000", "no round 12000; 0 to", "log.four-humans.11727"),
        ("hand", f"log.four-humans.{'9' * 5000}", "9; 0 to 11727", "log.four-humans.11727"),
        ("hand", "log.../../etc/passwd.0", "log", DEFAULT_HAND),
        ("ply", "999", "0 to 52", "52"),
        ("ply", "-1", "0 to 52", None),
        ("ply", "1.5", "0 to 52", None),
        ("bid", "9", "1 to 4", "4"),
        ("seat", "Q", "mover, N, E, S, W are legal", None),
        ("view", "x", "all, own, beliefs are legal", None),
        ("iterations", "0", "1 to 1,000,000 are legal", "1"),
        ("iterations", "9" * 400, "1 to 1,000,000", "1000000"),
        ("iterations", "9" * 5000, "1 to 1,000,000", "1000000"),
        ("seed", "abc", "0 to", None),
        ("seed", "-" + "9" * 5000, "0 to", None),
        ("model", "freud", "devlin2016, ", None),
        ("exploration", "nan", "0 to 1,000,000 are legal", None),
        ("exploration", "2e6", "0 to 1,000,000 are legal", "1000000"),
        ("playout", "psychic", "uniform, nil-aware", None),
        (
            "determinization",
            "psychic",
            "uniform, biased, mixed, posterior, network are legal",
            None,
        ),
        ("reward_scale", "0", "1 to 1,000,000 are legal", "1"),
        ("skew", "yes", "on and off are legal", None),
        ("technique", "magic", "none, knowledge", None),
        ("c_bt", "2e6", "0 to 1,000,000 are legal", "1000000"),
        ("delay", "soon", "a whole number from 1, root and inf are legal", None),
        ("colors", "3", "2, 4 are legal", None),
        ("searches", "21", "20, 100", None),
        ("policy", "me", "srp, ", None),
        ("browse_log", "gone", "(nothing)", None),
        ("browse_page", "0", "1 to 1,000,000", None),
    ],
)
def test_a_wrong_value_is_named_and_replaced(name, text, words, shown):
    values, _, (complaint,) = parse_link({name: text})
    assert f"The link says {name}=" in complaint
    assert words in complaint
    assert "Shown: " in complaint
    assert page.format(values).get(name) == shown


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("srp", "srp gives cards no values; ismcts, uct, flat-mc, stars, flat-ucb, pimc, best do"),
        ("ismcts:luck=1", "unknown option 'luck=1' of ismcts"),
    ],
)
def test_an_agent_without_values_is_left_out(agent, words):
    values, _, (complaint,) = parse_link({"agents": f"{agent};ismcts:equivalence=on"})
    assert f"The link says agents={agent}; {words}" in complaint
    assert complaint.endswith("Left out.")
    assert values["agents"] == ["ismcts:equivalence=on"]


def test_a_rule_that_is_not_there_is_left_out():
    values, _, (complaint,) = parse_link({"without": "luck/nil"})
    assert "without=luck; high-bid, spade-bid, nil," in complaint
    assert values["without"] == ["nil"]


def test_bids_are_steps_before_the_first_ply():
    assert [bid_at(step) for step in range(-4, 3)] == [1, 2, 3, 4, 0, 0, 0]
    assert [bid_at(step_of_bid(bid)) for bid in (1, 2, 3, 4)] == [1, 2, 3, 4]
    assert (first_step(True), first_step(False)) == (-4, 0)
    assert parse_link({"bid": "2"})[1] == -3


def test_a_link_says_either_bid_or_ply():
    _, step, (complaint,) = parse_link({"bid": "2", "ply": "7"})
    assert step == 7
    assert "either bid or ply. Shown: ply 7." in complaint


def test_a_bid_of_a_record_without_bids_shows_the_ply():
    record = shipped()
    bare = pack(type(record)(**{**vars(record), "bids": (-1, -1, -1, -1)}))
    _, step, (complaint,) = parse_link({"hand": bare, "bid": "2"})
    assert step == 0
    assert "the record doesn't say what was bid. Shown: ply 0." in complaint


def draw(*names):
    """Begin a run and draw these controls: a browser may stop it here."""
    read_state()
    for name in names:
        page.shown(st.slider, name)


def test_what_a_browser_sends_of_a_closed_control_is_no_choice(tab):
    draw("iterations")
    end_run()
    draw()  # its popover is closed
    end_run()
    tab.session_state[page.key("iterations")] = 50  # sent before the browser knew of that
    draw()
    assert page.get("iterations") == page.fields["iterations"].default


def test_a_choice_made_while_the_page_was_being_drawn_is_taken(tab):
    draw()
    end_run()
    draw("iterations")
    tab.session_state[page.key("iterations")] = 50
    draw("iterations")
    assert page.get("iterations") == 50


def test_a_click_that_stops_a_links_run_leaves_what_the_link_says(tab):
    draw("iterations", "seed")
    end_run()
    before = {page.key(name): page.get(name) for name in ("iterations", "seed")}
    tab.query_params.update(hand="four-bots", iterations="50")
    draw("iterations", "seed")
    tab.session_state |= before | {page.key("seed"): 7}
    draw("iterations", "seed")
    end_run()
    assert (page.get("iterations"), page.get("seed")) == (50, 7)
    tab.session_state |= before  # now it is a choice
    draw("iterations", "seed")
    assert page.get("iterations") == before[page.key("iterations")]


def test_an_address_that_the_browser_is_late_with_is_no_link(tab):
    tab.session_state |= {"page": "Replay", "came_from": "Replay"}
    draw()
    write_state(0, "all")
    late = dict(tab.query_params)
    for ply in (1, 2):
        page.put("step", ply)
        write_state(ply, "all")
    newest = dict(tab.query_params)
    tab.query_params.from_dict(late)
    draw()
    assert page.get("step") == 2
    tab.query_params.from_dict(newest)  # the browser has it: before that was another page or Back
    draw()
    tab.query_params.from_dict(late)
    draw()
    assert page.get("step") == 0
