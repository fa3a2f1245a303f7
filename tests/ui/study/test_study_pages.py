"""A study under AppTest: its owner's view on Data, a participant's page from link to end."""

import json

import pytest

from spades.tables import LiveTables, TableStore
from spades.tables.studies import AFTER, BEFORE, CONSENT, DONE, StudyStore
from tests.pages.apps import address, button, open_page, run, texts
from tests.tables.study_texts import ANSWERS, SMALL, finish_game, take_part
from ui.data import studies as own
from ui.play import server
from ui.study import take

OWN, TAKE = "9_Data", "15_Study"


@pytest.fixture(autouse=True)
def live(tmp_path, monkeypatch):
    live = LiveTables(TableStore(tmp_path / "tables.sqlite"))
    for module in (server, own, take):
        monkeypatch.setattr(module, "tables", lambda: live)
    return live


@pytest.fixture
def store(live):
    return StudyStore(live.store)


@pytest.fixture
def owner(store):
    return store.create(SMALL)


def click(at, label):
    button(at, label).click()
    return run(at)


def sent(at):
    """What the table's component is sent; None without one."""
    found = at.get("bidi_component")
    return json.loads(found[0].proto.json) if found else None


def errors(at):
    return " ".join(error.value for error in at.error).replace("\\", "")


def test_a_study_is_made_of_the_example(store):
    at = click(open_page(OWN, {"view": "studies"}), "Create")
    owner = address(at)["owner"]
    study = store.owned(owner)[0]
    codes = [code.value for code in at.code]
    assert codes[0].endswith(f"/Study?study={study}")
    assert codes[1].endswith(f"/Data?view=studies&owner={owner}")
    assert "Nobody has taken part so far" in " ".join(info.value for info in at.info)


def test_what_is_wrong_with_a_study_is_said(store):
    at = open_page(OWN, {"view": "studies"})
    at.text_area[0].set_value(SMALL.replace("seed = 7", "seed = -7"))
    at = click(run(at), "Create")
    assert "games[1]: seed is -7" in errors(at)
    assert "owner" not in address(at)
    assert at.text_area[0].value == SMALL.replace("seed = 7", "seed = -7")


def test_a_participant_goes_from_the_link_to_the_thanks(live, store, owner):
    study = store.owned(owner)[0]
    at = open_page(TAKE, {"study": study})
    assert "You agree." in texts(at)
    assert store.people(owner) == []  # who only looks takes no part
    at = click(at, "I agree")
    (person,) = store.people(owner)
    assert address(at) == {"token": person.token}
    at = click(at, "Continue")
    assert "needs an answer" in errors(at)
    assert store.person(person.token).step == BEFORE
    at.radio[0].set_value("often")
    at.number_input[0].set_value(1500)
    at = click(at, "Continue")
    assert store.person(person.token).all("answers")[1] == {
        "often": "often", "rating": 1500, "since": None,
    }  # fmt: skip
    for step in ("game 1", "game 2"):
        place = store.table(person.token)
        assert (sent(at)["token"], sent(at)["pace"]) == (place["seat"], 0)
        assert step in texts(at)
        assert not any("Continue" in one.label for one in at.button)
        finish_game(live, place)
        at = click(run(at), "Continue")
    assert sent(at) is None
    at.radio[0].set_value(6)
    at = click(at, "Continue")
    assert store.person(person.token).step == DONE
    assert "Thank you" in texts(at)
    again = open_page(TAKE, {"token": person.token})
    assert "Thank you" in texts(again)


def test_a_single_link_asks_for_consent_and_a_reload_goes_on(live, store, owner):
    token = store.invite(store.owned(owner)[0])
    at = click(open_page(TAKE, {"token": token}), "I agree")
    assert store.person(token).step == BEFORE
    assert len(store.people(owner)) == 1
    take_part(store, live, token, until="game 1")
    first = sent(open_page(TAKE, {"token": token}))
    assert sent(open_page(TAKE, {"token": token})) == first
    assert sent(run(at)) == first


@pytest.mark.parametrize("query", [{}, {"study": "x"}, {"token": "x"}])
def test_wrong_links_say_so(query):
    at = open_page(TAKE, query)
    assert "no study has this link" in errors(at)
    assert not at.button


def test_a_participants_page_shows_nothing_of_others(live, store, owner):
    tokens = [store.invite(store.owned(owner)[0]) for _ in range(2)]
    for token in tokens:
        take_part(store, live, token, until="game 1")
    place = store.table(tokens[1])
    at = open_page(TAKE, {"token": tokens[0]})
    shown = texts(at) + json.dumps(sent(at)) + " ".join(code.value for code in at.code)
    for secret in (tokens[1], owner, place["seat"], place["game"], "P02"):
        assert secret not in shown
    assert not at.get("page_link")
    for key in (tokens[0], sent(at)["token"]):
        assert "no study has this link" in errors(open_page(OWN, {"view": "studies", "owner": key}))


def test_the_owner_sees_progress_deletes_and_ends(live, store, owner):
    tokens = [store.invite(store.owned(owner)[0]) for _ in range(3)]
    take_part(store, live, tokens[0])
    take_part(store, live, tokens[1], until="game 2")
    at = open_page(OWN, {"view": "studies", "owner": owner})
    table = at.dataframe[0].value
    assert table.participant.tolist() == ["P01", "P02", "P03"]
    assert table.step.tolist() == [DONE, "game 2", CONSENT]
    assert table.rounds.tolist() == [3, 2, 0]
    assert table.think_ms.tolist()[:2] == [1200, 1200]
    assert "1 of 3 are done" in texts(at)
    assert at.get("download_button")
    at.selectbox(key="data_who").set_value("P01")
    at = click(run(at), "Delete all of theirs")
    assert at.dataframe[0].value.participant.tolist() == ["P02", "P03"]
    at.number_input(key="data_n").set_value(2)
    at = click(run(at), "Make")
    links = at.code[2].value.splitlines()
    assert [store.person(link.partition("token=")[2]).name for link in links] == ["P04", "P05"]
    at = click(at, "End the study")
    assert at.dataframe[0].value.participant.tolist() == ["P02"]
    assert "has ended" in " ".join(info.value for info in at.info)
    at = click(at, "Make")
    assert "has ended" in errors(at)
    assert ANSWERS[AFTER]["remarks"] not in texts(at)
