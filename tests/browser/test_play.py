"""A game played in the browser, by clicks and by keys; reload and another device go on with it."""

import json
import re

import pytest
from playwright.sync_api import expect

from spades.core.cards import SEAT_NAMES
from tests.browser.visitor import wait_until
from tests.ui.play.test_seen import CARD_TEXT

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser-2")]
PHONE = {"width": 390, "height": 844}
LEAST_ROUNDS = 4  # a side that makes its bids reaches the target in about seven
CORNER = {"x": 8, "y": 12}  # of a card that others lie on


def legal(visitor):
    return visitor.page.locator(".hand .card.legal")


def asked_of(visitor):
    """What is asked for: ``bid``, ``card``, ``deal``, ``over`` at the end, None."""
    text = visitor.one("live-said").inner_text()
    kinds = {"Your bid": "bid", "Your turn": "card", "The round is over": "deal"}
    kinds |= {"You have": "over", "It is level": "over", "That was the last": "over"}
    return next((kind for start, kind in kinds.items() if text.startswith(start)), None)


def due(visitor):
    """As ``asked_of``, once something is."""
    found = []

    def asked():
        found[:] = filter(None, [asked_of(visitor)])
        return bool(found)

    wait_until(asked, lambda: "nothing is asked for", page=visitor.page)
    return found[0]


def open_table(visitor, query):
    visitor.page.goto(f"{visitor.home}/Play?{query}")
    visitor.settle()
    visitor.button("Deal").click()
    expect(visitor.one("live-root")).to_be_visible()
    return visitor


def test_a_whole_game_by_clicks_and_keys(visit):
    table = open_table(
        visit(), "partner=srp%2Bbis&left=wrp%2Brb&right=wrp%2Brb&pace=0&name=Ann&target=400"
    )
    n_cards = n_rounds = 0
    while (kind := due(table)) != "over":
        by_key = n_cards % 2
        if (look := table.page.locator("[data-bid='look']")).count():
            look.click()  # far behind: a blind nil might be bid
            expect(table.page.locator("[data-bid='2']")).to_be_visible()
        if kind == "bid" and n_rounds % 2:
            table.press("3", "Enter")
        elif kind == "bid":
            table.page.locator("[data-bid='2']").click()
        elif kind == "card":
            before = legal(table).count()
            assert before
            if by_key:
                table.press("ArrowRight", "Enter")
            else:
                legal(table).last.click(position=CORNER)
            n_cards += 1
        else:
            n_rounds += 1
            table.press("Enter") if by_key else table.one("live-next").click()
    n_rounds += 1
    assert n_cards == 13 * n_rounds
    assert n_rounds >= LEAST_ROUNDS
    expect(table.one("live-results").locator("tbody tr")).to_have_count(n_rounds + 1)
    table.settle()
    table.page.get_by_role("link", name=f"Round {n_rounds}", exact=True).click()
    expect(table.one("rv-table")).to_be_visible()
    table.see_text("Ann")


def test_a_nil_is_asked_about_and_what_all_have_seen_is_told(visit):
    table = open_table(visit(), "partner=srp%2Bbis&left=srp%2Bbis&right=srp%2Bbis&pace=0")
    assert due(table) == "bid"
    yes = table.one("live-yes")
    table.page.locator("[data-bid='0']").click()
    expect(yes).to_have_text("Bid nil")
    table.press("Escape")
    expect(yes).to_have_count(0)
    assert due(table) == "bid"
    table.page.locator("[data-bid='0']").click()
    yes.click()
    for _ in range(5):
        assert due(table) == "card"
        legal(table).last.click(position=CORNER)
    assert due(table) == "card"
    expect(table.one("history-last")).to_contain_text("took it")
    tricks = table.one("history-tricks")
    tricks.locator("summary").click()
    expect(tricks.locator("tbody tr")).to_have_count(5)
    expect(tricks.locator(".took")).to_have_count(5)
    shown = table.page.locator(".plate .no-suits .pip").count()
    finished = [finished_trick(row) for row in tricks.locator("tbody tr").all()]
    assert shown == n_voids([*finished, trick_on_table(table)])


def finished_trick(row):
    """Suits by seat, and the suit led, of a row in the table of tricks."""
    cells = row.locator("td").all()[:4]
    suits = dict(zip(SEAT_NAMES.values(), map(suit_in, cells), strict=True))
    (led,) = [
        suit for suit, cell in zip(suits.values(), cells, strict=True) if "led" in cell.inner_text()
    ]
    return suits, led


def trick_on_table(table):
    """As ``finished_trick``, of the cards in the middle; no suit is led before the first."""
    suits, led = {}, None
    for place in ("bottom", "left", "top", "right"):
        spot = table.page.locator(f".spot.at-{place}")
        if spot.locator("[data-card]").count() == 0:
            continue
        seat = table.page.locator(f".plate.at-{place} .seat-name").inner_text()
        suits[seat] = suit_in(spot)
        if "is-leader" in spot.get_attribute("class"):
            led = suits[seat]
    return suits, led


def suit_in(place):
    return place.locator("[data-card]").get_attribute("data-card")[0]


def n_voids(tricks):
    """How many suits the seats have shown out of."""
    return len(
        {(seat, led) for suits, led in tricks for seat, suit in suits.items() if suit != led}
    )


def test_a_reload_and_a_phone_go_on_where_the_game_was(visit):
    table = open_table(visit(), "partner=srp%2Bbis&left=srp%2Bbis&right=srp%2Bbis&pace=0")
    assert due(table) == "bid"
    table.page.locator("[data-bid='3']").click()
    for _ in range(3):
        assert due(table) == "card"
        legal(table).last.click(position=CORNER)
    assert due(table) == "card"
    hand = legal(table).evaluate_all("(cards) => cards.map((card) => card.dataset.card)")
    table.see_address(token=table.address["token"])
    for other in (table, visit(viewport=PHONE)):
        other.page.goto(table.page.url)
        assert due(other) == "card"
        seen = legal(other).evaluate_all("(cards) => cards.map((card) => card.dataset.card)")
        assert seen == hand
    wide = other.page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= PHONE["width"]
    for mover, watcher in ((other, table), (table, other)):
        assert due(mover) == "card"
        card = legal(mover).last.get_attribute("data-card")
        in_hand = watcher.page.locator(f".hand [data-card='{card}']")
        expect(in_hand).to_have_count(1)
        legal(mover).last.click(position=CORNER)
        expect(in_hand).to_have_count(0)


def test_what_is_wrong_is_said_and_nothing_is_dealt(visit):
    visitor = visit()
    visitor.page.goto(f"{visitor.home}/Play?partner=nobody")
    visitor.settle()
    visitor.button("Deal").click()
    visitor.see_text(re.compile("nobody"))
    expect(visitor.one("live-root")).to_have_count(0)
    visitor.page.goto(f"{visitor.home}/Play?token=guessed")
    visitor.see_text("no table has this seat")
    expect(visitor.button("Deal")).to_be_visible()


def listen(visitor):
    """What the server sends to a browser from now on: answers of the tables, and all else."""
    answers, frames = [], []

    def hear(response):
        if "/tables/" in response.url and response.ok:
            answers.append(response)

    visitor.page.on("response", hear)
    visitor.page.on(
        "websocket", lambda socket: socket.on("framereceived", lambda sent: frames.append(sent))
    )
    return answers, frames


def test_four_people_at_one_table_are_sent_no_hidden_card(visit):
    first = visit(is_apart=True)
    heard = [listen(first)]
    query = "left=person&partner=person&right=person&pace=0&length=one&name=Ann"
    open_table(first, query)
    address = first.one("stCode").inner_text().strip()
    people = [first]
    for name in ("Bo", "Cy", "Di"):
        other = visit(is_apart=True)
        heard.append(listen(other))
        other.page.goto(f"{address}&pace=0")
        other.page.get_by_label("Your name in the log").fill(name)
        other.button("Take a seat").click()
        expect(other.one("live-root")).to_be_visible()
        people.append(other)
    n_moves = 0
    while (asked := whose_turn(people))[1] != "over":
        mover, kind = asked
        if kind == "bid":
            mover.page.locator("[data-bid='3']").click()
            mover.one("live-yes").click()  # others would see it at once
        else:
            mover.press("ArrowRight", "Enter")
        n_moves += 1
    assert n_moves == 4 + 52
    for answers, frames in heard:
        sent = [response.json() for response in answers]
        views = [one for one in sent if "may_claim" not in one]
        assert all(set(one) == {"may_claim"} for one in sent if one not in views)
        assert len(views) > 4 + 13
        for view in views:
            known = {*view["round"]["hands"][view["seat"]], *view["round"]["plays"]}
            del view["round"]["trump_extra"]
            assert set(CARD_TEXT.findall(json.dumps(view))) <= known
        sent = b"".join(one if isinstance(one, bytes) else one.encode() for one in frames)
        assert sent
        assert not CARD_TEXT.findall(sent.decode("utf-8", "ignore"))


def whose_turn(people):
    """Who is asked for something, and for what."""
    found = []

    def asked():
        found[:] = [(one, kind) for one in people if (kind := asked_of(one))]
        return bool(found)

    wait_until(asked, lambda: "nobody is asked for anything", page=people[0].page)
    return found[0]


def test_hints_taking_back_and_a_claim(visit):
    table = open_table(
        visit(),
        "partner=srp%2Bbis&left=srp%2Bbis&right=srp%2Bbis&pace=0&hand=log.human-south.1&help=1",
    )
    aid, told = (lambda name: table.page.locator(f"[data-aid='{name}']")), table.one("live-told")
    assert due(table) == "bid"
    expect(aid("undo")).to_be_hidden()
    aid("hint").click()
    expect(told).to_contain_text("BIS counts")
    table.page.locator("[data-bid='3']").click()
    assert due(table) == "card"
    expect(told).to_be_empty()
    aid("hint").click()
    expect(told.locator("tbody tr")).to_have_count(legal(table).count())
    aid("explain").click()
    expect(told).to_contain_text("North/South need")
    card = legal(table).last.get_attribute("data-card")
    legal(table).last.click(position=CORNER)
    assert due(table) == "card"
    aid("undo").click()
    expect(table.page.locator(f".hand .card.legal[data-card='{card}']")).to_be_visible()
    while due(table) == "card":
        claim = table.one("live-claim")
        claim.click() if claim.is_visible() else legal(table).last.click(position=CORNER)
    assert due(table) == "over"
