"""The address is the state: a link opens where it was copied, anywhere, and bad ones say why."""

import json

import pytest
from playwright.sync_api import expect

from spades.cli.main import main
from tests.browser.visitor import wait_until
from tests.pages.texts import HANDS, ptn, shipped
from ui.shared.page import APP_NAME

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

LINK = "?hand=four-bots&ply=17&seat=S&view=own&iterations=500&seed=3&more=1"


def visits_of_analyze(capsys, ply):
    """What the command line finds for the decision of ``LINK`` and its neighbours."""
    main(f"analyze {HANDS}/four-bots.jsonl --ply {ply} --iterations 500 --seed 3 --json".split())
    (decision,) = json.loads(capsys.readouterr().out)["rounds"][0]["decisions"]
    return {row["card"]: row["visits"] for row in decision["cards"]}


def test_a_link_shows_the_numbers_of_the_command_line(visit, capsys):
    visitor = visit().open(LINK)
    visitor.see_ply(17)
    visitor.see_text("East to play — cards hidden in this view")
    assert visitor.visits() == {}
    visitor.button("All hands").click()  # now everybody's decisions may be seen
    visitor.see_rows()
    assert visitor.visits() == visits_of_analyze(capsys, 17)
    visitor.press("h", "ArrowRight")  # South's own decision
    visitor.see_rows()
    assert visitor.visits() == visits_of_analyze(capsys, 18)
    visitor.see_address(
        hand="four-bots", ply="18", seat="S", view="own", iterations="500", seed="3"
    )


LOSE_ONE = """() => {
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function () { WebSocket.prototype.send = send; };
}"""


@pytest.mark.parametrize("way", [("Replay", "Agents"), ("Agents", "Replay")])
def test_a_lost_click_on_a_page_is_made_again(visit, way):
    here, there = way
    visitor = visit()
    visitor.page.goto(f"{visitor.home}/{'' if here == 'Replay' else here}")
    expect(visitor.page).to_have_title(f"{here} · {APP_NAME}")
    visitor.settle().page.evaluate(LOSE_ONE)
    link = visitor.page.locator(".st-key-bar_pages").get_by_role("link", name=there, exact=True)
    link.click()
    expect(visitor.page).to_have_title(f"{there} · {APP_NAME}")


@pytest.mark.slow
def test_a_pasted_hand_travels_in_the_link(visit):
    first = visit().open("?more=1")
    first.open_pasted(ptn(shipped("south-nil")))
    first.press("End")
    first.see_address(ply="52")
    link = first.page.url
    other = visit()
    other.page.goto(link)
    other.see_ply(52)
    assert hand_names(other) == hand_names(first)
    first.to_first_lead()
    other.to_first_lead()
    first.see_rows()
    other.see_rows()
    wait_until(  # either may have more of the repeated searches than the other
        lambda: other.visits() == first.visits(),
        lambda: f"{other.visits()} visits by the link, {first.visits()} before",
        page=other.page,
    )
    assert hand_names(other) == hand_names(first)


def hand_names(visitor):
    """What the four hands are called: the cards left in each."""
    return [visitor.one(f"rv-hand-{seat}").get_attribute("aria-label") for seat in "NESW"]


def test_back_and_forward_follow_the_address(visit):
    visitor = visit().open("?hand=four-bots").see_rows()
    visitor.open_settings("View")
    visitor.choose("Seat", "West")
    visitor.see_address(seat="W")
    visitor.close_popover()
    for ply in (1, 2, 3):
        visitor.press("ArrowRight")
        visitor.see_address(ply=str(ply))
        visitor.settle()
    visitor.page.go_back()  # to where the steps began
    visitor.see_ply(0)
    visitor.see_address(seat="W", ply=None)
    visitor.settle().page.go_back()
    visitor.see_address(seat=None)
    see_seat(visitor, "Seat to play")
    visitor.settle().page.go_forward()
    visitor.see_address(seat="W")
    see_seat(visitor, "West")
    visitor.settle().press("ArrowRight")
    visitor.see_address(hand="four-bots", seat="W", ply="1")


def test_back_leads_past_the_address_that_a_page_completes(visit):
    """The page says all that it shows of a link that said less."""
    visitor = visit().open("?hand=four-bots&ply=3").see_rows()
    visitor.page.get_by_role("radio", name="Disagreements").click()
    visitor.see_address(view="disagreements", log="human-south")
    visitor.settle()
    visitor.page.locator(".st-key-bar_pages").get_by_role("link", name="Style", exact=True).click()
    visitor.see_address(logs="human-south")
    visitor.settle().page.go_back()
    visitor.see_address(view="disagreements", log="human-south")
    visitor.settle().page.go_back()
    visitor.see_address(hand="four-bots", ply="3", view=None)
    visitor.see_rows().press("ArrowRight")
    visitor.see_address(ply="4")


def see_seat(visitor, name):
    """The seat that the settings show."""
    seat = visitor.open_settings("View").get_by_role("combobox", name="Seat")
    expect(seat).to_have_value(name)
    visitor.close_popover()


WRONG = {
    "hand": ("nope", "no hand 'nope'", "bug-report-335"),
    "ply": ("999", "ply=999; 0 to 52 are legal", "52"),
    "iterations": ("0", "iterations=0; 1 to ", "1"),
    "seed": ("abc", "seed=abc; 0 to ", None),
    "seat": ("Q", "seat=Q; mover, N, E, S, W", None),
    "view": ("x", "view=x; all, own, beliefs", None),
    "colors": ("3", "colors=3; 2, 4", None),
}


def test_a_bad_link_says_what_is_wrong_and_shows_the_nearest(visit):
    query = "&".join(f"{name}={value}" for name, (value, *_) in WRONG.items())
    visitor = visit().open(f"?{query}&more=1")
    alert = visitor.page.get_by_role("alert")
    expect(alert).to_contain_text("Parts of this link could not be applied")
    for _, words, _ in WRONG.values():
        expect(alert).to_contain_text(words)
    expect(alert.get_by_role("listitem")).to_have_count(len(WRONG))
    visitor.see_address(**{name: shown for name, (_, _, shown) in WRONG.items()})
    visitor.see_ply(52)
    visitor.press("ArrowLeft")
    visitor.see_ply(51)
    visitor.see_rows()
    assert sum(visitor.visits().values()) == 1


def test_a_damaged_hand_in_a_link(visit):
    visitor = visit().open("?hand=z.AAAA&ply=3")
    expect(visitor.page.get_by_role("alert")).to_contain_text("the hand in this link is damaged")
    visitor.see_address(hand="bug-report-335", ply="3")
    visitor.press("ArrowRight")
    visitor.see_ply(4)
