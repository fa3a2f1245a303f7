"""The Play page under AppTest: the form, a table, an invitation; what is refused."""

import json
import re
import sqlite3
from contextlib import closing

import pytest

from analysis import own_plays
from analysis.review.plays import ReviewedPlay
from analysis.text_tables import signed
from spades.core.logs import Log
from spades.core.rules import Rules
from spades.notation.log_store import list_logs, open_log, store_log
from spades.tables import Game, LiveTables, Move, Setup, TableError, TableStore, points_ahead
from spades.tables.game import DEAL, ROUND_OVER
from tests.pages.apps import components, open_page, run, texts
from tests.tables.test_game import KEY, played
from tests.tables.test_live import finish
from tests.tables.test_store import old_store
from ui.play import form, rounds, server, table

PAGE = "11_Play"
FORM = dict.fromkeys(("left", "partner", "right"), "srp+bis")


@pytest.fixture(autouse=True)
def own_tables(tmp_path, monkeypatch):
    live = LiveTables(TableStore(tmp_path / "tables.sqlite"))
    for module in (server, form, table):
        monkeypatch.setattr(module, "tables", lambda: live)
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    return live


class QuickOwnPlays(own_plays.OwnPlays):
    """Faults the second play, where others would search."""

    n_judged = 13

    def steps(self):
        while self.n_done < self.n_judged:
            self.n_done += 1
            yield
        if self.n_done == 13:
            self.costliest = ReviewedPlay(
                ply=self.plies[1], seat=2, card="HQ", best=("H2", "C3"), given_away=12.34, se=2.0,
                as_judge=False, as_human=True, is_settled=True,
            )  # fmt: skip


@pytest.fixture(autouse=True)
def quick_judge(monkeypatch):
    monkeypatch.setattr(own_plays, "OwnPlays", QuickOwnPlays)


def click(at, key):
    at.button(key=key).click()
    return run(at)


def sent(at):
    """What the table's component is sent."""
    (table,) = components(at)
    return json.loads(table.proto.json)


def test_a_table_is_dealt_as_asked(own_tables):
    at = open_page(PAGE, {**FORM, "seat": "E", "length": "one", "name": "Ann", "rules": "nil=50"})
    at = click(at, "play_deal")
    data = sent(at)
    assert set(data) == {"token", "api", "pace", "nil", "blind_nil", "asks", "away", "help"}
    place = own_tables.seat_of(data["token"])
    setup = own_tables.store.setup_of(place.game)
    assert place.seat == 1
    assert setup.agents == ("srp+bis", None, "srp+bis", "srp+bis")
    assert (setup.players[1], setup.rules.nil, setup.rounds) == ("Ann", 50, 1)
    assert at.query_params["token"] == data["token"]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"left": "nobody"}, "nobody"),
        ({"rules": "colour=red"}, "unknown rule"),
        ({"rules": "first_hand_bids_itself=True"}, "can't be played at a table"),
        ({"token": "guessed"}, "no table has this seat"),
        ({"hand": "log.nowhere.3"}, "no log 'nowhere'"),
        ({"hand": "nobody's"}, "there is no hand"),
    ],
)
def test_what_is_refused_is_said_over_the_form(query, said):
    at = open_page(PAGE, {**FORM, **query})
    if "token" not in query:
        at = click(at, "play_deal")
    assert said in texts(at) + " ".join(error.value for error in at.error)
    assert at.button(key="play_deal")
    assert not components(at)


def test_a_table_is_left_by_a_second_click_and_stays_at_its_link(own_tables):
    at = click(open_page(PAGE, FORM), "play_deal")
    token = sent(at)["token"]
    assert at.get("popover")
    at = click(at, "play_leave")
    assert at.button(key="play_deal")
    assert sent(open_page(PAGE, {"token": token}))["token"] == token


def test_a_finished_round_is_a_log_with_links(own_tables):
    at = click(open_page(PAGE, {**FORM, "length": "one"}), "play_deal")
    token = sent(at)["token"]
    assert "Rounds played" not in texts(at)
    finish(own_tables, {2: token})
    at = run(at)
    assert "Rounds played" in texts(at)
    (job,) = rounds.own_plays_jobs().jobs()[:1]
    assert job.wait(60)
    at = run(at)
    told = "Your costliest play: Q♥ in trick 2 gave away 12.3 points (95%: 8.4 to 16.3)"
    assert f"{told}; best was 2♥ or 3♣" in texts(at)
    (opened,) = [link for link in at.get("page_link") if link.proto.label == "Round 1"]
    assert f"ply={job.work.plies[1]}" in opened.proto.query_string
    assert re.search(r"log=played-player-\d{4}-\d\d-\d\d-", opened.proto.query_string)
    assert at.session_state["log_in_hand"].startswith("played-player-")
    at.selectbox(key="play_rival").set_value("srp+bis")
    at = click(run(at), "play_compare")
    (table,) = at.dataframe
    others = ["Rules (srp) with bis bids", "Simulated human"]
    assert list(table.value.columns) == ["round", "You", *others]
    (row,) = table.value.to_dict("records")
    for agent in others:
        less = signed(row["You"] - row[agent])
        assert f"You less {agent} on the same deals: {less} points a round" in texts(at)


def test_a_round_that_is_not_judged_yet_says_so(own_tables, monkeypatch):
    monkeypatch.setattr(QuickOwnPlays, "n_judged", 5)
    at = click(open_page(PAGE, {**FORM, "length": "one"}), "play_deal")
    finish(own_tables, {2: sent(at)["token"]})
    at = run(at)
    assert rounds.own_plays_jobs().jobs()[0].wait(60)
    at = run(at)
    assert "Your plays are being judged: 5 of 13" in texts(at)
    (opened,) = [link for link in at.get("page_link") if link.proto.label == "Round 1"]
    assert "ply=" not in opened.proto.query_string


def test_the_deals_of_a_log_are_played_beside_its_players(own_tables):
    drawn = played(Game(Setup(("srp+bis",) * 4, 5, Rules(nil=50), rounds=3))).records
    store_log(Log.from_records(drawn), "theirs")
    query = {**FORM, "hand": "log.theirs.1", "rounds": "2", "rating": "1850", "since": "1999"}
    at = click(open_page(PAGE, query), "play_deal")
    token = sent(at)["token"]
    finish(own_tables, {2: token})
    with own_tables.playing(own_tables.seat_of(token).game) as game:
        assert [one.hands for one in game.records] == [one.hands for one in drawn[1:]]
        assert [one.dealer for one in game.records] == [1, 2]
        assert game.setup.rules == Rules(nil=50)
        told = "deals of log.theirs.1; S rated 1850, playing since 1999; agents committed "
        assert all(one.source.startswith(told) for one in game.records)
        assert {one.seed for one in game.records} == {None}
    at = run(at)
    at.selectbox(key="play_rival").set_value("srp+bis")
    at = click(run(at), "play_compare")
    (table,) = at.dataframe
    assert list(table.value["the log's players"]) == points_ahead(drawn[1:], 2)
    assert "You less the log's players on the same deals" in texts(at)


def test_a_shipped_hand_is_one_round(own_tables):
    at = click(
        open_page(PAGE, {**FORM, "hand": "bug-report-335", "rounds": "2", "rules": "x"}),
        "play_deal",
    )
    setup = own_tables.store.setup_of(own_tables.seat_of(sent(at)["token"]).game)
    assert (setup.rounds, setup.rules.deck) == (1, "joker-joker-deuce-deuce")


def test_an_old_links_seed_is_left_out_with_a_remark(own_tables):
    at = open_page(PAGE, {**FORM, "length": "one", "seed": "7"})
    (remark,) = at.warning
    assert "seed is left out" in remark.value.replace("\\", "")
    assert not at.error
    data = sent(click(at, "play_deal"))
    setup = own_tables.store.setup_of(own_tables.seat_of(data["token"]).game)
    assert (setup.seed, setup.rounds, len(setup.key)) == (None, 1, 64)


def test_a_seat_of_a_study_is_shown_nothing(own_tables):
    setup = Setup(("srp+bis", None, "srp+bis", None), rounds=1, key=KEY, is_sealed=True)
    tokens = own_tables.open_table(setup)
    finish(own_tables, tokens)
    game = own_tables.seat_of(tokens[1]).game
    for query in ({"token": tokens[1]}, {"join": game}):
        at = open_page(PAGE, query)
        (error,) = at.error
        assert "it is played at the study's own link, and nowhere else" in error.value
        assert not components(at)
        assert "Rounds played" not in texts(at)
        assert not at.text_input
        assert "srp" not in texts(at)
    assert list_logs() == []


def test_a_table_of_an_earlier_version_shows_its_rounds_and_is_not_played_on(own_tables):
    path = own_tables.store.path
    old_store(path, n_games=1, n_moves=0)  # seed 9, two rounds
    game = Game(Setup(("srp+bis",) * 4, 9, rounds=2))
    while game.phase != ROUND_OVER:
        game.make(game.agents_move())
    with closing(sqlite3.connect(path)) as file, file:
        rows = [("g0", n, *move[:5], 1.0) for n, move in enumerate(game.moves)]
        file.executemany("INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    at = open_page(PAGE, {"token": "t0"})
    (error,) = at.error
    assert "of an earlier version, whose later deals could be predicted" in error.value
    assert "Rounds played" in texts(at)
    (name,) = [entry.name for entry in list_logs() if entry.name.startswith("played-")]
    (record,) = open_log(name).records()
    assert (record.hands, record.seed) == (game.records[0].hands, None)
    with pytest.raises(TableError, match="Open a new table"):
        own_tables.move("t0", len(game.moves), Move(0, DEAL))


def test_a_link_leads_to_the_free_seats_until_none_is_left(own_tables):
    at = click(open_page(PAGE, {**FORM, "partner": "person"}), "play_deal")
    game = own_tables.seat_of(sent(at)["token"]).game
    assert f"join={game}" in at.code[0].value
    other = click(open_page(PAGE, {"join": game, "name": "Bo"}), "play_sit")
    assert own_tables.seat_of(sent(other)["token"]).seat == 0
    assert own_tables.store.people_of(game) == {0: ("Bo", True), 2: ("player", True)}
    assert not run(at).code
    late = open_page(PAGE, {"join": game})
    assert "No seat is free" in texts(late) + " ".join(info.value for info in late.info)
