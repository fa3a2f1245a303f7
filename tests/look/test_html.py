"""HTML for notebooks: escaped, with the rules that it uses and no others."""

import re

import pytest

from spades.look.html import Html, Row, bar, chip, element, figure, percent, table, together
from spades.look.tokens import DARK, LIGHT


def test_text_is_escaped_and_html_is_not():
    inner = element("b", "", "<script>")
    assert inner == "<b>&lt;script&gt;</b>"
    assert element("p", "a", inner, "&", title='"x"') == (
        '<p class="a" title="&quot;x&quot;"><b>&lt;script&gt;</b>&amp;</p>'
    )
    assert together("<", Html("<i></i>")) == "&lt;<i></i>"


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0%"), (0.004, "<1%"), (0.005, "<1%"), (0.44, "44%"), (0.996, ">99%"), (1, "100%")],
)
def test_a_share_is_rounded_but_not_to_none_or_all(share, text):
    assert percent(share) == text


def test_a_chip_has_the_colour_of_its_suit_and_ten_is_written_out():
    assert 'class="card chip suit-H"' in chip("HT")
    assert re.sub("<[^>]+>", "", chip("HT")) == "10♥"
    assert "high joker" in chip("JH")


def test_the_longest_bar_fills_its_cell():
    assert "width:100.0%" in bar("19%", 1.0)
    assert "width:12.5%" in bar("2%", 0.125)


def test_a_table_has_a_cell_a_column():
    columns = [("card", "Card"), ("visits", "<Visits>")]
    made = table(columns, [Row("is-choice", ["SA", "7"])], "decision", header="card")
    assert '<th class="c-visits" scope="col">&lt;Visits&gt;</th>' in made
    assert '<tr class="is-choice"><th class="c-card" scope="row">SA</th>' in made
    with pytest.raises(ValueError, match="shorter"):
        table(columns, [Row("", ["SA"])], "decision")


def style_of(made):
    (style,) = re.findall("<style>(.*?)</style>", made)
    return style


def test_a_figure_brings_its_own_rules_alone():
    style = style_of(figure(chip("SA")))
    assert ".card.chip{" in style
    assert ".decision" not in style
    assert ".card.suit-H" not in style
    table_style = style_of(figure(element("table", "decision")))
    assert ".decision{" in table_style
    assert ".card.chip" not in table_style


def test_a_figure_is_plain_text():
    assert type(figure(chip("SA"))) is str


def test_every_rule_is_inside_the_figure():
    """Nothing else in a notebook changes its look: all rules are nested in one."""
    style = style_of(figure(chip("SA"), element("table", "decision sheet")))
    depth = 0
    outside = ""
    for character in style:
        depth += (character == "{") - (character == "}")
        if depth == 0:
            outside += character
    first, second, rest = outside.split("}")
    assert first == ".spades-look"
    assert second == ":is([data-jp-theme-light=false],.vscode-dark,.dark,[theme=dark]) " + (
        ":is(.spades-look,.spades-table)"
    )
    assert rest == ""


def test_colours_are_the_tokens_and_none_is_declared_in_vain():
    style = style_of(figure(element("table", "decision", element("td", "c-human"))))
    declared = dict(re.findall(r"--([\w-]+):(light-dark[^;]+);", style))
    assert declared["human"] == f"light-dark({LIGHT['human']}, {DARK['human']})"
    assert "--human:" not in style_of(figure(element("p", "quiet", "x")))
    for name in declared:
        assert f"var(--{name})" in style
