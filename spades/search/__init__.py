"""Search: which card is worth most to the mover's partnership, from an observation alone."""

from spades.search.search import CardStatistics, Search, SearchResult, SearchSettings, search
from spades.search.techniques import TECHNIQUES, Technique

__all__ = [
    "TECHNIQUES",
    "CardStatistics",
    "Search",
    "SearchResult",
    "SearchSettings",
    "Technique",
    "search",
]
