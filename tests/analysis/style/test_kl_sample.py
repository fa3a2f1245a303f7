"""The canonical sample is that of the shipped sweep; others are named as such."""

import pytest

from analysis.style.kl_sample import CANONICAL, OF_THESE_PLAYS, KlSample
from spades.core.documents import read_json
from spades.core.paths import DATA


def test_the_shipped_sweep_has_the_canonical_sample():
    document = read_json(DATA / "sweeps" / "devlin-fig1.json")
    assert KlSample.of_sweep(document["plan"]) == CANONICAL
    for setting in document["settings"]:
        assert setting["kl"]["rounds"] == CANONICAL.rounds
    assert "human-south held out, 800 rounds, the canonical sample" in CANONICAL.text


@pytest.mark.parametrize("sample", [KlSample("human-south", 100), KlSample("mine", 800)])
def test_another_sample_says_that_it_is_another(sample):
    assert f"{sample.name}, not the canonical sample ({CANONICAL.name})" in sample.text
    assert CANONICAL.name in OF_THESE_PLAYS
