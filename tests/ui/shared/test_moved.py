"""Addresses from before pages were merged lead to the new ones."""

import pytest
from starlette.responses import PlainTextResponse

from tests.asgi import get, post
from ui.shared.moved import MOVES, OldAddresses, moved
from ui.shared.pages import PAGES

HERE = OldAddresses(PlainTextResponse("here"))


@pytest.mark.parametrize(
    ("path", "query", "address"),
    [
        ("/Playstyle", "", "Style?view=groups"),
        (
            "/Playstyle/",
            "style_logs=a%7Cb&style_from=~none~&other=",
            "../Style?logs=a%7Cb&from=~none~&other=&view=groups",
        ),
        ("/Players", "log=mine&first=3&rounds=5&view=who",
         "Style?log=mine&first_round=3&n_rounds=5&view=who"),
        ("/Tuning", "hand=four-bots&seed=7", "Tune?hand=four-bots&ladder_seed=7&view=ladder"),
        ("/Tuning", "view=frontier&sweep=baier", "Tune?view=frontier&sweep=baier"),
        ("/Arena", "chart=points", "Agents?chart=points&view=league"),
        ("/Arena", "view=match&ns=srp%2Bbis&seed=3", "Tune?view=match&ns=srp%2Bbis&seed=3"),
        ("/Models", "view=one&seed=7&rounds=200", "Agents?view=one&model_seed=7&rounds=200"),
        ("/Bidding", "bid_hand=...&bid_log=mine", "Bids?hand=...&lab_log=mine&view=hand"),
        ("/Nil", "previous=3,1&bin=4", "Bids?bin=4&sequence=3%2C1&view=curves"),
        ("/Nil", "previous=3&hand=A", "Bids?hand=A&previous=3&view=nil"),
        (
            "/Nil",
            "view=hand&deck=x",
            "Bids?hand=J52.9643.Q.K9543&previous=&rules=deck%3Dx&view=nil",
        ),
        ("/Nil", "view=ace&hand=A", "Bids?hand=A&view=ace"),
        ("/Studies", "owner=ab_c", "Data?owner=ab_c&view=studies"),
        ("/Disagreements", "by=divergence", "./?by=divergence&view=disagreements"),
        ("/Drill", "profile=Ann&nil=own", "Play?profile=Ann&nil=own&view=drill"),
        ("/Data", "tab=generate&seed=9", "Data?view=generate&seed=9"),
    ],
)  # fmt: skip
def test_an_old_address_leads_to_the_new_one_with_all_it_said(path, query, address):
    answer = get(HERE, path, query=query)
    assert answer.status == 307
    assert answer.headers["location"] == address


@pytest.mark.parametrize(
    "path", ["/", "/Style", "/Data", "/Playstyle/x", "//elsewhere.org/Playstyle"]
)
def test_other_addresses_are_answered_as_before(path):
    assert get(HERE, path).body == b"here"
    assert post(HERE, "/Playstyle").body == b"here"


def test_below_a_base_path_only_addresses_there_lead_on(monkeypatch):
    monkeypatch.setattr("ui.shared.moved.config.get_option", lambda name: "lab")
    assert get(HERE, "/lab/Players").headers["location"] == "Style?view=rates"
    assert get(HERE, "/Players").body == b"here"


def test_every_move_leads_to_a_page_that_is_there_and_ends_there():
    titles = {page.title for page in PAGES} | {"./"}
    for title, move in MOVES.items():
        assert {move.page, *move.pages.values()} <= titles
        for page in (move.page, *move.pages.values()):
            assert moved(page, [("view", move.view)]) is None
        assert title == move.page or title not in titles
