"""A participant of a study in the browser, from the link to the thanks; the owner looks on."""

import io
import json
import os
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pytest
from playwright.sync_api import expect

from experiments.bench.dashboard import ROOT, free_port
from spades.tables import TableStore
from spades.tables.studies import StudyStore
from tests.browser.conftest import _wait_for
from tests.browser.test_play import due, legal, listen
from tests.browser.test_tables import play
from tests.browser.visitor import PATIENCE
from tests.tables.study_texts import SMALL
from tests.ui.play.test_seen import CARD_TEXT

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.xdist_group("browser-2")]
N_PEOPLE = 6
PHONE = {"width": 390, "height": 844}


def play_game(visitor):
    """Bid 3, play the first legal card, on to the last round's end."""
    expect(visitor.one("live-said")).to_contain_text("Your bid.")
    while (kind := due(visitor)) != "over":
        if kind == "bid":
            visitor.page.locator("[data-bid='3']").click()
            expect(visitor.one("live-said")).not_to_contain_text("Your bid.")
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


def create(visit):
    """The owner's page of a new study, and the link to hand out."""
    owner = visit()
    owner.page.goto(f"{owner.home}/Data?view=studies")
    owner.settle()
    owner.page.get_by_label("The study, in TOML").fill(SMALL)
    owner.press("Tab")
    owner.settle()
    owner.button("Create").click()
    owner.see_text("Nobody has taken part so far")
    link = owner.one("stCode").first.inner_text().strip()
    assert link.startswith(f"{owner.home}/Study?study=")
    return owner, link


def export(owner):
    with owner.page.expect_download() as download:
        owner.button("Export (ZIP)").click()
    return zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes()))


def test_one_participant_from_the_link_to_the_thanks(visit):
    owner, link = create(visit)
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
    files = export(owner)
    assert b"P01" in files.read("answers.csv")
    assert len(files.read("rounds.jsonl").splitlines()) == 3


@pytest.mark.exhaustive
def test_participants_from_the_link_to_the_data(visit):
    """Consent, questions and thanks in a browser each; the games by a script, all at once."""
    owner, link = create(visit)
    people = [visit(is_apart=True) for _ in range(N_PEOPLE)]
    seats = {}  # whose table each browser asks for, in the order met
    for i, person in enumerate(people):
        found = seats[i] = []
        person.page.on("request", lambda one, found=found: found.extend(seat_in(one.url)))
        person.page.goto(link)
        person.button("I agree").click()
        person.page.get_by_text("often" if i % 2 else "never", exact=True).click()
        person.settle().button("Continue").click()
    for game in range(2):
        for person in people:
            expect(person.one("live-root")).to_be_visible()
        due = [seats[i][-1] for i in range(N_PEOPLE)]
        with ThreadPoolExecutor(N_PEOPLE) as pool:
            list(pool.map(lambda seat: play(owner.home, seat), due))
        for person in people:
            person.page.goto(person.page.url)  # as on coming back from another device
            person.button("Continue").click()
            person.see_text("Step 3 of 4: game 2" if game == 0 else "Step 4 of 4")
    for i, person in enumerate(people):
        person.page.get_by_text(f"{i % 5 + 2}", exact=True).click()
        person.settle().button("Continue").click()
        person.see_text("Thank you. You may close this page.")
        assert len(set(seats[i])) == 2
        for other in set(seats) - {i}:  # nobody's page has asked for a table of somebody else
            assert not set(seats[i]) & set(seats[other])
    mine, own = people[0].address["token"], seats[0][0]
    for token in (mine, own[:-1]):  # neither the link of a participant nor a guess is a seat
        with pytest.raises(AssertionError, match="no table has this seat"):
            play(owner.home, token)

    owner.see_text(f"{N_PEOPLE} of {N_PEOPLE} are done")
    files = export(owner)
    answers = pd.read_csv(files.open("answers.csv"))
    assert answers.participant.nunique() == N_PEOPLE
    assert sorted(answers.q_fun) == sorted(i % 5 + 2 for i in range(N_PEOPLE))
    rounds = [json.loads(line) for line in files.read("rounds.jsonl").splitlines()]
    assert len(rounds) == 3 * N_PEOPLE
    assert {len(one["plays"]) for one in rounds} == {52}
    codebook = pd.read_csv(files.open("codebook.csv"))
    for name in ("plays", "answers"):
        columns = set(pd.read_csv(files.open(f"{name}.csv")).columns)
        assert columns == set(codebook[codebook.file == name].column)


def seat_in(url):
    return parse_qs(urlsplit(url).query)["token"] if "/tables/view" in url else []


def test_a_page_without_the_bar_is_seen_as_soon_as_it_stands(visit):
    person = visit(is_apart=True)
    person.page.goto(f"{person.home}/Study?token=nobody")
    alert = person.page.locator("[data-testid=stAlert]")
    expect(alert).to_be_attached()
    # What hides a page on arrival gives up after 24 s: it must not come to that.
    expect(alert).to_be_visible(timeout=12_000)
    expect(alert).to_contain_text("no study has this link")


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The server for participants alone: its address, and its studies."""
    folder = tmp_path_factory.mktemp("alone")
    places = {f"SPADES_{name}": str(folder / name.lower()) for name in ("GAMES", "LOGS", "RESULTS")}
    port = free_port()
    home = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", "ui/study/alone.py"]
    command += ["--server.headless", "true", "--server.port", str(port)]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **places},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            _wait_for(server, f"{home}/_stcore/health")
            yield home, StudyStore(TableStore(folder / "games" / "tables.sqlite"))
        finally:
            server.terminate()


LANDING = "This server has studies. Open the link that you were given."


def test_a_server_for_participants_has_nothing_else(alone, browser):
    home, store = alone
    owner = store.create(SMALL)
    page = browser.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    asked = []
    page.on("request", lambda one: asked.append(one.url))
    for path in (
        "",
        "Play",
        "Data",
        "Data?view=studies",
        "Disagreements",
        "Replay",
        f"Data?view=studies&owner={owner}",
    ):
        page.goto(f"{home}/{path}")
        expect(page.get_by_text(LANDING)).to_be_visible()
        assert page.locator("[data-testid=stPageLink]").count() == 0
        assert page.locator("[data-testid=stSidebar]").count() == 0
        assert "A small study" not in page.content()
    page.goto(f"{home}/Study?study={store.owned(owner)[0]}")
    expect(page.get_by_text("You agree.")).to_be_visible()
    page.get_by_role("button", name="I agree").click()
    page.get_by_text("often", exact=True).click()
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("[data-testid=live-root]")).to_be_visible()
    expect(page.locator("[data-testid=live-said]")).to_contain_text("Your bid.")
    page.locator("[data-bid='3']").click()
    expect(page.locator("[data-testid=live-said]")).to_contain_text("play a card")
    (person,) = store.people(owner)
    assert person.step == "game 1"
    (seat,) = person.all("seat")
    page.goto(f"{home}/Play?token={seat}")
    expect(page.get_by_text(LANDING)).to_be_visible()
    assert page.locator("[data-testid=live-root]").count() == 0
    assert all(url.startswith((home, "data:", "blob:", "ws:")) for url in asked)
    page.close()
