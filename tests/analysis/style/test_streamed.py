"""Styles of logs in parts: the numbers of the log in memory, as sums."""

import doctest

import pandas as pd
import pytest

from analysis.style import compare, streamed
from analysis.style.compare import StyleComparison, draw_samples
from analysis.style.counts import PlayFilter, classify, groups_of
from analysis.style.habits import Choices, find_habits, habit_table
from analysis.style.streamed import StreamedChoices, stream_samples
from spades.cli.style import compare_files
from spades.notation import stream_log
from spades.notation.log_folder import open_folder
from spades.notation.log_store import open_log
from tests.split_logs import some_games, split

WHERE = PlayFilter()


@pytest.fixture(scope="module")
def log():
    return some_games(60)


@pytest.fixture(scope="module")
def folder(log, tmp_path_factory):
    return split(log, tmp_path_factory.mktemp("style") / "big", 5)


def in_memory(log, by, classes):
    data = [classify(log)]
    return StyleComparison.of(draw_samples(data, groups_of(data, by), WHERE), classes)


def in_parts(folder, by, classes):
    def parts():
        return (folder.read(i)[0] for i in range(len(folder.parts)))

    found = stream_samples(parts, by, classes, WHERE, most=12)
    return StyleComparison.of(found.samples, classes)


def test_what_the_module_shows_is_so():
    found = doctest.testmod(streamed)
    assert (found.failed, found.attempted) == (0, 6)


@pytest.mark.parametrize(("by", "classes"), [("kind", 32), ("agent", 68)])
def test_a_log_in_parts_has_the_numbers_of_the_log_in_memory(log, folder, by, classes):
    whole = in_memory(log, by, classes)
    parts = in_parts(open_folder(folder), by, classes)
    for name in ("groups", "divergences", "frequencies"):
        expected, found = getattr(whole, name), getattr(parts, name)
        pd.testing.assert_frame_equal(found, expected, rtol=1e-9, check_dtype=False)


def test_more_games_than_blocks_have_the_same_estimates_and_like_intervals(
    log, folder, monkeypatch
):
    for module in (compare, streamed):
        monkeypatch.setattr(module, "MAX_BLOCKS", 20)
    whole = in_memory(log, "kind", 32).divergences
    parts = in_parts(open_folder(folder), "kind", 32).divergences
    assert parts["kl"].tolist() == pytest.approx(whole["kl"].tolist())
    widths = [table["kl_high"] - table["kl_low"] for table in (whole, parts)]
    assert widths[1].tolist() == pytest.approx(widths[0].tolist(), rel=0.5)


def test_files_and_folders_are_compared_together_each_round_once(log, folder):
    alone = compare_files([folder])
    twice = compare_files([folder, folder])
    assert (alone.rounds_repeated, twice.rounds_repeated) == (0, len(log))
    pd.testing.assert_frame_equal(
        twice.comparison.groups[["group", "decisions"]],
        alone.comparison.groups[["group", "decisions"]],
    )
    assert sum(len(part) for part, _ in stream_log(folder)) == len(log)


def test_habits_of_a_log_in_parts_are_those_of_the_log_in_memory(tmp_path):
    log = open_log("human-south").take(slice(0, 300))
    folder = open_folder(split(log, tmp_path / "south", 5))
    data = [classify(log)]
    one, other = groups_of(data, "kind")
    expected = find_habits(*(Choices.of(data, group, WHERE) for group in (one, other)))
    passes = []

    def parts():
        passes.append(0)
        return (folder.read(i)[0] for i in range(len(folder.parts)))

    found = find_habits(*(StreamedChoices(parts, group, WHERE) for group in (one, other)))
    assert len(expected) > 2
    assert len(passes) == 2 + len(found)
    pd.testing.assert_frame_equal(habit_table(found), habit_table(expected), rtol=1e-9)


def test_a_round_that_two_parts_have_counts_once_among_habits(tmp_path):
    log = open_log("human-south").take(slice(0, 60))
    group = groups_of([classify(log)], "kind")[0]
    once, twice = (StreamedChoices(lambda n=n: [log] * n, group, WHERE).count([]) for n in (1, 2))
    assert once.moves.tolist() == twice.moves.tolist()
    assert (once.tally.n == twice.tally.n).all()
