"""The report for a bug tracker: whole, reproducible, and safe to paste."""

import re
from dataclasses import replace

import pytest

from analysis.decisions.decision import AnalysisSettings, analyse_decision, search_key
from analysis.decisions.report import fenced, report_markdown, verdict
from spades.core.behaviour import source_hash
from spades.notation import read_text
from spades.search import BiasSettings, SearchSettings
from tests.pages.texts import shipped

SETTINGS = AnalysisSettings(iterations=200, seed=4, models=("devlin2016", "devlin2016-nil"))
LINK = "http://127.0.0.1:8501/?hand=four-bots&ply=24"
NASTY = "**bold** <img src=x onerror=alert(1)> @all #1 [x](http://y) | ``` ~~~ \u202e"


def report(record=None, settings=SETTINGS, ply=24, link=LINK):
    record = record or shipped("four-bots")
    decision = analyse_decision(record, ply, settings)
    return decision, report_markdown(record, decision, settings, link)


def rows_of(text):
    return [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]


def test_it_holds_verdict_table_settings_link_and_version():
    decision, text = report()
    assert verdict(decision, "devlin2016") in text
    assert f"<{LINK}>" in text
    assert f"| code | {source_hash()} |" in text
    assert f"| key | {search_key(shipped('four-bots'), SETTINGS, ply=24)} |" in text
    assert "| iterations | 200 |" in text
    assert "devlin2016-nil (" in text
    table = rows_of(text)[2 : 2 + len(decision.cards)]
    assert [row[3] for row in table] == [f"{card.visits:,}" for card in decision.cards]
    (chosen,) = (row for row in table if "search" in row[-1])
    assert chosen[3] == f"{decision.search_choice.visits:,}"
    assert sum("played" in row[-1] for row in table) == 1


def test_the_record_in_it_is_the_record():
    _, text = report()
    (record,) = read_text(re.search(r"```\n(.*)\n```", text, re.S)[1], name="x.ptn").records
    wanted = shipped("four-bots")
    assert (record.hands, record.bids, record.plays) == (wanted.hands, wanted.bids, wanted.plays)


def test_the_biased_search_beside_is_told():
    beside = SearchSettings(bias=BiasSettings(c_bt=0.1))
    _, text = report(settings=replace(SETTINGS, others=(beside,)))
    assert "bias knowledge towards devlin2016, c_bt 0.1" in text


def test_text_of_records_stays_inside_the_fence():
    names = (NASTY, "````", "`" * 9, "plain")
    record = replace(shipped("four-bots"), players=names, game_id=NASTY, source=NASTY)
    _, text = report(record)
    head, fence, body = re.split(r"(?m)^(`{4,})$", text, maxsplit=1)
    assert not any(mark in head for mark in ("**bold**", "<img", "@all", "````"))
    inside, end, rest = body.rpartition(f"\n{fence}\n")
    assert (end.strip(), rest) == (fence, "")
    assert fence not in inside
    assert "**bold**" in inside


def test_a_link_can_not_break_out():
    _, text = report(link="http://h/?hand=a> [x](javascript:1)\n<b>")
    (line,) = (line for line in text.splitlines() if line.startswith("Link: "))
    assert line == "Link: <http://h/?hand=a%3E%20[x](javascript:1)%0A%3Cb%3E>"


@pytest.mark.parametrize(("text", "fence"), [("x", "```"), ("a ``` b", "````"), ("`", "```")])
def test_a_fence_is_longer_than_any_run_inside(text, fence):
    assert fenced(text) == f"{fence}\n{text}\n{fence}"


def test_a_forced_card_has_a_report_too():
    record = shipped("four-bots")
    forced = next(p for p in range(52) if record.at(p).legal_plays().bit_count() == 1)
    assert "is the only legal card" in report(record, ply=forced)[1]
