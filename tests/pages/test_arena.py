"""The Arena page: what it says of stored matches, what it refuses, its address."""

import pytest
import streamlit as st

from analysis.matches import match as matches
from analysis.matches import shipped_league
from analysis.matches.match import (
    MATCH,
    MatchPlan,
    RoundRobin,
    log_name,
    play_match,
    play_round_robin,
    store_first_games,
)
from analysis.papers.table import load_published
from analysis.runs.store import ResultStore
from tests.analysis.workers import InProcess
from tests.behaviours import change_behaviour
from tests.pages.apps import button, open_page, see_ended, texts
from ui.shared.jobs import job_book

ROBIN = RoundRobin(("human", "random", "wrp"), 20, target=150, floor=-150)
LEAGUE = "150_floor-150"
ASKED = {"games": "20", "target": "150", "floor": "-150"}


def page(**query):
    return open_page("7_Arena", query)


@pytest.fixture
def shipped():
    """The shipped matches: none, so that a league holds what a test has played."""
    return ()


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch, shipped):
    """Stores of its own, and matches that are played here, without processes."""
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    monkeypatch.setattr(shipped_league, "shipped_results", lambda: shipped)

    InProcess(monkeypatch)
    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.fixture
def played():
    return play_round_robin(ROBIN)


def plain(text):
    return text.replace("\\", "")


def test_an_empty_arena_says_what_to_do_and_a_quick_pair_is_played():
    at = page()
    assert "No matches by these rules yet" in at.info[0].value
    button(at, "human against random").click()
    at.run()
    assert see_ended(at).query_params["view"] == "match"
    assert "human wins more often than random" in texts(at)
    assert len(list(ResultStore().results(MATCH))) == 1
    assert "1 match by these rules" in texts(page(view="league"))


def test_a_stored_match_is_shown_at_once_from_either_side(played):
    document = next(one for one in played if {one["ns"], one["ew"]} == {"human", "wrp"})
    key = document["key"]
    for ns, ew, rate in (
        ("human", "wrp", document["win_rate"]),
        ("wrp", "human", 1 - document["win_rate"]),
    ):
        at = page(view="match", ns=ns, ew=ew, **ASKED)
        assert not at.warning
        assert f"Key `{key}`" in texts(at)
        (sides,) = (table.value for table in at.dataframe if "measure" in table.value)
        won = sides.set_index("measure").loc["games won, of 20", "ns"]
        assert f"{rate:.1%}" in won
        assert "10 pairs on common deals" in texts(at)
        assert "python -m spades match" in at.code[0].value
        assert not job_book().jobs()


def test_a_match_is_played_with_a_click_and_its_result_appears():
    at = page(view="match", ns="random", ew="human", **ASKED)
    assert "Not played yet" in texts(at)
    button(at, "Play the match").click()
    at.run()
    see_ended(at)
    assert job_book().jobs()[0].state == "done"
    assert "random against human" in texts(at)
    assert dict(at.query_params) == {"view": "match", "ns": "random", "ew": "human", **ASKED}


def test_what_an_interrupted_match_left_is_said(monkeypatch):
    monkeypatch.setattr(matches, "MAX_PAIRS_A_PART", 4)
    told = []
    plan = MatchPlan("human", "random", 20, 0, 150, -150)
    play_match(plan, tell=lambda p: told.append(p.done), is_cancelled=lambda: told[-1] > 0)
    at = page(view="match", ns="human", ew="random", **ASKED)
    assert f"{told[-1]} of its 20 games are in the store" in texts(at)
    assert button(at, "Go on")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"ns": "ghost"}, "unknown player 'ghost'; known: random"),
        ({"ns": "human+ghost"}, "unknown bidder 'ghost'"),
        ({"ew": "ismcts:speed=9"}, "unknown option 'speed=9'"),
        ({"games": "7"}, "every deal is played twice"),
    ],
)
def test_impossible_matches_are_refused_with_what_is_legal(query, message):
    at = page(view="match", **query)
    assert message in plain(at.error[0].value)
    assert not [one for one in at.button if "Play" in one.label]


def test_a_match_that_fails_says_why(monkeypatch):
    monkeypatch.setattr("spades.agents.play.MAX_DEALS", 0)
    at = page(view="match", ns="human", ew="random", nil_only="1", **ASKED)
    button(at, "Play the match").click()
    at.run()
    see_ended(at)
    assert "human and random bid no nil in" in plain(at.error[0].value)
    assert button(at, "Play the match")


def test_the_list_of_agents_names_every_part_and_option():
    at = page(view="match")
    (table,) = (table.value for table in at.dataframe if "what it is" in table.value)
    parts = table.set_index(["part", "name"])
    assert "threshold=25.0" in parts.loc[("bidder", "bis"), "options"]
    assert "end_game=on" in parts.loc[("bidder", "bis"), "options"]
    assert "Cohensius" in parts.loc[("player", "srp"), "what it is"]


def test_the_league_rates_all_agents_and_shows_the_match_of_the_best_two(played):
    at = page(league=LEAGUE)
    assert not at.warning
    ratings = next(table.value for table in at.dataframe if "rating" in table.value)
    assert set(ratings["agent"]) == {"human", "random", "wrp"}
    assert ratings["wins"].sum() == ratings["losses"].sum() == 60
    best = {*ratings["agent"][:2]}
    document = next(one for one in played if {one["ns"], one["ew"]} == best)
    assert at.query_params["match"] == document["key"]
    assert f"Key `{document['key']}`" in texts(at)


def test_a_click_on_the_heat_map_chooses_the_match_from_the_side_of_the_row(played):
    at = page(league=LEAGUE)
    at.session_state[f"arena_chart_wins_{LEAGUE}"] = {
        "selection": {"points": [{"customdata": {"0": "wrp", "1": "human"}}]}
    }
    at.run()
    document = next(one for one in played if {one["ns"], one["ew"]} == {"human", "wrp"})
    assert at.query_params["match"] == document["key"]
    assert at.query_params["turned"] == "1"
    assert "wrp against human" in texts(at)


def test_links_to_leagues_and_matches_that_are_not_there_say_so(played):
    at = page(league="77", match="0" * 20, chart="pie")
    text = plain(at.warning[0].value)
    assert f"league=77; there is: {LEAGUE}" in text
    assert "match=00000000000000000000, which isn't in this league" in text
    assert "chart=pie; legal is one of wins, points" in text


def test_matches_of_other_code_are_kept_apart_and_can_not_be_watched():
    with pytest.MonkeyPatch.context() as patch:
        change_behaviour(patch)
        play_round_robin(ROBIN)
    at = page()
    name = f"{LEAGUE}_earlier"
    assert at.query_params["league"] == name
    assert "These agents decided otherwise then" in at.warning[0].value
    assert "can't be played again" in texts(at)
    assert len(next(table.value for table in at.dataframe if "rating" in table.value)) == 3
    play_round_robin(ROBIN)
    assert page(league=LEAGUE).query_params["league"] == LEAGUE
    assert not page(league=LEAGUE).warning


def test_a_round_robin_is_run_from_the_page_and_its_league_opens():
    at = page(agents="human|wrp|random", **ASKED)
    assert "3 matches of 20 games" in texts(at)
    button(at, "Run the round robin").click()
    at.run()
    see_ended(at)
    assert at.query_params["league"] == LEAGUE
    assert len(next(table.value for table in at.dataframe if "rating" in table.value)) == 3


def test_the_first_games_are_stored_and_linked_to_replay():
    plan = MatchPlan("human", "random", 20, 0, 150, -150)
    play_match(plan)
    at = page(view="match", ns="human", ew="random", **ASKED)
    button(at, "Store its first 100 rounds").click()
    at.run()
    see_ended(at)
    games = next(table.value for table in at.dataframe if "open" in table.value)
    assert games["open"][1] == f"/?log={log_name(plan.key)}&round={games['round'][1]}"
    replay = open_page("", {"log": log_name(plan.key), "round": "0", "iterations": "100"})
    assert not replay.warning
    assert replay.session_state["replay_hand"].record.agents[0] == "human"


def test_the_store_keeps_one_log_a_match():
    plan = MatchPlan("human", "random", 20, 0, 150, -150)
    document = play_match(plan)
    store_first_games(plan, document, n_rounds=2)
    at = page(view="match", ns="random", ew="human", **ASKED)
    assert not [one for one in at.button if "Store" in one.label]


def test_published_matches_stand_beside_ours_even_in_an_empty_league():
    at = page()
    folded = next(box for box in at.expander if "published matches" in box.label)
    (table,) = folded.dataframe
    rows = table.value.set_index("name")
    assert rows.loc["BIS against RB", "published"] == 0.523
    low, high = rows.loc["BIS against RB", ["low", "high"]]
    assert low < rows.loc["BIS against RB", "win_rate"] < high
    assert "What wins is nil" in texts(at)
    assert load_published()["command"] in texts(at)
    assert "published" not in str([box.label for box in page(view="match").expander])


def test_the_league_names_its_simulated_humans(played):
    assert "**simulated human**" in texts(page(league=LEAGUE))
    bots = play_round_robin(RoundRobin(("srp+bis", "srp+rb"), 20, target=160))
    assert bots
    at = page(league="160")
    assert at.session_state["arena_league"] == "160"
    assert "**simulated human**" not in "".join(note.value for note in at.caption)


@pytest.mark.parametrize("shipped", [shipped_league.shipped_results()])
def test_the_arena_opens_on_the_shipped_league(shipped):
    at = page()
    assert not [box for box in at.warning if "can't be used" in box.value]
    agents = {side for match in shipped for side in (match.answer["ns"], match.answer["ew"])}
    ratings = next(table.value for table in at.dataframe if "rating" in table.value)
    assert set(ratings["agent"]) == agents
    assert "flat-mc:simulations=128" in agents
