"""Every Python snippet and every command of the documentation runs, or is legal."""

import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path

import pytest

from spades.agents.own import OWN_BIDDERS, OWN_PLAYERS
from spades.cli.main import parse
from spades.human.own import OWN_PRIORS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCED = re.compile(r"^```(\w+)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
TESTED_APART = ("cluster.md",)
"""In ``test_cluster.py``, since its Python needs other packages."""


def blocks_of(page, language):
    text = page.read_text(encoding="utf-8")
    return [block for found, block in FENCED.findall(text) if found == language]


def with_language(language):
    pages = [page for page in PAGES if page.name not in TESTED_APART and blocks_of(page, language)]
    return pytest.mark.parametrize("page", pages, ids=lambda page: page.name)


@pytest.fixture(autouse=True)
def forget():
    """What a snippet registers is gone after it."""
    yield
    for registry in (OWN_PLAYERS, OWN_BIDDERS, OWN_PRIORS):
        registry.clear()


@with_language("python")
def test_python_runs(page):
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        for block in blocks_of(page, "python"):
            exec(block, {"__name__": "__main__"})
    assert shown.getvalue()


@with_language("pycon")
def test_examples_print_what_the_page_says(page):
    """A page is one session: a snippet goes on from those above it."""
    session = "\n\n".join(blocks_of(page, "pycon"))
    examples = doctest.DocTestParser().get_doctest(session, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(verbose=False)
    said = io.StringIO()
    runner.run(examples, out=said.write)
    assert runner.summarize(verbose=False).failed == 0, said.getvalue()


def commands():
    """Every command line of a fenced block, with its page's name."""
    for page in PAGES:
        for _, block in FENCED.findall(page.read_text(encoding="utf-8")):
            for line in block.splitlines():
                if line.startswith(("spades ", "python -m spades ")):
                    yield page.name, line.partition("#")[0].strip()


def test_commands_are_legal():
    seen = set()
    for page, line in commands():
        words = shlex.split(line.removeprefix("python -m "))
        parse(words[1:])  # ends the process where a word isn't legal
        seen.add(page)
    assert {"README.md", "commands.md", "inspect.md", "bids.md", "cluster.md"} <= seen


NO_PROSE = re.compile(
    r"^```.*?^```|\$\$.*?\$\$|\$[^$]+\$|\]\([^)]*\)|`[^`]*`|\b(19|20)\d\d\b|^Sources:.*",
    re.MULTILINE | re.DOTALL,
)
OF_THE_TEXT = {"84478", "200", "1000000"}
"""Numbers that a picture shows, and the leading digits of one that is printed."""


def test_numbers_in_the_text_on_the_search_are_printed_by_its_snippets():
    page = ROOT / "docs" / "principles.md"
    printed = "\n".join(blocks_of(page, "pycon")).replace("_", "")
    assert "84478098072866400" in printed
    prose = NO_PROSE.sub("", page.read_text(encoding="utf-8"))
    numbers = {text.replace(",", "") for text in re.findall(r"\d[\d,]*\d", prose)}
    assert len(numbers) > 10
    for number in numbers - OF_THE_TEXT:
        assert re.search(rf"\b{number}\b", printed), number
