"""The drill under AppTest: what is asked, sent, answered and kept."""

import json
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
import streamlit as st

from analysis.disagreements import stored
from analysis.disagreements.plan import LogSearchPlan
from analysis.disagreements.search import run_log_search
from analysis.drill import DISAGREEMENT, HERRING, DrillStore, Exercise
from spades.notation.log_store import open_log
from tests.analysis.disagreements.made_up_search import PLAYED_ON, ship
from tests.analysis.disagreements.quick import MOST, judge_quickly, store_cut_log
from tests.analysis.workers import InProcess
from tests.pages.apps import address, components, open_page, plain, run, texts
from tests.pages.conftest import compiled_kernels, empty_caches  # noqa: F401
from tests.ui.play.test_seen import CARD_TEXT
from ui.play import drill as view
from ui.shared.jobs import page_jobs

PAGE = "11_Play"
BOT = "ismcts:iterations=20"
SHIPPED = stored.SHIPPED
TITLES = {
    "best": "Right: best.",
    "fine": "Wrong, but fine.",
    "slip": "Wrong: a slip.",
    "mistake": "Wrong: a mistake.",
}


@pytest.fixture(scope="session")
def made_up(tmp_path_factory):
    """A folder of searches that came with the project: one, its numbers made up."""
    folder = tmp_path_factory.mktemp("shipped")
    ship(folder)
    return folder


@pytest.fixture(autouse=True)
def own_store(tmp_path, monkeypatch, made_up):
    monkeypatch.setenv("SPADES_DRILL", str(tmp_path / "drill"))
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr(stored, "SHIPPED", made_up)
    return DrillStore()


@pytest.fixture
def plan_of_log(tmp_path, monkeypatch):
    """How the page has a small log of its own judged: quickly."""
    judge_quickly(monkeypatch)
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    plan = partial(LogSearchPlan, agent=BOT, played_on=MOST)
    monkeypatch.setattr(view, "LogSearchPlan", plan)
    InProcess(monkeypatch)
    store_cut_log(4, 10)
    return plan


def open_drill(query):
    return open_page(PAGE, {"view": "drill", **query})


def sent(at):
    """What the table's component is sent."""
    (table,) = components(at)
    return json.loads(table.proto.json)


def on_screen(at):
    return at.session_state[view.OPEN].exercise


def name_at(one, place):
    return one.record.rules.cards.format_card(int(one.rows["cards"][place]).bit_length() - 1)


def answer(at, card, ms=5_000, **changes):
    said = {"id": sent(at)["id"], "card": card, "ms": ms, **changes}
    at.session_state[view.VIEW] = {"answer": said}
    return run(at)


def alerts(at):
    return " ".join(
        plain(one.value) for kind in (at.success, at.warning, at.error, at.info) for one in kind
    )


def shown_table(at):
    """The table of the answers, read from its Markdown."""
    (text,) = [one.value for one in at.markdown if one.value.startswith("| Card")]
    lines = [line.strip("| ").split(" | ") for line in plain(text).splitlines()]
    head, _, *rows = [[cell.strip() for cell in line] for line in lines]
    return pd.DataFrame(rows, columns=head)


def test_red_cards_are_red_in_the_table():
    at = answer(open_drill({}), name_at(on_screen(open_drill({})), 0))
    (text,) = [one.value for one in at.markdown if one.value.startswith("| Card")]
    assert not re.search("(?<!\\[)(?:10|[2-9JQKA])[♥♦]", text)
    assert re.search("[2-9JQKA0][♠♣♥♦]", text)


def go_on(at):
    at.button(key="drill_next").click()
    return run(at)


def check_hidden(at):
    """Nothing but the seat's cards, and those on the table, is in what the browser is sent."""
    data, one = sent(at), on_screen(at)
    del data["round"]["trump_extra"]  # names of cards of the deck
    seen = one.observation
    known = set(seen.rules.cards.format_cards(seen.hand | seen.table.played_mask).split())
    assert set(CARD_TEXT.findall(json.dumps(data))) <= known
    hidden = [cards for i, cards in enumerate(data["round"]["hands"]) if i != seen.seat]
    played = [mask.bit_count() for i, mask in enumerate(seen.table.played) if i != seen.seat]
    assert [len(cards) - cards.count("?") for cards in hidden] == played
    assert str(one.record.seed) not in json.dumps(data)


def test_a_first_look_asks_at_once_and_shows_no_hidden_card():
    at = open_drill({})
    check_hidden(at)
    data, one = sent(at), on_screen(at)
    assert data["answer"] == ""
    assert set(data["lit"]) == set(
        one.observation.rules.cards.format_cards(one.observation.legal_mask).split()
    )
    assert data["round"]["plays"][-1] == ""
    assert len(data["round"]["plays"]) == one.ply + 1
    assert "Which card does" in texts(at)
    assert re.search(r"0 due today · 0 of 0 learned · \d+ new ones here", texts(at))
    assert not [one for one in at.markdown if one.value.startswith("| Card")]
    assert address(at) == {"view": "drill", "logs": "human-south"}


def test_the_shipped_search_is_asked(monkeypatch):
    monkeypatch.setattr(stored, "SHIPPED", SHIPPED)
    at = open_drill({})
    check_hidden(at)
    one = on_screen(at)
    at = answer(at, name_at(one, 0))
    assert "Right: best." in alerts(at)
    assert is_said_who_judged(at, one, int(one.rows["played_on"][0]))


def is_said_who_judged(at, one, n_rounds):
    if one.is_proven:
        return "Judged by all possible deals, each solved" in texts(at)
    return f"Judged by {n_rounds:,} rounds played on" in texts(at)


def test_an_exercise_that_an_earlier_version_judged_says_so(monkeypatch):
    at = open_drill({"nil": "none"})
    one = on_screen(at)
    one.rows["played_on"] = 0
    one.rows["error"] = 1.0
    at = answer(at, name_at(one, 0))
    assert "Judged by searches, in an earlier version" in texts(at)
    assert "rounds played on" not in texts(at)


def test_wrong_and_right_answers_are_judged_shown_and_kept(own_store):
    at = open_drill({"profile": "Ann"})
    for n in range(8):
        one = on_screen(at)
        place = int(one.is_good.argmin()) if n % 2 else int(one.is_good.sum()) - 1
        before = sent(at)["id"]
        at = answer(at, name_at(one, place))
        check_hidden(at)
        data = sent(at)
        good = [m for m, ok in zip(one.rows["cards"].tolist(), one.is_good, strict=True) if ok]
        names = one.record.rules.cards.format_cards(sum(good)).split()
        assert set(data["lit"]) == set(names)
        assert data["answer"] == name_at(one, place)
        assert is_said_who_judged(at, one, PLAYED_ON)
        assert ("Wrong" if n % 2 else "Right: best.") in alerts(at)
        assert f"**{TITLES[one.grade(data['answer'])]}**" in alerts(at)
        assert one.why(data["answer"])
        assert plain(one.why(data["answer"])) in plain(alerts(at))
        assert f"Answered in 5 s, graded {'Again' if n % 2 else 'Easy'}" in texts(at)
        table = shown_table(at)
        assert len(table) == len(one.rows)
        points = [float(text.replace("−", "-")) for text in table["Loss"][1:]]
        assert table["Loss"][0] == "0"
        assert np.allclose(points, -one.rows["behind"][1:], atol=0.051)
        assert [card.startswith("✓") for card in table["Card"]] == one.is_good.tolist()
        for column in ("Human", "Search"):
            shares = [float(text.removesuffix("%")) for text in table[column]]
            assert sum(shares) == pytest.approx(100, abs=1)
        if n % 2:
            assert f"{one.rows['behind'][place]:.1f} points" in alerts(at)
            low, high = one.rows["low"][place], one.rows["high"][place]
            interval = f"(95%: {low:.1f} to {high:.1f})"
            assert (interval in alerts(at)) == (not one.is_proven)
        (why,) = [link for link in at.get("page_link") if link.proto.label == "Why"]
        assert f"ply={one.ply}" in why.proto.query_string
        at = go_on(at)
        assert sent(at)["id"] != before
        assert on_screen(at).key != one.key
    assert own_store.last("Ann", 9) == [0, 1] * 4
    assert "4 of 8 learned · right 50.0%, last n = 8 (95%: 15.7% to 84.3%)" in texts(at)
    again = open_drill({"profile": "Ann"})
    assert on_screen(again).key == on_screen(at).key


def test_every_fourth_is_a_red_herring():
    at = open_drill({"profile": "Bo"})
    kinds = []
    for _ in range(8):
        kinds.append(on_screen(at).kind)
        at = go_on(answer(at, name_at(on_screen(at), 0)))
    assert set(kinds) == {HERRING, DISAGREEMENT}
    assert [kinds[i : i + 4].count(HERRING) for i in (0, 4)] == [1, 1]


def test_what_was_missed_comes_back_when_it_is_due_and_without_its_log(own_store, monkeypatch):
    at = open_drill({"profile": "Ann"})
    one, now = on_screen(at), view.time.time()
    at = go_on(answer(at, name_at(one, int(one.is_good.argmin()))))
    assert on_screen(at).key != one.key
    at = answer(at, name_at(on_screen(at), 0))
    monkeypatch.setattr(view.time, "time", lambda: now + 120)
    monkeypatch.setattr(view, "_exercises", lambda: view.exercise_table_of_nothing())
    monkeypatch.setattr(
        view, "exercise_table_of_nothing", lambda: own_store.cards("nobody"), raising=False
    )
    at = go_on(at)
    assert on_screen(at).key == one.key
    assert on_screen(at).record == one.record


def test_an_answer_to_what_is_not_on_screen_counts_for_nothing(own_store):
    at = open_drill({"profile": "Ann"})
    at = answer(at, name_at(on_screen(at), 0), id="another")
    assert sent(at)["answer"] == ""
    assert own_store.cards("Ann").empty
    at = answer(at, "XX")
    assert "is no card" in alerts(at)
    assert own_store.cards("Ann").empty


def test_an_answer_counts_once(own_store):
    at = open_drill({"profile": "Ann"})
    card = name_at(on_screen(at), 0)
    at = run(answer(at, card))
    at = answer(at, card)
    assert own_store.last("Ann", 9) == [1]


def test_own_costly_plays_filters_and_profiles():
    chosen = {"player": "human", "phase": "late", "nil": "own,partner"}
    at = open_drill(chosen)
    one = on_screen(at)
    assert one.kind == HERRING or one.record.players[one.observation.seat] == "human"
    assert one.ply >= 24
    assert one.nils & 3
    assert address(at) == {
        "view": "drill",
        "logs": "human-south",
        "player": "human",
        "phase": "late",
        "nil": "own,partner",
    }
    other = open_drill({**chosen, "profile": "Z"})
    assert on_screen(other).key != one.key
    at.text_input(key="play_profile").set_value("Z")
    assert on_screen(run(at)).key == on_screen(other).key
    unknown = open_drill({"player": "nobody"})
    assert "The link says player=nobody" in texts(unknown)
    assert on_screen(unknown)


def test_where_nothing_passes_it_is_said(monkeypatch):
    monkeypatch.setattr(view, "draw", lambda *_: None)
    at = open_drill({})
    assert "no new exercise is left" in alerts(at)
    assert not components(at)


def test_a_damaged_store_is_said_and_the_page_stands(own_store):
    own_store.path.parent.mkdir(parents=True)
    own_store.path.write_bytes(b"junk" * 1000)
    at = open_drill({})
    assert "the store of drills can't be used" in alerts(at)
    assert at.button(key="drill_start")


def test_a_log_of_ones_own_is_judged_in_the_background(plan_of_log):
    at = open_drill({"logs": "tiny", "rounds": "2"})
    assert "no new exercise is left" in alerts(at)
    assert "Judge more of the log" in [block.label for block in at.expander]
    at.button(key="drill_start").click()
    at = run(at)
    (job,) = [one for one in page_jobs().jobs() if "tiny" in one.title]
    assert job.wait(120)
    at = run(at)
    assert job.state == "done", job.reason
    assert stored.find(plan_of_log("tiny", 2)).rounds == (0, 1)
    assert isinstance(on_screen(at), Exercise)
    assert on_screen(at).record.hands in {log_record(i).hands for i in range(2)}
    check_hidden(at)
    assert "All 2 rounds are searched" in texts(at)


def log_record(index):
    return open_log("tiny").record(index)


@pytest.mark.slow
def test_only_what_the_judge_has_judged_is_asked(plan_of_log, monkeypatch):
    """Not what was searched beside another agent, or judged by more rounds."""
    run_log_search(LogSearchPlan("tiny", 2, "ismcts:iterations=21", played_on=MOST))
    run_log_search(plan_of_log("tiny", 2, played_on=MOST + 1))
    run_log_search(plan_of_log("tiny", 1))
    at = open_drill({"logs": "tiny"})
    monkeypatch.setattr(st, "session_state", at.session_state)
    monkeypatch.setattr(view.page, "get", {"logs": ["tiny"], "player": ""}.get)
    asked = {one.record.hands for one in view._exercises()["exercise"]}
    assert asked == {log_record(0).hands}


def test_the_table_and_the_drill_keep_their_values_while_the_other_is_shown():
    at = open_drill({"profile": "Ann", "left": "human"})
    key = on_screen(at).key
    at.button_group(key="play_view").set_value("table")
    at = run(at)
    assert at.selectbox(key="play_left").value == "human"
    assert not components(at)
    at.button_group(key="play_view").set_value("drill")
    assert on_screen(run(at)).key == key
