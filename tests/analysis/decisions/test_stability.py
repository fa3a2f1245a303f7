"""Decision stability: counts and intervals by hand, seeds, what a search of the table says."""

from dataclasses import replace

import pytest

from analysis.decisions.decision import analyse_decision
from analysis.decisions.settings import AnalysisSettings
from analysis.decisions.stability import compute_stability, stability_series
from analysis.plots.decisions import card_labels, plot_stability
from spades.core.cards import cards_in
from spades.search import SearchSettings, search
from tests.analysis.decisions.test_decision import record_of
from tests.analysis.runs.test_series import work
from tests.pages.texts import shipped

SETTINGS = AnalysisSettings(iterations=120, seed=5)
PLY = 8


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))


def test_each_item_is_one_search_with_its_own_seed(store):
    record = record_of()
    items = work(stability_series(record, PLY, SETTINGS), 6)
    for i, (card, visits, values) in enumerate(items):
        found = search(record.observation(PLY), iterations=120, seed=5 + i)
        assert card == found.best.card.code
        assert visits == [row.visits for row in found.cards]
        known = [row.mean_value if row.visits else 0 for row in found.cards]
        assert values == pytest.approx(known, abs=0.006)
    first = analyse_decision(record, PLY, SETTINGS)
    assert items[0][0] == first.search_choice.code


def test_a_search_of_many_iterations_is_made_in_slices(store):
    run = stability_series(record_of(), PLY, AnalysisSettings(iterations=10_000))
    run.extend(1)
    steps = run.steps()
    next(steps)
    assert run.done == 0
    assert len(list(steps)) >= 2
    assert run.done == 1


def test_a_search_that_ducks_gives_every_card_a_value(store):
    record, ply = shipped("south-nil"), 33  # South, void, may trump and lose the nil
    ducking = replace(SETTINGS, search=SearchSettings(duck=True))
    ((_, visits, _),) = work(stability_series(record, ply, ducking), 1)
    assert len(visits) == 5
    assert all(visits)


def test_wins_shares_and_intervals_of_a_hand_made_run():
    seen = record_of().observation(PLY)
    codes = list(cards_in(seen.legal_mask))
    visits = [[0] * len(codes) for _ in range(20)]
    for row in visits:
        row[0], row[1] = 30, 70
    items = [[codes[1] if i < 15 else codes[0], row, []] for i, row in enumerate(visits)]
    rows = compute_stability(items, seen)
    assert [(row.wins, row.n) for row in rows[:3]] == [(15, 20), (5, 20), (0, 20)]
    assert rows[0].card == seen.rules.cards.format_card(codes[1])
    assert rows[0].interval == pytest.approx((0.5090, 0.9134), abs=1e-4)  # Clopper-Pearson
    assert rows[1].interval == pytest.approx((0.0866, 0.4910), abs=1e-4)
    assert rows[2].interval == pytest.approx((0, 0.1684), abs=1e-4)
    assert (rows[0].least, rows[1].greatest) == (0.7, 0.3)
    assert rows[0].mean_visits == pytest.approx(0.7)
    assert sum(row.wins for row in rows) == 20
    assert compute_stability([], seen) == []


def test_what_is_kept_depends_on_ply_seed_and_settings(store):
    work(stability_series(record_of(), PLY, SETTINGS), 20)
    assert stability_series(record_of(), PLY, SETTINGS).done == 20
    for record, ply, settings in (
        (record_of(2), PLY, SETTINGS),
        (record_of(), PLY + 1, SETTINGS),
        (record_of(), PLY, AnalysisSettings(iterations=121, seed=5)),
        (record_of(), PLY, AnalysisSettings(iterations=120, seed=6)),
    ):
        assert stability_series(record, ply, settings).done == 0


def test_the_bars_say_the_rows_and_mark_the_cards(store):
    record = record_of()
    rows = compute_stability(
        work(stability_series(record, PLY, SETTINGS), 20), record.observation(PLY)
    )
    human = {row.card: 1 / len(rows) for row in rows}
    played, likely = rows[0].card, rows[-1].card
    cards = {"● played": played, "▲ likeliest human": likely, "★ table's choice": likely}
    labels = card_labels({card: card for card in human}, cards)
    figure = plot_stability(rows, labels=labels, human=human)
    bars, marks = figure.data
    assert list(bars.x) == [row.share for row in rows]
    assert bars.error_x.array[0] == pytest.approx(rows[0].interval[1] - rows[0].share)
    assert bars.error_x.arrayminus[0] == pytest.approx(rows[0].share - rows[0].interval[0])
    assert bars.y[0].endswith("● played")
    assert bars.y[-1].endswith("▲ likeliest human ★ table's choice")
    assert sum("★" in label for label in bars.y) == 1
    assert list(marks.x) == list(human.values())
