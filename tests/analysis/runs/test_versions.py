"""Keys of results hold the human models that agents lean on, and no others."""

import pytest

from analysis.matches.match import MatchPlan
from analysis.runs.versions import model_hash, models_of
from analysis.sweeps.sweep import Setting, SweepPlan
from spades.core.errors import UnknownModelError
from tests.human.random_networks import random_network

BIASED = "ismcts:iterations=10,bias=knowledge,model=mine"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SPADES_MODELS", str(tmp_path))
    random_network("200", seed=1).save(tmp_path / "mine.safetensors")
    return tmp_path


def keys():
    plans = [MatchPlan("direct:model=mine", "random", 2), MatchPlan(BIASED, "random", 2)]
    setting = Setting("knowledge", "mine", 0.1, 10.0, None, 1, 10)
    return [*(plan.key for plan in plans), SweepPlan((setting,), games=2).key]


def others():
    plain = MatchPlan("ismcts:iterations=10", "random", 2)
    published = MatchPlan("direct:model=devlin2016", "random", 2)
    return [plain.key, published.key, SweepPlan((), games=2).key]


def test_agents_name_the_models_they_lean_on(folder):
    assert models_of("ismcts:iterations=10", "random", "human") == {}
    found = models_of(BIASED, "direct:model=devlin2016")
    assert found == {"models": {"devlin2016": model_hash("devlin2016"), "mine": model_hash("mine")}}
    with pytest.raises(UnknownModelError, match="ghost"):
        model_hash("ghost")


def test_a_model_trained_anew_asks_another_question_and_leaves_the_rest(folder):
    before, left = keys(), others()
    random_network("200", seed=2).save(folder / "mine.safetensors")
    random_network("200", seed=3).save(folder / "another.safetensors")
    assert not set(keys()) & set(before)
    assert others() == left
    random_network("200", seed=1).save(folder / "mine.safetensors")
    assert keys() == before, "the same numbers, the same question"
