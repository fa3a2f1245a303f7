"""Codecs of addresses, as plain functions."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from ui.shared import address
from ui.shared.address import Field, PageState
from ui.shared.codecs import FLAG, TEXT, Choice, Integer, Number, Optional, Parsed, Several, Span


def shout(text):
    if text != text.upper():
        raise ValueError(f"{text} isn't loud.")
    return text


FIELDS = PageState(
    "page",
    {
        "view": Field(Choice(("all", "")), "all"),
        "size": Field(Choice(lambda: (32, 68)), 32),
        "open": Field(FLAG, False),
        "seed": Field(Integer(0, 2**31 - 1), 0),
        "share": Field(Number(0.0, 1.0), 0.5),
        "floor": Field(Optional(Integer(-500, -1)), None),
        "tricks": Field(Span(1, 13), (1, 13)),
        "cry": Field(Parsed(shout), "AH"),
        "name": Field(Parsed(lambda text: text[:5]), ""),
        "bots": Field(Several(Choice(("a", "b", "c")), is_needed=True), ["a"]),
        "logs": Field(Several(Choice(("x", "y", "z")), "|", most=2), []),
        "first": Field(Integer(1, 9), 3),
        "last": Field(lambda values: Integer(values["first"], 9), lambda values: values["first"]),
    },
)


@pytest.mark.parametrize(
    ("name", "text", "value", "words"),
    [
        ("view", "none", "all", "all, (nothing) are legal. Shown: all."),
        ("size", "33", 32, "32, 68 are legal. Shown: 32."),
        ("open", "yes", False, "0, 1 are legal. Shown: 0."),
        ("seed", "-5", 0, "0 to 2,147,483,647 are legal. Shown: 0."),
        ("seed", "1.5", 0, "0 to "),
        ("seed", "9" * 400, 2**31 - 1, "0 to "),
        ("share", "2", 1.0, "0 to 1 are legal. Shown: 1."),
        ("share", "nan", 0.5, "0 to 1 are legal. Shown: 0.5."),
        ("share", "1e999", 1.0, "Shown: 1."),
        ("floor", "7", -1, "-500 to -1 are legal. Shown: -1."),
        ("tricks", "5-2", (1, 13), "two numbers from 1 to 13 are legal, as 1-13. Shown: 1-13."),
        ("tricks", "²-3", (1, 13), "two numbers"),
        ("tricks", "1-" + "9" * 5000, (1, 13), "two numbers"),
        ("cry", "oh", "AH", "oh isn't loud. Shown: AH."),
        ("bots", "b,q", ["b"], "bots=q; a, b, c are legal. Left out."),
        ("bots", "q", ["a"], "a, b, c are legal. Shown: a."),
        ("bots", "", ["a"], "one or more are legal. Shown: a."),
        ("logs", "q", [], "logs=q; x, y, z are legal. Left out."),
        ("logs", "x|y|z", ["x", "y"], "at most 2 are shown, not z. Left out."),
        ("last", "0", 3, "3 to 9 are legal. Shown: 3."),
    ],
)
def test_a_wrong_value_is_named_and_replaced(name, text, value, words):
    values, (complaint,) = FIELDS.parse({name: text})
    assert values[name] == value
    assert complaint.startswith(f"The link says {name}=")
    assert words in complaint
    assert FIELDS.parse(FIELDS.format(values)) == (values, [])


@pytest.mark.parametrize(
    ("name", "typed", "taken"),
    [("seed", 7.0, 7), ("seed", 1.5, None), ("seed", -1.0, None), ("seed", 1e20, None),
     ("seed", None, None), ("share", 0.25, 0.25), ("share", 1.01, None), ("floor", -5.0, -5)],
)  # fmt: skip
def test_a_typed_number_is_taken_or_refused(name, typed, taken):
    codec = FIELDS.fields[name].codec
    if taken is None:
        with pytest.raises(ValueError, match="are legal"):
            codec.take(typed)
    else:
        assert codec.take(typed) == taken
        assert isinstance(codec.take(typed), int) == (name != "share")
    assert FIELDS.fields["floor"].codec.take(None) is None


def test_nothing_given_is_the_defaults_and_nothing_written():
    values, complaints = FIELDS.parse({"other": "page"})
    assert not complaints
    assert FIELDS.format(values) == {}
    assert values["last"] == values["first"] == 3


def test_lists_of_defaults_are_not_shared():
    FIELDS.parse({})[0]["bots"].append("b")
    assert FIELDS.parse({})[0]["bots"] == ["a"]


@settings(max_examples=25)
@given(
    some.fixed_dictionaries(
        {
            "view": some.sampled_from(("all", "")),
            "size": some.sampled_from((32, 68)),
            "open": some.booleans(),
            "seed": some.integers(0, 2**31 - 1),
            "share": some.floats(0.0, 1.0),
            "floor": some.none() | some.integers(-500, -1),
            "tricks": some.tuples(some.integers(1, 6), some.integers(6, 13)),
            "cry": some.sampled_from(("AH", "OH")),
            "name": some.text(max_size=5),
            "bots": some.lists(some.sampled_from("abc"), min_size=1, unique=True),
            "logs": some.lists(some.sampled_from("xyz"), max_size=2, unique=True),
            "first": some.integers(1, 5),
            "last": some.integers(5, 9),
        }
    )
)
def test_formatted_values_are_parsed_to_themselves(values):
    assert FIELDS.parse(FIELDS.format(values)) == (values, [])


def test_what_the_store_decides_is_always_written():
    fields = PageState(
        "page", {"logs": Field(Several(TEXT, "|"), ["here"], is_always_written=True)}
    )
    assert fields.format({"logs": ["here"]}) == {"logs": "here"}


def test_only_the_names_asked_for_are_written():
    values, _ = FIELDS.parse({"seed": "3", "share": "0.25"})
    assert FIELDS.format(values, ("seed",)) == {"seed": "3"}


@pytest.mark.parametrize(
    ("brought", "written", "is_sent"),
    [("24", "24", False), ("16", "16", True), ("24", "32", True), ("24", None, False)],
)
def test_the_browser_is_sent_an_address_that_it_may_not_have(
    monkeypatch, brought, written, is_sent
):
    sent = []
    shown = type("Shown", (dict,), {"from_dict": lambda _, wanted: sent.append(wanted)})
    monkeypatch.setattr(address.st, "query_params", shown(ply=brought))
    address.show_in_address({"ply": "24"}, written and {"ply": written})
    assert sent == [{"ply": "24"}] * is_sent


def test_a_link_whose_run_was_stopped_is_followed_by_the_next(tab):
    FIELDS.read()
    FIELDS.write()
    tab.query_params.update(seed="3", size="68")
    FIELDS.read()  # and a click stops the run here, with what the controls showed before
    tab.session_state.update(page_seed=0, page_size=32, page_share=0.25)
    FIELDS.read()
    FIELDS.write()
    assert tab.query_params == {"seed": "3", "size": "68", "share": "0.25"}
    tab.session_state["page_seed"] = 0
    FIELDS.read()
    FIELDS.write()
    assert tab.query_params == {"size": "68", "share": "0.25"}


@pytest.mark.parametrize(("value", "text"), [(500.0, "500"), (0.03, "0.03"), (-0.0, "0"), (7, "7")])
def test_whole_numbers_are_written_without_a_point(value, text):
    number = Number(-1, 1000)
    assert number.format(value) == text
    assert number.parse(text) == number.parse(str(value)) == value  # and old links are read
