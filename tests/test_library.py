"""The library as ``import spades`` offers it: the examples of its docstrings run."""

import doctest
import re
import subprocess
import sys
from importlib import import_module

import pytest

import spades
from analysis import library as analyses
from spades import library
from spades.agents.own import OWN_BIDDERS, OWN_PLAYERS
from spades.core.errors import InvalidCardError, InvalidRecordError, SpadesError, UnknownModelError
from spades.core.records import Record
from spades.human import load_model
from spades.human.own import OWN_PRIORS
from spades.library import HandName, LogName, UnknownNameError
from spades.notation.sources import find_source

EXAMPLES = (
    "spades", "spades.agents.own", "spades.core.cards", "spades.human", "spades.library",
    "spades.notation", "spades.search.search", "analysis.library",
)  # fmt: skip
FLAGS = doctest.IGNORE_EXCEPTION_DETAIL | doctest.ELLIPSIS


@pytest.fixture(autouse=True)
def forget():
    """What an example registers is gone after it."""
    yield
    for registry in (OWN_PLAYERS, OWN_BIDDERS, OWN_PRIORS):
        registry.clear()


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_run(name):
    found = doctest.testmod(import_module(name), optionflags=FLAGS)
    assert found.attempted
    assert not found.failed


def test_every_name_is_there():
    assert set(spades.__all__) <= set(dir(spades))
    for name in spades.__all__:
        assert callable(getattr(spades, name)), name
    with pytest.raises(AttributeError, match="no 'Cards'; it has Card"):
        spades.Cards  # noqa: B018


def test_every_function_shows_its_help():
    for name in spades.__all__:
        assert getattr(spades, name).__doc__, name


def test_an_import_loads_nothing_else():
    code = (
        "import sys, spades; print([m for m in ('numpy', 'numba', 'pandas') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_search_is_a_function_and_a_package_in_any_order():
    for code in (
        "import spades; import spades.search.tree; print(callable(spades.search))",
        "from spades import search; import spades.search as room; print(search is room)",
        "from spades.search import SearchResult; import spades; print(callable(spades.search))",
    ):
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert run.stdout.strip() == "True", run.stderr


def test_shipped_names_are_the_typed_ones_and_of_one_kind():
    names = spades.shipped()
    assert names["hands"] == HandName.__args__
    assert set(LogName.__args__) <= set(names["logs"])
    every = [name for kind in names.values() for name in kind]
    assert len(set(every)) == len(every)


def test_an_unknown_name_is_refused_with_near_ones():
    with pytest.raises(UnknownNameError, match="did you mean bug-report-335"):
        library.shipped("bug-report-33")


def test_a_shipped_deal_is_printed_as_players_read_it():
    text = str(spades.shipped("bug-report-335"))
    assert "South (human) bids 2" in text
    assert "♠ JH JL 2♦ " in text  # West's trumps
    assert re.search(r"^ 1  East  led  A♣ +3♣ +5♣ +7♣ +East takes it$", text, re.MULTILINE)
    assert max(map(len, text.splitlines())) <= 110
    assert not any(word.isdecimal() and len(word) > 3 for word in text.split())


@pytest.mark.parametrize("name", ["bug-report-335", "four-bots", "south-nil"])
def test_a_loop_over_legal_cards_reads_the_right_probability(name):
    """Whatever a card is asked by: the search's row, the hand, the record's play, its text."""
    (record,) = spades.read(name)
    model = load_model("devlin2016")
    for ply in range(0, len(record.plays), 7):
        seen = record.observation(ply)
        human = model.probabilities(seen)
        (columns,) = model.predict_proba([seen])
        assert list(human) == list(seen.legal) == sorted(seen.legal)
        assert sum(human.values()) == pytest.approx(1)
        for card in seen.legal:
            assert human[card] == human[str(card)] == columns[card.place]
        assert record.plays[ply] in human
        result = spades.search(seen, iterations=50)
        assert [row.card for row in result.cards] == list(human)


def test_a_card_is_no_index_of_an_array():
    (record,) = spades.read("four-bots")
    (columns,) = load_model("devlin2016").predict_proba([record.observation(0)])
    with pytest.raises(IndexError):
        columns[record.plays[0]]


def test_a_search_is_printed_as_a_table():
    (record,) = spades.read("four-bots")
    result = spades.search(record.observation(0), iterations=200)
    head, *rows = str(result).splitlines()
    assert "visits" in head
    assert len(rows) == len(result.cards)
    assert [row[1] for row in rows].count(">") == 1
    assert result.row(result.best.card) is result.best
    with pytest.raises(SpadesError, match="no legal card here"):
        result.row("S2")


def test_an_observation_is_analysed_as_its_round():
    (record,) = spades.read("four-bots")
    by_round = spades.analyse(record, 8, agent="ismcts:iterations=100")
    by_seat = spades.analyse(record.observation(8), agent="ismcts:iterations=100")
    assert by_seat.search.cards == by_round.search.cards
    assert by_seat.played is None
    for bad in (None, -1, 53):
        with pytest.raises(SpadesError, match="0 to 52"):
            spades.analyse(record, bad)
    with pytest.raises(SpadesError, match="no values"):
        spades.analyse(record, 8, agent="random")


def test_a_match_is_between_agents_and_by_rules():
    result = spades.play_match("random+random", "random+random", games=4, rules={"target": 100})
    assert sum(result.wins) + result.undecided == 4
    assert result.ns in str(result)
    for games in (0, 3):
        with pytest.raises(SpadesError, match="even number"):
            analyses.play_match("srp", "wrp", games=games)


def test_what_can_be_read_and_what_is_refused(tmp_path):
    (record,) = spades.read("four-bots")
    path = tmp_path / "hand.jsonl"
    text = find_source("four-bots").read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    with path.open(encoding="utf-8") as as_text, path.open("rb") as as_bytes:
        for source in (path, str(path), text, text.encode(), as_text, as_bytes):
            (again,) = spades.read(source)
            assert again.plays == record.plays
    half = text[: len(text) // 2]
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    for source, reason in (
        (half, "line 1"),
        ("", "empty"),
        (empty, "empty"),
        (tmp_path, "a folder"),
        ("\n\n", "empty"),
        (b"", "empty"),
    ):
        with pytest.raises(InvalidRecordError, match=reason):
            spades.read(source)
    (one,) = spades.read(text + half, skip_refused=True)
    assert one.plays == record.plays
    with pytest.raises(InvalidRecordError, match="line 2"):
        spades.read(text + half)
    with pytest.raises(FileNotFoundError, match="did you mean four-bots"):
        spades.read("four-bot")


def test_models_are_taken_by_file_wherever_by_name(tmp_path):
    path = tmp_path / "mine.safetensors"
    load_model("devlin2016").save(path)
    (record,) = spades.read("four-bots")
    biased = spades.analyse(
        record,
        8,
        agent=f"ismcts:iterations=100,bias=knowledge,model={path}",
        models=(str(path), "devlin2016"),
    )
    named = spades.analyse(record, 8, agent="ismcts:iterations=100,bias=knowledge,model=devlin2016")
    assert [row.visits for row in biased.cards] == [row.visits for row in named.cards]
    for row in biased.cards:
        assert row.human[str(path)] == row.human["devlin2016"]
    with pytest.raises(UnknownModelError, match="devlin2016"):
        spades.analyse(record, 8, models=("devlin2015",))


def test_a_record_takes_texts_codes_and_masks():
    whole = spades.shipped("four-bots")
    by_text = Record(
        whole.rules, whole.dealer, tuple(map(list, whole.hands)), plays=tuple(map(str, whole.plays))
    )
    by_code = Record(
        whole.rules,
        whole.dealer,
        tuple(map(int, whole.hands)),
        plays=tuple(card.code for card in whole.plays),
    )
    assert by_text == by_code
    assert by_text.hands == whole.hands
    with pytest.raises(InvalidCardError, match="SX"):
        Record(whole.rules, whole.dealer, whole.hands, plays=("SX",))
