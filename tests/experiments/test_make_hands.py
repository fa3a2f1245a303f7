"""The hand that Replay opens on is the one that its rule chooses from the shipped disagreements."""

from experiments.make_hands import find_showpiece, showpiece
from tests.pages.texts import shipped
from ui.replay.state import LANDING


def test_replay_opens_on_the_disagreement_that_the_rule_chooses():
    _, ply = find_showpiece()
    assert {"hand": "north-nil", "ply": str(ply)} == LANDING
    assert shipped(LANDING["hand"]) == showpiece()
