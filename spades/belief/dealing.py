"""How hidden cards are drawn, as agents' texts and settings say it."""

from __future__ import annotations

from dataclasses import dataclass

from spades.belief.biased import BiasedDeals, MixedDeals
from spades.belief.determinize import Determinizer, UniformDeals
from spades.belief.inference import RULES
from spades.belief.posterior import PosteriorDeals
from spades.core.errors import SpadesError
from spades.core.observation import Observation

UNIFORM, BIASED, MIXED, POSTERIOR = "uniform", "biased", "mixed", "posterior"
METHODS = (UNIFORM, BIASED, MIXED, POSTERIOR)
RULE_KEYS = {rule.key: rule.name for rule in RULES}
SEPARATOR = "/"


class InvalidDealingError(SpadesError):
    """A way of drawing hidden cards that isn't there."""


@dataclass(frozen=True)
class Dealing:
    """A way of drawing hidden cards; called with an observation it gives the determinizer.

    ``determinization``: one of ``METHODS``. ``without``: rules of the inference table that are
    switched off, keys of ``RULE_KEYS`` joined by ``/``; for ``biased`` and ``mixed``.
    ``share``: of ``mixed``, how probable it is that a deal is biased.
    """

    determinization: str = UNIFORM
    without: str = ""
    share: float = 0.5

    def __post_init__(self) -> None:
        if self.determinization not in METHODS:
            raise InvalidDealingError(
                f"unknown determinization {self.determinization!r}; {', '.join(METHODS)} are known"
            )
        for key in self.switched_off:
            if key not in RULE_KEYS:
                raise InvalidDealingError(
                    f"no rule {key!r} to be without; {', '.join(RULE_KEYS)} are there, "
                    f"several joined by {SEPARATOR}"
                )
        if self.without and not self.has_rules:
            raise InvalidDealingError(
                f"without does nothing with determinization={self.determinization}; it belongs to "
                f"{BIASED} and {MIXED}"
            )
        if not 0 <= self.share <= 1:
            raise InvalidDealingError(f"share is {self.share}; 0 to 1 is legal")
        if self.share != Dealing.share and self.determinization != MIXED:
            raise InvalidDealingError(
                f"share does nothing with determinization={self.determinization}; it belongs to "
                f"{MIXED}"
            )

    @property
    def switched_off(self) -> list[str]:
        """Keys of the rules that aren't applied."""
        return self.without.split(SEPARATOR) if self.without else []

    @property
    def has_rules(self) -> bool:
        """Whether deals are drawn by the inference table."""
        return self.determinization in (BIASED, MIXED)

    def __call__(self, observation: Observation) -> Determinizer:
        rules = [name for key, name in RULE_KEYS.items() if key not in self.switched_off]
        if self.determinization == BIASED:
            return BiasedDeals(observation, rules=rules)
        if self.determinization == MIXED:
            return MixedDeals(observation, share=self.share, rules=rules)
        if self.determinization == POSTERIOR:
            return PosteriorDeals(observation)
        return UniformDeals(observation)

    def text(self, noun: str = "") -> str:
        """In a few words, ``noun`` after the method: ``mixed deals (share 0.3, without nil)``."""
        told = [f"share {self.share:g}"] if self.share != Dealing.share else []
        told += [f"without {' and '.join(self.switched_off)}"] if self.without else []
        return " ".join([self.determinization, *filter(None, [noun])]) + (
            f" ({', '.join(told)})" if told else ""
        )
