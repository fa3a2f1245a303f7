"""The documentation hangs together: links, lists of pages, what is made of code and data."""

import importlib
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import spades
from analysis.papers.counting import NUMBER, counted
from analysis.papers.figures import FIGURES
from analysis.papers.notes import MAIN, question_of
from analysis.papers.results import annotated, shipped_documents
from analysis.papers.sources import SOURCES
from analysis.papers.verdicts import texts_of
from experiments.document_papers import index_text, page_text
from experiments.draw_papers import pictures_of
from experiments.draw_search import FOLDER, pictures

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
TEXTS = [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)(?:#([^)\s]+))?\)")
SQUARE_INTERVAL = re.compile(r"(?<![`\w])\[[+−-]?\d[\d.,]*%?(?:,| to) ?[+−-]?\d[\d.]*%?\](?!`)")
TREE = re.compile(r"^```\{toctree\}\n(.*?)^```", re.MULTILINE | re.DOTALL)
DIRECTIVE = re.compile(
    r"^\.\. auto(?:function|class):: (\S+)(?:\n   :members: (.*))?", re.MULTILINE
)


def anchors_of(page):
    """Of the headings, as GitHub and MyST make them."""
    titles = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", title.lower()) for title in titles]
    return {title.replace(" ", "-") for title in plain}


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.name)
def test_links_lead_to_files_and_headings(page):
    for target, anchor in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        path = page.parent / target
        assert path.exists(), target
        if anchor:
            assert anchor in anchors_of(path), f"{target}#{anchor}"


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.name)
def test_intervals_are_written_as_on_pages(page):
    """``0.97 (0.88 to 0.99)``; square brackets are JSON's."""
    assert not SQUARE_INTERVAL.findall(FENCE.sub("", page.read_text(encoding="utf-8")))


def listed_in(page):
    """The pages that a page's trees list."""
    for block in TREE.findall((DOCS / f"{page}.md").read_text(encoding="utf-8")):
        lines = [line for line in block.splitlines() if line and not line.startswith(":")]
        yield from (re.sub(r".*<(.*)>", r"\1", line) for line in lines)


def test_every_page_and_notebook_is_listed_once():
    listed = [*listed_in("index"), *listed_in("notebooks")]
    pages = [page.stem for page in PAGES if page.stem != "index"]
    notebooks = [f"notebooks/{path.stem}" for path in (DOCS / "notebooks").glob("*.ipynb")]
    assert sorted(listed) == sorted([*pages, *notebooks, "experiments/index"])


def named_in_the_api():
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    for name, members in DIRECTIVE.findall(text):
        yield name, [member.strip() for member in members.split(",") if member]


def test_the_api_has_every_public_name():
    names = {name for name, _ in named_in_the_api()}
    expected = {f"spades.{name}" for name in spades.__all__ if name != "search"}
    assert expected | {"spades.search.search"} <= names


def test_what_the_api_names_is_there_and_has_docstrings():
    for name, members in named_in_the_api():
        module, _, last = name.rpartition(".")
        thing = getattr(importlib.import_module(module), last)
        assert thing.__doc__, name
        for member in members:
            assert hasattr(thing, member), f"{name}.{member}"


def test_stored_pictures_of_a_search_are_what_is_drawn():
    drawn = pictures()
    assert {path.name for path in FOLDER.glob("search-*.svg")} == set(drawn)
    page = (DOCS / "principles.md").read_text(encoding="utf-8")
    for name, text in drawn.items():
        assert (FOLDER / name).read_text(encoding="utf-8") == f"{text}\n", name
        assert ElementTree.fromstring(text).tag.endswith("svg")
        assert f"(images/{name})" in page


@pytest.fixture(scope="module")
def documents():
    return annotated(shipped_documents())


def test_every_experiment_has_a_page_with_all_of_its_rows(documents):
    assert set(documents) == {figure.id for figure in FIGURES}
    index = index_text(documents)
    for figure in FIGURES:
        document = documents[figure.id]
        page = page_text(figure, document)
        assert f"({figure.id}.md)" in index
        assert question_of(figure.id).endswith("?")
        assert question_of(figure.id) in page
        assert SOURCES[figure.paper].link in page
        assert figure.command in page
        assert (ROOT / re.search(r"`(experiments/papers/\w+\.py)`", page)[1]).is_file()
        shown = page.replace("\\|", "|").replace("\\\\", "\\")
        for row in [*document["rows"], *document["readings"]]:
            texts = texts_of(row)
            line = (
                f"| {texts['claim']} | {texts['published']} | {texts['ours']} ({texts['interval']})"
            )
            assert line in shown, line
        for row in document["rows"]:
            assert row["explanation"] in page
        assert f"**Found**: of {len(counted(document))} row" in page


def test_pictures_of_an_experiment_have_a_dot_a_number(documents):
    for document in documents.values():
        of_units = {}
        for row in document["rows"]:
            if row["kind"] == NUMBER and row["reading"] == MAIN and row["interval"]:
                of_units.setdefault(row.get("unit", ""), []).append(row)
        expected = [rows for rows in of_units.values() if len(rows) > 1]
        for picture, rows in zip(pictures_of(document["rows"]), expected, strict=True):
            root = ElementTree.fromstring(picture)
            dots = [element for element in root.iter() if element.tag.endswith("circle")]
            assert len(dots) == len(rows)
            order = sorted(range(len(rows)), key=lambda i: rows[i]["ours"])
            places = [float(dots[i].get("cx")) for i in order]
            assert places == sorted(places)
            assert 330 < places[0] <= places[-1] < 680


def test_sources_are_digital_object_identifiers():
    assert {figure.paper for figure in FIGURES} == set(SOURCES)
    page = (DOCS / "papers.md").read_text(encoding="utf-8")
    for source in SOURCES.values():
        assert source.link in page
        assert re.fullmatch(r"10\.\d{4,}/\S+", source.doi)
        assert f"]({source.link})" in source.markdown()
