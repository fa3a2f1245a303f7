"""Agents in words."""

import doctest

import pytest

from spades.agents import PLAYERS, words
from spades.agents.words import agent_words, short_words


def test_what_the_module_shows_is_so():
    assert doctest.testmod(words).failed == 0


def test_every_player_has_words_of_its_own():
    assert len({player.words for player in PLAYERS.values()}) == len(PLAYERS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("srp+bis", "Rules (srp) with bis bids"),
        ("human", "Simulated human"),
        ("random", "Random cards (random)"),
        ("stars:level=3+kb", "AI Factory (stars, level 3) with kb bids"),
        ("srp+bis:end_game=off", "Rules (srp) with bis:end_game=off bids"),
        ("nobody", "nobody"),
        ("Ann B.", "Ann B."),
        ("", ""),
    ],
)
def test_words(text, expected):
    assert agent_words(text) == expected


def test_short_words_leave_people_their_names():
    assert [short_words(text) for text in ("srp+bis", "human", "Ann")] == [
        "Rules",
        "Simulated human",
        "Ann",
    ]
