"""Who holds what: inference, and deals that agree with what a seat has seen."""

from spades.belief.dealing import Dealing, InvalidDealingError
from spades.belief.determinizations import DETERMINIZATIONS, Determinization
from spades.belief.determinizations.biased import RULE_KEYS, BiasedDeals
from spades.belief.determinizations.posterior import PosteriorDeals
from spades.belief.determinize import Determinizer, UniformDeals, deal_count, every_deal
from spades.belief.inference import RULE_NAMES, RULES, inference_table

__all__ = [
    "DETERMINIZATIONS", "RULES", "RULE_KEYS", "RULE_NAMES", "BiasedDeals",
    "Dealing", "Determinization", "Determinizer", "InvalidDealingError", "PosteriorDeals",
    "UniformDeals", "deal_count", "every_deal", "inference_table",
]  # fmt: skip
