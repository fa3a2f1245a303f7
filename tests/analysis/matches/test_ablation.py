"""What best is made of: which matches are played, what the document and its tables say."""

import copy
import json
import math

import pytest

from analysis.matches import ablation
from analysis.matches.match import MATCH, MatchError, MatchPlan
from analysis.matches.result import MatchResult
from analysis.runs.store import VARIABLE, ResultStore
from experiments import ablate_best
from spades.agents import parse_agent
from spades.core.options import option_texts
from tests.analysis.workers import InProcess
from tests.behaviours import change_behaviour

pytestmark = pytest.mark.xdist_group("ablation")  # one makes what others look at
QUICK = "best:iterations=6"
VARIANTS = (f"{QUICK},playout=uniform+bis", f"{QUICK},duck=off,exploration=0.4+bis")
UNIFORM = "playout uniform instead of nil-aware"
EXPLORING = "exploration 0.4 instead of 0.7, duck off instead of on"
OPPONENTS = ("ismcts:iterations=4+bis", "srp+bis")
N_PAIRS = 10


def test_each_variant_is_best_with_one_part_changed():
    best = option_texts(parse_agent(ablation.BEST).player)
    changed = []
    for text in ablation.VARIANTS:
        agent = parse_agent(text)
        assert str(agent) == text
        assert (agent.player.name, agent.bidder.name) == ("best", "bis")
        options = option_texts(agent.player)
        names = {name for name in best if options[name] != best[name]} - {"iterations"}
        changed.append(frozenset((name, options[name]) for name in names))
        assert len(names) == 1
    assert len(set(changed)) == len(changed)


def test_opponents_are_different_and_plain_is_one():
    assert ablation.PLAIN in ablation.OPPONENTS
    named = {str(parse_agent(text)) for text in (*ablation.OPPONENTS, ablation.BEST)}
    assert len(named) == len(ablation.OPPONENTS) + 1


def make_quick(patch, folder):
    """Players that take no time, a store of their own; what is played, by part."""
    patch.setenv(VARIABLE, str(folder / "results"))
    patch.setattr(ablation, "BEST", f"{QUICK}+bis")
    patch.setattr(ablation, "PLAIN", OPPONENTS[0])
    patch.setattr(ablation, "VARIANTS", VARIANTS)
    patch.setattr(ablation, "OPPONENTS", OPPONENTS)
    patch.setattr(ablate_best, "MORE_GAMES", 2)
    patch.setattr(ablate_best, "TIMED_ROUNDS", 1)
    return InProcess(patch)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Evidence of all parts, and the folder with the store that it was made in."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        make_quick(patch, folder)
        return ablate_best.evidence(N_PAIRS), folder


@pytest.fixture
def quick(tmp_path, monkeypatch):
    """Players that take no time, and an empty store."""
    return make_quick(monkeypatch, tmp_path)


@pytest.fixture
def whole(made, monkeypatch):
    """``made``, for a test to change, where its parts are stored."""
    make_quick(monkeypatch, made[1])
    return copy.deepcopy(made[0])


def written(tmp_path, document):
    path = tmp_path / "best.json"
    path.write_text(json.dumps(document))
    return path


def untimed(document):
    """Without the times of matches, which are taken anew whenever it is written."""
    document = copy.deepcopy(document)
    matches = [*document["variants"], *(m for one in document["opponents"] for m in one.values())]
    for match in filter(None, matches):
        assert all(ms > 0 for ms in match.pop("ms_per_move").values())
    return document


@pytest.mark.slow
def test_the_document_says_what_each_part_is_worth(whole, tmp_path):
    found = ablation.stored_evidence(written(tmp_path, whole))
    assert found["best"].startswith("ismcts:iterations=6,")
    assert ablation.age_text(found) == ""
    parts = ablation.part_table(found)
    assert set(parts["changed"]) == {UNIFORM, EXPLORING}
    assert parts["gap"].is_monotonic_decreasing
    assert (parts["rounds"] >= 2 * N_PAIRS).all()
    assert (parts["ms_first"] > 0).all()
    document = ResultStore().get(
        MATCH, MatchPlan.of(MatchResult.from_document(found["variants"][0])).question()
    )
    value = document["points_difference"]["value"] * (-1) ** (document["ns"] != found["best"])
    assert parts.set_index("changed")["gap"][UNIFORM] == pytest.approx(value)
    assert (parts["gap_low"] < parts["gap"]).all()
    assert found["ceiling"]["deals"] == N_PAIRS // 2
    assert "the true hands bring" in ablation.ceiling_verdict(found)


def test_opponents_are_met_by_best_and_by_plain(whole):
    others = ablation.opponent_table(whole)
    assert others["gap"].is_monotonic_decreasing
    others = others.set_index("agent").loc[list(OPPONENTS)]
    assert others["gain"].isna().tolist() == [True, False], "plain doesn't meet itself"
    row = others.iloc[1]
    assert row["gain"] == pytest.approx(row["gap"] - row["plain"])
    assert row["plain_rounds"] >= 2 * N_PAIRS
    half = math.hypot(row["gap_high"] - row["gap"], row["plain_high"] - row["plain"])
    assert row["gain_high"] - row["gain"] == pytest.approx(half)


def test_what_is_whole_is_written_when_the_rest_is_not_played(whole, monkeypatch, tmp_path):
    monkeypatch.setattr(ablation, "VARIANTS", (*VARIANTS, f"{QUICK},exploration=1.0+bis"))
    part = ablate_best.evidence(N_PAIRS, is_cancelled=lambda: True)
    assert untimed(part) == untimed(whole)
    assert len(ablation.stored_evidence(written(tmp_path, part))["variants"]) == len(VARIANTS)


@pytest.mark.slow
def test_a_stopped_run_goes_on_and_a_changed_best_keeps_its_matches(quick, monkeypatch):
    assert ablate_best.evidence(N_PAIRS, is_cancelled=lambda: True) is None
    stopped = ablate_best.evidence(N_PAIRS, is_cancelled=lambda: len(quick.done) > 3)
    assert 0 < len(stopped["variants"]) + len(stopped["opponents"]) < 4
    played = len(quick.done)
    whole = ablate_best.evidence(N_PAIRS)
    assert played < len(quick.done)
    played = len(quick.done)
    monkeypatch.setattr(ablation, "BEST", whole["variants"][0]["ew"])
    monkeypatch.setattr(ablation, "VARIANTS", (f"{QUICK}+bis",))
    monkeypatch.setattr(ablation, "OPPONENTS", ())
    turned = ablate_best.evidence(N_PAIRS)
    assert len(quick.done) == played + 2, "the parts of another best's ceiling"
    assert "Measured with other options: `best` stood for" in ablation.age_text(whole)
    gaps = [found["variants"][0]["points_difference"]["value"] for found in (whole, turned)]
    assert gaps[0] == pytest.approx(-gaps[1])


@pytest.mark.slow
def test_what_an_agent_of_before_played_stays_until_it_is_played_anew(whole, monkeypatch, tmp_path):
    monkeypatch.setattr(ablation, "TABLE", written(tmp_path, whole))
    change_behaviour(monkeypatch, parts=["ismcts"])
    before = ablation.stored_evidence()
    assert "by an earlier version of the code" in ablation.age_text(before)
    kept = ablate_best.evidence(N_PAIRS, is_cancelled=lambda: True)
    assert untimed(kept) == untimed(before)
    anew = ablate_best.evidence(N_PAIRS)
    assert ablation.age_text(anew) == ""
    assert anew["ceiling"] != kept["ceiling"]


def test_verdicts_name_what_is_clear(whole):
    parts = ablation.part_table(whole).set_index("changed").loc[[UNIFORM, EXPLORING]].reset_index()
    others = ablation.opponent_table(whole).set_index("agent").loc[list(OPPONENTS)].reset_index()
    parts[["gap_low", "gap_high"]] = [[1.0, 3.0], [-3.0, -1.0]]
    assert ablation.part_verdict(parts) == (
        "Clearly behind: playout uniform instead of nil-aware. Clearly ahead: exploration 0.4 "
        "instead of 0.7, duck off instead of on. Not told apart: 0 of 2."
    )
    parts["gap_low"] = [-1.0, -3.0]
    assert ablation.part_verdict(parts.iloc[:1]) == "Clearly behind: none. Not told apart: 1 of 1."
    others[["gain_low", "gain_high"]] = [[math.nan] * 2, [-4.0, -2.0]]
    others[["gap", "gap_low", "gap_high"]] = [[2.0, -1.0, 5.0]] * 2
    assert ablation.opponent_verdict(others) == (
        "Points a round ahead, 95%: +2.0 (−1.0 to 5.0) on `ismcts:iterations=4+bis`, +2.0 (−1.0 to "
        "5.0) on `srp+bis`. Clearly worse than plain ISMCTS against srp+bis; clearly better "
        "against 0 of 1."
    )
    assert "plain" not in ablation.opponent_verdict(others.iloc[:1])
    others["gain_high"] = [math.nan, 2.0]
    assert "Nowhere clearly worse" in ablation.opponent_verdict(others)


def test_the_ceiling_is_said_with_its_share():
    way = {"value": 12.0, "interval": [9.5, 14.5]}
    share = {"value": 0.5, "interval": [0.35, 0.65]}
    measured = {"deals": 1000, "over_uniform": {"network": way, "true": way}, "share": share}
    assert ablation.ceiling_verdict({"ceiling": measured}) == (
        "Over uniform deals the true hands bring +12.0 (9.5 to 14.5) points a round, the belief "
        "network +12.0 (9.5 to 14.5), 50% (35% to 65%) of that ceiling; 1,000 deals."
    )
    assert "ceiling" not in ablation.ceiling_verdict({"ceiling": measured | {"share": None}})
    assert not ablation.ceiling_verdict({"ceiling": None})


def test_no_file_is_no_evidence(tmp_path):
    assert ablation.stored_evidence(tmp_path / "none.json") is None


@pytest.mark.parametrize(
    "name", ["version", "best", "ceiling", "variants", "opponents", "points_difference"]
)
def test_malformed_evidence_is_refused_by_its_file(whole, tmp_path, name):
    del (whole if name in whole else whole["variants"][0])[name]
    with pytest.raises(MatchError, match=r"best\.json can't be read .*ablate_best makes it"):
        ablation.stored_evidence(written(tmp_path, whole))


@pytest.mark.parametrize("text", ["", "[]", "{}", "[" * 3000, "\0"])
def test_what_is_no_evidence_is_refused(tmp_path, text):
    path = tmp_path / "best.json"
    path.write_text(text)
    with pytest.raises(MatchError, match="can't be read"):
        ablation.stored_evidence(path)


def test_speeds_are_said_of_every_search(quick, monkeypatch):
    said = []
    monkeypatch.setattr(ablate_best, "say", said.append)
    ablate_best.say_speeds()
    assert len(said) == len(VARIANTS) + 1
    assert all("iterations in equal time" in line for line in said)


def test_shipped_matches_are_kept_where_the_store_has_none(whole, quick, tmp_path, monkeypatch):
    shipped = written(tmp_path, whole)
    monkeypatch.setattr(ablation, "TABLE", shipped)
    again = ablate_best.evidence(N_PAIRS, is_cancelled=lambda: True)
    assert not quick.done
    assert untimed(again) == untimed(json.loads(shipped.read_text()))
    shipped.write_text('{"version": 1')
    assert ablate_best.evidence(N_PAIRS, is_cancelled=lambda: True) is None
