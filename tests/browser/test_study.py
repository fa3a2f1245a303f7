"""A participant of a study in the browser, from the link to the thanks; the owner looks on."""

import io
import json
import zipfile

import pytest
from playwright.sync_api import expect

from tests.browser.test_play import due, legal, listen
from tests.tables.study_texts import SMALL
from tests.ui.play.test_seen import CARD_TEXT

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser-2")]
PHONE = {"width": 390, "height": 844}


def play_game(visitor):
    """Bid 3, play the first legal card, on to the last round's end."""
    expect(visitor.one("live-said")).to_contain_text("Your bid.")
    while (kind := due(visitor)) != "over":
        if kind == "bid":
            visitor.page.locator("[data-bid='3']").click()
        elif kind == "card":
            legal(visitor).first.click(position={"x": 8, "y": 12})
        else:
            visitor.one("live-next").click()


def check_sent(views, frames):
    """No hidden card has been sent."""
    assert len(views) > 3 * 14
    for view in views:
        known = {card for hand in view["round"]["hands"] for card in hand}
        known |= set(view["round"]["plays"])
        assert sum(card == "?" for hand in view["round"]["hands"] for card in hand) == 39 - sum(
            seat != view["seat"] for seat in view["round"]["play_seats"]
        )
        del view["round"]["trump_extra"]
        assert set(CARD_TEXT.findall(json.dumps(view))) <= known
    sent = b"".join(one if isinstance(one, bytes) else one.encode() for one in frames)
    assert not CARD_TEXT.findall(sent.decode("utf-8", "ignore"))


def test_one_participant_from_the_link_to_the_thanks(visit):
    owner = visit()
    owner.page.goto(f"{owner.home}/Studies")
    owner.settle()
    owner.page.get_by_label("The study, in TOML").fill(SMALL)
    owner.press("Tab")
    owner.settle()
    owner.button("Create").click()
    owner.see_text("Nobody has taken part so far")
    link = owner.one("stCode").first.inner_text().strip()
    assert link.startswith(f"{owner.home}/Study?study=")

    person = visit(is_apart=True, viewport=PHONE)
    answers, frames = listen(person)
    person.page.goto(link)
    expect(person.one("stPageLink")).to_have_count(0)
    person.button("I agree").click()
    person.page.get_by_text("often", exact=True).click()
    person.button("Continue").click()
    expect(person.one("live-root")).to_be_visible()
    assert due(person) == "bid"
    person.page.goto(person.page.url)  # a reload goes on
    answers.clear()  # what was sent before it can't be read any more
    play_game(person)
    assert person.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    person.button("Continue").click()
    person.see_text("Step 3 of 4: game 2")
    play_game(person)
    person.button("Continue").click()
    person.page.get_by_text("7, very much").click()
    person.button("Continue").click()
    person.see_text("Thank you. You may close this page.")

    check_sent([answer.json() for answer in answers], frames)
    owner.see_text("1 of 1 are done")
    with owner.page.expect_download() as download:
        owner.button("Export (ZIP)").click()
    files = zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes()))
    assert b"P01" in files.read("answers.csv")
    assert len(files.read("rounds.jsonl").splitlines()) == 3


def test_a_page_without_the_bar_is_seen_as_soon_as_it_stands(visit):
    person = visit(is_apart=True)
    person.page.goto(f"{person.home}/Study?token=nobody")
    alert = person.page.locator("[data-testid=stAlert]")
    expect(alert).to_be_attached()
    # What hides a page on arrival gives up after 24 s: it must not come to that.
    expect(alert).to_be_visible(timeout=12_000)
    expect(alert).to_contain_text("no study has this link")
