"""The line above Replay's table: numbers that aren't legal, the rounds of a log."""

from spades.notation.log_store import store_log
from tests.analysis.styles import random_log
from tests.pages.apps import address, run, texts
from tests.pages.texts import ptn, shipped
from tests.ui.replay.page import (
    choose,
    click,
    open_popover,
    open_replay,
    paste,
    searched,
    table,
    view_data,
    visit,
)
from ui.replay import toolbar
from ui.shared.records import rounds_of


def test_numbers_that_are_not_legal_are_refused_and_search_nothing():
    app = open_popover(
        open_replay(hand="four-bots", ply="4", iterations="100", seed="9"), "settings"
    )
    for name, typed, words in (
        (
            "exploration",
            2e6,
            "Exploration C is 2,000,000; 0 to 1,000,000 are legal. In force: 0.7.",
        ),
        ("exploration", -1e20, "Exploration C is -1e+20; 0 to 1,000,000 are legal. In force: 0.7."),
        ("seed", 1.5, "Seed is 1.5; 0 to 2,147,483,647 are legal. In force: 9."),
    ):
        before = address(app), shown_searches(app)
        box = app.number_input(key=f"replay_{name}")
        assert not box.proto.has_max, "the browser refuses no number"
        choose(app, "number_input", name, typed)
        assert words in texts(app)
        assert "Not taken" in texts(app)
        assert (address(app), shown_searches(app)) == before
        choose(app, "number_input", name, {"exploration": 0.7, "seed": 9}[name])
        assert "are legal" not in texts(app)
    choose(app, "selectbox", "determinization", "mixed")
    choose(app, "number_input", "share", 2.0)
    assert "Share of biased deals is 2; 0 to 1 are legal. In force: 0.5." in texts(app)
    choose(app, "selectbox", "determinization", "uniform")
    assert "are legal" not in texts(app)
    assert view_data(searched(app))["searches"] == ["ISMCTS 100"]


def shown_searches(app):
    """The names of the searches, and how many iterations each decision shows."""
    data = view_data(searched(app))
    return data["searches"], [one["iterations"] for one in data["decisions"]]


def test_the_second_opinion_is_a_column_by_best():
    app = open_replay(hand="four-bots", ply="4", iterations="100")
    open_popover(app, "settings")
    choose(app, "toggle", "second", True)
    assert address(app)["agents"] == "best"
    names, iterations = shown_searches(app)
    assert names == ["ISMCTS 100", "best"]
    assert set(iterations) == {100}, "the decisions stay those of the baseline"
    choose(app, "multiselect", "agents", ["ismcts:iterations=50"])
    assert not app.toggle(key="replay_second").value
    choose(app, "toggle", "second", True)
    assert shown_searches(app)[0] == ["ISMCTS 100", "best", "ISMCTS 50"]
    choose(app, "toggle", "second", False)
    assert address(app)["agents"] == "ismcts:iterations=50"


def test_a_second_opinion_beside_all_that_have_room_is_refused():
    agents = ";".join(f"ismcts:iterations={n}" for n in (50, 60, 70))
    app = open_replay(hand="four-bots", ply="4", iterations="100", agents=agents)
    assert open_popover(app, "settings").toggle(key="replay_second").disabled


def test_rounds_of_a_log_are_browsed(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    monkeypatch.setattr(toolbar, "MAX_SHOWN", 10)

    def number(label):
        return next(box for box in app.number_input if box.label.startswith(label))

    def shown():
        return table(app, "game")["round"].tolist()

    def chosen():
        return {name: v for name, v in address(app).items() if name.startswith("browse")}

    log = random_log(23)
    store_log(log, "small")
    store_log(random_log(5), "another")  # the first by name
    app = open_replay(iterations="100", browse_log="small", browse_page="3")
    assert not app.warning
    open_popover(app, "hand")
    assert (shown(), chosen()) == ([20, 21, 22], {"browse_log": "small", "browse_page": "3"})
    number("Page, of 3").set_value(4)
    assert "Not taken: 4; 1 to 3 are legal" in texts(run(app))
    assert (shown(), chosen()["browse_page"]) == ([20, 21, 22], "3")
    number("Page, of 3").set_value(2)
    assert "Not taken" not in texts(run(app))
    assert (shown()[0], chosen()["browse_page"]) == (10, "2")
    choose(app, "selectbox", "browse", "nil")
    assert chosen() == {"browse": "nil", "browse_log": "small"}  # from their first page on
    rounds = rounds_of("small")
    assert shown() == rounds["round"][rounds["nil"] != ""].tolist()[:10]
    choose(app, "selectbox", "browse", "all")
    game = log.record(21).game_id
    choose(app, "text_input", "browse_game", game)
    assert shown() == rounds["round"][rounds["game"] == game].tolist()
    for wrong in (23, -1, 1.5):
        number("Round, of 23").set_value(wrong)
        assert f"Not taken: {wrong}; 0 to 22 are legal" in texts(run(app))
        assert app.session_state["replay_hand"].record != log.record(22)
    number("Round, of 23").set_value(22)
    run(app)
    assert app.session_state["replay_hand"].record == log.record(22)
    open_popover(app, "hand")
    assert address(app)["hand"] == "log.small.22"
    assert chosen() == {"browse_game": game}  # the log on the table is the usual one


def test_a_link_to_rounds_that_are_not_there_says_what_is(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    for name in ("small", "another"):
        store_log(random_log(5), name)
    app = open_replay(iterations="100")
    for name, value, words in (
        ("browse_log", "nowhere", "browse_log=nowhere; (nothing), another, small"),
        ("browse_page", "9", "1 to 1 are legal for these rounds. Shown: 1"),
    ):
        visit(app, "pages/7_Agents.py")
        visit(app, "app.py", iterations="100", **{name: value})
        open_popover(app, "hand")
        assert words in texts(app)


def test_a_pasted_hand_asks_which_card_it_is_about_and_opens_there_with_its_report():
    app = paste(open_replay(iterations="100"), ptn(shipped("bug-report-335")))
    assert "Which card is it about?" in texts(app)
    (wasted,) = [one.label for one in app.button if one.label.startswith("Wastes a high card")]
    assert wasted == "Wastes a high card: West's J♦, trick 8"
    click(app, wasted)
    ply = shipped("bug-report-335").plays.index("DJ")
    assert address(app)["ply"] == str(ply)
    assert "Which card is it about?" not in texts(app)
    while not searched(app).code:
        run(app)
    assert f"trick 8, ply {ply}" in app.code[0].value
    paste(app, ptn(shipped("south-nil")))
    choose(app, "selectbox", "complaint_card", 30)
    assert address(app)["ply"] == "30"
    paste(app, ptn(shipped("four-bots")))
    click(app, "No card")
    assert "Which card is it about?" not in texts(app)


def test_a_pasted_table_of_other_columns_is_told_which_are_wanted_and_gets_the_template():
    app = paste(open_replay(iterations="100"), "who,seat,card\nann,N,S2\n")
    missing = "the columns game, round, trick, led suit, bid, player, kind are missing"
    assert missing in texts(app)
    assert "CSV template" in [button.label for button in app.get("download_button")]


def test_no_card_is_asked_for_where_hands_are_hidden_or_none_was_played():
    app = paste(open_replay(iterations="100", spoiler="1"), ptn(shipped("south-nil")))
    assert "Which card is it about?" not in texts(app)
    app = paste(open_replay(iterations="100"), ptn(shipped("deal-231")))
    assert "Which card is it about?" not in texts(app)
