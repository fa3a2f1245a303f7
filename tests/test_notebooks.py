"""The notebooks of the documentation: they run, and give the outputs that are stored in them."""

import re
import time

import nbformat
import pytest

from experiments.run_notebooks import FOLDER, execute, read_notebook

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
MOST_BYTES = 100_000
MOST_SECONDS = 300  # on a machine with other work; alone they take under a minute
STYLE = re.compile(r"<style.*?</style>", re.DOTALL)


def outputs_of(notebook):
    """What people read of the outputs of each cell: text and HTML, without style sheets."""
    return [read_of(cell) for cell in notebook.cells if cell.cell_type == "code"]


def read_of(cell):
    """What is printed one after another is one text: a kernel sends it in pieces by time."""
    texts = []
    was_printed = False
    for output in cell.outputs:
        is_printed = output.output_type == "stream"
        if is_printed and was_printed:
            texts[-1] += output.text
        else:
            texts += [output.text] if is_printed else texts_of(output)
        was_printed = is_printed
    return texts


def texts_of(output):
    return [
        STYLE.sub("", output.data[kind])
        for kind in ("text/plain", "text/html")
        if kind in output.data
    ]


def test_there_are_three_notebooks():
    assert [path.stem for path in NOTEBOOKS] == [
        "compare_two_styles", "inspect_a_decision", "tune_a_bias",
    ]  # fmt: skip


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_stored_notebook_is_executed_small_and_names_no_machine(path):
    notebook = read_notebook(path)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert not [output for cell in code for output in cell.outputs if output.output_type == "error"]
    assert path.stat().st_size < MOST_BYTES
    text = path.read_text(encoding="utf-8")
    assert "simulated" in text or path.stem == "inspect_a_decision"
    assert not re.search(r"/(home|tmp|work|root|Users)/", text)


@pytest.mark.slow
@pytest.mark.timeout(2 * MOST_SECONDS)
@pytest.mark.xdist_group("notebooks")
@pytest.mark.filterwarnings("default")  # of the packages that run a kernel
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_gives_what_is_stored_in_it(path):
    stored = outputs_of(read_notebook(path))
    started = time.monotonic()
    found = outputs_of(execute(read_notebook(path)))
    assert found == stored
    assert time.monotonic() - started < MOST_SECONDS


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_another_output_would_be_seen():
    cell = nbformat.v4.new_code_cell("print(1 + 1)")
    notebook = nbformat.v4.new_notebook(cells=[cell])
    cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text="3\n")]
    stored = outputs_of(notebook)
    assert stored == [["3\n"]]
    assert outputs_of(execute(notebook)) == [["2\n"]]
