"""Options declared as fields: parsing, checks, canonical text."""

from dataclasses import dataclass

import pytest

from spades.core.errors import SpadesError
from spades.core.options import check_options, format_options, option, option_texts, parse_options


@dataclass(frozen=True)
class Tuned:
    steps: int = option(5, least=1, most=10, is_shown=True)
    rate: float = option(0.5, least=0, most=1)
    mode: str = option("plain", choices=("plain", "fancy"))
    gloss: float = option(2.0, needs=("mode", ("fancy",)))
    loud: bool = False

    def __post_init__(self):
        check_options(self, SpadesError)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("", "steps=5"),
        ("loud=on, steps=7", "steps=7,loud=on"),
        ("mode=fancy,gloss=3", "steps=5,mode=fancy,gloss=3.0"),
        ("rate=0.5,gloss=2", "steps=5"),
    ],
)
def test_options_round_trip_through_text(text, canonical):
    parsed = parse_options(Tuned, "tuned", text, SpadesError)
    assert format_options(parsed) == canonical
    assert parse_options(Tuned, "tuned", canonical, SpadesError) == parsed


def test_all_options_as_text():
    texts = {"steps": "7", "rate": "0.5", "mode": "plain", "gloss": "2.0", "loud": "on"}
    assert option_texts(Tuned(steps=7, loud=True)) == texts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("steps=0", "steps is 0; 1 to 10 are legal"),
        ("steps=2.5", "steps=2.5 is no whole number"),
        (
            f"steps={'9' * 5000}",
            "steps=9{60} is no whole number of up to 19 digits; 1 to 10 are legal$",
        ),
        ("steps=99999999999999999999", "steps=9+ is no whole number of up to 19 digits"),
        ("rate=nan", "rate is nan; 0 to 1 are legal"),
        ("rate=x", "rate=x is no number; 0 to 1 are legal"),
        ("gloss=inf,mode=fancy", "gloss is inf"),
        ("gloss=3", "gloss does nothing with mode=plain; it belongs to mode=fancy"),
        ("mode=odd", "mode is 'odd'; plain, fancy are legal"),
        ("loud=yes", "loud=yes is no switch; on and off are legal"),
        ("speed=3", "unknown option 'speed=3' of tuned; known: steps=, rate=, mode=, gloss="),
        ("rate", "unknown option 'rate' of tuned"),
        ("rate=0,rate=1", "option rate of tuned comes twice"),
    ],
)
def test_illegal_options_are_refused_with_what_is_legal(text, message):
    with pytest.raises(SpadesError, match=message):
        parse_options(Tuned, "tuned", text, SpadesError)
