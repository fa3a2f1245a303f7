"""Search: which card is worth most to the mover's partnership, from an observation alone.

The package can be called: ``spades.search(observation)`` is ``spades.search.search`` of this
module. Python binds the name ``spades.search`` to the package as soon as anything in it is
imported, so that no function of that name could stay there.
"""

import sys
from types import ModuleType
from typing import Any

from spades.search.bias import BiasSettings
from spades.search.search import CardStatistics, Search, SearchResult, SearchSettings, search

__all__ = ["BiasSettings", "CardStatistics", "Search", "SearchResult", "SearchSettings", "search"]


class _CallablePackage(ModuleType):
    """This package, which as a function is ``search``."""

    __wrapped__ = staticmethod(search)  # whose signature and help are shown

    def __call__(self, *arguments: Any, **options: Any) -> SearchResult:
        return search(*arguments, **options)


sys.modules[__name__].__class__ = _CallablePackage
