"""Search: which card is worth most to the mover's partnership, from an observation alone.

The package can be called: ``spades.search(observation)`` is ``spades.search.search`` of this
module. Python binds the name ``spades.search`` to the package as soon as anything in it is
imported, so that no function of that name could stay there.
"""

import sys
from types import ModuleType
from typing import Any

from spades.search.objectives import OBJECTIVES, GameChance, Objective, RoundPoints
from spades.search.playouts import PLAYOUTS, Playout
from spades.search.playouts.heuristic import HeuristicPlayout
from spades.search.playouts.human import HumanPlayout
from spades.search.playouts.random_cards import NilAwarePlayout, UniformPlayout
from spades.search.result import CardStatistics, SearchResult
from spades.search.search import Search, search
from spades.search.settings import SearchSettings
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


class _CallablePackage(ModuleType):
    """This package, which as a function is ``search``."""

    __wrapped__ = staticmethod(search)  # whose signature and help are shown

    def __call__(self, *arguments: Any, **options: Any) -> SearchResult:
        return search(*arguments, **options)


sys.modules[__name__].__class__ = _CallablePackage
