"""No page, link, request, upload or stored record runs Python code that it names."""

import itertools
import json
import sys

import pytest
import streamlit as st

from analysis.logs.simulate import interrupted, parts_folder
from analysis.matches import shipped_league
from analysis.matches.match import MATCH, MatchPlan, match_result
from analysis.matches.named_agents import name_agent, named_agents
from analysis.runs.store import ResultStore
from analysis.sweeps.sweep import SweepPlan, parse_sweep
from spades.agents import play_pairs
from spades.agents.admission import admit
from spades.agents.own import OWN_BIDDERS, OWN_PLAYERS
from spades.agents.words import agent_words
from spades.core.errors import SpadesError
from spades.human.own import OWN_PRIORS
from spades.library import shipped
from spades.notation import read_bytes
from spades.notation.log_folder import PLAN_FILE
from spades.notation.schema import row_of
from spades.tables.setup import Setup
from tests.analysis.small_sweeps import store_tiny_log
from tests.analysis.workers import InProcess
from tests.pages.apps import button, open_page, texts

REFUSED = "names Python code, which a command or the Python library loads; a link, a page, a file"
CODE = """
import pathlib

pathlib.Path(__file__).with_name("ran").touch()


def bot(observation, seed):
    return next(iter(observation.legal))


def even(observation):
    return [1.0] * len(observation.legal)
"""


_numbers = itertools.count()


@pytest.fixture
def module(tmp_path, monkeypatch):
    """The name of a module that can be imported and leaves a file where it is."""
    name = f"code_of_{next(_numbers)}"
    (tmp_path / f"{name}.py").write_text(CODE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("SPADES_LOGS", str(tmp_path / "logs"))
    monkeypatch.setattr(shipped_league, "shipped_results", lambda: ())
    store_tiny_log()
    InProcess(monkeypatch)
    st.cache_data.clear()
    st.cache_resource.clear()
    yield name
    sys.modules.pop(name, None)
    for registry in (OWN_PLAYERS, OWN_BIDDERS, OWN_PRIORS):
        registry.clear()


@pytest.fixture
def not_run(module, tmp_path):
    """The text of a bot whose module must not have been imported at the end."""
    yield f"py:{module}.bot"
    assert module not in sys.modules
    assert not (tmp_path / "ran").exists()


def test_the_module_can_be_imported(module, tmp_path):
    """Else the other tests would hold whatever the pages did."""
    admit(f"py:{module}.bot")
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("name", "query", "pressed"),
    [
        ("", {"agents": "{bot}"}, ""),
        ("", {"agents": "ismcts:iterations=20,bias=puct,model={even}"}, ""),
        ("4_Tune", {"view": "match", "ns": "{bot}", "ew": "srp"}, ""),
        ("4_Tune", {"view": "match", "ns": "srp+{bot}", "ew": "srp"}, ""),
        ("4_Tune", {"view": "match", "ns": "direct:model={even}", "ew": "srp"}, ""),
        ("4_Tune", {"view": "run", "sweep_models": "{even}"}, ""),
        ("3_Style", {"view": "who", "models": "{bot}, human"}, ""),
        ("7_Agents", {"agents": "{bot}|srp"}, ""),
        ("11_Play", {"left": "{bot}"}, "Deal"),
    ],
)
def test_a_link_says_why_not(name, query, pressed, not_run):
    names = {"bot": not_run, "even": not_run.replace(".bot", ".even")}
    app = open_page(name, {key: text.format(**names) for key, text in query.items()})
    if pressed:
        app = button(app, pressed).click().run()
    assert REFUSED in texts(app)


@pytest.mark.parametrize("name", ["model", "bias_model"])
def test_a_menu_has_the_models_that_are_files(name, not_run):
    app = open_page("", {name: not_run, "bias": "knowledge"})
    assert "Parts of this link could not be applied" in texts(app)


def test_a_request_that_opens_a_table(not_run):
    for agents in (
        [not_run, "srp", "srp", "srp"],
        [None, f"srp+{not_run}", None, None],
        [None, f"direct:model={not_run}", None, None],
    ):
        with pytest.raises(SpadesError, match="names Python code"):
            Setup.from_request({"agents": agents, "rounds": 1})


def test_a_sweep_that_is_uploaded_or_stored(not_run):
    grid = f'[[grid]]\ntechnique = "direct"\nmodel = "{not_run}"\n'
    with pytest.raises(SpadesError, match="names Python code"):
        parse_sweep(grid, "mine")
    document = SweepPlan(()).document()
    document["settings"].append({**document["settings"][0], "technique": "direct"})
    document["settings"][-1]["model"] = not_run
    with pytest.raises(SpadesError, match="names Python code"):
        SweepPlan.from_document(document)


def test_a_record_that_names_it(not_run):
    """It is read: whoever played has that name, and nothing else."""
    row = row_of(shipped("four-bots"))
    row["agent"] = [not_run] * 4
    text = json.dumps(row)
    (record,) = read_bytes(text.encode(), name="mine.jsonl").records
    assert not_run in record.agents
    assert agent_words(not_run) == not_run


def test_what_is_stored_under_its_name(not_run, tmp_path):
    with pytest.raises(SpadesError, match="names Python code"):
        name_agent("mine", not_run)
    ResultStore().put("named agent", {"name": "mine"}, {"agent": not_run})
    assert named_agents() == {}
    folder = parts_folder(tmp_path / "left.parquet")
    folder.mkdir()
    plan = {"agents": [not_run, *["srp"] * 3], "count": 2, "unit": "games", "seed": 0, "rules": {}}
    (folder / PLAN_FILE).write_text(json.dumps({"plan": plan, "version": None}))
    assert interrupted(tmp_path) == []


def test_a_match_that_a_command_has_stored_is_shown_and_not_played(module, tmp_path):
    bot = f"py:{module}.bot"
    admit(bot)
    plan = MatchPlan(f"{bot}+bis", "srp+bis", 40)
    result = match_result(plan, play_pairs(plan.duel, 0, 0, 20))
    version = result.programs[bot]
    key = plan.key
    ResultStore().put(MATCH, plan.question(), result.document())
    for registry in (OWN_PLAYERS, OWN_BIDDERS):
        registry.clear()
    sys.modules.pop(module)
    (tmp_path / "ran").unlink()

    app = open_page("7_Agents", {"match": key})
    shown = texts(app)
    assert f"{bot}+bis against srp+bis" in shown
    assert (
        f"Played by other people's code, which no page runs: `{bot}` (version {version})." in shown
    )
    assert not any("Store its first" in one.label for one in app.button)
    (ratings,) = (one.value for one in app.dataframe if "rating" in one.value)
    assert f"{bot}+bis (version {version})" in ratings["agent"].tolist()
    assert "played earlier" not in shown
    with pytest.raises(SpadesError, match="names Python code"):
        MatchPlan.of(result)
    assert module not in sys.modules
    assert not (tmp_path / "ran").exists()
