"""The fit of ISMCTS's plays: the command, small, and what is shipped."""

import sys

import numpy as np

from experiments import fit_search_plays
from experiments.train_beliefs import SOURCES
from spades.belief.players import FILE, SEARCH
from spades.human.loglinear import LogLinearModel


def test_the_command_fits_what_searches_play(tmp_path, monkeypatch):
    quick = SOURCES[2]._replace(agent="ismcts:iterations=60")
    monkeypatch.setattr(fit_search_plays, "SOURCES", [SOURCES[0], quick])
    out = tmp_path / "plays.safetensors"
    options = ["--out", str(out), "--rounds", str(tmp_path), "--n", "30", "--workers", "1"]
    monkeypatch.setattr(sys, "argv", ["fit_search_plays", *options])
    fit_search_plays.main()
    found = LogLinearModel.load(out)
    assert found.weights_.shape == (45,)
    assert np.isfinite(found.weights_).all()
    assert not np.allclose(found.weights_, 0)


def test_the_shipped_fit_is_of_both_searches():
    facts = LogLinearModel.load(FILE).facts_
    searches = sum(source.kind == SEARCH for source in SOURCES)
    assert facts["data"]["examples"] == 52 * searches * fit_search_plays.N_ROUNDS
    assert 1.2 < facts["metrics"]["log_loss"] < 1.3  # guessing among the legal cards: 1.33
