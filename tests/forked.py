"""Runs pytest as often as it is asked, each time in a fork of a process that has the libraries.

``python -P tests/forked.py``, in the folder of the tests. Reads lines, each a list of pytest's
arguments, and answers each with a line, ``[status, output]``; both are JSON. Importing numba and
the like takes a second, more than most of the tests that it is asked for.
"""

import importlib
import json
import os
import sys
import tempfile

LIBRARIES = ("hypothesis", "numba", "pandas", "pytest", "scipy.optimize", "scipy.stats")


def run(arguments: list[str]) -> tuple[int, str]:
    """Exit status and output of pytest in a fork, which leaves nothing behind here."""
    with tempfile.TemporaryFile("w+") as output:
        child = os.fork()
        if not child:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            sys.path.insert(0, os.getcwd())  # as ``python -m pytest`` does
            pytest = importlib.import_module("pytest")
            status = pytest.main(arguments)
            sys.stdout.flush()
            os._exit(status)
        _, status = os.waitpid(child, 0)
        output.seek(0)
        return os.waitstatus_to_exitcode(status), output.read()


def main() -> None:
    for name in LIBRARIES:
        importlib.import_module(name)
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
