"""Matches on Agents and Tune: played and shown, the league, what is refused, addresses."""

import json

import pytest
import streamlit as st

from analysis.decisions import judges
from analysis.matches import ablation, shipped_league
from analysis.matches import match as matches
from analysis.matches.match import (
    MATCH,
    MatchPlan,
    log_name,
    play_match,
    play_round_robin,
    round_robin,
)
from analysis.runs.store import FILE_NAME, ResultStore
from experiments import ablate_best
from tests.analysis.workers import InProcess
from tests.behaviours import change_behaviour
from tests.damages import damage_store
from tests.pages.apps import button, open_page, run, see_ended, texts
from ui.shared.jobs import page_jobs

ROBIN = round_robin(("human", "random", "wrp"), 20, target=150, floor=-150)
LEAGUE = "150_floor-150"
ASKED = {"games": "20", "target": "150", "floor": "-150"}


def page(**query):
    return open_page("4_Tune" if query.get("view") == "match" else "7_Agents", query)


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


def plain(text):
    return text.replace("\\", "")


def see_job(at, label):
    button(at, label).click()
    at.run()
    return see_ended(at)


def table_with(at, column):
    return next(table.value for table in at.dataframe if column in table.value)


def see_refusal(message, **query):
    at = page(view="match", **query)
    assert message in plain(at.error[0].value)
    assert not [one for one in at.button if "Play" in one.label]
    return at


@pytest.mark.parametrize("shipped", [shipped_league.shipped_results()])
@pytest.mark.parametrize("damage", ["junk", "folder", "row"])
def test_a_damaged_store_is_said_and_the_shipped_league_is_shown(damage, shipped, tmp_path):
    damage_store(tmp_path / "results" / FILE_NAME, damage, MATCH)
    for view in ("league", "match"):
        at = page(view=view)
        if view == "league" or damage != "row":
            assert FILE_NAME in plain(at.error[0].value)
        if view == "league":
            assert len(at.selectbox(key="agents_match").options) == len(shipped)


def test_matches_are_refused_played_resumed_and_stored_for_replay(monkeypatch):
    assert "No matches by these rules yet" in page().info[0].value
    at = see_job(page(view="match", ns="human", ew="random"), "Play the match")
    assert "human wins more often than random" in texts(at)
    assert len(list(ResultStore().results(MATCH))) == 1

    see_refusal("unknown player 'ghost'; known: random", ns="ghost")
    at = see_refusal("every deal is played twice", games="7")
    parts = table_with(at, "what it is").set_index(["part", "name"])
    assert "threshold=25.0" in parts.loc[("bidder", "bis"), "options"]
    assert "end_game=on" in parts.loc[("bidder", "bis"), "options"]
    assert "Cohensius" in parts.loc[("player", "srp"), "what it is"]

    with monkeypatch.context() as patch:
        patch.setattr("spades.agents.play.MAX_DEALS", 0)
        at = page(view="match", ns="human", ew="random", nil_only="1", **ASKED)
        at = see_job(at, "Play the match")
    assert "human and random bid no nil in" in plain(at.error[0].value)
    assert button(at, "Play the match")

    plan, told = MatchPlan("human", "random", 20, 0, 150, -150), []
    with monkeypatch.context() as patch:
        patch.setattr(matches, "MAX_PAIRS_A_PART", 4)
        play_match(plan, tell=lambda p: told.append(p.done), is_cancelled=lambda: told[-1] > 0)
        at = page(view="match", ns="random", ew="human", **ASKED)
        assert f"{told[-1]} of its 20 games are in the store" in texts(at)
        at = see_job(at, "Go on")
    assert page_jobs().jobs()[0].state == "done"
    assert "random against human" in texts(at)
    assert dict(at.query_params) == {"view": "match", "ns": "random", "ew": "human", **ASKED}

    at = see_job(at, "Store its first 100 rounds")
    games = table_with(at, "open")
    assert games["open"][1] == f"/?log={log_name(plan.key)}&round={games['round'][1]}"
    assert not [one for one in at.button if "Store" in one.label], "one log a match"


def test_a_number_refused_in_the_form_starts_nothing(monkeypatch):
    started = []
    monkeypatch.setattr("ui.tune.match.start_match", started.append)
    monkeypatch.setattr("ui.agents.league._run", started.append)
    at = page(view="match", ns="human", ew="random", **ASKED)
    assert not at.number_input(key="tune_games").proto.has_max, "the browser refuses no number"
    for typed in (0, 1.5, 1e20, -4):
        at.number_input(key="tune_games").set_value(typed)
        button(at, "Play the match").click()  # the click comes with the number
        at.run()
        assert not started
        assert "2 to 1,000,000 are legal" in plain(at.error[0].value)
        assert "Not taken" in texts(at)
        assert not [one for one in at.button if "Play" in one.label]
        at.number_input(key="tune_games").set_value(20)
        at.run()
    at.number_input(key="tune_games").set_value(30)
    button(at, "Play the match").click()
    at.run()
    assert [plan.games for plan in started] == [30]
    at = page(view="league", agents="human|random", **ASKED)
    at.number_input(key="agents_target").set_value(0)
    button(at, "Run the round robin").click()
    at.run()
    assert len(started) == 1


def test_a_match_ends_by_its_rule_and_stays_out_of_the_league(monkeypatch):
    monkeypatch.setattr(matches, "MAX_PAIRS_A_PART", 4)
    at = page(view="match", ns="human", ew="random", until="clear", **ASKED | {"games": "60"})
    assert "interval of ±13." in texts(at)
    assert "for ±1 pp 9,604" in texts(at)
    at = see_job(at, "Play the match")
    assert "human wins more often than random" in texts(at)
    assert "ended by its rule after" in texts(at)
    assert at.query_params["until"] == "clear"
    assert "No matches by these rules yet" in page().info[0].value
    at.selectbox(key="tune_until").select("all")
    at = see_job(run(at), "Go on")
    assert "30 pairs on common deals" in texts(at)
    assert len(list(ResultStore().results(MATCH))) == 1


def see_best_match(at, played):
    ratings = table_with(at, "rating")
    assert set(ratings["agent"]) == {"human", "random", "wrp"}
    assert ratings["wins"].sum() == ratings["losses"].sum() == 60
    best = {*ratings["agent"][:2]}
    result = next(one for one in played if {one.ns, one.ew} == best)
    assert at.query_params["match"] == result.key
    assert f"Key `{result.key}`" in texts(at)


def see_sides(at, first, second, rate):
    sides = table_with(at, "measure")
    assert f"{first} against {second}" in texts(at)
    assert f"{100 * rate:.1f}%" in sides.set_index("measure").loc["games won, of 20", "ns"]
    assert "10 pairs on common deals" in texts(at)
    assert "python -m spades match" in at.code[0].value


def test_a_league_is_played_rated_clicked_and_kept_apart_by_code():
    with pytest.MonkeyPatch.context() as patch:
        change_behaviour(patch)
        play_round_robin(ROBIN)
    at = page()
    assert at.query_params["league"] == f"{LEAGUE}_earlier"
    assert "These agents have changed since" in at.warning[0].value
    assert "can't be played again" in texts(at)
    assert len(table_with(at, "rating")) == 3

    at = page(agents="human|wrp|random", **ASKED)
    assert "3 matches of 20 games" in texts(at)
    at = see_job(at, "Run the round robin")
    assert at.query_params["league"] == LEAGUE
    played = play_round_robin(ROBIN)
    see_best_match(at, played)
    assert "**simulated human**" in texts(at)

    at = page(league=LEAGUE)
    assert not at.warning
    click = {"selection": {"points": [{"customdata": {"0": "wrp", "1": "human"}}]}}
    at.session_state[f"league_wins_{LEAGUE.replace('-', '_')}"] = click
    at.run()
    result = next(one for one in played if {one.ns, one.ew} == {"human", "wrp"})
    assert (at.query_params["match"], at.query_params["turned"]) == (result.key, "1")
    see_sides(at, "wrp", "human", 1 - result.win_rate)
    assert "wrp against human, 20 games · " in texts(at), "the card above the chart"
    n_jobs = len(page_jobs().jobs())
    at = page(view="match", ns="human", ew="wrp", **ASKED)
    see_sides(at, "human", "wrp", result.win_rate)
    assert len(page_jobs().jobs()) == n_jobs, "shown at once"

    at = page(league="77", match="0" * 20, chart="pie")
    text = plain(at.warning[0].value)
    assert f"league=77; there is: {LEAGUE}" in text
    assert "match=00000000000000000000, which isn't in this league" in text
    assert "chart=pie; wins, points" in text

    play_round_robin(round_robin(("srp+bis", "srp+rb"), 20, target=160))
    at = page(league="160")
    assert at.session_state["agents_league"] == "160"
    assert "**simulated human**" not in "".join(note.value for note in at.caption)


@pytest.mark.parametrize("shipped", [shipped_league.shipped_results()])
def test_the_league_opens_on_the_shipped_matches(shipped):
    at = page()
    assert not [box for box in at.warning if "can't be used" in box.value]
    agents = {side for match in shipped for side in (match.answer["ns"], match.answer["ew"])}
    assert set(table_with(at, "rating")["agent"]) == agents
    assert "flat-mc:simulations=128" in agents


@pytest.fixture
def measured(monkeypatch, tmp_path):
    """The file of what best is made of, from quick players; it isn't there yet."""
    quick = {
        "BEST": "best:iterations=4+bis",
        "PLAIN": "ismcts:iterations=3+bis",
        "VARIANTS": ("best:iterations=4,duck=off+bis",),
        "OPPONENTS": ("ismcts:iterations=3+bis", "human"),
    }
    for name, value in quick.items():
        monkeypatch.setattr(ablation, name, value)
    path, read = tmp_path / "best.json", ablation.stored_evidence
    monkeypatch.setattr(ablation, "stored_evidence", lambda: read(path))
    return path


def test_best_is_shown_with_what_each_part_is_worth(measured, monkeypatch):
    at = page(view="best")
    assert "`best:iterations=4+bis` stands for `ismcts:iterations=4,playout=" in texts(at)
    assert "not measured yet: `python -m experiments.ablate_best`" in at.info[0].value
    assert dict(at.query_params) == {"view": "best"}

    found = ablate_best.evidence(4)
    measured.write_text(json.dumps(found))
    at = page(view="best")
    assert not at.warning
    parts, others = table_with(at, "changed"), table_with(at, "plain")
    assert parts["changed"].tolist() == ["duck off instead of on"]
    assert parts["gap"][0] == pytest.approx(found["variants"][0]["points_difference"]["value"])
    assert others["agent"].tolist() == [*ablation.OPPONENTS[:1], "human"]
    said = texts(at)
    assert f"{ablation.part_verdict(parts)}" in said
    assert ablation.opponent_verdict(others) in said
    assert "**simulated human**" in said
    assert found["made_by"] in said

    with monkeypatch.context() as patch:
        patch.setattr(ablation, "BEST", "best:iterations=5+bis")
        assert f"`best` stood for `{found['best']}` then" in page(view="best").warning[0].value

    found["variants"][0]["code"] = "0ld"
    measured.write_text(json.dumps(found))
    warning = page(view="best").warning[0].value
    assert "Measured with these options by an earlier version of the code: 1 match was" in warning
    assert found["best"] not in warning, "what it stands for is no news"


def test_malformed_evidence_of_best_is_said(measured):
    measured.write_text("{}")
    at = page(view="best")
    assert "best.json can't be read" in plain(at.error[0].value)
    assert not at.dataframe


def test_the_shipped_evidence_of_best_is_shown():
    at = page(view="best")
    assert not at.error
    assert f"of {len(ablation.OPPONENTS)} opponents are measured" in texts(at)


def test_a_folder_without_corpora_takes_no_view_away(monkeypatch, tmp_path):
    monkeypatch.setenv("SPADES_CORPORA", str(tmp_path))
    at = page(view="match")
    assert not at.error
    assert "corpus=four-humans-59" in at.dataframe[-1].value["options"].str.cat()
    at = page(view="match", ns="corpus", ew="srp")
    assert "no corpus is called 'four-humans-59'" in plain(at.error[0].value)
    assert page(view="best").markdown


def test_judges_are_compared_by_stratum():
    at = page(view="judges", stratum="nil alive")
    assert judges.judges_sentence(judges.measured()) in texts(at)
    (table,) = (frame.value for frame in at.dataframe)
    assert judges.JUDGE in set(table["judge"])
    row = judges.judges_table(judges.measured(), "nil alive").iloc[0]
    assert table["slope"].iloc[0] == row["slope"]
    assert not at.exception
