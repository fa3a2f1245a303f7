"""What the Tune page's links mean, as plain functions."""

import pytest

from ui.shared.options import BIAS_OPTIONS
from ui.tune import state
from ui.tune.state import LADDER_OPTIONS, open_decisions, page

LADDER = {
    "hand": "four-bots",
    "ply": "3",
    "technique": "experience",
    "model": "devlin2016-nil",
    "c_bt": "0.04",
    "k": "700",
    "w": "7",
    "delay": "root",
    "iterations": "953",
    "ladder_seed": "7",
    "ladder_scale": "200",
}
FORM = {
    "view": "run",
    "sweep": "mine",
    "chart": "heat",
    "x": "log_loss",
    "heat": "kl",
    "family": "one",
    "point": "key4",
    "sweep_techniques": "knowledge|experience",
    "sweep_models": "devlin2016|gone",
    "sweep_c_bt": "0.1",
    "sweep_games": "2",
    "sweep_log": "four-humans",
    "sweep_name": "a name",
}


PIKL = {"technique": "pikl", "lambda": "7", "sweep_lambda": "1, 2", "sweep_play": "sample"}


@pytest.mark.parametrize("link", [{}, LADDER, FORM, PIKL])
def test_a_link_is_read_and_written_back(link):
    values, complaints = page.parse(link)
    assert not complaints
    assert page.format(values) == {"sweep_log": "human-south", **link}


def test_a_strength_equal_to_a_usual_one_is_that_one():
    values, _ = page.parse({"k": "100", "w": "10"})
    for name, value in values.items():
        if name in ("k", "w"):
            usual = LADDER_OPTIONS[name].usual
            assert repr(value) in map(repr, usual)


@pytest.mark.parametrize(
    ("name", "text", "words", "shown"),
    [
        ("hand", "nope", "no hand 'nope'", None),
        ("ply", "21", "a forced play of", None),
        ("ply", "999", "0 to 51 are legal. Shown: 46.", "46"),
        ("ply", "x", "0 to 51 are legal. Shown: 20.", None),
        ("technique", "magic", "knowledge, experience, pikl", None),
        ("model", "oracle", "devlin2016", None),
        ("c_bt", "-1", "0 to 1,000,000 are legal. Shown: 0", "0"),
        ("c_bt", "2e6", "0 to 1,000,000 are legal. Shown: 1000000", "1000000"),
        ("delay", "soon", "a whole number from 1, root and inf are legal", None),
        ("iterations", "0", "1 to 1,000,000 are legal", "1"),
        ("chart", "pie", "frontier, heat are legal", None),
        ("x", "beauty", "kl, auc, accuracy_all", None),
        ("sweep_techniques", "knowledge|love", "knowledge, experience", None),
        ("sweep_games", "-2", "0 to 1,000,000 are legal", "0"),
    ],
)
def test_a_wrong_value_is_named_and_replaced(name, text, words, shown):
    values, (complaint,) = page.parse({name: text})
    assert words in complaint
    assert page.format(values).get(name) == shown


def test_a_ladder_is_of_a_decision_with_a_choice():
    values, _ = page.parse({"hand": "four-bots"})
    from ui.shared.records import find_hand

    assert values["ply"] in open_decisions(find_hand("four-bots"))


def test_the_ladder_has_every_option_of_a_bias_that_replay_hands_over():
    handed_over = {name for name in BIAS_OPTIONS if not BIAS_OPTIONS[name].choices}
    assert handed_over <= set(state.LADDER)
    assert {"asked", "play"} == set(BIAS_OPTIONS) - set(state.LADDER)
