"""The nearest measured setting on the Style page, and its link to Tune."""

import re

import numpy as np

from analysis.style.compare import ByGame
from analysis.sweeps.nearest import MeasuredSetting, Neighbour
from tests.pages.apps import open_page, texts
from ui.style.nearest import nearest_text


def tables(page):
    frames = [frame.value for frame in page.dataframe]
    return [frame for frame in frames if {"tune", "setting", "beside"} <= set(frame.columns)]


def test_each_group_has_its_nearest_settings_with_a_way_to_tune(show):
    page = show()
    humans, bots = tables(page)
    assert len(humans) == len(bots) == 5
    assert bots["setting"][0] == "unbiased, 2500 iterations"
    assert "Nearest to Bots: **unbiased, 2500 iterations**, 0.00" in texts(page)
    assert humans["beside"][0] == ""
    assert humans["beside"][1:].str.fullmatch(r"(≈ )?[+-]0\.\d{4}").all()
    link = humans["tune"][0]
    sweep, point = re.fullmatch(r"/Tune\?view=frontier&sweep=([\w-]+)&point=(\w+)", link).groups()
    tune = open_page("4_Tune", {"view": "frontier", "sweep": sweep, "point": point})
    assert not tune.warning
    assert tune.selectbox(key="tune_point").value == point


def test_a_filter_of_plays_has_no_nearest_setting(show):
    page = show(forced="0")
    assert tables(page) == []
    assert "Settings are measured over all plays" in texts(page)


def test_contexts_are_no_groups_with_a_setting(show):
    page = show(by="turn")
    assert tables(page) == []
    assert "nearest measured setting" not in texts(page)


def test_settings_that_cannot_be_told_apart_are_said():
    setting = MeasuredSetting("C_BT 1", "s", "k", "log", 9, ByGame(np.ones((2, 68), np.int32)))
    first = Neighbour(setting, 0.02, (0.01, 0.03), 0.002)
    near = Neighbour(setting, 0.025, (0.01, 0.04), 0.002, 0.005, False)
    far = Neighbour(setting, 0.2, (0.1, 0.3), 0.002, 0.18, True)
    begins = "**C_BT 1**, 0.0200 nats (0.0100 to 0.0300; by chance 0.0020)."
    assert nearest_text([first]) == begins
    assert nearest_text([first, near, far]) == (
        f"{begins} It can't be told apart from 1 other setting."
    )
    assert nearest_text([first, near, near]).endswith("from 2 other settings.")
    assert nearest_text([first, far]) == f"{begins} The next is 0.1800 nats farther."
