"""A decision as text and as a notebook shows it."""

import math
import re
import sys
from xml.etree import ElementTree

import pytest

import spades
from analysis.decisions.classes import with_findings
from analysis.decisions.judgement import judgement_of
from spades.core.errors import SpadesError
from tests.analysis.decisions.made_up import of_cards

PLY = 24


@pytest.fixture(scope="module")
def decision():
    (record,) = spades.read("bug-report-335")
    return spades.analyse(record, PLY, agent="ismcts", seed=1)


@pytest.fixture(scope="module")
def judged(decision):
    """The decision with a made-up conclusion: every class 5 points behind the one before."""
    seen = decision.observation
    worth = {str(card): 5.0 * card.place for card in seen.legal}
    return with_findings(decision, of_cards(seen, worth))


def rows_of(html):
    """The text of each cell of each row."""
    body = html.partition("<tbody>")[2].partition("</tbody>")[0]
    rows = []
    for row in re.findall("<tr.*?</tr>", body):
        cells = re.findall(r"<t[dh].*?</t[dh]>", row)
        rows.append([re.sub("<[^>]+>", "", cell).strip() for cell in cells])
    return rows


def test_a_decision_has_a_row_for_every_class_of_cards(decision):
    rows = rows_of(decision._repr_html_())
    assert [row[1] for row in rows] == ["2♠", "K♠= Q♠", "10♠= 9♠", "●4♥", "8♣"]
    visits = [int(row[3].replace(",", "")) for row in rows]
    assert sum(visits) == decision.iterations
    row = rows[3]
    human = decision.row("H4").human["devlin2016"]
    assert row[0] == f"▲ {human:.0%}"
    assert row[4] == f"{decision.row('H4').value:+.1f} ± {decision.row('H4').value_se:.1f}".replace(
        "-", "−"
    )
    assert sum("★" in row[2] for row in rows) == 1


def test_a_decision_is_drawn_with_bars_of_one_scale(decision):
    root = ElementTree.fromstring(decision._repr_svg_())
    bars = [element for element in root.iter() if element.get("height") == "18"]
    lengths = [float(bar.get("width")) for bar in bars]
    shown = [(row[0], row[2]) for row in rows_of(decision._repr_html_())]
    shares = [float(re.search(r"(\d+)%", text)[1]) for pair in shown for text in pair]
    assert len(lengths) == len(shares) == 2 * 5
    assert max(lengths) == 190
    for length, share in zip(lengths, shares, strict=True):
        assert length == pytest.approx(190 * share / max(shares), abs=3)
    texts = "".join(root.itertext())
    assert texts.count("★") == 1
    assert sum(element.tag.endswith("circle") for element in root.iter()) == 1  # what was played


def test_human_and_search_bars_have_one_scale(decision):
    html = decision._repr_html_()
    widths = [float(width) for width in re.findall(r"width:([\d.]+)%", html)]
    assert max(widths) == 100.0
    assert len(widths) == 2 * 5


def test_an_unjudged_decision_says_so(decision):
    html = decision._repr_html_()
    assert "North played 4♥." in html
    assert "spades.judge says what each card costs" in html
    assert "Loss" not in html


def test_a_judged_decision_has_its_sentence_and_the_least_loss_first(judged):
    html = judged._repr_html_()
    rows = rows_of(html)
    losses = [float(re.sub("[✓?−]", "", row[0])) for row in rows]
    assert losses == sorted(losses)
    assert losses[0] == 0
    assert rows[0][0].startswith("✓")
    judgement = judgement_of(judged)
    assert judgement.says in html
    assert "How sure" in html
    assert "spades.judge" not in html


def test_a_forced_decision_is_called_so():
    (record,) = spades.read("bug-report-335")
    forced = spades.analyse(record, 45)
    assert forced.is_forced
    assert "No other card is legal." in forced._repr_html_()


def test_it_prints_as_a_table(decision, judged):
    lines = str(decision).splitlines()
    assert lines[0].startswith("ply 24  trick 7  N played H4")
    assert len(lines) == 2 + 7
    assert "loss" not in lines[1]
    assert "loss" in str(judged).splitlines()[2]
    assert repr(decision) == (
        "<PlayDecision of N at ply 24: played H4, search ST, 7 cards, not judged>"
    )


def test_a_frame_has_the_numbers_of_the_cards(decision, judged):
    frame = decision.to_frame().set_index("card")
    for row in decision.cards:
        assert frame.loc[row.card, "visits"] == row.visits
        assert frame.loc[row.card, "human_devlin2016"] == row.human["devlin2016"]
    assert frame["loss"].isna().all()
    losses = judged.to_frame().set_index("card")["loss"]
    assert [losses[row.card] for row in judged.cards] == [row.loss.points for row in judged.cards]


def test_without_pandas_a_frame_names_the_extra(decision, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(SpadesError, match=r"pip install 'spades-decision-lab\[notebook\]'"):
        decision.to_frame()


def test_a_result_of_a_search_shows_its_cards(decision):
    rows = rows_of(decision.search._repr_html_())
    assert [row[0] for row in rows] == ["10♠", "8♣", "9♠", "Q♠", "K♠", "2♠", "4♥"]
    assert [row[2] for row in rows] == ["487", "373", "356", "352", "340", "316", "276"]
    assert rows[0][1] == "19% ★"


def test_the_judge_proves_an_ending():
    (record,) = spades.read("bug-report-335")
    judged = spades.judge(record, 44, seed=1)
    assert judged.conclusion.is_proven
    by_card = {row.card: row.loss.points for row in judged.cards}
    assert by_card["SK"] == 0
    assert math.isclose(by_card["S2"], 15.08, abs_tol=0.05)


def test_rounds_limit_the_judge_and_nothing_is_stored(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_RESULTS", str(tmp_path))
    (record,) = spades.read("bug-report-335")
    judged = spades.judge(record, 24, seed=2, seconds=300, rounds=60)
    assert judged.conclusion.rounds == 60
    assert not list(tmp_path.iterdir())
