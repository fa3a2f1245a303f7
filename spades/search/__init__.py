"""Search: which card is worth most to the mover's partnership, from an observation alone."""

from spades.search.objectives import OBJECTIVES, GameChance, Objective, RoundPoints
from spades.search.playouts import PLAYOUTS, Playout
from spades.search.playouts.heuristic import HeuristicPlayout
from spades.search.playouts.human import HumanPlayout
from spades.search.playouts.random_cards import NilAwarePlayout, UniformPlayout
from spades.search.search import CardStatistics, Search, SearchResult, SearchSettings, search
from spades.search.skew import RuleSkew
from spades.search.techniques import TECHNIQUES, Technique
from spades.search.techniques.experience import Experience
from spades.search.techniques.knowledge import Knowledge
from spades.search.techniques.pikl import Pikl

__all__ = [
    "OBJECTIVES",
    "PLAYOUTS",
    "TECHNIQUES",
    "CardStatistics",
    "Experience",
    "GameChance",
    "HeuristicPlayout",
    "HumanPlayout",
    "Knowledge",
    "NilAwarePlayout",
    "Objective",
    "Pikl",
    "Playout",
    "RoundPoints",
    "RuleSkew",
    "Search",
    "SearchResult",
    "SearchSettings",
    "Technique",
    "UniformPlayout",
    "search",
]
