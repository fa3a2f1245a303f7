"""Broken and hostile records through the real page: what and where, and the page lives on."""

import re

import pytest
from playwright.sync_api import expect

from tests.pages.texts import BROKEN, changed, ptn, shipped, with_names

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

NAMES = (
    "<img src=x onerror=alert(1)>",
    "<script>alert(2)</script>",
    "**bold** [a](javascript:alert(3))",
    '"><svg onload=alert(4)>',
)


@pytest.fixture(scope="module")
def table(visit_once):
    """A page that all of these try to break."""
    return visit_once().open().see_rows()


def upload(visitor, path):
    """Open a file through the uploader."""
    body = visitor.open_popover("Open a hand")
    body.locator("input[type=file]").set_input_files(path)
    return body


def see_refusal(visitor, *words):
    alert = visitor.page.get_by_role("alert")
    for word in words:
        expect(alert).to_contain_text(word)
    visitor.settle()


def see_life(visitor):
    """The page still steps, and nobody's traceback is on it."""
    visitor.close_popover()
    assert "Traceback" not in visitor.page.content()
    expect(visitor.one("stException")).to_have_count(0)
    before = visitor.ply
    visitor.press("ArrowRight")
    visitor.see_ply(before + 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["revoke", "cut-off"])
def test_a_pasted_broken_record(table, name):
    make, line, word = BROKEN[name]
    table.paste(make())
    see_refusal(table, "1 refused", f"line {line}: ", word)
    see_life(table)


@pytest.mark.parametrize("name", ["14-tricks"])
def test_an_uploaded_broken_record(table, tmp_path, name):
    make, line, word = BROKEN[name]
    path = tmp_path / f"{name}.ptn"
    path.write_text(make())
    upload(table, path)
    see_refusal(table, f"line {line}: ", word)
    see_life(table)


def test_an_uploaded_binary(table, tmp_path):
    path = tmp_path / "binary.ptn"
    path.write_bytes(b"[Event\n\n" + bytes(range(256)) * 40)
    upload(table, path)
    see_refusal(table, "line 4", "0x80")
    path.write_bytes(b"PK\x03\x04" + bytes(200))
    upload(table, path)
    see_refusal(table, "a zip archive; text in UTF-8 is read here")
    see_life(table)


def test_an_upload_over_the_limit(table, tmp_path):
    path = tmp_path / "big.ptn"
    with path.open("wb") as file:
        file.truncate(66 * 2**20)
    body = upload(table, path)
    expect(body.get_by_text(re.compile("64.*MB or smaller"))).to_be_visible()
    see_life(table)


def test_nothing_pasted(table):
    table.paste("  \n")
    see_refusal(table, "empty: no record at all")
    see_life(table)


def test_markup_in_names_is_text(table):
    table.open_pasted(with_names(*NAMES))
    for name in NAMES:
        table.see_text(name)
    for selector in ("img[src=x]", "svg[onload]", "a[href^=javascript]"):
        expect(table.page.locator(selector)).to_have_count(0)
    assert "alert(2)" not in "".join(table.page.locator("script").all_text_contents())
    see_life(table)


def test_markup_in_a_title_and_in_a_refusal_is_text(table):
    title = "<img src=x onerror=alert(5)> **b** :red[x]"
    table.paste(changed("Four bots, standard deck", title))
    expect(table.page.get_by_role("combobox", name="Hand", exact=True)).to_have_value(
        re.compile(re.escape(title))
    )
    table.paste(changed('[Dealer "E"]', f'[Dealer "{title}"]'))
    see_refusal(table, "line 8", title)
    expect(table.page.locator("img[src=x]")).to_have_count(0)
    see_life(table)


def test_a_whole_record_opens_after_all_that(table):
    table.open_pasted(ptn(shipped("south-nil")))
    table.see_rows()
    expect(table.page.get_by_role("alert")).to_have_count(0)
    see_life(table)
