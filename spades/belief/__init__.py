"""Who holds what: deals that agree with what a seat has seen."""

from spades.belief.determinize import Determinizer, UniformDeals, deal_count

__all__ = ["Determinizer", "UniformDeals", "deal_count"]
