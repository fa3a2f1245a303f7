"""The recipes of ``docs/cluster.md``, as far as they can be tried on one machine."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.test_wheel import free_port

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
SBATCH = '''#!{python}
"""Starts a job's script here, as a stand-in for SLURM's command."""
import subprocess
import sys

with open("jobs", "a") as jobs:
    job = subprocess.Popen(["bash", sys.argv[1]], stdout=jobs, stderr=jobs)
print("Submitted batch job", job.pid)
'''
SCANCEL = """#!{python}
import os
import signal
import sys

for job in sys.argv[1:]:
    os.kill(int(job), signal.SIGTERM)
"""


def snippet(word):
    (block,) = (block for block in PYTHON if word in block)
    return block


def shown_job_script():
    (block,) = re.findall(r"```sh\n(#!.*?)```", PAGE, re.DOTALL)
    return block.strip()


def run_python(code, folder, **environment):
    """A snippet in a process of its own."""
    command = [sys.executable, "-W", "ignore", "-c", code]
    kept = os.environ | {"PYTHONPATH": str(ROOT)} | environment
    return subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True)


def test_the_job_script_is_what_dask_jobqueue_makes(tmp_path):
    pytest.importorskip("dask_jobqueue")
    done = run_python(snippet("job_script"), tmp_path)
    assert done.returncode == 0, done.stderr
    made = done.stdout.strip().replace(sys.executable, "PYTHON")
    assert re.sub(r"tcp://\S+", "SCHEDULER", made) == shown_job_script()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_workers_of_jobs_play_a_match(tmp_path):
    """With a stand-in for SLURM, and jobs of two workers."""
    pytest.importorskip("dask_jobqueue")
    for name, text in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        (tmp_path / name).write_text(text.format(python=sys.executable))
        (tmp_path / name).chmod(0o755)
    code = snippet("job_script").replace("processes=16", "processes=2").replace("32GB", "4GB")
    code = code.replace("cores=16", "cores=2") + snippet("scale").replace("jobs=4", "jobs=1")
    match = ["match", "--ns", "random+random", "--ew", "srp", "--games", "20", "--json"]
    code += f"""
import subprocess, sys
command = [sys.executable, "-m", "spades", *{match!r}, "--scheduler", cluster.scheduler_address]
print(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
print("workers", len(cluster.scheduler_info["workers"]))
cluster.close()
"""
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = run_python(code, tmp_path, PATH=path, SPADES_RESULTS=str(tmp_path / "results"))
    assert done.returncode == 0, done.stderr
    assert '"games": 20' in done.stdout
    assert "workers 2" in done.stdout


def container_of(spec, part):
    (container,) = spec["spec"][part]["spec"]["containers"]
    return container


def kubernetes_spec():
    pytest.importorskip("dask_kubernetes")
    names = {}
    exec(snippet("make_cluster_spec"), names)
    return names["spec"]


def test_the_specification_is_what_kubernetes_is_asked_for():
    spec = kubernetes_spec()
    assert spec["kind"] == "DaskCluster"
    assert spec["metadata"]["name"] == "spades"
    assert spec["spec"]["worker"]["replicas"] == 16
    for part in ("scheduler", "worker"):
        container = container_of(spec, part)
        assert container["image"].startswith("registry.example.org/spades-decision-lab:")
        assert container["args"][0] == "dask"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_commands_of_pods_start():
    """With the ports and the names that the operator would give them."""
    spec = kubernetes_spec()
    bin_folder = Path(sys.executable).parent
    port, board = free_port(), free_port()
    scheduler = [*container_of(spec, "scheduler")["args"], "--port", str(port)]
    scheduler += ["--dashboard-address", f":{board}"]
    worker = list(container_of(spec, "worker")["args"])
    worker = shlex.split(shlex.join(worker).replace("'$(DASK_WORKER_NAME)'", "pod-1"))
    worker[worker.index("--dashboard-address") + 1] = f":{free_port()}"
    address = f"tcp://127.0.0.1:{port}"
    processes = []
    try:
        for words in (scheduler, worker):
            words[0] = str(bin_folder / words[0])
            kept = os.environ | {"DASK_SCHEDULER_ADDRESS": address}
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            processes.append(subprocess.Popen(words, env=kept, start_new_session=True, **quiet))
            time.sleep(1)
        code = (
            "from distributed import Client\n"
            f"client = Client({address!r}, timeout=60)\n"
            "client.wait_for_workers(1, timeout=60)\n"
            "print(client.submit(sum, [1, 2]).result())\n"
        )
        done = run_python(code, ROOT)
        assert done.stdout.strip() == "3", done.stderr
    finally:
        for process in processes:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
