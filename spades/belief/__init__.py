"""Who holds what: inference, and deals that agree with what a seat has seen."""

from collections.abc import Callable

from spades.belief.dealing import METHODS, RULE_KEYS, BiasedDeals, Dealing, InvalidDealingError
from spades.belief.determinize import Determinizer, UniformDeals, deal_count, every_deal
from spades.belief.inference import RULE_NAMES, RULES, inference_table
from spades.belief.posterior import PosteriorDeals
from spades.core.observation import Observation

DETERMINIZERS: dict[str, Callable[[Observation], Determinizer]] = {
    method: Dealing(method) for method in METHODS
}
"""Ways of drawing hidden cards, by the names that agents' texts give them."""

__all__ = [
    "DETERMINIZERS", "RULES", "RULE_KEYS", "RULE_NAMES", "BiasedDeals", "Dealing", "Determinizer",
    "InvalidDealingError", "PosteriorDeals", "UniformDeals", "deal_count", "every_deal",
    "inference_table",
]  # fmt: skip
