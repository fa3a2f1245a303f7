"""The image's steps, run on this machine: its locked packages, its build, its command, and the
scheduler and workers that compose.yaml starts beside it."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from importlib.metadata import requires
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from spades.cli.main import parse
from tests.test_wheel import free_port, status_of

ROOT = Path(__file__).resolve().parents[1]
PINNED = re.compile(r"^([\w.-]+)==([\w.]+)", re.MULTILINE)
MATCH = ("match", "--ns", "ismcts:iterations=200", "--ew", "srp", "--games", "60", "--json")


def pins(name):
    versions = PINNED.findall((ROOT / name).read_text())
    return {package.lower().replace("_", "-"): version for package, version in versions}


def instructions():
    """The Dockerfile's instructions, in order: (word, rest)."""
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [tuple(line.split(maxsplit=1)) for line in lines]


@pytest.fixture(scope="module")
def services():
    return yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]


def test_the_lock_has_the_versions_that_are_tested_with_their_hashes():
    locked = pins("requirements.lock")
    tested = pins("constraints.txt")
    only_elsewhere = {name for name in locked if name not in tested}
    assert {name: tested[name] for name in locked if name in tested} == {
        name: version for name, version in locked.items() if name in tested
    }
    assert only_elsewhere <= {"colorama", "tzdata", "pywin32"}, "packages of other systems"
    entries = (ROOT / "requirements.lock").read_text().split("\n\n")[0]
    n_hashed = len(re.findall(r"^[\w.-]+==\S.*\\\n    --hash=sha256:", entries, re.MULTILINE))
    assert n_hashed == len(locked)


def test_the_lock_has_all_that_the_dashboard_needs():
    locked = pins("requirements.lock")
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    waiting = [Requirement(line) for line in lines if re.match(r"\w", line)]
    seen = set()
    while waiting:
        asked = waiting.pop()
        name = asked.name.lower().replace("_", "-")
        applies = asked.marker is None or asked.marker.evaluate({"extra": ""})
        if name == "torch" or name in seen or not applies:  # the image trains no networks
            continue
        seen.add(name)
        assert name in locked
        waiting += [Requirement(line) for line in requires(asked.name) or ()]
    assert len(seen) > 40


def test_services_run_legal_commands_and_only_the_dashboard_is_reachable(services):
    app = services["app"]
    command = re.sub(r"\$\{\w+:-(\w+)\}", r"\1", app["command"])
    assert parse(shlex.split(command)[1:]).host == ["localhost"]
    assert all(port.startswith("127.0.0.1:") for port in app["ports"])
    assert not any("ports" in services[name] for name in ("scheduler", "worker"))
    assert app["environment"]["SPADES_SCHEDULER"] in services["worker"]["command"]


def allowed_files(folder):
    """What .dockerignore lets into the build, copied into ``folder``."""
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    left_out = shutil.ignore_patterns("__pycache__", ".*")
    for line in lines:
        if not line.startswith("!"):
            continue
        source = ROOT / line[1:]
        target = folder / line[1:]
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=left_out)
        else:
            shutil.copyfile(source, target)


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """The environment and folder of the image's command, after the steps of its build."""
    base = tmp_path_factory.mktemp("image")
    places = {"/source": base / "source", "/opt/spades": base / "venv", "/data": base / "data"}
    for name in ("source", "data", "home"):
        (base / name).mkdir()
    allowed_files(places["/source"])

    def moved(text):
        for place, folder in places.items():
            text = re.sub(rf"{place}(?=[/:\s]|$)", str(folder), text)
        return text

    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment = {**kept, "HOME": str(base / "home"), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    for word, rest in instructions():
        if word == "ENV":
            for assignment in moved(rest).split():
                name, value = assignment.split("=", 1)
                environment[name] = value.replace("$PATH", environment["PATH"])
        elif word == "RUN" and not rest.startswith("useradd"):
            command = moved(rest).replace("python -m venv", f"{sys.executable} -m venv")
            done = subprocess.run(
                command, shell=True, cwd=base / "source", env=environment, capture_output=True
            )
            assert done.returncode == 0, done.stderr.decode()
    return {"cwd": base / "home", "env": environment, "text": True}


@contextmanager
def running(words, options):
    process = subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True, **options
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.exhaustive
@pytest.mark.timeout(900)
@pytest.mark.xdist_group("image")
class TestTheImage:
    def test_its_command_serves_the_dashboard_and_keeps_its_data_in_the_volume(self, image):
        commands = [json.loads(rest) for word, rest in instructions() if word == "CMD"]
        port = free_port()
        with running([*commands[-1], "--port", str(port)], image):
            assert status_of(port, "localhost") == 200
            health = next(rest for word, rest in instructions() if word == "HEALTHCHECK")
            check = health.partition("CMD ")[2].replace("8501", str(port))
            subprocess.run(check, shell=True, check=True, **image)
        assert (Path(image["env"]["SPADES_DATA"]) / "games" / "access-token").is_file()

    def test_a_match_goes_on_where_one_of_two_workers_is_killed(self, image, services):
        port = free_port()
        address = f"tcp://127.0.0.1:{port}"
        scheduler = shlex.split(services["scheduler"]["command"])
        worker = services["worker"]["command"].replace("tcp://scheduler:8786", address)
        with ExitStack() as stack:
            asked = [*scheduler, "--host", "127.0.0.1", "--port", str(port)]
            stack.enter_context(running(asked, image))
            workers = [stack.enter_context(running(shlex.split(worker), image)) for _ in range(2)]
            command = ["spades", *MATCH, "--scheduler", address]
            match = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **image
            )
            for line in match.stderr:
                if re.match(r"[1-9]\d* of", line):  # some parts are done
                    os.killpg(workers[0].pid, signal.SIGKILL)
                    workers[0].wait()
                    break
            out, said = match.communicate(timeout=300)
        assert match.returncode == 0, said
        assert workers[0].returncode == -signal.SIGKILL
        assert json.loads(out)["games"] == 60
