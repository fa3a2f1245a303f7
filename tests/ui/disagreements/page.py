"""The Disagreements page over a small log in stores of its own, for its tests."""

from analysis.disagreements import search as log_search
from analysis.disagreements import stored
from analysis.disagreements.plan import LogSearchPlan
from tests.analysis.small_sweeps import store_tiny_log
from tests.analysis.workers import InProcess
from tests.pages.apps import open_page

AGENT = "ismcts:iterations=100"
PLAN = LogSearchPlan("tiny", 4, AGENT, seed=5, searches=60)
QUERY = {"log": "tiny", "agent": AGENT, "seed": "5", "searches": "60"}


def page(**query):
    return open_page("2_Disagreements", {**QUERY, **query})


def stores_apart(tmp_path, monkeypatch):
    """Stores of its own, a small log, nothing shipped, tasks that are done here."""
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    monkeypatch.setattr(stored, "SHIPPED", tmp_path / "shipped")
    monkeypatch.setattr(log_search, "JUDGE", AGENT)  # of whom outcomes are stored

    InProcess(monkeypatch)
    store_tiny_log(12)
    return tmp_path
