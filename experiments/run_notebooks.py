"""Execute the documentation's notebooks and store their outputs: ``python -m
experiments.run_notebooks [NAME ...]``.

A minute on two cores. Needs the extra ``dev``.
"""

import argparse
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from analysis.runs.command import say

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "notebooks"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def read_notebook(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def execute(notebook: Any, timeout: int = 600) -> Any:
    """The notebook with the outputs of a new run, from the checkout's root; ``timeout``: seconds a
    cell. Raises ``CellExecutionError`` where a cell does."""
    client = NotebookClient(
        notebook,
        timeout=timeout,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": str(ROOT)}},
    )
    executed = client.execute()
    executed.metadata = nbformat.from_dict(METADATA)
    return executed


def main() -> None:
    known = {path.stem: path for path in sorted(FOLDER.glob("*.ipynb"))}
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    names = parser.parse_args().names
    unknown = sorted(set(names) - set(known))
    if unknown:
        parser.error(f"no notebook is called {unknown[0]}; {', '.join(known)} are")
    for name in names or known:
        nbformat.write(execute(read_notebook(known[name])), known[name])
        say(f"{known[name].name}: stored")


if __name__ == "__main__":
    main()
