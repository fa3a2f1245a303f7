"""The look: few sizes, spaces and colours, readable in both schemes, and one source of them."""

import re
import tomllib
from pathlib import Path

import pytest

from spades.look.tokens import (
    DARK,
    GRAPHIC_CONTRAST,
    LIGHT,
    RADIUS,
    SIZES,
    SPACES,
    TEXT_CONTRAST,
    chart_color,
    contrast,
    css_variables,
    mix,
)

THEME = tomllib.loads(Path(".streamlit/config.toml").read_text("utf-8"))["theme"]
THEME_COLORS = {
    "primaryColor": "accent",
    "linkColor": "accent",
    "backgroundColor": "paper",
    "secondaryBackgroundColor": "wash",
    "textColor": "ink",
    "borderColor": "line",
    "dataframeBorderColor": "line",
    "dataframeHeaderBackgroundColor": "wash",
    "dataframeHeaderTextColor": "quiet",
    "greenColor": "best",
    "grayColor": "fine",
    "yellowColor": "slip",
    "redColor": "mistake",
    "blueColor": "human",
    "orangeColor": "search",
}
TEXTS = ("ink", "quiet", "accent", "human", "search", "best", "fine", "slip", "mistake")
GROUNDS = ("paper", "surface", "wash")


def test_there_are_five_sizes_six_spaces_and_at_most_sixteen_colours():
    assert (len(SIZES), len(SPACES)) == (5, 6)
    assert len(LIGHT) <= 16
    assert list(LIGHT) == list(DARK)


@pytest.mark.parametrize(("scheme", "colors"), [("light", LIGHT), ("dark", DARK)])
def test_the_theme_has_the_colours_of_the_tokens(scheme, colors):
    assert THEME[scheme] == {option: colors[name] for option, name in THEME_COLORS.items()}


def test_the_theme_has_the_sizes_of_the_tokens():
    pixels = {int(size[:-2]) for size in THEME["headingFontSizes"]}
    pixels |= {int(THEME[name][:-2]) for name in ("metricValueFontSize", "codeFontSize")}
    assert pixels | {THEME["baseFontSize"]} <= set(SIZES)
    assert THEME["baseRadius"] == f"{RADIUS}px"


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_every_text_can_be_read_on_every_ground(colors):
    faint = {
        (text, ground): contrast(colors[text], colors[ground])
        for text in TEXTS
        for ground in GROUNDS
        if contrast(colors[text], colors[ground]) < TEXT_CONTRAST
    }
    assert not faint


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_suits_can_be_read_on_cards_and_plates_on_the_felt(colors):
    assert contrast(colors["red"], colors["card"]) >= TEXT_CONTRAST
    assert contrast(LIGHT["ink"], colors["card"]) >= TEXT_CONTRAST
    for name in ("ink", "quiet", "accent"):
        assert contrast(colors[name], colors["felt"]) >= TEXT_CONTRAST


def test_colours_of_charts_stand_out_on_light_and_on_dark_paper():
    for color in THEME["chartCategoricalColors"]:
        for scheme in (LIGHT, DARK):
            assert contrast(color, scheme["paper"]) >= GRAPHIC_CONTRAST
    assert chart_color("human") == LIGHT["human"]
    assert chart_color("accent") != LIGHT["accent"]  # too dark for dark paper


def test_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#ffffff", "#777777") == pytest.approx(4.48, abs=0.005)
    assert mix("#000000", "#ff8000", 0.5) == "#804000"


def test_variables_have_the_names_that_the_style_sheets_use():
    declared = dict(re.findall(r"--([\w-]+): ([^;]+);", css_variables()))
    assert declared["size-2"] == "14px"
    assert declared["space-6"] == "32px"
    assert declared["human"] == f"light-dark({LIGHT['human']}, {DARK['human']})"
    assert set(LIGHT) <= set(declared)
