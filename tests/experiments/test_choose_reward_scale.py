"""The reward scale: its misfit worked by hand, what is measured, and what is shipped."""

import math
import random

import numpy as np
import pytest

from analysis.decisions.settings import STUDIED_AGENT, STUDIED_SCALE, settings_of_agent
from analysis.papers.results import find_row, shipped_documents
from analysis.sweeps.reward_scale import (
    ALL_SOURCES,
    choice_text,
    chosen_text,
    evidence_table,
    listed,
    load_choice,
    misfit_table,
)
from experiments.choose_reward_scale import (
    PATH,
    Weighing,
    choose,
    draw_values,
    least,
    read_otherwise,
    square,
)
from experiments.reward_scale_evidence import (
    ITERATIONS,
    PAPERS_ROWS,
    SCALES,
    SOURCES,
    STANDING,
    Evidence,
    Measured,
    share_of_way,
    typical_range,
    visit_share,
    visit_shares,
)
from spades.agents import parse_agent
from spades.core.documents import read_json
from spades.core.paths import DATA

FIRST, SECOND, *_ = SOURCES


def row(source, published, *values, error=0.0, tolerance=1.0, **about):
    ours = {scale: Measured(value, error, 10) for scale, value in zip((1, 2), values, strict=True)}
    return Evidence(source, "what", "unit", published, ours, tolerance, **about)


def rows_of(table):
    """The rows that a stored table was made of."""
    for stored in table["rows"]:
        ours = {}
        for measured in stored["ours"]:
            low, high = measured["interval"]
            error = (high - low) / 2 / 1.959964
            ours[measured["reward_scale"]] = Measured(measured["value"], error, measured["n"])
        names = ("source", "what", "unit", "published")
        yield Evidence(
            *(stored[name] for name in names),
            ours,
            stored["tolerance"],
            stored["published_error"],
            stored["by_ratio"],
            stored["reading"],
        )


# The misfit


def test_a_z_has_three_errors():
    one = row(FIRST, 10.0, 40.0, 10.0, error=3.0, tolerance=4.0, published_error=12.0)
    assert one.z(1) == pytest.approx(30 / 13)
    assert one.z(2) == 0
    assert one.z(1, 0.0) == pytest.approx(30 / math.hypot(3, 12))


def test_a_ratio_is_compared_by_its_logarithm():
    one = row(FIRST, 10.0, 20.0, 5.0, error=2.0, tolerance=0.3, by_ratio=True)
    assert one.z(1) == pytest.approx(math.log(2) / math.hypot(0.1, 0.3))
    assert one.z(2) == pytest.approx(-math.log(2) / math.hypot(0.4, 0.3))


def test_a_long_table_has_no_more_say_than_a_short_one():
    rows = [row(FIRST, 0.0, 0.0, 2.0)] * 9 + [row(SECOND, 0.0, 3.0, 0.0)]
    usual = Weighing().of_sources(rows)
    assert usual == pytest.approx({1: math.log(10) / 2, 2: math.log(5) / 2})
    assert Weighing(loss=square).of_sources(rows) == pytest.approx({1: 4.5, 2: 2.0})
    assert Weighing().of_rows(rows) == pytest.approx({1: math.log(10) / 10, 2: 0.9 * math.log(5)})
    assert Weighing(tolerances=2.0).of_sources(rows)[1] == pytest.approx(math.log(3.25) / 2)


def test_the_choice_says_what_it_hangs_on():
    rows = [row(source, 0.0, 0.0, 1.0) for source in SOURCES if source != SECOND]
    rows.append(row(SECOND, 0.0, 1000.0, 0.0))
    rows.append(row(SECOND, 0.0, 0.0, 0.0, reading="counted otherwise"))
    found = choose(rows, standing=1)
    assert (found["best"], found["chosen"], found["ahead_of_standing"]) == (2, 2, 1.0)
    by_source = {one["source"]: one for one in found["sources"]}
    assert by_source[SECOND]["best"] == 2
    assert by_source[SECOND]["without"]["best"] == 1
    assert by_source[FIRST]["best"] == 1
    assert by_source[FIRST]["without"]["best"] == 2
    readings = {one["reading"]: one["best"] for one in found["readings"]}
    assert readings["counted otherwise"] == 1
    assert readings["squares of z"] == 2


@pytest.mark.parametrize(("error", "chosen"), [(0.1, 2), (3.0, 1)])
def test_the_standing_scale_stays_unless_the_best_is_surely_ahead(error, chosen):
    rows = [row(source, 0.0, 2.0, 0.5, error=error) for source in SOURCES]
    found = choose(rows, standing=1)
    assert (found["best"], found["chosen"]) == (2, chosen)
    assert (found["ahead_of_standing"] >= 0.95) == (chosen == 2)
    assert sum(one["share"] for one in found["draws"]) == pytest.approx(1)


def test_draws_are_within_the_errors():
    ratio = row(FIRST, 1.0, 2.0, 2.0, error=0.2, by_ratio=True)
    share = row(FIRST, 1.0, 2.0, 2.0, error=0.2)
    rng = np.random.default_rng(1)
    logs = [math.log(draw_values(ratio, rng)[1].value) for _ in range(4000)]
    values = [draw_values(share, rng)[1].value for _ in range(4000)]
    assert np.mean(logs) == pytest.approx(math.log(2), abs=0.01)
    assert np.std(logs) == pytest.approx(0.1, abs=0.01)
    assert np.mean(values) == pytest.approx(2, abs=0.02)
    assert np.std(values) == pytest.approx(0.2, abs=0.02)


def test_another_reading_stands_for_its_source():
    rows = [row(FIRST, 0.0, 1.0, 2.0), row(SECOND, 0.0, 3.0, 4.0)]
    other = row(SECOND, 0.0, 5.0, 6.0, reading="other")
    assert read_otherwise([*rows, other], "other") == [rows[0], other]


def test_the_way_to_the_network():
    start, end = Measured(0.5, 0.0, 9), Measured(0.7, 0.0, 9)
    at = share_of_way(Measured(0.65, 0.01, 9), start, end)
    assert (at.value, at.error) == pytest.approx((0.75, 0.05))
    all_errors = share_of_way(
        Measured(0.65, 0.01, 9), Measured(0.5, 0.04, 9), Measured(0.7, 0.02, 9)
    )
    assert all_errors.error == pytest.approx(math.hypot(0.01, 0.25 * 0.04, 0.75 * 0.02) / 0.2)


# What is measured


def test_the_range_is_that_of_rounds_between_searches():
    found = typical_range()
    needed = {scale / measured.value for scale, measured in found.ours.items()}
    assert len({round(points) for points in needed}) == 1
    assert 300 < needed.pop() < 400  # 95% of rounds are worth 150 to 200 points or less
    assert least({scale: found.z(scale) ** 2 for scale in SCALES}) == 400


def test_equal_cards_share_visits_and_a_better_one_has_more():
    assert visit_share(0, 100, 5) == pytest.approx(0.2)
    shares = [visit_share(15, scale, 5) for scale in SCALES]
    assert shares == sorted(shares, reverse=True)
    assert visit_share(30, 200, 5) == pytest.approx(visit_share(15, 100, 5))


@pytest.mark.parametrize(("points", "scale", "n_cards"), [(15, 100, 5), (15, 400, 5), (5, 50, 2)])
def test_the_share_is_what_a_bandit_does(points, scale, n_cards):
    means = np.zeros(n_cards)
    means[0] = points / scale
    visits = np.ones(n_cards)
    for n in range(n_cards + 1, 2501):
        bounds = means + 0.7 * np.sqrt(math.log(n) / visits)
        visits[int(bounds.argmax())] += 1
    assert visit_share(points, scale, n_cards) == pytest.approx(visits[0] / 2500, abs=0.02)


# What is shipped


def test_the_search_shown_has_the_scale_that_the_table_chose():
    assert load_choice()["chosen"] == STUDIED_SCALE
    assert parse_agent(STUDIED_AGENT).player.reward_scale == STUDIED_SCALE
    settings = settings_of_agent(STUDIED_AGENT)
    assert settings.search.reward_scale == STUDIED_SCALE
    assert settings.iterations == 2500
    plain = settings_of_agent("ismcts")
    assert plain.search.reward_scale == 400  # stored results stand


def test_the_table_follows_from_its_rows():
    table = load_choice()
    found = choose(list(rows_of(table)))
    assert found["chosen"] == table["chosen"]
    for name in ("misfits", "sources", "readings"):
        assert flat(found[name]) == pytest.approx(flat(table[name]))
    assert flat(found["draws"]) == pytest.approx(flat(table["draws"]), abs=0.005)
    assert table["visit_shares"] == visit_shares()
    assert {one["source"] for one in table["rows"]} == set(SOURCES)
    assert table["scales"] == list(SCALES)


def flat(value):
    """All numbers of a document, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for part in value for number in flat(part)]
    return [value] if isinstance(value, int | float) else []


def test_pages_read_the_table():
    table = load_choice()
    misfits = misfit_table(table)
    together = misfits[misfits["source"] == ALL_SOURCES].set_index("reward_scale")["misfit"]
    assert together.idxmin() == table["best"]
    by_source = misfits[misfits["source"] != ALL_SOURCES].groupby("reward_scale")["misfit"]
    assert together.to_dict() == pytest.approx(by_source.mean().to_dict())
    rows = evidence_table(table)
    assert len(rows) == len(table["rows"]) * len(SCALES)
    one = rows.iloc[random.Random(1).randrange(len(rows))]
    assert one["low"] <= one["value"] <= one["high"]


def test_the_sentence_says_what_the_choice_hangs_on():
    sources = [
        {"source": "A", "best": 100, "without": {"best": 100}},
        {"source": "B", "best": 400, "without": {"best": 200}},
    ]
    shares = {50: 0.01, 100: 0.74, 400: 0.25}
    draws = [{"reward_scale": scale, "share": share} for scale, share in shares.items()]
    table = {"chosen": 400, "standing": 400, "best": 100, "draws": draws, "sources": sources}
    assert choice_text(table) == (
        "**400 points in a reward stay.** 100 and 400 fit all that the papers print: best in 74% "
        "and 25% of draws within our errors. 50 fit worse. Alone, each source would have: A 100; "
        "B 400. All together have 100; it would be 200 without B."
    )
    assert choice_text({**table, "chosen": 100}).startswith("**100 points in a reward.**")
    sources[1]["without"]["best"] = 100
    assert choice_text(table).endswith("have 100, without any one of them too.")
    assert listed([1]) == "1"


def test_the_note_of_papers_names_the_scale_of_what_is_stored():
    stays = chosen_text({"chosen": 400}).partition("at ")[2]
    assert stays.endswith("measured at 400, as ismcts has it; by all that they do print it stays.")
    assert chosen_text({"chosen": 100}).endswith("; by all that they do print 100 fit better.")


def test_the_documentation_names_the_search_that_is_shown():
    docs = DATA.parent / "docs"
    for page in ("glossary.md", "inspect.md"):
        assert f"`{STUDIED_AGENT}`" in (docs / page).read_text(encoding="utf-8")


def test_games_at_the_standing_scale_are_those_of_papers_against_the_plain_search():
    stored = {row["what"]: row["ours"] for row in read_json(PATH)["rows"]}
    for bias, (figure, claim) in PAPERS_ROWS.items():
        row = find_row(shipped_documents(), figure, claim)
        assert row["settings"].endswith(f" against ismcts:iterations={ITERATIONS}")
        (ours,) = [
            one
            for one in stored[f"{bias.name}, {bias.strength_text}"]
            if one["reward_scale"] == STANDING
        ]
        assert (ours["value"], ours["n"]) == (row["ours"], row["n"])
