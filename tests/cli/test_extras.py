"""What runs without any extra, and what a command says whose extra is missing."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions, requires
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


PRODUCT = ("app.py", "pages", "ui", "analysis", "spades")
COMES_WITH = {
    "anyio": "streamlit",
    "starlette": "streamlit",
    "distributed": "dask",
    "gymnasium": "pettingzoo",
}
NAME = re.compile(r"[A-Za-z0-9_.-]+")


def names_in(requirements):
    return {NAME.match(requirement)[0].lower().replace("_", "-") for requirement in requirements}


@cache
def installed_by(extra):
    """The distributions that the project asks for with this extra, or with none."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    requirements = project["optional-dependencies"][extra] if extra else project["dependencies"]
    found = names_in(requirements)
    for requirement in requirements:
        if requirement.startswith(project["name"]):
            for other in re.search(r"\[(.*)\]", requirement)[1].split(","):
                found |= installed_by(other)
    return found


def imported_packages():
    """Packages that the product imports, anywhere in a file, beyond Python's own and ours."""
    packages = set()
    for root in PRODUCT:
        path = ROOT / root
        for file in [path] if path.is_file() else path.rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Import):
                    packages |= {alias.name for alias in node.names}
                elif isinstance(node, ast.ImportFrom):
                    packages.add(node.module)
    tops = {package.partition(".")[0] for package in packages}
    return tops - sys.stdlib_module_names - {"spades", "analysis", "ui"}


bringers = cache(packages_distributions)
"""The installed distributions by package: reading all their metadata takes a while."""


def distributions_of(package):
    """The names under which a package may be asked for."""
    if package in COMES_WITH:
        bringer = COMES_WITH[package]
        assert package in names_in(requires(bringer))
        return {bringer}
    return names_in(bringers()[package])


def test_an_installation_brings_every_package_that_is_imported():
    declared = installed_by(None).union(
        *map(installed_by, ("adapters", "dashboard", "notebook", "train"))
    )
    for package in imported_packages():
        assert distributions_of(package) & declared, package


@pytest.mark.parametrize(("package", "extra"), EXTRA_OF_PACKAGE.items())
def test_the_extra_that_a_message_names_brings_the_package(package, extra):
    assert distributions_of(package) & installed_by(extra)
    assert not distributions_of(package) & installed_by(None)


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
