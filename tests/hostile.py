"""Files that a stranger may hand over, read in a process of their own whose memory is watched.

``python -m tests.hostile READER FILE...`` prints a line of JSON for each file: the error, if it was
refused, what was raised instead, and by how much the process has grown.
"""

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

SECONDS = 240  # for all files of a test, on a busy machine


def readers() -> dict[str, Callable[[Path], object]]:
    from analysis.runs.store import packed
    from spades.belief.network import load_network
    from spades.bidding.curves import load_curves
    from spades.human import load_model
    from spades.human.corpus import read_corpus
    from spades.notation import read_bytes, read_path

    return {
        "model": lambda path: load_model(str(path)),
        "corpus": read_corpus,
        "beliefs": load_network,
        "curves": load_curves,
        "packed": lambda path: packed(path, "a command"),
        "log": read_path,
        "upload": lambda path: read_bytes(path.read_bytes(), name=path.name),
    }


def read_apart(reader: str, paths: Sequence[Path]) -> list[dict[str, Any]]:
    """By file: ``refused``, ``raised`` and ``grown`` (MB)."""
    command = [sys.executable, "-m", "tests.hostile", reader, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _read(read: Callable[[Path], Any], path: Path) -> dict[str, Any]:
    from spades.core.errors import SpadesError

    before, found = _megabytes(), {"refused": "", "raised": ""}
    try:
        result = read(path)
        refused = getattr(result, "refused", ())
        if refused and not result.records:
            found["refused"] = str(refused[0])
    except SpadesError as error:
        found["refused"] = str(error)
    except Exception as error:  # what no reader may raise
        found["raised"] = repr(error)[:300]
    return {**found, "grown": _megabytes() - before}


if __name__ == "__main__":
    known = readers()
    for name in sys.argv[2:]:
        print(json.dumps(_read(known[sys.argv[1]], Path(name))), flush=True)
