"""The judge: the one agent by which every conclusion says what a play is worth.

It is not the search under study, whose visits are compared with human play and which may be any
agent. On held-out decisions, the lead of one card over another by the judge explains
51% of the difference between the two when both are played out; by the plain search of 2,500
iterations, 11%. Its chances of contracts and nils are those of its own playouts and not calibrated:
on held-out games it gave nils a chance of .565 where .641 were kept.
"""

from dataclasses import replace

from analysis.decisions.settings import AnalysisSettings, settings_of_agent

JUDGE = "best"


def judge_settings(settings: AnalysisSettings) -> AnalysisSettings:
    """How the judge searches where the search under study has these settings: with the same seed,
    objective and first human model."""
    judge = settings_of_agent(JUDGE)
    return replace(
        judge,
        seed=settings.seed,
        models=settings.models[:1],
        search=replace(judge.search, objective=settings.search.objective),
    )
