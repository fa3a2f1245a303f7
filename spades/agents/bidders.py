"""Bidders: from what a seat may see to the bid it makes."""

import dataclasses
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from spades.agents.component import HUMAN_BIDS, RANDOM_BIDS, RULED_BIDS, Component, Probes
from spades.bidding import (
    BIDDER_CODES,
    BLIND_NIL,
    BidderOptions,
    bid_of,
    bidder_options,
    is_blind_bid,
)
from spades.bidding.hands import THIRD_CARD
from spades.core.deal import derive_seed
from spades.core.kernel import seed_state
from spades.core.observation import Observation
from spades.core.options import borrowed, option
from spades.core.rules import MAX_BID, NIL_BID
from spades.human import human_bid
from spades.human.bidder import BidderParameters
from spades.human.simulated import load_simulated_human

USUAL_BIDS = 6
MAX_POINTS = 1000.0


@dataclass(frozen=True)
class Bidder(Component):
    """Makes a bid."""

    @property
    def options(self) -> BidderOptions:
        """What a compiled bidder of ``spades.bidding`` takes."""
        return bidder_options()

    @abstractmethod
    def bid(self, observation: Observation, seed: int) -> int:
        """A legal bid for the observation's seat; 0 is nil where the rules have nil."""

    def bids_blind(self, observation: Observation) -> bool:
        """Whether the seat's bid is nil before it looks at its hand; ``bid`` is 0 then."""
        return False


@dataclass(frozen=True)
class RandomBidder(Bidder):
    """Any legal bid up to the sixth smallest, each equally likely."""

    name: ClassVar[str] = "random"
    code: ClassVar[int] = RANDOM_BIDS

    def bid(self, observation: Observation, seed: int) -> int:
        legal = observation.table.legal_bids(observation.seat)[:USUAL_BIDS]
        return legal[derive_seed(seed) % len(legal)]


@dataclass(frozen=True)
class HumanBidder(Bidder):
    """The simulated human's bidder, calibrated to published marginals of human bids.

    Its options make it another human's; ``train person`` says which of them a player bids like."""

    name: ClassVar[str] = "human"
    code: ClassVar[int] = HUMAN_BIDS
    probes: ClassVar[Probes] = {
        "": ("",),
        "tricks": ("tricks=0.7,nil=-2,noise=1.5",),
        "nil": ("nil=3",),
        "noise": ("noise=0.5",),
        "nil_noise": ("nil_noise=5",),
    }

    tricks: float = option(
        0.0, least=-MAX_BID, most=MAX_BID, unit="tricks", help="Added to the count of a hand."
    )
    nil: float = option(
        0.0,
        least=-40,
        most=40,
        unit="ranks",
        help="By which the low cards of a nil may be higher in all.",
    )
    noise: float = option(1.0, least=0.01, most=100, help="Factor of the scatter of its bids.")
    nil_noise: float = option(
        1.0, least=0.01, most=100, help="Factor of the scatter of its nils, besides that of noise."
    )

    @property
    def is_compiled(self) -> bool:
        return self == HumanBidder()

    @property
    def numbers(self) -> BidderParameters:
        """What the simulated human's kernel takes."""
        usual = load_simulated_human().bidder
        return usual._replace(
            offset=usual.offset + self.tricks,
            noise=usual.noise * self.noise,
            nil_tolerance=usual.nil_tolerance + self.nil,
            nil_noise=usual.nil_noise * self.noise * self.nil_noise,
        )

    def bid(self, observation: Observation, seed: int) -> int:
        return human_bid(observation, seed_state(seed), self.numbers)[0]


@dataclass(frozen=True)
class RuledBidder(Bidder):
    """A bidder of ``spades.bidding``, by its name there."""

    code: ClassVar[int] = RULED_BIDS

    @property
    def options(self) -> BidderOptions:
        return bidder_options(code=BIDDER_CODES[self.name], **self._values())

    def _values(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    def bid(self, observation: Observation, seed: int) -> int:
        bid = bid_of(observation, self.options, seed)
        return NIL_BID if bid == BLIND_NIL else bid

    def bids_blind(self, observation: Observation) -> bool:
        return is_blind_bid(observation, self.options)


END_GAME = (
    "complete_to_14",
    "raise_to_win",
    "risky_nil",
    "opponent_nil",
    "safe_regular",
    "one_less",
    "ahead",
)
"""The switches of BIS that ``end_game=off`` turns off together."""


@dataclass(frozen=True)
class BisBidder(RuledBidder):
    """BIS of Cohensius 2020; each option is one of ``BidderOptions``.

    Conventions and blind nil are off by default: an agent doesn't know whether its partner reads
    Big 5 and Big 6."""

    name: ClassVar[str] = "bis"
    probes: ClassVar[Probes] = {
        "": (
            "",
            "threshold=0",
            "bid_sensitive=on",
            "single_curve=on",
            "end_game=off",
            *(f"{switch}=off" for switch in END_GAME),
            "big5=on",
            "big6=on",
            "blind_nil=on",
        ),
        "third_card": ("third_card=pattern", "third_card=pattern,single_curve=on"),
    }

    threshold: float = option(
        25.0,
        least=-MAX_POINTS,
        most=MAX_POINTS,
        unit="points",
        help="What a nil has to be worth more than.",
    )
    bid_sensitive: bool = option(
        False, help="That threshold from the contract at stake instead (5.3.3)."
    )
    single_curve: bool = option(
        False, help="One success curve for all previous bids (5.3.1) instead of one for each."
    )
    end_game: bool = option(
        True, help="All seven switches of the end of the game, complete_to_14 to ahead."
    )
    complete_to_14: bool = option(
        True, help="Where the opponents win: the last bid makes the sum of 11 or more 14."
    )
    raise_to_win: bool = option(
        True, help="Where the opponents win: up to two tricks more, if that wins the game."
    )
    risky_nil: bool = option(
        True, help="Where the opponents win by more than 20 points: a nil of risky_chance."
    )
    risky_chance: float = option(0.35, least=0, most=1, help="Least chance of a risky nil.")
    opponent_nil: bool = option(
        True, help="Where the opponents win with a nil of theirs: half a trick less."
    )
    safe_regular: bool = option(
        True, help="Last to bid: no nil where a regular bid wins the game as well."
    )
    one_less: bool = option(
        True, help="Last to bid: one trick less where that wins the game as well."
    )
    ahead: bool = option(
        True, help="Anywhere in the auction: one trick less where that wins the game as well."
    )
    big5: bool = option(False, help="The convention Big 5 (G.2).")
    big6: bool = option(False, help="The convention Big 6 (G.2).")
    cover_discount: float = option(
        50.0,
        least=0,
        most=MAX_POINTS,
        unit="points",
        help="What the partner's Big 5 takes off the threshold.",
    )
    blind_nil: bool = option(False, help="Bids blind nil (G.3).")
    third_card: str = option(
        "printed",
        choices=tuple(THIRD_CARD),
        help="The reading of the third card that nil value and success curves go by.",
    )

    def _values(self) -> dict[str, Any]:
        values = dataclasses.asdict(self)
        values["third_card"] = list(THIRD_CARD).index(self.third_card)
        has_end_game = values.pop("end_game")
        if not has_end_game:
            values.update(dict.fromkeys(END_GAME, False))
        return values


@dataclass(frozen=True)
class RbBidder(RuledBidder):
    """The rule-based bidder RB of Cohensius 2020."""

    name: ClassVar[str] = "rb"
    probes: ClassVar[Probes] = {"": ("", "nil_ranks=2")}

    nil_ranks: int = option(
        0,
        least=0,
        most=8,
        unit="ranks",
        help="By which the thresholds of nil, 5, 8, T as printed, are raised.",
    )


@dataclass(frozen=True)
class MsBidder(RuledBidder):
    """Master Spades, as Cohensius 2020 gives it; nil as RB."""

    name: ClassVar[str] = "ms"
    probes: ClassVar[Probes] = {"": ("", "nil_ranks=2")}

    nil_ranks: int = borrowed(RbBidder, "nil_ranks")


@dataclass(frozen=True)
class IoBidder(RuledBidder):
    """The bidder of cardgames.io, as Cohensius 2020 gives it."""

    name: ClassVar[str] = "io"


@dataclass(frozen=True)
class KbBidder(RuledBidder):
    """The knowledge-based bidder of Whitehouse 2013."""

    name: ClassVar[str] = "kb"
    probes: ClassVar[Probes] = {"": ("", "personality=1,randomness=0,their_bags=off")}

    personality: float = option(0.0, least=-1, most=1, help="From -1, timid, to 1, aggressive.")
    randomness: float = option(
        0.2,
        least=0,
        most=MAX_BID,
        unit="tricks",
        help="Standard deviation of its random factor.",
    )
    their_bags: bool = option(
        True,
        help="It bids higher where either side is near the bag limit, as printed; off: its own "
        "side alone.",
    )


RULED: dict[str, type[RuledBidder]] = {
    kind.name: kind for kind in (BisBidder, RbBidder, MsBidder, IoBidder, KbBidder)
}


@dataclass(frozen=True)
class NoisyBidder(RuledBidder):
    """Another bidder at its defaults, made noisy to explore."""

    name: ClassVar[str] = "noisy"
    probes: ClassVar[Probes] = {"": ("", "of=rb,noise=2,nil=0.3")}

    of: str = option("bis", choices=tuple(RULED), help="The bidder.")
    noise: float = option(
        1.0,
        least=0,
        most=MAX_BID,
        unit="tricks",
        help="Standard deviation of what is added to a regular bid.",
    )
    nil: float = option(
        0.1,
        least=0,
        most=1,
        help="Probability of a nil whatever the hand, where it is legal and the partner hasn't "
        "bid it.",
    )

    @property
    def options(self) -> BidderOptions:
        quiet = RULED[self.of]().options
        return quiet._replace(noise=float(self.noise), nil_rate=float(self.nil))


_ALL: tuple[type[Bidder], ...] = (HumanBidder, RandomBidder, *RULED.values(), NoisyBidder)
BIDDERS = {kind.name: kind for kind in _ALL}
"""All bidders, by the names that agents' texts give them."""
