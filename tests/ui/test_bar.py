"""The bar on every page: jobs of all pages, their results, the glossary."""

import re
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from spades.agents import BIDDERS
from tests.pages.apps import button, open_page, texts
from ui.shared import bar
from ui.shared.glossary import FILE, entries, find_terms
from ui.shared.jobs import page_jobs
from ui.shared.pages import PAGES


def test_the_glossary_has_every_paragraph_once_and_names_every_bidder():
    terms = [term for part in entries().values() for term in part]
    assert len(terms) == len(set(terms)) == FILE.read_text("utf-8").count("\n**")
    named = " ".join(terms)
    assert all(
        name.upper() in named for name in BIDDERS if name not in ("human", "random", "noisy")
    )
    assert {"Pr(cnil)", "Stakes", "Bag", "Visits"} <= set(terms)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.title)
def test_every_page_learns_how_wide_the_window_is(page):
    at = open_page(Path(page.file).stem if page.file != "app.py" else "", {"view": "x"})
    names = [one.proto.component_name for one in at.get("bidi_component")]
    assert sum(name.endswith("window_width") for name in names) == 1


def test_the_glossary_stays_open_on_its_page_and_is_searched():
    at = open_page("9_Data", {})
    button(at, "Glossary").click().run()
    assert "Jensen" in texts(at)
    assert "Jensen" in texts(at.run())
    for page in ("pages/7_Agents.py", "pages/9_Data.py"):
        assert "Jensen" not in texts(at.switch_page(page).run())
    assert set(find_terms("pr(CNIL)")) == {"Nil and bidding"}
    assert set(find_terms("")) == set(entries())
    assert find_terms("no such letters") == {}


def test_no_click_in_the_bar_is_lost_to_a_job_that_ends_meanwhile(monkeypatch):
    at = open_page("9_Data", {})
    left = iter((1, 0))
    monkeypatch.setattr(bar, "_n_active", lambda: next(left, 0))
    button(at, "Glossary").click().run()
    assert next(left, None) is None
    assert "Jensen" in texts(at)


@pytest.fixture
def ended():
    job = page_jobs().call("a match", lambda job: None, key="match", origin="Tune")
    job.query = {"view": "match"}
    job.wait(10)
    yield job
    st.cache_resource.clear()


def links(at: AppTest) -> list[str]:
    return [link.proto.query_string for link in at.get("page_link")]


def test_another_pages_job_is_seen_leads_to_its_result_and_is_dismissed(ended):
    at = open_page("9_Data", {})
    assert re.search("a match.*: done", texts(at))
    assert "view=match" in links(at)
    at.button(key=f"bar_dismiss_{ended.id}").click().run()
    assert "a match" not in texts(at)
