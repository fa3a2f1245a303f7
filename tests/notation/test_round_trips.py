import dataclasses
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades.core.cards import WEST
from spades.core.rules import Rules
from spades.core.scoring import GameScore, add_round
from spades.notation import (
    NOTATIONS,
    format_records,
    read_path,
    read_text,
    write_path,
    written_notations,
)
from spades.notation.notations.notation import TextNotation
from spades.notation.notations.ptn_tags import format_name, parse_name
from tests.notation.test_openspiel import history_of
from tests.strategies import NAMES, record_of, round_records

WRITTEN = [notation for notation in written_notations() if isinstance(notation, TextNotation)]
ENDINGS = [notation.endings[0] for notation in written_notations()]


def as_games(records):
    """The records with game ids of their own: their scores needn't follow from each other."""
    return tuple(
        dataclasses.replace(record, game_id=f"{i} {record.game_id}")
        for i, record in enumerate(records)
    )


@pytest.mark.parametrize("notation", WRITTEN, ids=lambda notation: notation.name)
@settings(max_examples=60, deadline=None)
@given(records=st.lists(round_records(), min_size=1, max_size=3).map(as_games))
def test_reading_what_was_written_gives_the_same(notation, records):
    reading = notation.parse("".join(notation.format(records)))
    assert reading.refused == ()
    assert reading.records == records


@pytest.mark.parametrize("ending", ENDINGS)
def test_scores_that_do_not_follow_are_read_back(ending, tmp_path):
    same = {"game_id": "g", "players": ("a", "b", "c", "d"), "source": "s"}
    records = [
        record_of(Rules(), i % 4, i, round_index=i, score_before=score, bags_before=bags, **same)
        for i, (score, bags) in enumerate(
            [((0, 0), (0, 0)), ((300, -40), (2, 9)), ((-7, 499), (0, 3)), ((0, 0), None)]
        )
    ]
    path = tmp_path / f"a{ending}"
    write_path(records, path)
    assert read_path(path).refused == ()
    assert list(read_path(path).records) == records


@settings(max_examples=60, deadline=None)
@given(record=round_records())
def test_pasted_text_tells_its_notation(record):
    for notation in WRITTEN:
        assert read_text(format_records([record], notation.name)).records == (record,)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), n_plays=st.integers(0, 52))
def test_openspiel_histories(seed, n_plays):
    record = record_of(Rules(blind_nil=None), WEST, seed, n_plays=n_plays)
    line = " ".join(map(str, history_of(record)))
    (read,) = NOTATIONS["openspiel"].parse(line).records
    # OpenSpiel doesn't say whether blind nil is allowed.
    assert dataclasses.replace(read, rules=record.rules) == record


@given(name=NAMES, kind=st.sampled_from(["human", "bot"]))
def test_names_add_no_tag(name, kind):
    text = format_name(name, kind)
    assert len(text.splitlines()) == 1
    assert '"' not in text
    assert parse_name(text)[1] == kind


@settings(max_examples=60, deadline=None)
@given(record=round_records())
def test_written_ptn_has_only_the_tags_it_should(record):
    text = format_records([record], "ptn")
    tags = re.findall(r"^\[(\w+) ", text, flags=re.MULTILINE)
    assert len(tags) == len(set(tags))
    rows = [line for line in text.splitlines() if line and not line.startswith("[")]
    assert all(re.fullmatch(r"[\w -]+", row) for row in rows)


def test_a_game_of_rounds_round_trips_with_scores():
    rules, game, records = Rules(bag_limit=5), GameScore((0, 0), (0, 0)), []
    for i in range(5):
        record = record_of(
            rules,
            i % 4,
            i,
            game_id="g",
            round_index=i,
            score_before=game.score,
            bags_before=game.bags,
            players=("n", "e", "s", "w"),
        )
        records.append(record)
        game = add_round(rules, game, record.score())
    for notation in WRITTEN:
        reading = notation.parse("".join(notation.format(records)))
        assert reading.refused == ()
        assert reading.records == tuple(records)
