"""The wheel in an environment of its own, used from a folder whose files have our packages' names.

The environment sees the packages that this one has installed, so that it needs no network.
"""

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.request
import venv
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

import spades
from spades.cli.main import parse

ROOT = Path(__file__).resolve().parents[1]
pytestmark = [pytest.mark.exhaustive, pytest.mark.xdist_group("wheel"), pytest.mark.timeout(900)]

LEFT_OUT = (".git", ".venv", ".*_cache", ".hypothesis", "__pycache__", "build", "tests")
NAMES_OF_OURS = ("analysis", "app", "benchmarks", "cli", "data", "experiments", "pages", "ui")
WITH_OTHER_PACKAGES = ("cluster.md",)  # its Python needs dask-jobqueue and dask-kubernetes
TEXTS = (
    "README.md",
    *(
        f"docs/{path.name}"
        for path in sorted((ROOT / "docs").glob("*.md"))
        if path.name not in WITH_OTHER_PACKAGES
    ),
)
FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
QUICK = (
    "spades analyze",
    "spades solve",
    "spades style",
    "spades bid",
    "spades reproduce baier-table1",
)
"""Commands of the texts that are run; of the others, which take long or have a placeholder for a
file, the options are parsed."""
NOT_RUN = ("--review", "--scale", "py:", " million")
"""Of these commands: what takes long, and what needs a file of the user's."""
IMPORT_EVERYTHING = """
import importlib, pkgutil, spades
names = [module.name for module in pkgutil.walk_packages(spades.__path__, "spades.")]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
offered = [getattr(spades, name) for name in dir(spades)]  # some import on demand
print(len(names), spades.__file__)
"""
RUN_EVERY_PAGE = """
import json
from pathlib import Path
from streamlit.testing.v1 import AppTest
errors = {}
for page in ["", *sorted(path.name for path in Path("pages").glob("*.py"))]:
    app = AppTest.from_file("app.py", default_timeout=300)
    if page:
        app.switch_page(f"pages/{page}")
    app.run()
    errors[page] = [error.message for error in app.exception]
print(json.dumps(errors))
"""
TYPES = """
from spades.core.errors import Refusal

reveal_type(Refusal(1, "no such card").reason)
Refusal("1", "no such card")
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"  # a build leaves its files in the source
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(*LEFT_OUT))
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", folder, source], check=True)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The environment with the wheel, and a user's folder: ``run`` runs one of its programs there,
    ``start`` leaves it running."""
    base = tmp_path_factory.mktemp("environment")
    venv.create(base / "venv", symlinks=True)
    programs = base / "venv" / "bin"
    pip = [sys.executable, "-m", "pip", "--python", programs / "python", "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", wheel], check=True)
    scheme = {"base": str(base / "venv"), "platbase": str(base / "venv")}
    packages = Path(sysconfig.get_path("purelib", "venv", scheme))
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")

    user = base / "user"
    user.mkdir()
    for name in NAMES_OF_OURS:
        (user / f"{name}.py").write_text('raise RuntimeError("this is a file of the user")\n')
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
        "SPADES_DATA": "kept",
    }

    def arguments_of(*words):
        return {
            "args": [programs / words[0], *words[1:]],
            "cwd": user,
            "env": environment,
            "text": True,
        }

    def run(*words, **options):
        return subprocess.run(**(arguments_of(*words) | options), capture_output=True, check=False)

    def start(*words):
        return subprocess.Popen(
            **arguments_of(*words), stderr=subprocess.PIPE, start_new_session=True
        )

    return SimpleNamespace(run=run, start=start, user=user, package=packages / "spades")


def output_of(done):
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_nothing_but_spades_is_installed(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    (facts,) = {name.partition("/")[0] for name in names} - {"spades"}
    assert facts.endswith(".dist-info")
    assert "spades/py.typed" in names


def test_the_version_is_one(wheel, installed):
    assert wheel.name.startswith(f"spades_decision_lab-{spades.__version__}-")
    for words in (["spades"], ["python", "-m", "spades"]):
        assert output_of(installed.run(*words, "--version")) == f"spades {spades.__version__}\n"


def test_every_module_is_imported_beside_files_of_the_same_names(installed):
    n_modules, file = output_of(installed.run("python", "-c", IMPORT_EVERYTHING)).split()
    assert int(n_modules) > 150
    assert Path(file).parent == installed.package


def test_the_module_runs_beside_files_of_the_same_names(installed):
    hand = installed.package / "data" / "hands" / "bug-report-335.jsonl"
    command = ("python", "-m", "spades", "analyze", hand, "--ply", "24", "--json")
    (played,) = json.loads(output_of(installed.run(*command)))["rounds"]
    assert len(played["decisions"]) == 1


def snippets():
    """Every fenced block of the texts: (language, lines)."""
    for name in TEXTS:
        for language, block in FENCED.findall((ROOT / name).read_text("utf-8")):
            yield language, block.replace("data/", "{data}/")


def test_the_python_of_the_texts_runs(installed):
    blocks = [block for language, block in snippets() if language == "python"]
    assert blocks
    for block in blocks:
        code = block.replace("{data}", str(installed.package / "data"))
        output_of(installed.run("python", "-c", code))


def test_the_commands_of_the_texts_are_legal_and_the_quick_ones_run(installed):
    lines = {
        line.partition("#")[0].strip()
        for _, block in snippets()
        for line in block.splitlines()
        if line.startswith(("spades ", "python -m spades "))
    }
    assert len(lines) > 15
    for line in lines:
        command = line.replace("{data}", str(installed.package / "data"))
        words = shlex.split(command.removeprefix("python -m "))
        parse(words[1:])
        if line.startswith(QUICK) and not any(word in line for word in NOT_RUN):
            output_of(installed.run(*words))


def test_every_page_of_the_dashboard_runs(installed):
    folder = installed.package / "dashboard"
    done = installed.run("python", "-c", RUN_EVERY_PAGE, cwd=folder)
    errors = json.loads(output_of(done).splitlines()[-1])
    assert len(errors) == len(list((ROOT / "pages").glob("*.py"))) + 1
    assert not any(errors.values()), errors


@pytest.mark.parametrize("options", [[], ["--study"]])
def test_the_dashboard_is_served_with_its_own_configuration(installed, options):
    port = free_port()
    server = installed.start("spades", "dashboard", "--port", str(port), *options)
    try:
        assert server.stderr.readline().strip() == f"http://localhost:{port}"
        assert status_of(port, "localhost") == 200
        assert status_of(port, "evil.example") == 403
        if not options:
            assert (installed.user / "kept" / "games" / "access-token").is_file()
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.communicate(timeout=20)
    configuration = installed.package / "dashboard" / ".streamlit" / "config.toml"
    assert configuration.read_bytes() == (ROOT / ".streamlit" / "config.toml").read_bytes()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def status_of(port, host):
    """Of the landing page under a name of the server, asked for until the server is up."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/", headers={"host": f"{host}:{port}"}
    )
    for _ in range(600):
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status
        except urllib.error.HTTPError as refused:
            refused.close()
            return refused.code
        except OSError:
            time.sleep(0.1)
    return pytest.fail("the server doesn't answer")


def test_the_files_of_dashboard_are_those_of_the_checkout(installed):
    for room in ("pages", "ui"):
        files = {
            path.relative_to(ROOT).as_posix()
            for path in (ROOT / room).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        copies = installed.package / "dashboard"
        assert {name for name in files if not (copies / name).is_file()} == set()


def test_mypy_sees_the_types(installed, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(TYPES)
    python = installed.user.parent / "venv" / "bin" / "python"
    mypy = [sys.executable, "-m", "mypy", "--python-executable", python, "--cache-dir", tmp_path]
    done = subprocess.run([*mypy, script], cwd=tmp_path, capture_output=True, text=True)
    assert 'Revealed type is "str"' in done.stdout, done.stdout
    assert 'has incompatible type "str"; expected "int"' in done.stdout
