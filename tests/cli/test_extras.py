"""What runs without any extra, and what a command says whose extra is missing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import spades
from spades.cli.main import main
from spades.core.extras import EXTRA_OF_PACKAGE, MissingExtraError, explain_missing

ROOT = Path(__file__).parents[2]
HAND = ROOT / "data" / "hands" / "bug-report-335.jsonl"
LOG = ROOT / "data" / "logs" / "human-south.parquet"
RUN_WITHOUT_EXTRAS = """
import json, sys
packages, commands = json.load(sys.stdin)
sys.modules.update(dict.fromkeys(packages))  # they can't be imported
from spades.cli.main import main
print(json.dumps([main(command) for command in commands]), file=sys.stderr)
"""
LIGHT = (
    ["validate", HAND],
    ["convert", HAND, "hand.ptn"],
    ["analyze", HAND, "--ply", 24, "--iterations", 20],
    ["solve", HAND, "--ply", 44],
    ["bid", "--hand", "AKJ62.AQ.Q.K9543"],
)
OTHERS = {
    "cluster": ["match", "--ns", "random", "--ew", "random", "--games", 2],
    "dashboard": ["style", LOG],
}


def run_without_extras(commands, folder):
    """Exit statuses, and what was said."""
    texts = [[str(word) for word in command] for command in commands]
    done = subprocess.run(
        [sys.executable, "-c", RUN_WITHOUT_EXTRAS],
        input=json.dumps([list(EXTRA_OF_PACKAGE), texts]),
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "SPADES_RESULTS": str(folder)},
        capture_output=True,
        text=True,
    )
    *said, statuses = done.stderr.splitlines()
    return json.loads(statuses), said


def test_the_light_core_reads_searches_solves_and_bids(tmp_path):
    statuses, said = run_without_extras(LIGHT, tmp_path)
    assert statuses == [0] * len(LIGHT), said


@pytest.mark.parametrize("extra", list(OTHERS))
def test_a_command_says_which_extra_it_lacks(tmp_path, extra):
    statuses, said = run_without_extras([OTHERS[extra]], tmp_path)
    assert statuses == [1]
    assert said[-1].endswith(f"is not installed: pip install 'spades-decision-lab[{extra}]'")


def test_other_modules_that_are_missing_are_errors():
    with pytest.raises(ModuleNotFoundError):
        explain_missing(ModuleNotFoundError(name="spades.nothing"))
    assert isinstance(explain_missing(ModuleNotFoundError(name="torch.nn")), MissingExtraError)


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"spades {spades.__version__}\n"
