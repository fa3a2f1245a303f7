"""The judge: the one measure by which every conclusion says what a play is worth.

It isn't the search under study, whose visits are compared with human play and which may be any
agent. It deals the hidden cards as the bids and plays of those at the table make them likely, and
has four of ``PLAYER``, each shown its own hand and the table alone, play the round on from every
class of cards; searches of ``FIRST`` are its first guess (``analysis.decisions.evidence``).
"""

from dataclasses import replace

from analysis.decisions.settings import AnalysisSettings, settings_of_agent
from spades.belief import Dealing
from spades.core.records import BOT, HUMAN, SIMULATED_HUMAN, Record

PLAYER = "best:iterations=200"
NETWORK_PLAYER = "distilled:temperature=3"
GREEDY_NETWORK_PLAYER = "distilled"
FIRST = "best"
BOTS, HUMANS, ANY = BELIEVED = ("search", "human", "any")
_BELIEVED = {
    frozenset([BOT]): BOTS,
    frozenset([HUMAN]): HUMANS,
    frozenset([SIMULATED_HUMAN]): HUMANS,
}
"""The kind of players that the deals assume, by the kinds at the table; any other: ``ANY``."""


def judge_settings(settings: AnalysisSettings) -> AnalysisSettings:
    """How the judge searches where the search under study has these settings: with the same seed,
    objective and first human model."""
    judge = settings_of_agent(FIRST)
    return replace(
        judge,
        seed=settings.seed,
        models=settings.models[:1],
        search=replace(judge.search, objective=settings.search.objective),
    )


def believed_players(record: Record) -> str:
    """The kind of players that the judge takes those of a record for."""
    return _BELIEVED.get(frozenset(record.kinds), ANY)


def believed_deals(record: Record) -> Dealing:
    """How the judge deals hidden cards of a record: by the posterior of the kind of its players."""
    return Dealing.of("posterior", players=believed_players(record))
