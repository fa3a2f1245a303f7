"""Agents as text: ``PLAYER[:option=value,...][+BIDDER[:option=value,...]]``; and the bidders.

``ismcts:iterations=2500+human`` plays by search and bids as the simulated human does; switches are
``on`` or ``off``, as in ``random+bis:threshold=20,end_game=off``. Registering a player or bidder
makes its name, and the names of its fields, legal.
"""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from spades.agents.players import (
    ISMCTS,
    PLAYERS,
    BestPlayer,
    IsmctsPlayer,
    Player,
    UnknownAgentError,
)
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
from spades.core.errors import shown
from spades.core.kernel import seed_state
from spades.core.observation import Observation
from spades.core.options import check_options, format_options, option, parse_options
from spades.core.rules import MAX_BID, NIL_BID
from spades.human import human_bid
from spades.human.bidder import BidderParameters
from spades.human.simulated import load_simulated_human

DEFAULT_BIDDER = "human"
USUAL_BIDS = 6
MAX_POINTS = 1000.0


@dataclass(frozen=True)
class Bidder(ABC):
    """Makes a bid."""

    def __post_init__(self) -> None:
        check_options(self, UnknownAgentError)

    @abstractmethod
    def bid(self, observation: Observation, seed: int) -> int:
        """A legal bid for the observation's seat; 0 is nil where the rules have nil."""

    def bids_blind(self, observation: Observation) -> bool:
        """Whether the seat's bid is nil before it looks at its hand; ``bid`` is 0 then."""
        return False


@dataclass(frozen=True)
class RandomBidder(Bidder):
    """Any legal bid up to the sixth smallest, each equally likely."""

    def bid(self, observation: Observation, seed: int) -> int:
        legal = observation.table.legal_bids(observation.seat)[:USUAL_BIDS]
        return legal[derive_seed(seed) % len(legal)]


@dataclass(frozen=True)
class HumanBidder(Bidder):
    """The simulated human's bidder, calibrated to published marginals of human bids.

    Another human's differs from it by ``tricks``, added to the count of a hand, by ``nil``, ranks
    by which the low cards of a nil may be higher in all, and by a factor ``noise``."""

    tricks: float = option(0.0, least=-MAX_BID, most=MAX_BID)
    nil: float = option(0.0, least=-40, most=40)
    noise: float = option(1.0, least=0.01, most=100)

    @property
    def numbers(self) -> BidderParameters:
        """What the compiled bidder takes."""
        usual = load_simulated_human().bidder
        return usual._replace(
            offset=usual.offset + self.tricks,
            noise=usual.noise * self.noise,
            nil_tolerance=usual.nil_tolerance + self.nil,
            nil_noise=usual.nil_noise * self.noise,
        )

    def bid(self, observation: Observation, seed: int) -> int:
        return human_bid(observation, seed_state(seed), self.numbers)[0]


@dataclass(frozen=True)
class RuledBidder(Bidder):
    """A bidder of ``spades.bidding``, by its name there."""

    name: ClassVar[str]

    @property
    def options(self) -> BidderOptions:
        """What its compiled kernel takes."""
        return bidder_options(code=BIDDER_CODES[self.name], **self._values())

    def _values(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    def bid(self, observation: Observation, seed: int) -> int:
        bid = bid_of(observation, self.options, seed)
        return NIL_BID if bid == BLIND_NIL else bid

    def bids_blind(self, observation: Observation) -> bool:
        return is_blind_bid(observation, self.options)


END_GAME = (
    "complete_to_14", "raise_to_win", "risky_nil", "opponent_nil", "safe_regular", "one_less",
    "ahead",
)  # fmt: skip
"""The switches of BIS that ``end_game=off`` turns off together."""


@dataclass(frozen=True)
class BisBidder(RuledBidder):
    """BIS of Cohensius 2020; each option is one of ``BidderOptions``.

    ``end_game``: all of its seven switches. ``third_card``: a reading of ``THIRD_CARD``, with the
    curves fitted by it. Conventions and blind nil are off by default: an agent doesn't know whether
    its partner reads Big 5 and Big 6."""

    name: ClassVar[str] = "bis"
    threshold: float = option(25.0, least=-MAX_POINTS, most=MAX_POINTS)
    bid_sensitive: bool = False
    single_curve: bool = False
    end_game: bool = True
    complete_to_14: bool = True
    raise_to_win: bool = True
    risky_nil: bool = True
    risky_chance: float = option(0.35, least=0, most=1)
    opponent_nil: bool = True
    safe_regular: bool = True
    one_less: bool = True
    ahead: bool = True
    big5: bool = False
    big6: bool = False
    cover_discount: float = option(50.0, least=0, most=MAX_POINTS)
    blind_nil: bool = False
    third_card: str = option("printed", choices=tuple(THIRD_CARD))

    def _values(self) -> dict[str, Any]:
        third_card = list(THIRD_CARD).index(self.third_card)
        values = dataclasses.asdict(self) | {"third_card": third_card}
        return values if values.pop("end_game") else values | dict.fromkeys(END_GAME, False)


@dataclass(frozen=True)
class RbBidder(RuledBidder):
    """The rule-based bidder RB of Cohensius 2020. ``nil_ranks``: how far its thresholds of nil (5,
    8, T, as printed) are raised."""

    name: ClassVar[str] = "rb"
    nil_ranks: int = option(0, least=0, most=8)


@dataclass(frozen=True)
class MsBidder(RuledBidder):
    """Master Spades, as Cohensius 2020 gives it; nil as RB."""

    name: ClassVar[str] = "ms"
    nil_ranks: int = option(0, least=0, most=8)


@dataclass(frozen=True)
class IoBidder(RuledBidder):
    """The bidder of cardgames.io, as Cohensius 2020 gives it."""

    name: ClassVar[str] = "io"


@dataclass(frozen=True)
class KbBidder(RuledBidder):
    """The knowledge-based bidder of Whitehouse 2013; personality -1 timid to 1 aggressive.
    ``their_bags``: it bids higher where either side is near the bag limit, as printed, or its own
    alone."""

    name: ClassVar[str] = "kb"
    personality: float = option(0.0, least=-1, most=1)
    randomness: float = option(0.2, least=0, most=MAX_BID)
    their_bags: bool = True


RULED: dict[str, type[RuledBidder]] = {
    kind.name: kind for kind in (BisBidder, RbBidder, MsBidder, IoBidder, KbBidder)
}


@dataclass(frozen=True)
class NoisyBidder(RuledBidder):
    """Another bidder, ``of``, at its defaults, made noisy to explore.

    ``noise``: standard deviation of what is added to a regular bid, tricks. ``nil``: probability
    of bidding nil whatever the hand, where it is legal and the partner hasn't."""

    of: str = option("bis", choices=tuple(RULED))
    noise: float = option(1.0, least=0, most=MAX_BID)
    nil: float = option(0.1, least=0, most=1)

    @property
    def options(self) -> BidderOptions:
        return RULED[self.of]().options._replace(noise=float(self.noise), nil_rate=float(self.nil))


BIDDERS: dict[str, type[Bidder]] = {
    "human": HumanBidder,
    "random": RandomBidder,
    **RULED,
    "noisy": NoisyBidder,
}


@dataclass(frozen=True)
class Agent:
    """Who bids and plays in a seat."""

    player_name: str
    player: Player
    bidder_name: str
    bidder: Bidder

    def __str__(self) -> str:
        bidder = _format(self.bidder_name, self.bidder)
        return self.player_text if bidder == DEFAULT_BIDDER else f"{self.player_text}+{bidder}"

    @property
    def player_text(self) -> str:
        """The agent without its bidder."""
        return _format(self.player_name, self.player)

    @property
    def written_out(self) -> Self:
        """The same agent with what ``best`` stands for said in options of ``ismcts``."""
        if not isinstance(self.player, BestPlayer):
            return self
        options = {
            one.name: getattr(self.player, one.name) for one in dataclasses.fields(self.player)
        }
        return dataclasses.replace(self, player_name=ISMCTS, player=IsmctsPlayer(**options))

    def with_option(self, name: str, value: object) -> Self:
        """The same agent with an option of its player's; refused for one that doesn't have it."""
        if not hasattr(self.player, name):
            raise UnknownAgentError(f"{self} has no {name}")
        player: Any = dataclasses.replace(self.player, **{name: value})
        return dataclasses.replace(self, player=player)


def parse_agent(text: str) -> Agent:
    """The agent that a text names; ``UnknownAgentError`` says what would be legal."""
    player_text, _, bidder_text = text.strip().partition("+")
    player_name, player = _parse(player_text, PLAYERS, "player")
    bidder_name, bidder = _parse(bidder_text or DEFAULT_BIDDER, BIDDERS, "bidder")
    return Agent(player_name, player, bidder_name, bidder)


def parse_bidder(text: str) -> tuple[str, Bidder]:
    """The canonical text and the bidder that a text names; ``UnknownAgentError`` otherwise."""
    name, bidder = _parse(text, BIDDERS, "bidder")
    return _format(name, bidder), bidder


def _parse(text: str, registry: Mapping[str, type], role: str) -> tuple[str, Any]:
    name, _, options = text.strip().partition(":")
    if name not in registry:
        raise UnknownAgentError(f"unknown {role} {shown(name)}; known: {', '.join(registry)}")
    return name, parse_options(registry[name], name, options, UnknownAgentError)


def _format(name: str, part: Any) -> str:
    options = format_options(part)
    return f"{name}:{options}" if options else name
