"""The settings of a search, each option declared once."""

from dataclasses import dataclass
from typing import Any

from spades.core.errors import SpadesError
from spades.core.options import check_options, option, part
from spades.search.objectives import OBJECTIVES, Objective, RoundPoints
from spades.search.playouts import PLAYOUTS, Playout
from spades.search.playouts.random_cards import UniformPlayout
from spades.search.skew import SKEWS, RuleSkew
from spades.search.solved import MAX_ENDING
from spades.search.techniques import TECHNIQUES, Technique
from spades.search.techniques.technique import UNBIASED
from spades.search.tree import MAX_ITERATIONS

STANDARD_ITERATIONS = 2500
BY_TREE = "tree"
BY_RULES = "rules"


def iterations_option(default: int = STANDARD_ITERATIONS, **known: Any) -> Any:
    """The option of a search that says how long it runs; ``known``: what is otherwise there."""
    known = {"help": "Of a decision; 2,500 is the standard of Whitehouse et al. 2013.", **known}
    return option(
        default,
        least=1,
        most=MAX_ITERATIONS,
        label="Iterations",
        usual=(100, 500, 1000, 2500, 5000, 10_000, 25_000, 100_000),
        **known,
    )


class InvalidSearchError(SpadesError):
    """A search that can't be run: settings out of range, or nothing to decide."""


@dataclass(frozen=True)
class SearchSettings:
    """What a search result depends on, beside the observation, the iterations and the seed.

    ``bias``: how the search leans towards a human model. A skew (``spades.search.skew``) doesn't go
    together with a bias, which has its own way with the root; ``equivalence``
    (``spades.core.equivalence``) and ``duck`` with neither, since they weigh single cards;
    ``solved`` (``spades.search.solved``) neither with ``human`` playouts nor with the objective
    ``game``, which is rewarded in match points (``spades.core.winning.GameStakes``)."""

    exploration: float = option(
        0.7,
        least=0,
        most=1e6,
        label="Exploration C",
        help="C of UCB1; published agents use 0.7.",
        step=0.1,
    )
    reward_scale: float = option(
        400.0,
        least=1,
        most=1e6,
        label="Reward scale",
        unit="points",
        help="Points that make up 1 of reward: 400 keeps typical rounds within -1/2 to 1/2; a "
        "smaller scale explores less.",
        step=50.0,
    )
    playout: Playout = part(
        UniformPlayout(),
        PLAYOUTS,
        label="Playouts",
        help="Who plays a round to its end: "
        + "; ".join(kind.meaning for kind in PLAYOUTS.values())
        + ".",
    )
    bias: Technique | None = part(
        None,
        TECHNIQUES,
        none=UNBIASED,
        label="Bias",
        help="; ".join(kind.meaning for kind in TECHNIQUES.values()) + ".",
        labels={UNBIASED: "None", **{name: kind.label for name, kind in TECHNIQUES.items()}},
    )
    skew: RuleSkew | None = part(
        None,
        SKEWS,
        none="off",
        label="Rules of thumb skew the first card",
        help="Whitehouse et al. 2013: a card's reward counts for more or less by rules of thumb, "
        "less and less. Not in a biased search.",
    )
    equivalence: bool = option(
        False,
        label="One of touching cards",
        help="Of equivalent cards the own seat tries the lowest alone. With neither bias nor skew.",
    )
    objective: Objective = part(
        RoundPoints(),
        OBJECTIVES,
        label="Objective",
        help="What a search is rewarded for. The chance to win needs the score before the round, "
        "targets up to 1,000 and bag limits up to 20; its values are match points: its change, "
        "spread as widely as points.",
        labels={name: kind.label for name, kind in OBJECTIVES.items()},
    )
    duck: bool = option(
        False,
        label="Mind live nils",
        help="The bidder of a nil plays a card that loses to the table wherever it has one, its "
        "partner one that beats a card of the bidder's that would take the trick. With neither "
        "bias nor skew.",
    )
    solved: int = option(
        0,
        least=0,
        most=MAX_ENDING,
        label="Last tricks solved",
        help="This many of the last tricks are solved with open hands where playouts come to "
        "them; how rounds end isn't counted then. Not with human playouts, and for the points of "
        "the round alone.",
    )

    others: str = option(
        BY_TREE,
        choices=(BY_TREE, BY_RULES),
        label="Other seats in the tree",
        help="How the tree chooses the other seats' cards: by its own values, which average over "
        "all that these seats may hold (tree, as published), or by rules of thumb that look at the "
        "hand dealt to the seat, a fifth of the cards at random (rules).",
        labels={BY_TREE: "by the tree", BY_RULES: "by rules of thumb"},
    )

    def __post_init__(self) -> None:
        check_options(self, InvalidSearchError)
        if self.skew and self.bias is not None:
            raise InvalidSearchError("skew and bias can't both be on: each has a way with the root")
        for name in ("equivalence", "duck"):
            if getattr(self, name) and (self.skew or self.bias is not None):
                raise InvalidSearchError(
                    f"{name} goes with neither skew nor bias: they weigh cards"
                )
        if self.solved and not self.objective.is_points:
            raise InvalidSearchError(
                "solved endings are worth points: they go with objective=round"
            )
        if self.solved and not self.playout.chooses_cards:
            legal = [name for name, playout in PLAYOUTS.items() if playout.chooses_cards]
            raise InvalidSearchError(
                f"solved={self.solved} goes with no playout={self.playout.name}; "
                f"{', '.join(legal[:-1])} and {legal[-1]} are legal"
            )


STANDARD_SETTINGS = SearchSettings()
