"""Every change of a formula that is listed in ``tests.mutations`` is noticed by a fast test."""

import pytest

from analysis.papers.sources import SOURCES
from tests.formula_mutations import FORMULAS_BY_PAPER
from tests.mutations import MUTATIONS, ROOT, MutableCode
from tests.paper_mutations import BY_PAPER


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    with MutableCode(tmp_path_factory.mktemp("mutated")) as code:
        yield code


def test_there_are_thirty_mutations_and_each_finds_its_place():
    assert len({mutation.what for mutation in MUTATIONS}) == len(MUTATIONS) >= 30
    for mutation in MUTATIONS:
        assert (ROOT / mutation.file).read_text("utf-8").count(mutation.before) == 1, mutation.what
        assert mutation.after not in ("", mutation.before)


def test_formulas_of_every_paper_are_changed():
    assert set(BY_PAPER) == set(SOURCES)
    assert min(map(len, BY_PAPER.values())) >= 6
    assert sum(map(len, BY_PAPER.values())) >= 30
    assert set(FORMULAS_BY_PAPER) == set(SOURCES)
    assert min(map(len, FORMULAS_BY_PAPER.values())) >= 6


@pytest.mark.exhaustive
def test_the_tests_pass_without_a_mutation(code):
    status, output = code.run_tests(*dict.fromkeys(mutation.tests for mutation in MUTATIONS))
    assert status == 0, output


@pytest.mark.exhaustive
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.what)
def test_a_fast_test_catches_the_mutation(code, mutation):
    assert code.caught(mutation), mutation.what
