"""What the palette finds: addresses that pages follow without a complaint, and no secrets."""

from importlib import import_module
from urllib.parse import parse_qsl, urlsplit

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware

from spades.agents import PLAYERS
from tests.asgi import get, post
from tests.pages.texts import ALL_HANDS
from ui.replay import state as replay
from ui.shared.bar import FIND
from ui.shared.gate import Gate
from ui.shared.glossary import entries
from ui.shared.pages import PAGES
from ui.shared.palette import ROUTES, places
from ui.shared.records import readable_logs
from ui.study.alone import STUDY_ROUTES


@pytest.fixture(scope="module")
def found():
    return places()


def complaints_of(address):
    place = urlsplit(address)
    query = dict(parse_qsl(place.query))
    if not place.path:
        query.pop("view", None)
        return replay.parse_link(query)[2]
    if place.path == "Papers":
        return []
    page = import_module(f"ui.{place.path.lower()}.state").page
    return page.parse(query)[1]


def test_every_address_is_one_that_a_page_follows(found):
    for place in found:
        if place.address is not None:
            assert complaints_of(place.address) == [], place


def test_pages_hands_logs_agents_and_terms_are_found(found):
    titles = {kind: {place.title for place in found if place.kind == kind} for kind, *_ in found}
    assert titles["Page"] == {page.title for page in PAGES}
    assert {"Disagreements", "Bench", "Drill"} <= titles["View"]
    assert titles["Log"] == set(readable_logs())
    assert titles["Agent"] == set(PLAYERS)
    assert titles["Term"] == {term for part in entries().values() for term in part}
    assert {place.about for place in found if place.kind == "Hand"} == set(ALL_HANDS)


def test_it_is_asked_by_own_pages_alone_and_not_on_a_server_of_studies():
    app = Starlette(routes=ROUTES, middleware=[Middleware(Gate, routes=ROUTES)])
    answer = get(app, FIND)
    assert answer.status == 200
    assert len(answer.json["places"]) == len(places())
    assert get(app, FIND, headers={"sec-fetch-site": "cross-site"}).status == 403
    assert post(app, FIND, {}).status == 405
    assert FIND not in [route.path for route in STUDY_ROUTES]
