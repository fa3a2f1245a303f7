"""What the page says of the measured beliefs: by the table's intervals, whatever they are."""

import copy

from analysis.papers.belief_scores import BARE, load_scores
from spades.belief import RULE_NAMES
from ui.replay.beliefs import causes_table, finding, long_table, rules_table, scores_table


def document(**gaps):
    """The stored table, with other differences in every group."""
    changed = copy.deepcopy(load_scores())
    for found in changed["groups"].values():
        for pair, interval in gaps.items():
            found["parts"]["all"]["differences"][pair]["interval"] = interval
    return changed


def test_the_sentence_follows_the_intervals():
    worse = finding(document(**{"biased - uniform": [-0.2, -0.1]}))
    assert "**biased explains them worse than uniform** in all 3 groups" in worse
    assert "the dealing loses it" in worse
    better = finding(document(**{"biased - uniform": [0.1, 0.2]}))
    assert "biased explains the cards better than uniform in all 3 groups" in better
    assert "the dealing loses it" not in better
    unclear = finding(document(**{"biased - uniform": [-0.1, 0.1]}))
    assert "biased does better than uniform in 0, worse in 0 of 3 groups" in unclear


def test_every_table_has_a_row_for_what_it_measures():
    stored = load_scores()
    assert scores_table(stored)["group"].tolist() == list(stored["groups"])
    assert scores_table(stored)["rounds"].tolist() == [300] * 3
    assert len(causes_table(stored)) == 5
    rules = rules_table(stored)
    assert rules["rule"].tolist() == [*RULE_NAMES, "all rules"]
    gain = stored["rules"]["four-ismcts"]["gain"][BARE]["biased"]["value"]
    assert rules["four-ismcts"].iloc[-1].startswith(f"{gain:.3f} (")
    whole = long_table(stored)
    assert (whole["low"] <= whole["nats_a_card"]).all()
    assert (whole["nats_a_card"] <= whole["high"]).all()
    assert set(whole["group"]) == set(stored["groups"])
