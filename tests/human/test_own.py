"""Priors of one's own: named, asked, checked, and stored under their version."""

import sys

import numpy as np
import pytest

import spades
from analysis.matches.match import MatchPlan
from analysis.runs.store import programs_of, version_of
from spades.agents import parse_agent
from spades.agents.admission import admit, admit_models
from spades.core.errors import IllegalPlayError, SpadesError, UnknownModelError
from spades.core.programs import ProgramError
from spades.human import load_model, load_prior, model_hash, register_prior
from spades.human.model import HumanModel
from spades.human.own import OWN_PRIORS, InvalidPriorError, NotCompiledError
from spades.search import TECHNIQUES

COPIED = "devlin2016"
MODULE = """
version = "not this one"


def even(observation):
    return {card: 1 for card in observation.legal}


even.version = "3"


class Prior:
    def probabilities(self, observation):
        return [1.0] * len(observation.legal)
"""


pytestmark = pytest.mark.usefixtures("forget_own_code")


@pytest.fixture
def module(own_module):
    """The name of a module with priors."""
    return own_module(MODULE)


def copy(observation):
    """A compiled model once more, as a Python function by card."""
    return load_model(COPIED).probabilities(observation)


def round_of(name="four-bots"):
    return spades.shipped(name)


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_an_agent_that_leans_towards_a_copy_plays_as_with_the_model(technique):
    register_prior("copy", copy, version="1")
    record = round_of()
    for ply in (0, 13, 30):
        by_model = {}
        for model in ("copy", COPIED):
            agent = f"ismcts:iterations=200,bias={technique},model={model}"
            decision = spades.analyse(record, ply, agent=agent, models=[model], seed=3)
            assert decision.search.settings.bias.model == model
            by_model[model] = decision
            seen = record.observation(ply)
            chosen = parse_agent(agent).player.play(seen, 3)
            assert decision.search.best.card.code == chosen or decision.is_forced
        own, compiled = by_model["copy"], by_model[COPIED]
        assert repr(own.search.cards) == repr(compiled.search.cards)
        assert own.search.model_calls == compiled.search.model_calls
        for mine, theirs in zip(own.cards, compiled.cards, strict=True):
            assert mine.human["copy"] == pytest.approx(theirs.human[COPIED], abs=1e-12)


def test_it_plays_directly_and_by_temperature():
    register_prior("copy", copy, version="1")
    for text in ("direct:model={}", "direct:sample=on,model={}", "tempered:model={}"):
        for ply in range(0, 52, 5):
            seen = round_of().observation(ply)
            own = parse_agent(text.format("copy")).player.play(seen, ply)
            assert own == parse_agent(text.format(COPIED)).player.play(seen, ply)


def test_a_name_alone_loads_nothing(module):
    for name in (f"py:{module}.even", "py:os.system"):
        for ask in (load_model, load_prior, model_hash):
            with pytest.raises(UnknownModelError, match="a link, a page, a file or a stored"):
                ask(name)
        with pytest.raises(SpadesError, match="names Python code"):
            MatchPlan(f"ismcts:bias=puct,model={name}", "srp", 2)
    assert module not in sys.modules


def test_what_a_user_types_is_loaded(module):
    text = f"ismcts:iterations=20,bias=knowledge,model=py:{module}.even"
    admit(text)
    admit_models(f"py:{module}.Prior", COPIED)
    assert load_model(f"py:{module}.Prior").hash().startswith("version source ")
    assert version_of(text)["models"] == {f"py:{module}.even": "version 3"}
    assert "programs" not in version_of(text)
    assert [program.version for program in programs_of(text)] == ["3"]
    assert str(parse_agent(text)) == text
    with pytest.raises(ProgramError, match="has no odd; it defines even, Prior"):
        admit(f"direct:model=py:{module}.odd")
    decision = spades.analyse(round_of(), 8, agent=text, models=[f"py:{module}.Prior"])
    shares = [row.human[f"py:{module}.Prior"] for row in decision.cards]
    assert shares == pytest.approx([1 / len(shares)] * len(shares))


def test_another_process_gets_it_by_its_module(module):
    admit_models(f"py:{module}.even")
    register_prior("mine", sys.modules[module].Prior, version="5")
    agents = (f"direct:model=py:{module}.even", "direct:model=mine")
    versions = version_of(*agents)
    programs = programs_of(*agents)
    OWN_PRIORS.clear()
    for program in programs:
        program.admit()
    assert version_of(*agents) == versions

    register_prior("here", lambda observation: [1] * len(observation.legal), version="1")
    (program,) = programs_of("direct:model=here")
    OWN_PRIORS.clear()
    with pytest.raises(ProgramError, match="no other process can import here"):
        program.admit()


def test_results_are_stored_under_its_version():
    register_prior("mine", copy, version="1")
    plan = MatchPlan("direct:model=mine", "srp", 2)
    key = plan.key
    register_prior("mine", copy, version="2")
    assert plan.key != key
    assert model_hash("mine") == "version 2"


def test_it_is_a_model_for_observations():
    register_prior("copy", copy, version="1")
    own, compiled = load_model("copy"), load_model(COPIED)
    seen = [round_of().observation(ply) for ply in (0, 9, 40)]
    np.testing.assert_allclose(own.predict_proba(seen), compiled.predict_proba(seen), atol=1e-12)
    assert isinstance(own, HumanModel)
    with pytest.raises(IllegalPlayError, match="not this seat's turn"):
        own.probabilities(round_of().observation(0, seat=(seen[0].seat + 1) % 4))
    for compiled_only in (own.prior, lambda: load_prior("copy"), own.tensors):
        with pytest.raises(NotCompiledError, match="copy is a Python function"):
            compiled_only()


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ([0.5], "a prior has 1 probabilities"),
        ({"S2": 1.0}, "a prior has a probability of 'S2'; legal: "),
        (None, "a prior"),
        ("one", "a prior is 'one'; a number for each legal card"),
        ({}, "numbers from 0 that aren't all 0"),
    ],
)
def test_what_is_no_prior_names_itself_and_the_decision(row, reason):
    register_prior("wrong", lambda observation: row, version="1")
    agent = "ismcts:iterations=20,bias=puct,model=wrong"
    with pytest.raises(InvalidPriorError) as refusal:
        spades.analyse(round_of(), 8, agent=agent, models=())
    assert str(refusal.value).startswith("wrong (version 1), ply 8, ")
    assert reason in str(refusal.value)


def test_an_exception_names_its_place():
    def prior(observation):
        return observation.table.plays[99]

    register_prior("faulty", prior, version="1")
    line = prior.__code__.co_firstlineno + 1
    for agent in ("direct:model=faulty", "ismcts:iterations=50,bias=experience,model=faulty"):
        result = spades.play_match(f"{agent}+bis", "random+bis", games=2)
        place = f"raised IndexError: list index out of range (test_own.py, line {line}, in prior)"
        assert result.forfeits == (2, 0)
        assert place in result.faults[0]


def test_no_prior_sees_a_hidden_card():
    """What it is given while a search looks at other seats is a hand of that search's own deal."""
    record = round_of()
    seen = record.observation(8)
    given = []

    def prior(observation):
        given.append(observation)
        return [1.0] * len(observation.legal)

    register_prior("watches", prior, version="1")
    agent = "ismcts:iterations=300,bias=knowledge,model=watches"
    spades.analyse(seen, agent=agent, models=())
    others = [observation for observation in given if observation.seat != seen.seat]
    assert len(others) > 20
    for observation in given:
        assert not hasattr(observation.table, "hands")
    dealt = {observation.hand_mask for observation in others if len(observation.table.plays) == 9}
    assert len(dealt) > 5, "the true hand would always be the same"
