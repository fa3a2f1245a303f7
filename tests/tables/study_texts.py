"""A small study, and participants who take part by a script."""

from spades.tables import Move
from spades.tables.game import DEAL, OVER, ROUND_OVER
from spades.tables.studies import AFTER, BEFORE, DONE
from tests.tables.test_game import lowest

DEAL_TEXT = "N AKJ62.AQ.Q.K9543 T98.KJT9.KJT9.QJ 743.8765.8765.A2 Q5.432.A432.T876"
SMALL = f"""
title = "A small study"
text = "Play."
consent = "You agree."
pace = 0
rating = true

[seats]
north = "srp+bis"
east = "random+bis"
south = "participant"
west = "random+bis"

[[games]]
seed = 7
rounds = 2

[[games]]
deals = ["{DEAL_TEXT}"]

[[before]]
name = "often"
ask = "How often do you play?"
kind = "choice"
options = ["never", "often"]

[[after]]
name = "fun"
ask = "Was it fun?"
kind = "scale"
low = 1
high = 7
ends = ["not at all", "very much"]

[[after]]
name = "remarks"
ask = "Anything else?"
kind = "text"
required = false
"""
ANSWERS = {
    BEFORE: {"often": "often", "rating": 1500},
    AFTER: {"fun": 6, "remarks": "=HYPERLINK(1)"},
}
GAMES = ("game 1", "game 2")


def finish_game(live, place, ms=1200):
    """Play a game to its end by the lowest legal card, a thought of ``ms`` each."""
    assert live.wait(place["game"])
    while True:
        assert live.wait(place["game"])
        with live.playing(place["game"]) as game:
            pass
        if game.phase == OVER:
            return
        move = Move(0, DEAL) if game.phase == ROUND_OVER else lowest(game)
        taken = 60_000 if move.kind == DEAL else ms
        live.move(place["seat"], len(game.moves), move._replace(ms=taken))
        assert live.wait(place["game"])


def take_part(store, live, token, until=DONE, answers=ANSWERS):
    """Go on step by step until one is due."""
    while (step := store.person(token).step) not in (until, DONE):
        if step in GAMES:
            finish_game(live, store.table(token))
        store.go_on(token, step, answers.get(step))
    return store.person(token)
