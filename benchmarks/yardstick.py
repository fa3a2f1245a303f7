"""Another program's search, compiled and run beside ours."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def compile_yardstick(source: Path) -> Iterator[Path]:
    """The yardstick as a program in a temporary folder; OSError without compiler or source."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise OSError("no C compiler (cc, gcc, clang) on this machine")
    if not source.is_file():
        raise OSError(f"no yardstick at {source}")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "yardstick"
        flags = ["-O3", "-march=native", "-ffast-math"]
        subprocess.run([compiler, *flags, source, "-o", program, "-lm"], check=True)
        yield program


def yardstick_milliseconds(program: Path, iterations: int, positions: int) -> float:
    """Its mean time of a decision, ms."""
    output = subprocess.run(
        [program, str(iterations), str(positions)], check=True, capture_output=True, text=True
    ).stdout
    return float(json.loads(output)["mean_ms"])
