"""The judge: the one agent whose searches say what a play is worth, wherever a conclusion is shown.

It is not the search under study, whose visits stand beside the human probabilities and which may be
any agent. Of what two cards bring when both are played out, the judge's lead explains 51% on
decisions held out, that of the plain search of 2,500 iterations 11%. Its chances of contracts and
nils are those of its own playouts, and not calibrated: on held-out games it gave nils .565 where
.641 were kept.
"""

from dataclasses import replace

from analysis.decisions.decision import AnalysisSettings, settings_of_agent

JUDGE = "best"


def judge_settings(asked: AnalysisSettings) -> AnalysisSettings:
    """The judge's settings, with the seed, objective and first model of ``asked``."""
    judge = settings_of_agent(JUDGE)
    search = replace(judge.search, objective=asked.search.objective)
    return replace(judge, seed=asked.seed, models=asked.models[:1], search=search)
