"""Behaviour fingerprints: what stored results depend on."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.fingerprint_agents import fingerprint_of
from spades.agents import BIDDERS, PLAYERS
from spades.agents.behaviour import PARTS, PROBES, behaviour_of, parts_of
from spades.core.behaviour import UnknownBehaviourError, stored_fingerprints
from spades.core.kernel_cache import cache_root
from tests.behaviours import change_behaviour

ROOT = Path(__file__).parents[2]
LONG = {
    "flat-mc:determinization",
    "ismcts:determinization=posterior",
    "ismcts:determinization=posterior,players",
}


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=[pytest.mark.slow] * (part in LONG)) for part in PARTS]
)
def test_the_stored_fingerprint_is_that_of_the_code(part):
    stored = stored_fingerprints().get(part)
    assert fingerprint_of(part) == stored, (
        f"{part} decides otherwise than when results were stored: if that is meant, run "
        "python -m experiments.fingerprint_agents, and remake the shipped results of these agents"
    )


def test_every_player_and_bidder_has_a_part():
    assert set(PLAYERS) <= set(PROBES)
    assert {f"+{name}" for name in BIDDERS} <= set(PROBES)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("srp", {"rules", "srp", "+human"}),
        ("srp+bis:threshold=3", {"rules", "srp", "+bis"}),
        ("srp+bis:third_card=pattern", {"rules", "srp", "+bis", "+bis:third_card"}),
        (
            "ismcts:iterations=9,playout=human",
            {"rules", "ismcts", "ismcts:playout=human", "+human"},
        ),
        (
            "ismcts:bias=knowledge,model=t-200-100",
            {"rules", "ismcts", "ismcts:bias=knowledge", "networks", "+human"},
        ),
        (
            "ismcts:bias=experience",
            {"rules", "ismcts", "ismcts:bias=experience", "log-linear", "+human"},
        ),
        (
            "best:equivalence=off,duck=off+bis",
            {
                "rules",
                "best",
                "ismcts",
                "ismcts:playout=nil-aware",
                "ismcts:determinization=network",
                "+bis",
            },
        ),
        (
            "ismcts:determinization=posterior,players=rules",
            {
                *("rules", "ismcts", "+human", "ismcts:determinization=posterior"),
                "ismcts:determinization=posterior,players",
            },
        ),
        (
            "ismcts:determinization=network,players=rules",
            {"rules", "ismcts", "+human", "ismcts:determinization=network"},
        ),
        ("human:spread=0.5,player=7", {"rules", "human", "human:spread", "+human"}),
        ("human:person=devlin2016+rb", {"rules", "human", "human:person", "log-linear", "+rb"}),
        ("flat-ucb:seed=heuristic", {"rules", "flat-ucb", "flat-ucb:seed=heuristic", "+human"}),
    ],
)
def test_an_agent_depends_on_its_own_parts(text, parts):
    assert set(parts_of(text)) == parts


def test_a_changed_player_stales_its_own_results_only(monkeypatch):
    before = {text: behaviour_of(text) for text in ("srp", "uct", "srp+bis", "uct+bis")}
    change_behaviour(monkeypatch, parts=["uct"])
    stale = [text for text in before if behaviour_of(text) != before[text]]
    assert stale == ["uct", "uct+bis"]


@pytest.mark.parametrize("content", [None, "", "[]", '{"parts": 3}'])
def test_a_damaged_table_is_refused(tmp_path, content):
    path = tmp_path / "behaviour.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(UnknownBehaviourError, match=r"python -m experiments\.fingerprint_agents"):
        stored_fingerprints(path)


SEARCHES = "best", "ismcts", "ismcts:skew", "stars"
OTHERS = "+bis", "flat-mc", "srp", "uct"


def recomputed(folder, cache, *parts):
    """What the command says that has changed in the copy in ``folder``."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "SPADES_CACHE": str(cache)}
    run = subprocess.run(
        [sys.executable, "-B", "-m", "experiments.fingerprint_agents", *parts],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stderr.strip().removeprefix("changed: ").split(", ")


@pytest.mark.slow
def test_only_edits_that_change_decisions_change_fingerprints(tmp_path):
    shutil.copytree(ROOT / "spades", tmp_path / "spades", ignore=shutil.ignore_patterns("__pyc*"))
    shutil.copytree(ROOT / "experiments", tmp_path / "experiments")
    for name in ("beliefs", "tables", "models", "corpora"):
        shutil.copytree(ROOT / "data" / name, tmp_path / "data" / name)
    cache = tmp_path / "cache"
    if (cache_root() / "kernels").is_dir():  # what is compiled already needn't be again
        shutil.copytree(cache_root() / "kernels", cache / "kernels")
    assert recomputed(tmp_path, cache, "ismcts") == ["nothing"]
    compiled = set(cache.rglob("*.nbc"))

    source = tmp_path / "spades" / "search" / "select.py"
    text = source.read_text()
    assert "untried" in text
    source.write_text("# A comment.\n" + text.replace("untried", "not_yet_tried"))
    assert recomputed(tmp_path, cache, "ismcts") == ["nothing"]
    assert set(cache.rglob("*.nbc")) == compiled

    settings = tmp_path / "spades" / "search" / "settings.py"
    text = settings.read_text()
    declared = "exploration: float = option(\n        0.7,"
    assert text.count(declared) == 1
    settings.write_text(text.replace(declared, declared.replace("0.7", "0.9")))
    assert sorted(recomputed(tmp_path, cache, *SEARCHES, *OTHERS)) == sorted(SEARCHES)


def test_an_unknown_part_is_refused():
    command = [sys.executable, "-m", "experiments.fingerprint_agents", "uctt"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "no part is called uctt; the parts are rules," in run.stderr
