"""The strongest preset of ISMCTS."""

from dataclasses import dataclass
from typing import ClassVar

from spades.agents.component import Probes
from spades.agents.player import options_for
from spades.agents.players.ismcts import IsmctsPlayer
from spades.belief import Determinization
from spades.belief.determinizations.network import NetworkDeterminization
from spades.core.options import borrowed
from spades.search.playouts import Playout
from spades.search.playouts.random_cards import NilAwarePlayout


@dataclass(frozen=True)
class BestPlayer(IsmctsPlayer):
    """The strongest preset found: ``ismcts`` with these defaults, all of its options as there.

    Changed only by measurement: what each part is worth at equal time is on Agents, in the view
    Best, made by ``python -m experiments.ablate_best``."""

    name: ClassVar[str] = "best"
    words: ClassVar[str] = "Strong search"
    place: ClassVar[int] = 11
    probes: ClassVar[Probes] = {"": ("",)}

    iterations: int = borrowed(IsmctsPlayer, "iterations", default=5000, is_shown=False)
    playout: Playout = borrowed(IsmctsPlayer, "playout", default=NilAwarePlayout())
    determinization: Determinization = borrowed(
        IsmctsPlayer, "determinization", default=NetworkDeterminization()
    )
    equivalence: bool = borrowed(IsmctsPlayer, "equivalence", default=True)
    duck: bool = borrowed(IsmctsPlayer, "duck", default=True)

    @property
    def written_out(self) -> IsmctsPlayer:
        """The ``ismcts`` that it stands for."""
        return options_for(IsmctsPlayer, self)
