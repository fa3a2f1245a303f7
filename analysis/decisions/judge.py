"""The judge: the one agent whose searches say what a play is worth, wherever a conclusion is shown.

It is not the search under study, which may be any agent, and whose visits are compared with the
human probabilities. On held-out decisions, the lead of one card over another by the judge explains
51% of the difference between the two when both are played out; by the plain search of 2,500
iterations, 11%. Its chances of contracts and nils are those of its own playouts and not calibrated:
on held-out games it gave nils a chance of .565 where .641 were kept.
"""

from dataclasses import replace

from analysis.decisions.settings import AnalysisSettings, settings_of_agent

JUDGE = "best"


def judge_settings(asked: AnalysisSettings) -> AnalysisSettings:
    """The judge's settings, with the seed, objective and first model of ``asked``."""
    judge = settings_of_agent(JUDGE)
    return replace(
        judge,
        seed=asked.seed,
        models=asked.models[:1],
        search=replace(judge.search, objective=asked.search.objective),
    )
