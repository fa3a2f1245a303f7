"""Figure 1 of Whitehouse 2013: its combinations, claims, differences, and going on where it was."""

import numpy as np
import pytest

from analysis.matches.match import PART, play_match, stored_results
from analysis.papers.knowledge import (
    BEYOND,
    DEFAULT,
    HARDEST,
    ITERATIONS,
    OPPONENTS,
    SOURCE,
    Opponent,
    Setting,
    Study,
    agreement,
    differences,
    document,
    notes_of,
    published_claim,
)
from analysis.papers.table import difference_table, knowledge_table
from analysis.runs.store import ResultStore
from spades.agents import parse_agent
from spades.core.rules import Rules
from tests.analysis.workers import InProcess

pytestmark = pytest.mark.xdist_group("knowledge")  # one worker makes what they share

QUICK = Study(
    games=2,
    iterations=(10, 30),
    opponents=(
        Opponent(DEFAULT, "stars:level=1+kb", True),
        Opponent(HARDEST, "random+random", True),
    ),
    target=20,
)


@pytest.fixture(scope="module", autouse=True)
def in_process(tmp_path_factory):
    """A store of its own, and no worker processes; the parts that were played."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPADES_RESULTS", str(tmp_path_factory.mktemp("results")))
        yield InProcess(patch).done


@pytest.fixture(scope="module")
def found(in_process):
    return document(QUICK, client=object())


def test_the_combinations_of_the_figure_and_their_agents():
    study = Study()
    settings = study.settings()
    published = [setting for setting in settings if setting.opponent.is_published]
    assert len(published) == 2 * 4 * 2 * 2
    assert len({study.plan(setting).key for setting in settings}) == len(settings) == 48
    plan = study.plan(Setting(2600, True, OPPONENTS[1], True))
    assert plan.ns == "ismcts:iterations=2600,determinization=biased,skew=on+kb"
    assert (plan.ew, plan.nil_only, plan.games) == ("stars:level=6+kb", True, 1000)
    assert plan.full_rules == Rules()
    unskewed = study.plan(Setting(1200, False, OPPONENTS[0], False))
    assert unskewed.ns == "ismcts:iterations=1200,determinization=biased+kb"
    for setting in settings:
        assert str(parse_agent(study.plan(setting).ew)) == setting.opponent.agent


@pytest.mark.parametrize(
    ("name", "iterations", "nil_only", "claim"),
    [
        (DEFAULT, 1200, False, "above 50%"),
        (DEFAULT, 5000, True, "above 50%, by more than in the standard game"),
        (HARDEST, 1700, False, None),
        (HARDEST, 2600, False, "about 50%"),
        (HARDEST, 1200, True, "above 50%"),
        ("5 stars", 2600, False, None),
    ],
)
def test_what_the_paper_says(name, iterations, nil_only, claim):
    opponent = next(opponent for opponent in OPPONENTS if opponent.name == name)
    assert iterations in ITERATIONS
    assert published_claim(Setting(iterations, False, opponent, nil_only)) == claim


@pytest.mark.parametrize(
    ("claim", "interval", "expected"),
    [
        ("above 50%", (0.51, 0.6), "borne out"),
        ("above 50%", (0.45, 0.6), "open"),
        ("above 50%", (0.4, 0.49), "not borne out"),
        ("about 50%", (0.45, 0.6), "borne out"),
        ("about 50%", (0.51, 0.6), "not borne out"),
        (None, (0.4, 0.6), ""),
        ("above 50%", None, ""),
    ],
)
def test_when_a_claim_is_borne_out(claim, interval, expected):
    assert agreement(claim, interval) == expected


def test_the_document_has_every_match_with_its_interval(found):
    assert len(found["matches"]) == len(QUICK.settings()) == 16
    for row, setting in zip(found["matches"], QUICK.settings(), strict=True):
        assert (row["iterations"], row["skew"], row["nil_only"]) == (
            setting.iterations, setting.skew, setting.nil_only,
        )  # fmt: skip
        assert row["opponent"] == setting.opponent.name
        assert (
            row["wins"]["ns"] + row["wins"]["ew"] + row["undecided"] == row["games"] == QUICK.games
        )
        assert row["interval"][0] <= row["win_rate"] <= row["interval"][1]
        assert row["source"] == SOURCE
    assert found["games"] == QUICK.games
    assert "--games 2" in found["command"]
    assert found["notes"] == notes_of(found["matches"])
    assert len(found["notes"]) == 3  # the hardest level in the standard game: no claim below 2,600


def test_a_second_run_plays_nothing_and_a_longer_one_only_what_is_missing(found, in_process):
    n_parts = len(in_process)
    again = document(QUICK, client=object())
    assert len(in_process) == n_parts
    assert again["matches"] == found["matches"]
    setting = QUICK.settings()[0]
    longer = Study(**{**vars(QUICK), "games": 4}).plan(setting)
    play_match(longer, client=object())
    added = [(first, end) for _, (_, first, end) in in_process[n_parts:]]
    assert added == [part for part in longer.ranges if part not in QUICK.plan(setting).ranges]


def test_differences_are_over_the_same_deals(found):
    store = ResultStore()
    rows = {
        (row["what"], row["opponent"], row["nil_only"], row.get("iterations"), row.get("skew")): row
        for row in differences(QUICK, store)
    }
    assert len(rows) == len(found["differences"]) == 4 * (2 + 2)
    row = rows["skew on against off", DEFAULT, False, 30, None]
    wins = []
    for skew in (True, False):
        plan = QUICK.plan(Setting(30, skew, QUICK.opponents[0], False))
        winners = stored_results(plan, store).winners(plan.full_rules)
        wins.append((winners == 0).mean())
    assert row["value"] == pytest.approx(wins[0] - wins[1])
    assert row["published"] == "no significant effect"
    gain = rows["30 against 10 iterations", DEFAULT, False, None, True]
    assert gain["published"] == "7 to 8%"
    assert rows["30 against 10 iterations", DEFAULT, True, None, True]["published"] is None


def test_differences_of_matches_that_are_not_there_are_none():
    other = Study(**{**vars(QUICK), "seed": 1})
    assert {row["value"] for row in differences(other)} == {None}


def test_the_tables_hold_the_document(found):
    table = knowledge_table(found)
    assert len(table) == 16
    row, stored = table.iloc[3], found["matches"][3]
    assert (row["iterations"], row["win_rate"], row["skew"]) == (30, stored["win_rate"], "on")
    assert [row["low"], row["high"]] == list(stored["interval"])
    assert set(table["variant"]) == {"standard", "nil-only"}
    changes = difference_table(found)
    assert len(changes) == len(found["differences"])
    assert np.allclose(changes["change"], [row["value"] for row in found["differences"]])
    beyond = knowledge_table({"matches": [{**stored, "source": BEYOND, "published": None}]})
    assert beyond["published"].tolist() == [""]


def test_parts_are_kept_under_what_they_depend_on(found):
    plan = QUICK.plan(QUICK.settings()[0])
    assert all(ResultStore().has(PART, asked) for asked in plan.parts().values())
