"""A study from its link to its data: what is in the ZIP, and that the codebook names it all."""

import csv
import io
import json
import re
import zipfile
from types import SimpleNamespace

import pandas as pd
import pyarrow.parquet as pq
import pytest

from analysis.logs.study_export import codebook, export_study
from spades.notation import read_text
from spades.tables import LiveTables, TableStore
from spades.tables.game import BID, CARD, DEAL
from spades.tables.secret import commitment, verify
from spades.tables.studies import BEFORE, CONSENT, DONE, StudyError, StudyStore
from tests.tables.study_texts import ANSWERS, GAMES, SMALL, take_part
from tests.ui.play.test_seen import CARD_TEXT, lowest
from ui.play import server

pytestmark = pytest.mark.slow
N = 12
TABLES, ROUNDS = ("plays", "answers"), ("rounds.csv", "rounds.jsonl", "rounds.parquet")


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A study of 12 scripted participants: each comes by the link, is sent what the page is sent,
    and sends moves as the page does."""
    store = StudyStore(TableStore(tmp_path_factory.mktemp("studies") / "tables.sqlite"))
    live = LiveTables(store.tables)
    owner = store.create(SMALL)
    link = store.owned(owner)[0]
    sent = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "tables", lambda: live)
        for i in range(N):
            token = store.invite(link)
            sent[store.person(token).name] = [
                view
                for step in (CONSENT, BEFORE, *GAMES)
                for view in take_step(store, token, step, 500 + i)
            ]
            take_part(store, live, token)
    files = zipfile.ZipFile(io.BytesIO(export_study(store, owner)))
    return SimpleNamespace(store=store, owner=owner, live=live, sent=sent, files=files)


def take_step(store, token, step, ms):
    """Do a step over the tables' requests; the views that the participant was sent."""
    views = []
    if step in GAMES:
        seat = store.table(token)["seat"]
        views = [server.view_of(seat)]
        while views[-1]["phase"] != "over":
            move = {"token": seat, "n": views[-1]["n"], "ms": ms, **lowest(views[-1])}
            views.append(server.make_move(move))
    store.go_on(token, step, ANSWERS.get(step))
    return views


def text_of(study, name):
    return study.files.read(name).decode()


def rows_of(study, name):
    return list(csv.DictReader(io.StringIO(text_of(study, name), newline="")))


def columns_of(study, name):
    """The columns of a file of the ZIP; of a text that is no table none."""
    data = study.files.read(name)
    if name.endswith(".csv"):
        return next(csv.reader(io.StringIO(data.decode())))
    if name.endswith(".jsonl"):
        return list(dict.fromkeys(key for line in data.splitlines() for key in json.loads(line)))
    if name.endswith(".parquet"):
        return pq.read_schema(io.BytesIO(data)).names
    return ["(text)"]


def test_the_codebook_names_every_column_of_every_file(study):
    book = rows_of(study, "codebook.csv")
    named = {}
    for row in book:
        assert row["meaning"]
        assert row["type"]
        named.setdefault(row["file"], []).append(row["column"])
    files = study.files.namelist()
    assert len(files) == 14
    for name in files:
        key = name if name in named else name.partition(".")[0]
        assert named[key] == columns_of(study, name), name
    assert {name.partition(".")[0] for name in files} == {name.partition(".")[0] for name in named}
    asked = next(row for row in book if row["column"] == "q_fun")
    assert asked["unit"] == "1 to 7"
    assert asked["meaning"] == "Was it fun? / not at all / very much"


def test_everybody_is_in_every_file(study):
    people = [f"P{i:02}" for i in range(1, N + 1)]
    answers = rows_of(study, "answers.csv")
    assert [row["participant"] for row in answers] == people
    assert {row["step"] for row in answers} == {DONE}
    assert {row["q_often"] for row in answers} == {"often"}
    assert [row["think_ms"] for row in answers] == [f"{500.0 + i}" for i in range(N)]
    plays = pd.read_parquet(io.BytesIO(study.files.read("plays.parquet")))
    own = plays[(plays.agent == "") & plays.kind.isin([BID, CARD])]
    assert own.groupby("participant").size().to_dict() == dict.fromkeys(people, 3 * 14)
    assert (plays.kind == CARD).sum() == N * 3 * 52
    assert own.think_ms.notna().all()
    assert plays[plays.agent != ""].think_ms.isna().all()
    assert set(plays.kind) == {BID, CARD, DEAL}
    games = {read_text(text_of(study, f"rounds.{end}"), name=f"r.{end}").records
             for end in ("ptn", "tn", "jsonl", "csv")}  # fmt: skip
    assert len({tuple((one.hands, one.plays, one.bids) for one in found) for found in games}) == 1
    assert pq.read_table(io.BytesIO(study.files.read("rounds.parquet"))).num_rows == 3 * N
    (records, *_) = games
    assert {record.game_id for record in records} >= {"P01-1", "P01-2", "P12-2"}


def test_tables_say_the_same_in_three_formats(study):
    for name in TABLES:
        frame = pd.read_parquet(io.BytesIO(study.files.read(f"{name}.parquet")))
        lines = [json.loads(line) for line in text_of(study, f"{name}.jsonl").splitlines()]
        cells = rows_of(study, f"{name}.csv")
        assert len(frame) == len(lines) == len(cells)
        for row, line, cell in zip(frame.to_dict("records"), lines, cells, strict=True):
            for column, value in row.items():
                assert line[column] == (None if pd.isna(value) else value)
                found = cell[column].removeprefix("'")
                assert found == ("" if pd.isna(value) else str(value)), column


def test_what_was_legal_and_chosen(study):
    deck = study.store.game(study.store.people(study.owner)[0].all("game")[0]).setup.rules.cards
    for row in rows_of(study, "plays.csv"):
        if row["kind"] == CARD:
            assert row["card"] in row["legal"].split()
            assert 1 <= int(row["trick"]) <= 13
            assert deck.parse_card(row["card"]) >= 0
        elif row["kind"] == BID:
            assert row["legal"].split() == [str(bid) for bid in range(14)]
            assert 0 <= int(row["bid"]) <= 13
        else:
            assert (row["kind"], row["card"], row["bid"], row["legal"]) == ("deal", "", "", "")


def test_no_text_of_a_participant_is_a_formula(study):
    (cell,) = {row["q_remarks"] for row in rows_of(study, "answers.csv")}
    assert cell == "'=HYPERLINK(1)"


def test_nobody_was_sent_a_hidden_card_or_anybody_else(study):
    for name, views in study.sent.items():
        assert len(views) > 40
        for view in views:
            known = {*view["round"]["hands"][2], *view["round"]["plays"]}
            for played in view["round"]["hands"]:
                known |= {card for card in played if card != "?"}
            del view["round"]["trump_extra"]
            text = json.dumps(view)
            hidden = sum(card == "?" for hand in view["round"]["hands"] for card in hand)
            held = 13 - len([c for c in view["round"]["hands"][2] if c in view["round"]["plays"]])
            if view["may_look"]:  # far behind, the hand is hidden as well
                held = 0
            assert hidden == 52 - len(view["round"]["plays"]) - held
            assert set(CARD_TEXT.findall(text)) <= known
            others = {f"P{i:02}" for i in range(1, N + 1)} - {name}
            assert not any(other in text for other in others)


def test_everybody_had_the_same_deals(study):
    hands = {}
    for record in read_text(text_of(study, "rounds.jsonl"), name="r.jsonl").records:
        game = record.game_id.partition("-")[2], record.round_index
        hands.setdefault(game, set()).add((record.dealer, record.hands))
    assert len(hands) == 3
    assert all(len(found) == 1 for found in hands.values())


def test_deals_of_finished_games_can_be_verified(study):
    games = {}
    for record in read_text(text_of(study, "rounds.jsonl"), name="r.jsonl").records:
        games.setdefault(record.game_id, []).append(record)
        assert record.seed is None
    keys = set()
    for name, records in games.items():
        said = [record.source for record in records]
        ((what, committed),) = {re.match(r"(\w+) committed (\w{64})", one).groups() for one in said}
        (key,) = re.findall(r"deal key (\w{64})", "\n".join(said))
        keys.add((name[-1], key))
        assert commitment(key) == committed
        if name.endswith("-1"):
            deals = [(record.dealer, record.hands) for record in records]
            assert verify(key, committed, records[0].rules.cards, deals)
        assert what == ("deals" if name.endswith("-1") else "agents")
    assert len(games) == 2 * N
    assert len(keys) == 2  # one a game: everybody had the same


def test_only_the_owner_exports(study):
    token = study.store.people(study.owner)[0].token
    for key in (token, study.store.owned(study.owner)[0], ""):
        with pytest.raises(StudyError, match="no study has this link"):
            export_study(study.store, key)


def test_a_study_without_participants_is_exported(study):
    empty = study.store.create(SMALL)
    files = zipfile.ZipFile(io.BytesIO(export_study(study.store, empty)))
    assert len(files.namelist()) == 14
    assert files.read("answers.csv").decode().startswith("study,participant,step")
    book = codebook(study.store.study(study.store.owned(empty)[0]))
    assert len(book) > 80
