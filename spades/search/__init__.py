"""Search: which card is worth most to the mover's partnership, from an observation alone."""

from spades.search.bias import BiasSettings
from spades.search.search import CardStatistics, Search, SearchResult, SearchSettings, search

__all__ = ["BiasSettings", "CardStatistics", "Search", "SearchResult", "SearchSettings", "search"]
