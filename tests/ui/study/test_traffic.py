"""All that a participant is sent, tried against every door: it opens the study and nothing else."""

import itertools
import json
import re

import pytest

from analysis.logs.study_export import export_study
from spades.core.cards import STANDARD
from spades.core.deal import derive_seed, random_deal
from spades.core.errors import SpadesError
from spades.core.rules import Rules
from spades.notation.log_store import list_logs
from spades.tables import LiveTables, TableStore
from spades.tables.game import DEAL
from spades.tables.studies import AFTER, BEFORE, CONSENT, StudyStore, setup_of
from tests.pages.apps import open_page, texts
from tests.tables.study_texts import ANSWERS, SMALL, finish_game, take_part
from tests.tables.test_game import KEY
from tests.ui.play.test_seen import CARD_TEXT, lowest
from ui.data import studies as own
from ui.play import form, server, table
from ui.study import take

AGENT = "wrp+ms"
STUDY = SMALL.replace('"srp+bis"', f'"{AGENT}"').replace('"random+bis"', f'"{AGENT}"')
DOORS = [
    ("11_Play", "token"), ("11_Play", "join"), ("9_Data", "owner"), ("15_Study", "study"),
    ("15_Study", "token"), ("", "log"), ("", "hand"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def live(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    live = LiveTables(TableStore(tmp_path / "tables.sqlite"))
    for module in (server, own, take, form, table):
        monkeypatch.setattr(module, "tables", lambda: live)
    return live


@pytest.fixture
def store(live):
    return StudyStore(live.store)


class Participant:
    """Takes part over the pages and the tables' requests, and keeps all that is sent."""

    def __init__(self, store, token):
        self.store, self.token = store, token
        self.views, self.pages = [], []

    def look(self):
        at = open_page("15_Study", {"token": self.token})
        shown = [texts(at), *(one.label for one in at.button), *(one.label for one in at.radio)]
        for one in at.get("bidi_component"):
            shown.append(one.proto.json)
            self.seat = json.loads(one.proto.json)["token"]
        self.pages.append("\n".join([*shown, json.dumps(dict(at.query_params.items()))]))

    def play(self, until="over"):
        """Play on from what is sent, to the first moment of a phase."""
        self.views.append(server.view_of(self.seat))
        while self.views[-1]["phase"] not in ("over", until):
            move = {"token": self.seat, "n": self.views[-1]["n"], **lowest(self.views[-1])}
            self.views.append(server.make_move(move))

    @property
    def sent(self):
        return "\n".join([*self.pages, *map(json.dumps, self.views)])


@pytest.fixture
def others(live, store):
    """A study in which somebody else has begun: what is nobody's to know but theirs."""
    owner = store.create(STUDY)
    theirs = store.invite(store.owned(owner)[0])
    take_part(store, live, theirs, until="game 2")
    place = store.table(theirs)
    return {"owner": owner, "token": theirs, "name": "P01", **place}


@pytest.fixture
def me(live, store, others):
    """A participant in the first game's second round."""
    token = store.invite(store.owned(others["owner"])[0])
    participant = Participant(store, token)
    for step in (CONSENT, BEFORE):
        participant.look()
        store.go_on(token, step, ANSWERS.get(step))
    participant.look()
    participant.play(until="round over")
    move = {"token": participant.seat, "n": participant.views[-1]["n"], DEAL: True}
    participant.views.append(server.make_move(move))
    return participant


def test_a_participant_is_sent_nothing_but_their_own(live, store, others, me):
    with live.playing(live.seat_of(me.seat).game) as playing:
        key, rules = playing.setup.key, playing.setup.rules
        hands = [playing.round.hands[i] for i in (0, 1, 3)]
    hidden = {card for hand in hands for card in rules.cards.format_cards(hand).split()}
    now = dict(me.views[-1]["round"])
    del now["trump_extra"]  # names of cards of the deck
    assert not hidden & set(CARD_TEXT.findall(json.dumps(now)))
    me.play()
    assert me.views[-1]["deal_key"] is None
    store.go_on(me.token, "game 1")
    finish_game(live, store.table(me.token))
    store.go_on(me.token, "game 2")
    me.look()
    store.go_on(me.token, AFTER, ANSWERS[AFTER])
    me.look()
    check_sent(me, [key, *others.values()])
    assert list_logs() == []
    assert export_study(store, others["owner"])
    assert list_logs() == []


@pytest.mark.slow
def test_what_a_participant_is_sent_opens_no_page_but_the_study(store, others, me):
    study = store.owned(others["owner"])[0]
    words = {me.token, me.seat, study}
    assert {me.token, me.seat} <= set(re.findall(r"[\w-]{16,}", me.sent))
    for (name, parameter), word in itertools.product(DOORS, sorted(words)):
        if (name, parameter, word) in own_doors(me.token, study):
            continue
        value = f"played-{word}" if parameter == "log" else word
        view = {"view": "studies"} if parameter == "owner" else {}
        at = open_page(name, {parameter: value, **view})
        shown = texts(at) + " ".join(code.value for code in at.code)
        for secret in ("A small study", AGENT, *others.values()):
            assert secret not in shown, (name, parameter)
        assert at.error or at.warning, (name, parameter)
        if name:  # Replay shows the hand that it has instead
            drawn = {one.key for one in at.get("bidi_component")}
            assert drawn <= {"window_width"}, "a table"


def own_doors(token, study):
    return [("15_Study", "token", token), ("15_Study", "study", study)]


def test_what_a_participant_is_sent_is_no_other_seat_and_no_help(store, others, me):
    for word in (me.token, store.owned(others["owner"])[0], "x"):
        with pytest.raises(SpadesError, match="no table has this seat"):
            server.view_of(word)
        with pytest.raises(SpadesError, match="no table has this seat"):
            server.make_move({"token": word, "n": 0, "bid": 3})
    for asked in ("hint", "explain"):
        with pytest.raises(SpadesError, match="help is off"):
            server.begin_help({"token": me.seat, "n": me.views[-1]["n"], "ask": asked})


def check_sent(me, secrets):
    for secret in secrets:
        assert secret not in me.sent
    assert not re.search(r"wrp|\+ms|srp|simulated", me.sent)
    seats = [seat for sent in me.views for seat in sent["round"]["seats"]]
    assert {seat["name"] for seat in seats} <= {"computer", "P02"}
    assert {seat["kind"] for seat in seats} <= {"bot", "human"}


def test_deals_of_a_study_are_its_own(store):
    """Participants share them; no table that somebody opens, and no other study, has them."""
    hands = {}
    for study in (store.create(SMALL), store.create(SMALL)):
        for i in range(2):
            token = store.invite(store.owned(study)[0])
            store.go_on(token, CONSENT)
            store.go_on(token, BEFORE, ANSWERS[BEFORE])
            hands[study, i] = store.game(store.table(token)["game"]).dealt
    (one, _), (two, _) = list(hands)[::2]
    assert hands[one, 0] == hands[one, 1]
    assert hands[two, 0] == hands[two, 1]
    of_seed = random_deal(STANDARD, derive_seed(derive_seed(7, 0, 0), 0))
    assert len({hands[one, 0], hands[two, 0], of_seed}) == 3


def test_every_key_of_a_game_is_its_own_or_the_studys():
    game = {
        "seats": {"north": "srp", "east": "srp", "south": "participant", "west": "srp"},
        "rules": Rules().non_defaults(), "seed": 3, "rounds": 1, "deals": [],
    }  # fmt: skip
    keys = [setup_of({**game, "seed": seed}, KEY).key for seed in (3, 3, 4, -1, -1)]
    assert keys[0] == keys[1]
    assert len(set(keys)) == 4
    assert KEY not in keys
    assert all(setup_of(game, KEY).is_sealed for _ in range(2))


IMAGES = "![a](https://evil.example/1.png) \\\\![b](https://evil.example/2.png) ![c][r] <img src=x>"


def test_a_studys_texts_load_nothing_from_elsewhere(live, store):
    toml = SMALL
    for text in ("A small study", "Play.", "You agree.", "How often do you play?", "not at all"):
        toml = toml.replace(text, f"{text} {IMAGES}")
    toml = toml.replace("pace = 0", f'pace = 0\nthanks = "{IMAGES}"')
    owner = store.create(toml)
    token = store.invite(store.owned(owner)[0])
    shown = []
    for step in (CONSENT, BEFORE, AFTER, "done"):
        take_part(store, live, token, until=step)
        at = open_page("15_Study", {"token": token})
        shown += [element.value for kind in (at.markdown, at.header) for element in kind]
        shown += [one.label for one in [*at.radio, *at.text_area]]
        shown += [option for one in at.radio for option in one.options]
    at = open_page("9_Data", {"view": "studies", "owner": owner})
    shown += [element.value for element in at.subheader]
    told = [text for text in shown if "evil.example" in text]
    assert len(told) >= 9
    for text in told:
        assert "![" not in text
        assert "<img" not in text
