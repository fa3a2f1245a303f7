"""The measured setting nearest to a group: itself where the group plays like one."""

import numpy as np
import pytest

from analysis.style.compare import ByGame, Sample, compute_divergences, draw_samples
from analysis.style.counts import Group, PlayFilter, classify, groups_of
from analysis.sweeps import nearest
from analysis.sweeps.library import read_document, shipped_files
from analysis.sweeps.nearest import MeasuredSetting, measured_settings, nearest_settings
from spades.core.errors import SpadesError
from spades.notation.log_store import open_log


def sample(moves, name="group"):
    return Sample(Group("agent", name, name), ByGame(moves.astype(np.int32)))


def shipped_documents():
    return [read_document(path) for path in shipped_files() if path.suffix == ".json"]


def kind_sample(log, kind):
    data = [classify(open_log(log), log)]
    group = next(group for group in groups_of(data, "kind") if group.value == kind)
    return draw_samples(data, [group], PlayFilter())[0]


@pytest.fixture(scope="module")
def humans():
    return kind_sample("human-south", "simulated-human")


def test_every_agent_of_the_shipped_sweeps_is_there():
    settings = measured_settings()
    measured = [one for document in shipped_documents() for one in document["settings"]]
    assert len(settings) == len({one["agent"] for one in measured})
    assert {setting.key for setting in settings} <= {one["key"] for one in measured}
    unbiased = next(one for one in settings if one.label.startswith("unbiased"))
    assert (unbiased.sweep, unbiased.rounds) == ("devlin-fig1", 800)  # of three the longest


def test_the_distance_to_the_sweeps_humans_is_that_of_the_frontier(humans):
    shipped = {
        one["key"]: one["kl"] for document in shipped_documents() for one in document["settings"]
    }
    of_their_log = [one for one in measured_settings() if one.log == "human-south"]
    for neighbour in nearest_settings(humans, settings=of_their_log):
        kl = shipped[neighbour.setting.key]
        assert neighbour.kl == pytest.approx(kl["value"], abs=1e-9)
        assert neighbour.interval == pytest.approx(tuple(kl["interval"]), rel=1e-2)
        assert neighbour.chance == pytest.approx(kl["chance"], rel=2e-2)


def test_the_numbers_are_those_of_style(humans):
    setting = measured_settings()[5]
    row = compute_divergences([humans, sample(setting.moves.counts, "setting")]).iloc[0]
    (neighbour,) = nearest_settings(humans, settings=[setting])
    assert neighbour.kl == pytest.approx(row["kl"])
    assert neighbour.interval == pytest.approx((row["kl_low"], row["kl_high"]))
    assert neighbour.chance == pytest.approx(row["chance"])


def test_a_setting_finds_itself_by_other_games():
    """Every setting of 800 rounds, half of its games as the group, beside the other halves."""
    long = [setting for setting in measured_settings() if setting.rounds == 800]
    assert len(long) > 20
    is_odd = np.arange(len(long[0].moves.counts)) % 2 == 1
    halves = [
        setting._replace(moves=ByGame(setting.moves.counts * is_odd[:, None])) for setting in long
    ]
    n_first = 0
    n_alike = 0
    for setting in halves:
        whole = next(one for one in long if one.key == setting.key)
        found = nearest_settings(sample(whole.moves.counts * ~is_odd[:, None]), settings=halves)
        own = next(one for one in found if one.setting.key == setting.key)
        n_first += found[0] is own
        n_alike += not own.is_told_apart
        assert found[0].farther == 0
        assert not found[0].is_told_apart
    assert n_alike >= 0.9 * len(halves)
    assert n_first >= 0.25 * len(halves)  # neighbours on the grid are hard to tell apart


def test_bots_of_another_log_play_like_the_unbiased_search():
    first, *others = nearest_settings(kind_sample("four-ismcts", "bot"))
    assert first.setting.label == "unbiased, 2500 iterations"
    far = [one for one in others if one.setting.label.startswith("direct imitation")]
    assert far
    assert all(one.is_told_apart and one.farther > 0.05 for one in far)


def test_settings_are_told_apart_where_they_differ_by_more_than_chance():
    rng = np.random.default_rng(4)
    even = np.full(68, 1 / 68)
    tilted = even * np.where(np.arange(68) < 34, 1.3, 0.7)

    def played(p, n_games):
        return rng.multinomial(60, p, n_games)

    def setting(label, moves):
        return MeasuredSetting(label, "sweep", label, "log", 100, ByGame(moves.astype(np.int32)))

    settings = [
        setting("tilted", played(tilted, 100)),
        setting("even", played(even, 100)),
        setting("few", np.concatenate([played(even, 8), np.zeros((92, 68), int)])),
    ]
    found = nearest_settings(sample(played(even, 150)), 68, settings)
    assert found[0].setting.label == "even"
    by_label = {one.setting.label: one for one in found}
    assert by_label["tilted"].is_told_apart
    assert not by_label["few"].is_told_apart
    assert by_label["few"].kl > by_label["even"].kl + 0.02  # by noise alone
    assert abs(by_label["few"].farther) < 0.02


def test_one_game_has_no_interval_and_no_nearest():
    assert nearest_settings(sample(np.ones((1, 68)))) == []


def test_a_missing_table_names_the_command_that_makes_it(monkeypatch, tmp_path):
    monkeypatch.setattr(nearest, "TABLE", tmp_path / "none.npz")
    measured_settings.cache_clear()
    with pytest.raises(SpadesError, match="count_setting_moves"):
        measured_settings()
    measured_settings.cache_clear()
