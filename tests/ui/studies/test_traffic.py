"""All that a participant is sent, tried against every door: it opens the study and nothing else."""

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
from ui.play import server, view
from ui.studies import own, take

AGENT = "stars:level=2+kb"
STUDY = SMALL.replace('"srp+bis"', f'"{AGENT}"').replace('"random+bis"', f'"{AGENT}"')
DOORS = [
    ("11_Play", "token"), ("11_Play", "join"), ("14_Studies", "owner"), ("15_Study", "study"),
    ("15_Study", "token"), ("", "log"), ("", "hand"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def live(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    live = LiveTables(TableStore(tmp_path / "tables.sqlite"))
    for module in (server, own, take, view):
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
        for table in at.get("bidi_component"):
            shown.append(table.proto.json)
            self.seat = json.loads(table.proto.json)["token"]
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


def test_what_a_participant_is_sent_opens_the_study_and_nothing_else(live, store):
    owner = store.create(STUDY)
    study = store.owned(owner)[0]
    mine, theirs = (store.invite(study) for _ in range(2))
    take_part(store, live, theirs, until="game 2")
    other = store.table(theirs)
    me = Participant(store, mine)
    for step in (CONSENT, BEFORE):
        me.look()
        store.go_on(mine, step, ANSWERS.get(step))
    me.look()
    me.play(until="round over")
    me.views.append(server.make_move({"token": me.seat, "n": me.views[-1]["n"], DEAL: True}))
    game = live.seat_of(me.seat).game
    with live.playing(game) as playing:
        secrets = [playing.setup.key, *playing.setup.agents]
        hands = playing.setup.rules.cards.format_cards
        hidden = {card for i in (0, 1, 3) for card in hands(playing.round.hands[i]).split()}
    check_sent(me, [owner, theirs, "P02", other["seat"], other["game"], *filter(None, secrets)])
    now = json.dumps({k: v for k, v in me.views[-1]["round"].items() if k != "trump_extra"})
    assert not hidden & set(CARD_TEXT.findall(now))

    words = {mine, me.seat, *re.findall(r"[\w-]{16,}", me.sent)} - {me.views[-1]["commitment"]}
    assert {mine, me.seat} <= words
    for name, parameter in DOORS:
        for word in sorted(words & {mine, me.seat, study}):
            is_own = (name, parameter, word) == ("15_Study", "token", mine)
            is_link = (name, parameter, word) == ("15_Study", "study", study)
            if is_own or is_link:
                continue
            at = open_page(name, {parameter: f"played-{word}" if parameter == "log" else word})
            shown = texts(at) + " ".join(code.value for code in at.code)
            for secret in ("A small study", AGENT, "P02", other["seat"], owner, KEY):
                assert secret not in shown, (name, parameter)
            assert at.error or at.warning, (name, parameter)
            if name != "":  # Replay shows the hand that it has instead
                assert not at.get("bidi_component")
    for word in (mine, study, "x"):
        with pytest.raises(SpadesError, match="no table has this seat"):
            server.view_of(word)
        with pytest.raises(SpadesError, match="no table has this seat"):
            server.make_move({"token": word, "n": 0, "bid": 3})
    for asked in ("hint", "explain"):
        with pytest.raises(SpadesError, match="help is off"):
            server.help_with({"token": me.seat, "n": me.views[-1]["n"], "ask": asked})
    me.play()
    assert me.views[-1]["deal_key"] is None
    check_sent(me, [owner, theirs, "P02", other["seat"], other["game"], *filter(None, secrets)])
    store.go_on(mine, "game 1")
    finish_game(live, store.table(mine))
    store.go_on(mine, "game 2")
    me.look()
    store.go_on(mine, AFTER, ANSWERS[AFTER])
    me.look()
    check_sent(me, [owner, theirs, "P02", other["seat"], other["game"], *filter(None, secrets)])
    assert list_logs() == []
    assert export_study(store, owner)
    assert list_logs() == []


def check_sent(me, secrets):
    for secret in secrets:
        assert secret not in me.sent
    assert not re.search(r"stars|level=|\+kb|srp|simulated", me.sent)
    seats = [seat for sent in me.views for seat in sent["round"]["seats"]]
    assert {seat["name"] for seat in seats} <= {"computer", "P01"}
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
    at = open_page("14_Studies", {"owner": owner})
    shown += [element.value for element in at.subheader]
    told = [text for text in shown if "evil.example" in text]
    assert len(told) >= 9
    for text in told:
        assert "![" not in text
        assert "<img" not in text
