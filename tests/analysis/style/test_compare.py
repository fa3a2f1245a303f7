import numpy as np
import pytest

from analysis.style.compare import (
    ALPHA,
    MAX_BLOCKS,
    ByGame,
    Sample,
    compute_decomposition,
    compute_divergences,
    compute_frequencies,
    compute_groups,
    draw_samples,
    halves_divergence,
    js_divergence,
    kl_divergence,
    percentiles,
    smoothed,
)
from analysis.style.counts import (
    CONTEXT_LABELS,
    Group,
    PlayFilter,
    classify,
    context_counts,
    fold,
    groups_of,
)
from spades.human.features.abstract_moves import MOVE_32_OF_68, MOVES_68
from tests.analysis.styles import counts_from, random_log


def _sample(label, counts):
    return Sample(Group("kind", label, label), ByGame(np.asarray(counts, dtype=np.int32)))


def _known(**moves):
    """Counts of the 68, one game, by name of the move."""
    counts = np.zeros((1, 68), dtype=np.int32)
    for name, count in moves.items():
        counts[0, MOVES_68.index(name)] = count
    return counts


def test_frequencies_of_known_counts():
    counts = _known(**{"Lead spade boss": 3, "Lead spade single": 1, "Trump duck single": 4})
    rows = compute_frequencies([_sample("us", counts)]).set_index("move")
    assert rows.loc["Lead spade boss", "share"] == 3 / 8
    assert rows.loc["Lead spade boss", "within"] == 3 / 4
    assert rows.loc["Trump duck single", "within"] == 1
    assert rows.loc["Trump duck lowest", "within"] == 0
    assert np.isnan(rows.loc["No follow lowest", "within"])
    assert rows.loc["Lead spade boss", ["count", "category_count", "decisions"]].tolist() == [
        3,
        4,
        8,
    ]
    assert np.isnan(rows.loc["Lead spade boss", "share_low"])  # one game has no interval


@pytest.mark.parametrize("classes", [32, 68])
def test_frequencies_sum_to_one(classes):
    data = [classify(random_log(12), "log")]
    rows = compute_frequencies(draw_samples(data, groups_of(data, "kind"), PlayFilter()), classes)
    assert len(rows) == 2 * classes
    assert rows.groupby("group")["share"].sum().to_numpy() == pytest.approx(1)
    keys = ["group", "category", "suit"]
    assert rows.groupby(keys)["within"].sum().to_numpy() == pytest.approx(1)
    assert (rows["share_low"] <= rows["share"] + 1e-12).all()
    assert (rows["share"] <= rows["share_high"] + 1e-12).all()


def test_deviations_are_those_over_games():
    counts = counts_from(np.random.default_rng(0), 30, np.full(68, 1 / 68))
    rows = compute_frequencies([_sample("us", counts)], 68)
    shares = counts / counts.sum(axis=1, keepdims=True)
    assert rows["share_sd"].to_numpy() == pytest.approx(shares.std(axis=0, ddof=1))
    spade_leads = rows.index[(rows["category"] == "Lead spade")]
    totals = counts[:, spade_leads].sum(axis=1)
    within = counts[totals > 0][:, spade_leads] / totals[totals > 0, None]
    assert rows.loc[spade_leads, "within_sd"].to_numpy() == pytest.approx(
        within.std(axis=0, ddof=1)
    )
    assert (rows.loc[spade_leads, "games"] == np.count_nonzero(totals)).all()


def test_folding_to_32_adds_the_suits():
    counts = np.arange(3 * 68).reshape(3, 68)
    by_hand = [counts[:, move == MOVE_32_OF_68].sum(axis=1) for move in range(32)]
    assert (fold(counts, 32) == np.stack(by_hand, axis=1)).all()
    assert fold(counts, 68) is counts


def test_divergences_by_hand():
    p, q = np.array([0.5, 0.5]), np.array([0.25, 0.75])
    assert kl_divergence(p, q) == pytest.approx(0.5 * np.log(2) + 0.5 * np.log(2 / 3))
    assert js_divergence(np.array([1.0, 1e-300]), np.array([1e-300, 1.0])) == pytest.approx(1)
    assert smoothed(np.array([3, 0])).tolist() == pytest.approx([3.5 / 4, 0.5 / 4])


def test_identical_groups_do_not_diverge():
    counts = counts_from(np.random.default_rng(1), 20, np.full(68, 1 / 68))
    rows = compute_divergences([_sample("a", counts), _sample("b", counts)])
    assert rows["kl"].tolist() == [0, 0]
    assert rows["js"].tolist() == [0, 0]
    assert rows[["kl_low", "kl_high"]].to_numpy() == pytest.approx(0, abs=1e-12)


def test_pairs_are_ordered_and_name_their_sizes():
    rng = np.random.default_rng(2)
    samples = [
        _sample(name, counts_from(rng, games, rng.dirichlet(np.ones(68))))
        for name, games in (("a", 10), ("b", 20), ("c", 30))
    ]
    rows = compute_divergences(samples, 68)
    assert len(rows) == 6
    first = rows.iloc[0]
    assert (first["of"], first["to"], first["of_games"], first["to_decisions"]) == (
        "a",
        "b",
        10,
        1000,
    )
    assert (rows["kl_low"] <= rows["kl"]).all()
    assert (rows["kl"] <= rows["kl_high"]).all()
    assert rows.iloc[0]["js"] == pytest.approx(rows.iloc[2]["js"])


def test_groups_without_plays_and_single_games_have_no_interval():
    some = counts_from(np.random.default_rng(3), 1, np.full(68, 1 / 68))
    samples = [_sample("a", some), _sample("b", some), _sample("none", np.zeros((1, 68)))]
    rows = compute_divergences(samples)
    assert rows[["of", "to"]].to_numpy().tolist() == [["a", "b"], ["b", "a"]]
    assert rows[["kl_low", "kl_high", "chance"]].isna().all(axis=None)
    assert compute_groups(samples)["decisions"].tolist() == [50, 50, 0]
    assert compute_divergences(samples[2:]).empty


def test_the_chance_level_of_a_pair_is_that_of_chi_square():
    """Twice n times a divergence from the truth is chi-square with 67 degrees of freedom."""
    rng = np.random.default_rng(6)
    a, b = (counts_from(rng, games, np.full(68, 1 / 68)) for games in (200, 500))
    row = compute_divergences([_sample("a", a), _sample("b", b)], 68).iloc[0]
    expected = (68 - 1) / 2 * (1 / (200 * 50) + 1 / (500 * 50))
    assert row["chance"] == pytest.approx(expected, rel=0.25)


@pytest.mark.slow
def test_the_chance_level_of_a_pair_is_what_two_samples_of_one_style_show():
    rng = np.random.default_rng(4)
    style, found, chance, covered = rng.dirichlet(np.full(68, 2.0)), [], [], 0
    for _ in range(60):
        a, b = counts_from(rng, 40, style), counts_from(rng, 120, style)
        row = compute_divergences([_sample("a", a), _sample("b", b)]).iloc[0]
        found.append(row["kl"])
        chance.append(row["chance"])
        covered += row["kl_low"] <= row["chance"] <= row["kl_high"]
    assert np.mean(found) == pytest.approx(np.mean(chance), rel=0.12)
    assert covered >= 55


def test_halves_of_a_group_are_twice_as_noisy_each():
    rng = np.random.default_rng(5)
    counts = counts_from(rng, 400, np.full(68, 1 / 68))
    expected = (68 - 1) / 2 * (2 / (200 * 50))
    assert halves_divergence(ByGame(counts), 68) == pytest.approx(expected, rel=0.25)
    assert np.isnan(halves_divergence(ByGame(counts[:1])))


@pytest.mark.slow
def test_the_interval_covers_what_the_estimate_is_on_average():
    rng = np.random.default_rng(6)
    p, q = rng.dirichlet(np.full(68, 3.0)), rng.dirichlet(np.full(68, 3.0))
    rows = [
        compute_divergences(
            [_sample("p", counts_from(rng, 60, p)), _sample("q", counts_from(rng, 60, q))], 68
        ).iloc[0]
        for _ in range(80)
    ]
    truth = np.mean([row["kl"] for row in rows])
    covered = sum(row["kl_low"] <= truth <= row["kl_high"] for row in rows)
    assert covered >= 70
    assert truth - np.mean([row["chance"] for row in rows]) == pytest.approx(
        float(kl_divergence(p, q)), rel=0.05
    )


def test_games_are_the_unit():
    """The same game twice as often is no more certain: all its plays hang together."""
    rng = np.random.default_rng(7)
    games = counts_from(rng, 50, rng.dirichlet(np.ones(68)))
    once, thrice = ByGame(games), ByGame(games * 3)

    def first(counts):
        return counts[..., 0] / counts.sum(axis=-1)

    assert np.array(once.interval(first)) == pytest.approx(np.array(thrice.interval(first)))


def test_many_games_are_pooled_without_changing_totals_or_width():
    rng = np.random.default_rng(8)
    counts = counts_from(rng, 3 * MAX_BLOCKS + 17, np.full(4, 0.25), plays=10)
    by_game = ByGame(counts)
    assert by_game.replicates.shape == (1000, 4)
    low, high = by_game.interval(lambda c: c[..., 0] / c.sum(axis=-1))
    error = np.sqrt(0.25 * 0.75 / counts.sum())
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.12)
    half, rest = by_game.halves
    assert (half + rest == counts.sum(axis=0)).all()


def test_percentiles_leave_out_what_is_not_known():
    values = np.array([[1.0, np.nan], [2.0, np.nan], [3.0, 5.0], [np.nan, np.nan]])
    low, high = percentiles(values)
    assert low.tolist() == pytest.approx([1.05, 5])
    assert high.tolist() == pytest.approx([2.95, 5])


@pytest.mark.parametrize("context", CONTEXT_LABELS)
@pytest.mark.parametrize("classes", [32, 68])
def test_the_decomposition_adds_up(context, classes):
    data = [classify(random_log(9, score_before=(0, 100), bags_before=(8, 2)), "log")]
    humans, bots = groups_of(data, "kind")
    of, to = (context_counts(data, group, PlayFilter(), context) for group in (humans, bots))
    found = compute_decomposition(of, to, context, classes)
    assert found.cells["contribution"].min() >= 0
    assert found.cells["contribution"].sum() == pytest.approx(found.kl_choices)
    assert found.contexts["contribution"].sum() == pytest.approx(found.kl_contexts)
    assert found.kl_contexts + found.kl_choices == pytest.approx(found.kl_joint)
    assert found.kl_moves <= found.kl_joint
    pair = compute_divergences(draw_samples(data, [humans, bots], PlayFilter()), classes)
    assert found.kl_moves == pytest.approx(pair.iloc[0]["kl"])  # the headline figure
    assert found.cells["of_count"].sum() == of.sum() == 9 * 13


def test_decomposition_by_hand():
    of, to = np.zeros((2, len(CONTEXT_LABELS["partner"]), 68), dtype=np.int64)
    of[0, 1], of[1, 1] = 3000, 1000  # meets the first context more, plays the same in both
    to[0, 1], to[1, 1] = 1000, 3000
    found = compute_decomposition(of, to, "partner")
    assert found.kl_contexts == pytest.approx(0.5 * np.log(3), rel=0.01)
    assert found.kl_choices == pytest.approx(0, abs=3e-3)  # of smoothing
    assert found.contexts["context"].tolist() == ["no", "yes"]
    assert found.contexts["is_clear"].all()
    assert not found.cells["is_clear"].any()


def test_alpha_is_what_the_page_says():
    assert ALPHA == 0.5
