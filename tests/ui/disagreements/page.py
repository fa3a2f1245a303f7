"""The list of disagreements over a small log in stores of its own, for its tests."""

import pytest

from analysis.decisions.played_on import MOST_ROUNDS
from analysis.disagreements import stored
from analysis.disagreements.plan import STANDARD_PLAYED_ON, LogSearchPlan
from tests.analysis.disagreements.quick import LEAST, MOST, judge_quickly, store_cut_log
from tests.analysis.workers import InProcess
from tests.pages.apps import open_page
from ui.disagreements import state
from ui.shared.address import Field
from ui.shared.codecs import Integer

AGENT = "ismcts:iterations=100"
with pytest.MonkeyPatch.context() as quick:
    judge_quickly(quick)
    PLAN = LogSearchPlan("tiny", 4, AGENT, seed=5, played_on=MOST)
N_PLAYS = 6  # of each round, as few as suffice
QUERY = {"log": "tiny", "agent": AGENT, "seed": "5", "played_on": f"{MOST}"}


def page(**query):
    return open_page("", {"view": "disagreements", **QUERY, **query})


def stores_apart(tmp_path, monkeypatch, n_plays):
    """Stores of its own, the first plays of a small log's rounds, nothing shipped; tasks are done
    here, by a quick judge."""
    use_stores(tmp_path, monkeypatch)
    store_cut_log(12, n_plays)
    return tmp_path


def use_stores(tmp_path, monkeypatch):
    """The page reads and writes in this folder."""
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    monkeypatch.setattr(stored, "SHIPPED", tmp_path / "shipped")
    judge_quickly(monkeypatch)
    played_on = Field(Integer(LEAST, MOST_ROUNDS), STANDARD_PLAYED_ON)
    monkeypatch.setitem(state.page.fields, "played_on", played_on)
    InProcess(monkeypatch)
