"""Agents under names of the users' own."""

import pytest

from analysis.matches.named_agents import KIND, forget_agent, name_agent, named_agents
from analysis.runs.store import ResultStore
from spades.core.errors import SpadesError

AGENT = "ismcts:iterations=2500,bias=knowledge,c_bt=0.05"


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))


def test_a_name_holds_the_last_agent_given_to_it_until_it_is_forgotten():
    assert named_agents() == {}
    name_agent("my human", AGENT)
    name_agent(" A rule ", "srp+bis")
    assert list(named_agents()) == ["A rule", "my human"]
    name_agent("my human", "srp")
    assert named_agents()["my human"] == "srp"
    forget_agent("my human")
    assert list(named_agents()) == ["A rule"]


@pytest.mark.parametrize("name", ["", "   ", "a\nb", "x" * 31])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(SpadesError, match="is no name; 1 to 30 printable characters"):
        name_agent(name, AGENT)
    assert named_agents() == {}


def test_what_is_no_agent_is_refused_and_one_of_other_code_left_out():
    with pytest.raises(SpadesError, match="ghost"):
        name_agent("mine", "ghost")
    ResultStore().put(KIND, {"name": "old"}, {"agent": "ghost:of=1"})
    assert named_agents() == {}


def test_there_is_an_end_to_names(monkeypatch):
    monkeypatch.setattr("analysis.matches.named_agents.MOST", 2)
    name_agent("a", "srp")
    name_agent("b", "wrp")
    with pytest.raises(SpadesError, match="2 agents have names"):
        name_agent("c", "srp")
    name_agent("b", "random")
    assert named_agents() == {"a": "srp", "b": "random"}
