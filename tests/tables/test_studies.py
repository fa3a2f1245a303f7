"""Studies: what may be defined, who sees whose data, what is left after a deletion."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from spades.core.documents import load_toml
from spades.core.errors import SpadesError
from spades.core.logs import Log
from spades.notation.log_store import list_logs, store_log
from spades.tables import LiveTables, Setup, TableStore
from spades.tables.game import Game
from spades.tables.studies import (
    AFTER,
    BEFORE,
    CONSENT,
    DONE,
    FOLDER,
    StudyError,
    StudyStore,
    check_answer,
    read_table,
    setup_of,
    steps_of,
    study_of,
)
from tests.tables.study_texts import ANSWERS, DEAL_TEXT, GAMES, SMALL, finish_game, take_part
from tests.tables.test_game import KEY


@pytest.fixture
def store(tmp_path):
    return StudyStore(TableStore(tmp_path / "tables.sqlite"))


@pytest.fixture
def live(store):
    return LiveTables(store.tables)


@pytest.fixture
def owner(store):
    return store.create(SMALL)


def newcomer(store, owner):
    return store.invite(store.owned(owner)[0])


def parse(toml):
    return study_of(load_toml(toml))


def test_the_example_and_the_study_of_the_docs_are_studies():
    example = (FOLDER / "example.toml").read_text("utf-8")
    study = parse(example)
    assert list(steps_of(study)) == [CONSENT, BEFORE, "game 1", "game 2", AFTER]
    assert [one["name"] for one in study["before"]] == ["experience", "rating", "since"]
    page = (FOLDER.parents[1] / "docs" / "studies.md").read_text("utf-8")
    assert parse(page.partition("```toml\n")[2].partition("```")[0])["title"]


def test_a_study_is_read_back_as_it_is_stored():
    study = parse(SMALL)
    assert study_of(json.loads(json.dumps(study))) == study
    assert study["pace"] == 0
    assert study["participants"] == 100


def test_every_key_is_explained():
    assert all(row["meaning"] and row["type"] for row in read_table("keys"))
    known = {(row["table"], row["key"]) for row in read_table("keys")}
    assert {("study", name) for name in parse(SMALL)} <= known


@pytest.mark.parametrize(
    ("text", "instead", "error"),
    [
        ('title = "A small study"\n', "", "title is missing"),
        ("title", "titel", "unknown 'titel'; known: title, text"),
        ('"A small study"', '""', "title is ''; legal: text, 1 to 200"),
        ("pace = 0", "pace = 9999", "pace is 9999; legal: number, 0 to 5,000"),
        ("pace = 0", "pace = true", "pace is True; legal: number"),
        ("rating = true", "rating = 1", "rating is 1; legal: switch"),
        ("seed = 7", "seed = -3", r"games\[1\]: seed is -3"),
        ("seed = 7", "seeds = 7", r"games\[1\]: unknown 'seeds'"),
        ("rounds = 2", "rounds = 101", r"games\[1\]: rounds is 101"),
        ('south = "participant"', 'south = "srp"', "one of them"),
        ('north = "srp+bis"', 'north = "participant"', "one of them"),
        ('north = "srp+bis"', "north = 3", "one of them"),
        ('north = "srp+bis"', 'nord = "srp+bis"', "one of them"),
        ('north = "srp+bis"', 'north = "nobody"', "unknown player 'nobody'"),
        ("N AKJ62", "N AKJ6", r"games\[2\]: N holds 12 cards"),
        ("N AKJ62", "X AKJ62", r"games\[2\]: the dealer names the seat 'X'"),
        (DEAL_TEXT, "N AKJ62", r"games\[2\]: deals are a dealer and four hands"),
        (DEAL_TEXT, "", r"games\[2\]: deals are a dealer and four hands"),
        ("[seats]", "[rules]\nbags = 3\n[seats]", "unknown rule 'bags'"),
        ('kind = "scale"', 'kind = "slider"', r"after\[1\]: kind is 'slider'"),
        ("high = 7", "high = 70", r"after\[1\]: low 1, high 70"),
        ("high = 7", "high = 1", r"after\[1\]: low 1, high 1"),
        ('["never", "often"]', '["never", "never"]', r"before\[1\]: options are"),
        ('["never", "often"]', '["never"]', r"before\[1\]: options are"),
        ('["never", "often"]', "[1, 2]", r"before\[1\]: options are"),
        ('name = "often"', 'name = "How often"', r"before\[1\]: name is 'How often'"),
        ('name = "often"', 'name = "rating"', "a name of its own"),
        ("[[games]]\nseed = 7\nrounds = 2", "", "title"),
        ("title =", "title", "no valid TOML"),
    ],
)
def test_studies_that_are_refused(text, instead, error):
    assert text in SMALL
    changed = SMALL.replace(text, instead)
    if error == "title":  # that game alone left out is legal
        assert len(parse(changed)["games"]) == 1
        return
    with pytest.raises(SpadesError, match=error):
        parse(changed)


def test_deals_of_a_log_are_written_out(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    record = Game(setup_of(parse(SMALL)["games"][1], KEY)).record
    store_log(Log.from_records([record] * 3), "mine")
    for rounds, error in (
        ("[3]", "mine has 0 to 2"),
        ("[]", "log_rounds"),
        ('["a"]', "log_rounds"),
    ):
        with pytest.raises(StudyError, match=error):
            parse(SMALL.replace("seed = 7", f'log = "mine"\nlog_rounds = {rounds}'))
    with pytest.raises(SpadesError, match="no log 'other'"):
        parse(SMALL.replace("seed = 7", 'log = "other"\nlog_rounds = [0]'))
    study = parse(SMALL.replace("seed = 7", 'log = "mine"\nlog_rounds = [0, 2]'))
    assert study["games"][0]["deals"] == [DEAL_TEXT] * 2
    setup = setup_of(study["games"][0], KEY)
    assert setup.rounds == 2
    assert Game(setup).round.hands == list(record.hands)
    assert study_of(json.loads(json.dumps(study))) == study  # the log may be gone by then


@pytest.mark.parametrize(
    ("kind", "value", "error"),
    [
        ("text", "x" * 2001, "1 to 2,000"),
        ("text", 3, "legal: text"),
        ("number", 11, "1 to 10"),
        ("number", 2.5, "legal: number"),
        ("number", "3", "legal: number"),
        ("scale", True, "legal: number"),
        ("choice", "c", "'c' is none of a, b"),
        ("choice", None, "it needs an answer"),
        ("text", "", "it needs an answer"),
    ],
)
def test_answers_that_are_refused(kind, value, error):
    question = parse(SMALL)["after"][0] | {"kind": kind, "high": 10, "options": ["a", "b"]}
    with pytest.raises(StudyError, match=error):
        check_answer(question, value)
    good = {"text": "a", "choice": "b"}.get(kind, 10)
    assert check_answer(question, good) == good
    assert check_answer(question | {"required": False}, "") is None


def test_a_participant_goes_step_by_step(store, live, owner):
    token = newcomer(store, owner)
    assert store.person(token)[1] == "P01"
    for step in (CONSENT, BEFORE, *GAMES, AFTER, DONE):
        assert store.person(token).step == step
        for other in {CONSENT, BEFORE, *GAMES, AFTER} - {step}:
            store.go_on(token, other, ANSWERS.get(other))  # isn't due
        assert store.person(token).step == step
        if step in GAMES:
            with pytest.raises(StudyError, match="the game isn't over"):
                store.go_on(token, step)
            finish_game(live, store.table(token))
        elif step in ANSWERS:
            with pytest.raises(StudyError, match="no game is due"):
                store.table(token)
            with pytest.raises(StudyError, match="it needs an answer"):
                store.go_on(token, step)
        store.go_on(token, step, ANSWERS.get(step))
    assert store.person(token).all("answers") == [
        {}, {"often": "often", "rating": 1500, "since": None}, {}, {}, ANSWERS[AFTER],
    ]  # fmt: skip


def test_everybody_plays_the_same_deals_unless_they_are_drawn(store, owner):
    drawn = store.create(SMALL.replace("seed = 7", ""))
    hands = {}
    for study in (owner, drawn):
        for i in range(2):
            token = newcomer(store, study)
            store.go_on(token, CONSENT)
            store.go_on(token, BEFORE, ANSWERS[BEFORE])
            hands[study, i] = store.game(store.table(token)["game"]).round.hands
    assert hands[owner, 0] == hands[owner, 1]
    assert hands[drawn, 0] != hands[drawn, 1]


def test_explicit_deals_are_dealt_and_no_agent_is_named(store, live, owner):
    token = newcomer(store, owner)
    take_part(store, live, token, until="game 2")
    game = store.game(store.table(token)["game"])
    deck = game.setup.rules.cards
    assert deck.format_cards(game.round.hands[0]).split()[:5] == ["SA", "SK", "SJ", "S6", "S2"]
    assert game.round.table.dealer == 0
    assert game.names == game.shown_names == ("computer", "computer", "P01", "computer")
    assert game.record.agents == ("srp+bis", "random+bis", "", "random+bis")


@pytest.mark.parametrize(
    ("deals", "error"),
    [
        ([[1, [-1, 0, 0, 0]]], "no dealer with four hands"),
        ([[1, [2**4000, 0, 0, 0]]], "no dealer with four hands"),
        ([[1, [1.0, 0, 0, 0]]], "no dealer with four hands"),
        ([[4, [0, 0, 0, 0]]], "no dealer with four hands"),
        ([["N", ["a"] * 4]], "no dealer with four hands"),
        ([[1, [0, 0, 0]]], "no set-up"),
        ([[1, [1, 1, 0, 0]]], "a hand is 13"),
        ([[1, [0, 0, 0, 0]]] * 2, "2 deals for 1 rounds"),
        ("x", "no set-up"),
        (5, "no set-up"),
    ],
)
def test_deals_that_no_table_takes(deals, error):
    document = Setup((None,) * 4, rounds=1, key=KEY).document()
    with pytest.raises(SpadesError, match=error):
        Setup.from_document(document | {"deals": deals})
    assert Setup.from_document(document | {"deals": None}).deals == ()
    setup = setup_of(parse(SMALL)["games"][1], KEY)
    assert Setup.from_document(json.loads(json.dumps(setup.document()))) == setup


def test_two_tabs_play_at_one_table_and_answer_once(store, owner):
    token = newcomer(store, owner)
    store.go_on(token, CONSENT)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: store.go_on(token, BEFORE, ANSWERS[BEFORE]), range(8)))
        places = list(pool.map(lambda _: store.table(token)["game"], range(8)))
    assert len(set(places)) == 1
    (games,) = store.tables.read("SELECT count(*) FROM games WHERE ?", (1,))
    assert games == (1,)
    assert store.person(token).step == "game 1"


def test_pseudonyms_do_not_come_again(store, owner):
    with ThreadPoolExecutor(4) as pool:
        tokens = list(pool.map(lambda _: newcomer(store, owner), range(12)))
    assert len(set(tokens)) == 12
    assert sorted(one.name for one in store.people(owner)) == [f"P{i:02}" for i in range(1, 13)]
    store.delete(owner, "P12", store.tables.delete)
    assert store.person(newcomer(store, owner)).name == "P13"


def test_so_many_take_part_and_nobody_after_the_end(store, live):
    owner = store.create(SMALL.replace("pace = 0", "participants = 3"))
    first, _, third = (newcomer(store, owner) for _ in range(3))
    with pytest.raises(StudyError, match="has all its participants"):
        newcomer(store, owner)
    store.go_on(first, CONSENT)
    store.end(owner)
    with pytest.raises(StudyError, match="has ended"):
        newcomer(store, owner)
    with pytest.raises(StudyError, match="no study has this link"):
        store.person(third)
    assert take_part(store, live, first).step == DONE


def test_nobody_gets_at_others_by_their_own_link(store, live, owner):
    tokens = [newcomer(store, owner) for _ in range(2)]
    other = store.create(SMALL)
    places = []
    for token in tokens:
        take_part(store, live, token, until="game 1")
        places.append(store.table(token))
    assert places[0]["game"] != places[1]["game"]
    study = store.owned(owner)[0]
    for key in (*tokens, study, places[0]["seat"], "", "guessed"):
        for look in (store.owned, store.people, store.end):
            with pytest.raises(StudyError, match="no study has this link"):
                look(key)
        with pytest.raises(StudyError, match="no study has this link"):
            store.delete(key, "P01", live.delete)
    for key in (owner, study, places[0]["seat"]):
        with pytest.raises(StudyError, match="no study has this link"):
            store.person(key)
    for key in (owner, tokens[0], study):  # tables know seats' tokens alone
        with pytest.raises(SpadesError, match="no table has this seat"):
            live.seat_of(key)
    assert store.people(other) == []
    assert tokens[1] not in repr(store.person(tokens[0]))
    assert live.seat_of(places[0]["seat"]).game == places[0]["game"]


def test_a_deletion_leaves_nothing(store, live, owner, tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    tokens = [newcomer(store, owner) for _ in range(2)]
    secret = "a secret of P01"
    answers = {**ANSWERS, AFTER: {"fun": 1, "remarks": secret}}
    people = [take_part(store, live, tokens[0], answers=answers), take_part(store, live, tokens[1])]
    games = people[0].all("game")
    for game in games:
        store_log(Log.from_records(store.game(game).records), f"played-{game}")  # as it was done
    files = [store.path, store.tables.path]
    assert secret.encode() in store.path.read_bytes()
    assert games[0].encode() in store.tables.path.read_bytes()
    store.delete(owner, "P01", live.delete)
    assert [one.name for one in store.people(owner)] == ["P02"]
    with pytest.raises(StudyError, match="no study has this link"):
        store.person(tokens[0])
    for seat in people[0].all("seat"):
        with pytest.raises(SpadesError, match="no table has this seat"):
            live.seat_of(seat)
    for game in games:
        assert not store.tables.has(game)
        assert list_logs() == []
        with pytest.raises(SpadesError, match="no game"), live.playing(game):
            pass
    left = b"".join(path.read_bytes() for path in files)
    for text in (secret, tokens[0], *games, *people[0].all("seat")):
        assert text.encode() not in left
    assert len(store.tables.moves_of(people[1].all("game")[0])) > 56
    store.delete(owner, "P01", live.delete)  # once more changes nothing


def test_think_time_is_not_kept_where_it_is_not_wanted(store, live, owner):
    quiet = store.create(SMALL.replace("pace = 0", "think_time = false"))
    found = []
    for study in (owner, quiet):
        token = newcomer(store, study)
        person = take_part(store, live, token, until="game 2")
        found.append(store.progress(person)["think_ms"])
        moves = store.tables.moves_of(person.all("game")[0])
        assert any(move.ms for move in moves) == (study == owner)
    assert found == [1200, None]


def test_progress(store, live, owner):
    tokens = [newcomer(store, owner) for _ in range(3)]
    take_part(store, live, tokens[0])
    take_part(store, live, tokens[1], until="game 2")
    rows = [store.progress(person) for person in store.people(owner)]
    assert [row["participant"] for row in rows] == ["P01", "P02", "P03"]
    assert [row["step"] for row in rows] == [DONE, "game 2", CONSENT]
    assert [row["rounds"] for row in rows] == [3, 2, 0]
    assert rows[0]["begun"] < rows[0]["seen"]
    assert (rows[2]["begun"], rows[2]["seen"]) == (None, None)
