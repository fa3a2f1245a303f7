"""The time that a judge gives a decision."""

from types import SimpleNamespace

from analysis.decisions import evidence
from analysis.decisions.evidence import made_within


def test_kernels_compiled_on_the_way_take_none_of_the_budget(monkeypatch):
    clock = {"all": 0.0, "compiling": 0.0}
    monkeypatch.setattr(evidence, "thread_time", lambda: clock["all"])
    monkeypatch.setattr(evidence, "seconds_compiling", lambda: clock["compiling"])
    done = []

    def steps():
        for i in range(100):
            clock["all"] += 1.0
            if i == 0:  # the first step compiles
                clock["all"] += 30.0
                clock["compiling"] += 30.0
            done.append(i)
            yield

    list(made_within(SimpleNamespace(steps=steps), 4.0))
    assert len(done) == 5
