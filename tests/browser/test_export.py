"""A figure as people take it away: every format, light on a dark screen, with caption and data."""

import csv
import io
import re
import struct
import zipfile
import zlib
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from analysis.papers.results import load_results
from spades.look.tokens import DARK, LIGHT, channels
from tests.browser.charts import go_to
from tests.browser.pdfs import read_pdf
from tests.browser.test_every_page import AXE, FAULTS, RULES

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser-2")]

PIXELS = {"column": 1004, "page": 2055, "slide": 1920}
MILLIMETRES = {"column": 85, "page": 174}
KINDS = ("svg", "pdf", "png", "csv", "txt")
FIGURE = "devlin-table1"
CAPTION = "KL divergence, ours and published."
PAGES_WITH_FIGURES = (
    "?hand=bug-report-335&ply=24",
    "?hand=bug-report-335&ply=24&tab=cards",
    "?hand=bug-report-335&ply=24&tab=searches",
    "Style?logs=human-south&classes=68",
    "Style?view=who&log=human-south",
    "Tune?view=frontier",
    "Tune?view=frontier&chart=heat",
    "Tune?view=ladder",
    "Bids?hand=5432.32.5432.432&previous=3,3",
    "Bids?view=curves",
    "Bids?view=surface&form=map",
    "Agents?chart=points",
    "Agents?view=best",
    "Agents?view=compare",
    f"Papers?figure={FIGURE}",
)
SCHEMES = ("light", "dark")
MODULE = (
    "([name, make, ...given]) => import(`/export/${name}.js`).then((all) => all[make](...given))"
)


class Exported:
    """The dialog of one figure, opened."""

    def __init__(self, visitor, button):
        self.page = visitor.page
        self.button = button
        button.scroll_into_view_if_needed()
        button.click()
        self.dialog = self.page.get_by_role("dialog", name="Export this figure")
        expect(self.dialog.locator("img")).to_have_attribute("src", re.compile("^blob:"))

    def choose(self, width):
        before = self.dialog.locator("img").get_attribute("src")
        chosen = self.dialog.locator(f"[value={width}]")
        if not chosen.is_checked():
            chosen.check()
            expect(self.dialog.locator("img")).not_to_have_attribute("src", before)

    def save(self, kind):
        """The file's name and content."""
        with self.page.expect_download() as started:
            self.dialog.locator(f"[data-kind={kind.upper()}]").click()
        return started.value.suggested_filename, Path(started.value.path()).read_bytes()

    def close(self):
        self.page.keyboard.press("Escape")
        expect(self.dialog).to_be_hidden()
        expect(self.button).to_be_focused()


def buttons(visitor):
    """Of all figures in sight; those in closed panels don't count."""
    found = visitor.page.get_by_role("button", name=re.compile("^Export: "))
    expect(found.first).to_be_visible()
    return found


def named(visitor, button):
    """The same button by its name: a page goes on adding figures, before others too."""
    label = button.get_attribute("aria-label")
    return visitor.page.get_by_role("button", name=label, exact=True)


def figure(visitor, key):
    box = visitor.page.locator(f"[class*='st-key-{key}']")
    return Exported(visitor, box.get_by_role("button", name=f"Export: {CAPTION[:-1]}"))


@pytest.fixture(scope="module")
def papers(visit_once):
    return go_to(visit_once(color_scheme="dark"), f"Papers?figure={FIGURE}")


@pytest.fixture(scope="module")
def picture(papers):
    return figure(papers, FIGURE.replace("-", "_"))


def png_chunks(data):
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    at = 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        content = data[at + 8 : at + 8 + length]
        (crc,) = struct.unpack(">I", data[at + 8 + length : at + 12 + length])
        assert crc == zlib.crc32(kind + content)
        yield kind, content
        at += 12 + length


def see_light_svg(data):
    """An SVG of light colours alone, on white paper; returns the pieces of its texts."""
    text = data.decode("utf-8")
    colors = set(re.findall(r"rgba?\((\d+), (\d+), (\d+)", text))
    colors |= {
        tuple(map(str, channels(f"#{found}"))) for found in re.findall(r"#([0-9a-f]{6})\b", text)
    }
    dark = {tuple(map(str, channels(color))) for color in set(DARK.values()) - set(LIGHT.values())}
    assert not colors & dark
    root = ElementTree.fromstring(text)
    paper = root.find("{*}rect").get("style")
    assert paper == f"fill: rgb{channels(LIGHT['surface'])};"
    nodes = root.iter("{http://www.w3.org/2000/svg}text")
    return {piece for node in nodes for piece in node.itertext() if piece.strip()}


def see_png(data, width):
    chunks = dict(png_chunks(data))
    pixels, _ = struct.unpack(">II", chunks[b"IHDR"][:8])
    assert pixels == PIXELS[width]
    density, _, unit = struct.unpack(">IIB", chunks[b"pHYs"])
    if width in MILLIMETRES:
        assert (unit, pixels / density * 1000) == (1, pytest.approx(MILLIMETRES[width], abs=0.1))
    return chunks


@pytest.mark.slow
def test_a_figure_is_saved_in_every_format_light_and_with_its_caption(picture):
    for width in PIXELS:
        picture.choose(width)
        files = {kind: picture.save(kind) for kind in ("svg", "pdf", "png")}
        assert {name for name, _ in files.values()} == {f"spades-{FIGURE}.{kind}" for kind in files}
        texts = see_light_svg(files["svg"][1])
        assert CAPTION in texts
        assert "Baseline ISMCTS" in texts
        chunks = see_png(files["png"][1], width)
        pdf = read_pdf(files["pdf"][1])
        assert set(pdf.texts) == texts
        assert (pdf.n_images, pdf.n_fonts) == (0, 1)
        assert " ".join(pdf.operators).count(" c ") >= 12, "round marks are curves"
        if width in MILLIMETRES:
            assert pdf.size[0] / 72 * 25.4 == pytest.approx(MILLIMETRES[width], abs=0.01)
    said = (
        f"Description\0\0\0\0\0Papers · Spades decision lab\n\n{CAPTION[:-1]}. KL(humans".encode()
    )
    assert chunks[b"iTXt"].startswith(said)


def test_a_caption_can_be_left_out(picture):
    picture.choose("page")
    caption = picture.dialog.get_by_label("Caption under the figure")
    with_caption = read_pdf(picture.save("pdf")[1])
    caption.uncheck()
    without = read_pdf(picture.save("pdf")[1])
    caption.check()
    assert set(with_caption.texts) - set(without.texts) == {CAPTION}
    assert with_caption.size[1] > without.size[1]


def test_the_data_are_the_numbers_that_the_chart_was_drawn_from(picture):
    rows = list(csv.DictReader(io.StringIO(picture.save("csv")[1].decode("utf-8"))))
    points = load_results()[FIGURE]["points"]
    assert len(rows) == len(points)
    drawn = {(point["series"], point["x"]): point for point in points}
    for row in rows:
        value = float(row["x"])
        point = drawn[row["series"], row["y"]]
        assert value == pytest.approx(point["y"])
        if row["x less"]:
            ends = value - float(row["x less"]), value + float(row["x more"])
            assert ends == pytest.approx(interval_of(point))


def interval_of(point):
    """Of a published point, its margin."""
    if point["margin"] is None:
        return point["low"], point["high"]
    return point["y"] - point["margin"], point["y"] + point["margin"]


def test_all_of_it_in_one_zip(picture):
    name, data = picture.save("zip")
    assert name == f"spades-{FIGURE}.zip"
    archive = zipfile.ZipFile(io.BytesIO(data))
    assert archive.testzip() is None
    assert archive.namelist() == [f"spades-{FIGURE}.{kind}" for kind in KINDS]
    assert archive.read(f"spades-{FIGURE}.csv") == picture.save("csv")[1]
    text = archive.read(f"spades-{FIGURE}.txt").decode("utf-8")
    address = re.search(r"^Shown again by (\S+)$", text, re.MULTILINE)[1]
    assert urlsplit(address).path == "/Papers"
    assert f"Made again by python -m spades reproduce {FIGURE} --scale full" in text


def test_the_dialog_can_be_used_by_keyboard_and_read_aloud(papers, picture):
    papers.page.evaluate(AXE)
    for scheme in SCHEMES:
        papers.page.emulate_media(color_scheme=scheme)
        papers.page.wait_for_timeout(300)  # until the page has its colours
        assert papers.page.evaluate(FAULTS, RULES["light"]) == []
    papers.page.emulate_media(color_scheme="dark")
    picture.close()
    picture.button.press("Enter")
    expect(picture.dialog).to_be_visible()
    papers.page.mouse.click(5, 5)  # beside it
    expect(picture.dialog).to_be_hidden()
    picture.button.click()
    picture.dialog.get_by_role("button", name="Close").click()
    expect(picture.dialog).to_be_hidden()
    picture.button.click()


@pytest.mark.slow
def test_a_phone_has_the_whole_dialog_and_the_pages_keys_rest_meanwhile(visit):
    visitor = visit(is_apart=True, viewport={"width": 390, "height": 844}, has_touch=True)
    visitor.open("?hand=bug-report-335&ply=24&iterations=500&tab=searches").see_rows()
    shown = Exported(visitor, named(visitor, buttons(visitor).first))
    for button in shown.dialog.get_by_role("button").all():
        box = button.bounding_box()
        assert 0 <= box["x"] < box["x"] + box["width"] <= 390
        assert 0 <= box["y"] < box["y"] + box["height"] <= 844
        assert box["height"] >= 24
    shown.dialog.get_by_label("Column").focus()
    visitor.press("ArrowRight", "ArrowRight")
    assert shown.dialog.locator("[value=slide]").is_checked()
    assert visitor.ply == 24
    see_png(shown.save("png")[1], "slide")
    shown.close()
    visitor.press("ArrowLeft")
    visitor.see_ply(23)


@pytest.mark.slow
def test_panels_side_by_side_stand_one_under_the_other_in_a_column(visit):
    visitor = go_to(visit(), "Style?logs=human-south")
    box = visitor.page.locator("[class*='st-key-style_panels']")
    shown = Exported(visitor, box.get_by_role("button", name=re.compile("^Export: ")))
    shapes = {}
    for width in ("column", "page"):
        shown.choose(width)
        root = ElementTree.fromstring(shown.save("svg")[1])
        shapes[width] = [float(number) for number in root.get("viewBox").split()[2:]]
    assert shapes["column"][0] == 480, "no text lies on another"
    assert shapes["column"][1] > 2 * shapes["page"][1]


def test_texts_of_records_are_no_formulas_and_packed_numbers_are_numbers(papers):
    packed = {"dtype": "f8", "bdata": "AAAAAAAA8D8AAAAAAAAAQA=="}  # 1 and 2
    chart = {
        "data": [
            {
                "type": "scatter",
                "name": '=cmd("x")',
                "x": packed,
                "y": ["<b>a</b><br>b", "c, d"],
                "error_x": {"array": [0.5, None], "arrayminus": [0.25, None]},
            },
            {"type": "scatter", "mode": "text", "x": [1], "y": ["label"], "text": ["label"]},
            {"type": "scatter", "name": "hidden", "visible": "legendonly", "x": [1], "y": [2]},
        ],
        "layout": {},
    }
    assert papers.page.evaluate(MODULE, ["table", "writeCsv", chart]) == (
        'series,x,y,x less,x more\n"\'=cmd(""x"")",1,a b,0.25,0.5\n"\'=cmd(""x"")",2,"c, d",,\n'
    )
    cells = {"type": "heatmap", "x": ["p", "q"], "y": ["r"], "z": [[3, None]], "text": [["-1", ""]]}
    assert papers.page.evaluate(MODULE, ["table", "writeCsv", {"data": [cells], "layout": {}}]) == (
        "x,y,z,text\np,r,3,'-1\nq,r,,\n"
    )


@pytest.mark.parametrize(
    ("path", "operators"),
    [
        ("M1,2L3,4H5V6Z", "1 2 m 3 4 l 5 4 l 5 6 l h"),
        ("m1,2l1-1 .5.5z", "1 2 m 2 1 l 2.5 1.5 l h"),
        ("M0,0Q3,3 6,0T12,0", "0 0 m 2 2 4 2 6 0 c 8 -2 10 -2 12 0 c"),
        ("M0,0C0,1 2,1 2,0S4-1 4,0", "0 0 m 0 1 2 1 2 0 c 2 -1 4 -1 4 0 c"),
        ("M1,0A1,1 0 01 0,1", "1 0 m 1 0.552 0.552 1 0 1 c"),  # a quarter of a circle, flags packed
    ],
)
def test_paths_of_svg_become_those_of_pdf(papers, path, operators):
    drawn = papers.page.evaluate(
        """([d]) => import('/export/shapes.js').then(({shapeOf}) => {
          const node = document.createElementNS('http://www.w3.org/2000/svg', 'path');
          node.setAttribute('d', d);
          return shapeOf(node);
        })""",
        [path],
    )
    assert drawn == operators


@pytest.mark.exhaustive
def test_every_figure_of_every_page_is_exported(visit):
    """Also that its button is one control among few, and that no file names another's figure."""
    visitor = visit(is_apart=True, color_scheme="dark", viewport={"width": 1280, "height": 720})
    seen = set()
    for address in PAGES_WITH_FIGURES:
        go_to(visitor, address)
        in_sight = [button for button in buttons(visitor).all() if button.is_visible()]
        for button in [named(visitor, button) for button in in_sight]:
            shown = Exported(visitor, button)
            name, svg = shown.save("svg")
            pdf = read_pdf(shown.save("pdf")[1])
            assert set(pdf.texts) == see_light_svg(svg), name
            see_png(shown.save("png")[1], "column")
            assert shown.save("csv")[1].count(b"\n") > 1, name
            assert zipfile.ZipFile(io.BytesIO(shown.save("zip")[1])).testzip() is None
            shown.close()
            assert (address, name) not in seen
            seen.add((address, name))
    assert len(seen) > len(PAGES_WITH_FIGURES)
