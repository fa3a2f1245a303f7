"""How an agent deals the cards that its seat can't see: its option ``determinization``."""

from dataclasses import dataclass
from typing import Any

from spades.belief.determinizations import DETERMINIZATIONS, Determinization
from spades.belief.determinizations.determinization import InvalidDealingError
from spades.belief.determinizations.uniform import UniformDeterminization
from spades.belief.determinize import Determinizer
from spades.core.observation import Observation
from spades.core.options import check_options, made, options_of, part, values_of

_IN_EVERY_KEY = ("determinization", "without", "share", "floor", "players")


def _meanings() -> str:
    return " ".join(
        f"{kind.name.capitalize()}: {kind.meaning}." for kind in DETERMINIZATIONS.values()
    )


@dataclass(frozen=True, repr=False)
class Dealing:
    """A determinization; called with an observation it gives the determinizer."""

    determinization: Determinization = part(
        UniformDeterminization(),
        DETERMINIZATIONS,
        label="Hidden cards",
        help=f"How the cards that the seat can't see are dealt. {_meanings()}",
    )

    @classmethod
    def of(cls, name: str, **options: Any) -> "Dealing":
        """The determinization called ``name``, with these values of its options."""
        dealing: Dealing = made(cls, {"determinization": name, **options}, InvalidDealingError)
        return dealing

    def __post_init__(self) -> None:
        check_options(self, InvalidDealingError)

    def __repr__(self) -> str:
        """Stored results are found by it: options that came later only where they are set."""
        values = [
            f"{name}={value!r}"
            for name, value in values_of(self).items()
            if name in _IN_EVERY_KEY or value != options_of(Dealing)[name].default
        ]
        return f"Dealing({', '.join(values)})"

    def __call__(self, observation: Observation, n: int | None = None) -> Determinizer:
        """``n``: deals wanted, where that is known."""
        return self.determinization.deals(observation, n)

    def text(self, noun: str = "") -> str:
        """In a few words, ``noun`` after the method: ``mixed deals (without nil, share 0.3)``."""
        values = values_of(self)
        details = []
        for name, option in options_of(Dealing).items():
            if option.part and values[name] != option.default:
                value = option.format(values[name])
                if option.separator:
                    value = value.replace(option.separator, " and ")
                details.append(f"{name} {value}")
        method = f"{self.determinization.name} {noun}".strip()
        return f"{method} ({', '.join(details)})" if details else method
