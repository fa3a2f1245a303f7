"""The other keys: models, disagreements, seats, candidates, help."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def view(visit_once):
    """A page that all of these share."""
    return visit_once().open("?threshold=0.2&more=1").see_rows()


def test_m_hides_and_shows_the_models(view):
    view.press("m")
    assert not re.search(r"\d", view.numbers())
    view.press("m")
    assert sum(view.visits().values()) == 2500


def test_d_goes_to_disagreements_and_back(view):
    """The same by the first look and once the round is judged."""
    expect(view.page.get_by_text(re.compile("of 52 searched"))).to_have_count(0, timeout=60_000)
    view.to_first_lead()
    plies = []
    for _ in range(3):
        view.press("d")
        plies.append(view.ply)
        assert float(view.one("rv-divergence").locator("b").inner_text()) >= 0.2
    assert 0 < plies[0] < plies[1] < plies[2]
    view.press("Shift+D")
    view.see_ply(plies[1])
    view.see_address(ply=str(plies[1]), threshold="0.2")
    view.press("Shift+D")
    for ply in range(plies[0] + 1, plies[1]):  # none was passed over
        view.press("ArrowRight")
        view.see_ply(ply)
        divergence = view.one("rv-divergence").locator("b")
        assert not divergence.is_visible() or float(divergence.inner_text()) <= 0.2


def test_up_and_down_stay_with_the_seat(view):
    view.to_first_lead()
    view.press(*["ArrowRight"] * 9)
    subject = view.page.locator(".judgement .subject")
    mover = subject.inner_text().partition("'s ")[0]
    for key in ("ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowUp"):
        view.press(key)
        expect(subject).to_contain_text(f"{mover}'s ")
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
