"""Search: which card is worth most to the mover's partnership, from an observation alone."""

from spades.search.bias import BiasSettings
from spades.search.deals import SampledDeals, sample_deals
from spades.search.search import CardStatistics, Search, SearchResult, SearchSettings, search

__all__ = [
    "BiasSettings",
    "CardStatistics",
    "SampledDeals",
    "Search",
    "SearchResult",
    "SearchSettings",
    "sample_deals",
    "search",
]
