"""The report for a bug tracker: whole, reproducible, and safe to paste."""

import re
from dataclasses import replace

import pytest

from analysis.decisions.classes import by_class, with_findings
from analysis.decisions.decision import Repeats, analyse_decision
from analysis.decisions.evidence import decide
from analysis.decisions.judge import PLAYER, judge_settings
from analysis.decisions.judgement import verdict
from analysis.decisions.report import agent_text, report_markdown
from analysis.decisions.settings import AnalysisSettings, search_key
from analysis.markdown import fenced
from spades.agents import parse_agent
from spades.core.behaviour import source_hash
from spades.notation import read_text
from spades.search import GameChance, Knowledge, SearchSettings
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
    assert verdict(decision) in text
    assert f"<{LINK}>" in text
    assert f"| code | {source_hash()} |" in text
    assert f"| key | {search_key(shipped('four-bots'), SETTINGS, ply=24)} |" in text
    assert "| iterations | 200 |" in text
    assert "devlin2016-nil (" in text
    shown = by_class(decision)
    table = rows_of(text)[2 : 2 + len(shown.cards)]
    assert [row[3] for row in table] == [f"{card.visits:,}" for card in shown.cards]
    (chosen,) = (row for row in table if "search" in row[-1])
    assert chosen[3] == f"{shown.search_choice.visits:,}"
    assert sum("played" in row[-1] for row in table) == 1


def test_it_says_hand_tricks_needs_and_what_repeats_it():
    _, text = report()
    seen = shipped("four-bots").observation(24)
    line = next(line for line in text.splitlines() if line.startswith("- Hand: "))
    assert len(line.split()[2:]) == seen.hand.bit_count()
    assert f"North bid {seen.table.bids[0]}, took {seen.table.tricks_taken[0]}" in text
    assert "need " in text
    command = f"python -m spades analyze hand.ptn --ply 24 --seed {SETTINGS.seed} --judge"
    assert f'{command} --agent "{agent_text(SETTINGS)}"' in text


def test_it_says_what_is_proven_of_the_last_tricks(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))
    record = shipped("four-bots")
    for ply, is_there in ((45, True), (38, False)):
        decision = analyse_decision(record, ply, SETTINGS)
        text = report_markdown(record, decision, SETTINGS, LINK)
        proof = (
            "Proven: in all 3 possible deals nothing is worth more than **Q♠**, −31 points in each."
        )
        assert (f"{proof} The rest is East/West's: all 2 tricks in" in text) == is_there


@pytest.mark.slow
def test_a_conclusion_brings_the_judges_values_and_what_cards_lead_to(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))
    record = shipped("four-bots")
    decision = analyse_decision(record, 24, SETTINGS)
    found = decide(record, 24, judge_settings(SETTINGS))
    shares = {row.card: row.share for row in decision.cards}
    wins = dict.fromkeys(shares, 0) | {decision.search_choice.card: 60}
    repeats = Repeats(60, shares, wins)
    text = report_markdown(record, with_findings(decision, found, repeats), SETTINGS, LINK)
    assert f"estimated from {found.rounds:,} rounds played on, by four of `{PLAYER}`" in text
    assert "shares are those of the mean of 60 searches of 200 iterations" in text
    rows = [row for row in rows_of(text) if len(row) == 5 and "%" in row[1]]
    best = by_class(with_findings(decision, found)).row(found.best.cards[0]).label
    p = found.best.outcomes.own_contract
    assert next(row for row in rows if row[0] == f"| {best}")[1] == f"{p:.0%}"
    assert "What each card leads to: means of the rounds played on." in text


def test_no_chance_is_told_that_isnt_the_judges(tmp_path, monkeypatch):
    """The search's own playouts give nils up: without a conclusion there is no chance at all."""
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))
    _, text = report(shipped("south-nil"))
    assert "nils kept" not in text
    assert "own contract" not in text


@pytest.mark.parametrize(
    "text",
    [
        "ismcts:iterations=2500",
        "ismcts:iterations=300,exploration=1.5,determinization=biased,bias=knowledge,c_bt=0.1",
        "ismcts:iterations=40,playout=heuristic,epsilon=0.3,skew=on,skew_k=20",
        "ismcts:iterations=9,bias=experience,w=4,delay=100,model=devlin2016-nil",
    ],
)
def test_the_agent_in_it_is_that_of_the_settings(text):
    player = parse_agent(text).player
    settings = AnalysisSettings(
        iterations=player.iterations, search=player.search_settings, dealing=player.dealing
    )
    assert agent_text(settings) == str(parse_agent(text))


def test_the_record_in_it_is_the_record():
    _, text = report()
    (record,) = read_text(re.search(r"```\n(.*)\n```", text, re.S)[1], name="x.ptn").records
    wanted = shipped("four-bots")
    assert (record.hands, record.bids, record.plays) == (wanted.hands, wanted.bids, wanted.plays)


def test_the_biased_search_beside_is_told():
    beside = replace(SETTINGS, search=SearchSettings(bias=Knowledge(c_bt=0.1)))
    _, text = report(settings=replace(SETTINGS, others=(beside,)))
    assert "| search beside it | ismcts:iterations=200,bias=knowledge,c_bt=0.1 |" in text


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
    assert "is forced. No other card is legal." in report(record, ply=forced)[1]


@pytest.mark.slow
def test_a_search_for_the_game_says_so_and_what_its_values_are(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))
    how = SearchSettings(objective=GameChance(), duck=True)
    record = shipped("bug-report-335")
    settings = replace(SETTINGS, search=how)
    decision = analyse_decision(record, 24, settings)
    found = decide(record, 24, judge_settings(settings))
    text = report_markdown(record, with_findings(decision, found), settings, LINK)
    assert f"{decision.win_chance:.1%} before the round" in text
    assert "match points for the mover's side" in text
    assert ", for the chance to win the game, live nils minded" in text
    assert "Values are points" not in text
