"""Losses on games held out, what is unusual, what is stored of a player."""

import json

import numpy as np
import pytest

from analysis.decisions.conclusion import INTERVAL_SE
from analysis.people.fitting import fit_player
from analysis.people.held_out import answers_of, held_out, loss_row, rival_answers, sizes_of
from analysis.people.unusual import PHRASES, compare_weights, words_of
from analysis.plots.people import MAX_FEATURES, plot_person
from experiments import fit_spreads, measure_persons
from experiments.simulated_players import simulated_examples
from spades.agents import Seating, parse_agent, play_games
from spades.core.rules import Rules
from spades.human.features.card_features import FEATURES
from spades.human.features.view import LEGAL
from spades.human.person import PersonError
from spades.human.simulated import load_simulated_human, spread_human
from spades.notation.parquet import save_log

AGENT, POPULATION = "human:spread=1,player=5", load_simulated_human().weights


@pytest.fixture(scope="module")
def choices():
    return simulated_examples(AGENT, 10, 1)


def never():
    return False


@pytest.mark.parametrize(
    ("n", "sizes"),
    [(1, []), (2, [1]), (5, [4]), (7, [5]), (10, [5, 8]), (25, [5, 20]), (130, [5, 20, 100])],
)
def test_sizes_leave_a_fold_out(n, sizes):
    assert sizes_of(n) == sizes


def test_every_choice_is_predicted_by_models_of_other_games(choices):
    done = []
    rows = held_out(choices, lambda made: done.append(made.done), never)
    assert done == list(range(10))
    assert [(row["model"], row.get("fitted_games")) for row in rows] == [
        ("own", 5), ("own", 8), ("population", None), ("network", None), ("chance", None),
    ]  # fmt: skip
    assert {(row["games"], row["decisions"]) for row in rows} == {(10, len(choices))}
    known = {row["model"]: row for row in rows[1:]}
    for rival in ("population", "network", "chance"):
        gap = known[rival]["log_loss"] - known["own"]["log_loss"]
        assert known["own"][rival] == pytest.approx(gap)
        assert known["own"][f"{rival}_low"] < gap < known["own"][f"{rival}_high"]
    assert known["own"]["population_low"] > 0
    own = answers_of(spread_human(1.0, 5).weights, choices)[0].mean()
    assert own < known["own"]["log_loss"] < known["population"]["log_loss"]


def test_chance_is_uniform_over_the_legal_cards(choices):
    n_legal = np.bitwise_count(choices.views[:, LEGAL]).astype(float)
    loss, accuracy = rival_answers(choices)["chance"]
    assert np.allclose(loss, np.log(n_legal))
    assert np.allclose(accuracy, 1 / n_legal)


def test_a_loss_row_is_worked_by_hand():
    own, other = np.array([[1.0, 2.0, 3.0], [1, 0, 0]]), np.array([[2.0, 2.0, 5.0], [0, 0, 1]])
    row = loss_row(own, np.array([0, 0, 1]), {"chance": other})
    assert (row["log_loss"], row["chance"], row["games"], row["decisions"]) == (2.0, 1.0, 2, 3)
    assert row["accuracy"] == pytest.approx(1 / 3)
    # Games sum to 1 and 2 over 2 and 1 choices: residuals -1 and 1, an error of sqrt(4) / 3.
    assert row["chance_high"] - 1 == pytest.approx(12.7062 * 2 / 3, rel=1e-4)


def test_one_game_has_no_row_of_its_own_and_a_stop_none(choices):
    one = choices.take(choices.games == 0)
    assert [row["model"] for row in held_out(one, print, never)] == [
        "population", "network", "chance",
    ]  # fmt: skip
    assert held_out(choices, lambda made: None, lambda: True) == []


def test_of_many_games_the_first_are_looked_at(choices, monkeypatch):
    monkeypatch.setattr("analysis.people.held_out.MAX_GAMES", 3)
    rows = held_out(choices, lambda made: None, never)
    assert {(row["games"], row["decisions"]) for row in rows} == {(3, (choices.games < 3).sum())}
    assert [row.get("fitted_games") for row in rows] == [2, None, None, None]


def test_a_study_keeps_all_in_one_model():
    agents = tuple(map(parse_agent, (AGENT, "random", "random", "random")))
    log = play_games(Seating(agents, Rules(target=100)), 1, 0, 4).log()
    player = log.players[0]
    model = fit_player(log, player, "a", tell=lambda made: None, is_cancelled=never)
    assert (model.name, model.facts_["player"]) == ("a", player)
    assert model.facts_["kinds"] == ["simulated-human"]
    assert model.facts_["held_out"][0]["games"] == model.facts_["data"]["games"] == 4
    assert fit_player(log, player, "a", tell=print, is_cancelled=lambda: True) is None
    cut = log.take(slice(0, 1))
    cut.plays[:] = -1
    with pytest.raises(PersonError, match="never had a choice"):
        fit_player(cut, player, "a", tell=print, is_cancelled=never)


def test_what_is_unusual_is_said_by_its_effect():
    weights, errors = POPULATION.copy(), np.full(45, 0.1)
    weights[FEATURES.index("Lead non-spade boss")] += np.log(3)
    weights[FEATURES.index("Steal unwanted tricks")] -= np.log(2)
    weights[0] += 0  # the same row as the boss
    weights[5] += INTERVAL_SE * 0.1 - 1e-9
    table = compare_weights(weights, errors)
    assert table["feature"].tolist()[:2] == ["Lead non-spade boss", "Steal unwanted tricks"]
    assert table["is_unusual"].tolist() == [True, True] + [False] * 43
    assert table["words"][0].startswith("leads a boss of a side suit far more often: odds x 3.00")
    assert table["words"][1].startswith("takes tricks that aren't wanted clearly less often")
    figure = plot_person(table)
    quiet, unusual, population = figure.data
    assert list(unusual.x) == table["weight"].tolist()[1::-1]
    assert len(quiet.x) + 2 == len(population.x) == MAX_FEATURES


def test_words_give_odds_with_their_interval():
    words = words_of("leads", np.log(1.2), np.log(1.5))
    assert words == "leads a little more often: odds x 1.20 (95%: 0.80 to 1.80)"
    assert len(PHRASES) == len(set(PHRASES)) == 45


@pytest.mark.slow
def test_the_measurement_counts_what_it_says():
    document = measure_persons.document(2, 12)
    first = document["rows"][0]
    assert [(row["spread"], row["games"]) for row in document["rows"]] == [
        (spread, games) for spread in (0.2, 0.5) for games in (5, 20, 100)
    ]
    gap = first["loss population"] - first["loss truth"]
    assert first["gap"]["value"] == pytest.approx(gap)
    assert first["gain"]["value"] == pytest.approx(first["loss population"] - first["loss own"])
    assert first["closed"]["value"] == pytest.approx(first["gain"]["value"] / gap)
    assert first["players"] == 2
    assert 0.8 < first["coverage"]["value"] <= 1
    json.dumps(document, allow_nan=False)


def test_spreads_are_fitted_to_the_players_of_a_log(tmp_path, monkeypatch):
    monkeypatch.setattr("experiments.fit_spreads.PASSES", 2)
    agents = tuple(map(parse_agent, (AGENT, "human", "random", "human:spread=1,player=6")))
    path = tmp_path / "group.parquet"
    save_log(play_games(Seating(agents, Rules()), 1, 0, 2).log(), path, provenance={})
    document = fit_spreads.document(path)
    assert (document["group"], document["players"]) == ("group.parquet", 4)
    assert len(document["spreads"]) == 45
