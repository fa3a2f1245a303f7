"""The other keys: models, disagreements, seats, candidates, help."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def view(visit_once):
    """A page that all of these share."""
    return visit_once().open("?threshold=0.3").see_rows()


def test_m_hides_and_shows_the_models(view):
    view.press("m")
    assert not re.search(r"\d", view.numbers())
    view.press("m")
    assert sum(view.visits().values()) == 2500


def test_n_goes_to_disagreements_and_back(view):
    """Which they are may change meanwhile: the round is searched ahead."""
    view.to_first_lead()
    plies, divergences = [], []
    for _ in range(3):
        before = view.ply
        wait_until(
            lambda before=before: view.press("n") or view.ply > before,
            lambda: f"no disagreement after ply {view.ply}",
            page=view.page,
        )
        plies.append(view.ply)
        divergences.append(float(view.one("rv-divergence").locator("b").inner_text()))
    assert 0 < plies[0] < plies[1] < plies[2]
    assert sum(divergence >= 0.3 for divergence in divergences) >= 2
    view.press("Shift+N")
    assert plies[0] <= view.ply < plies[2]
    view.see_address(ply=str(view.ply), threshold="0.3")


def test_up_and_down_stay_with_the_seat(view):
    view.to_first_lead()
    view.press(*["ArrowRight"] * 9)
    mover = view.page.get_by_role("heading", name="to play").inner_text().split()[0]
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowUp"):
        view.press(key)
        expect(view.page.get_by_role("heading", name=f"{mover} to play")).to_be_visible()
    assert view.ply < 9
    view.press("End")
    assert view.ply == 52
    view.press("Home")
    assert view.place == "bid 1"


def test_a_digit_picks_a_candidate_and_escape_lets_it_go(view):
    view.to_first_lead()
    picked = view.page.locator("tr.candidate")
    view.press("1")
    expect(picked).to_have_count(1)
    assert picked.get_attribute("data-card") == view.rows.first.get_attribute("data-card")
    view.press("2")
    assert picked.get_attribute("data-card") == view.rows.nth(1).get_attribute("data-card")
    view.press("Escape")
    expect(picked).to_have_count(0)


def test_help_opens_and_closes(view):
    view.press("?")
    expect(view.one("rv-help")).to_be_visible()
    view.press("Escape")
    expect(view.one("rv-help")).to_have_count(0)
