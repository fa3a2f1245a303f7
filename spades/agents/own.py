"""Players and bidders of one's own, in Python: registered under a name, or ``py:module.Name``.

They play on the uncompiled path, beside compiled ones. What they are called with is a copy of the
seat's ``Observation`` and a seed; what they return is checked, and a fault loses the game with a
line that names it. There is no limit of time: the code runs in this process.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from spades.agents.bidders import BIDDERS, Bidder
from spades.agents.player import Player
from spades.agents.players import PLAYERS
from spades.core.cards import SEATS
from spades.core.observation import Observation
from spades.core.own_code import OwnCode, called, check_new_name, made, method_of, said
from spades.core.programs import Program, ProgramFaultError

OWN_PLAYERS: dict[str, type["OwnPlayer"]] = {}
OWN_BIDDERS: dict[str, type["OwnBidder"]] = {}
"""Those of this process, by name. ``OWN_BIDDERS`` has the players that bid too."""


@dataclass(frozen=True)
class OwnBidder(Bidder):
    """Bids as ``bid_`` of its class does, a function of an observation and a seed."""

    own: ClassVar[OwnCode]
    bid_: ClassVar[Callable[[Observation, int], Any]]

    @property
    def program(self) -> OwnCode:
        return self.own

    def bid(self, observation: Observation, seed: int) -> int:
        when = f"{SEATS[observation.seat]} to bid"
        bid = called(self.own, when, type(self).bid_, observation, seed)
        legal = observation.legal_bids
        is_number = isinstance(bid, int) or hasattr(bid, "__index__")  # numpy's too
        if isinstance(bid, bool) or not is_number or int(bid) not in legal:
            raise ProgramFaultError(
                f"{self.own.title}, {when}: returned {said(bid)}; a whole number from "
                f"{legal[0]} to {legal[-1]} is legal | {observation.text()}",
                observation.seat,
            )
        return int(bid)


@dataclass(frozen=True)
class OwnPlayer(Player):
    """Plays as ``play_`` of its class does, a function of an observation and a seed."""

    own: ClassVar[OwnCode]
    play_: ClassVar[Callable[[Observation, int], Any]]
    bidder: ClassVar[OwnBidder | None]

    @property
    def program(self) -> OwnCode:
        return self.own

    @property
    def own_bidder(self) -> Bidder | None:
        return self.bidder

    def choose(self, observation: Observation, seed: int) -> int:
        table = observation.table
        when = f"ply {len(table.plays)}, {SEATS[observation.seat]} to play"
        card = called(self.own, when, type(self).play_, observation, seed)
        legal = observation.legal
        if not isinstance(card, str) or card not in list(legal):
            raise ProgramFaultError(
                f"{self.own.title}, {when}: returned {said(card)}; legal: {' '.join(legal)} | "
                f"{observation.text()}",
                observation.seat,
            )
        return observation.rules.cards.parse_card(card)


class PlayerCode(OwnCode):
    """A player of one's own: ``play(observation, seed)`` of a class or object, or a function."""

    role: ClassVar[str] = "player"

    @classmethod
    def registered(cls, name: str) -> Program | None:
        return OWN_PLAYERS[name].own if name in OWN_PLAYERS else None

    def register(self, thing: Any) -> None:
        bot = made(thing, self.name)
        play = method_of(bot, "play", self)
        bidder = None
        if callable(getattr(bot, "bid", None)):
            as_bidder = BidderCode(self.name, self.version, self.target, self.declared)
            bidder = _bidder_class(as_bidder, bot.bid)()
        OWN_PLAYERS[self.name] = type(
            "OwnPlayer",
            (OwnPlayer,),
            {
                "name": self.name,
                "words": self.name,
                "own": self,
                "play_": staticmethod(play),
                "bidder": bidder,
            },
        )
        if bidder is None:
            OWN_BIDDERS.pop(self.name, None)  # of what had the name before
        else:
            OWN_BIDDERS[self.name] = type(bidder)


class BidderCode(OwnCode):
    """A bidder of one's own: ``bid(observation, seed)`` of a class or object, or a function."""

    role: ClassVar[str] = "bidder"

    @classmethod
    def registered(cls, name: str) -> Program | None:
        return OWN_BIDDERS[name].own if name in OWN_BIDDERS else None

    @property
    def key(self) -> str:
        return f"+{self.name}"

    def register(self, thing: Any) -> None:
        bid = method_of(made(thing, self.name), "bid", self)
        OWN_BIDDERS[self.name] = _bidder_class(self, bid)


def _bidder_class(own: OwnCode, bid: Callable[[Observation, int], Any]) -> type[OwnBidder]:
    return type(
        "OwnBidder", (OwnBidder,), {"name": own.name, "own": own, "bid_": staticmethod(bid)}
    )


def register_player(name: str, player: Any, *, version: str | None = None) -> None:
    """Give a player of your own a name, by which matches, logs and results know it.

    ``player``: a class, which is called without arguments, or an object, with
    ``play(observation, seed)``, which returns one of ``observation.legal``; or such a function.
    With ``bid(observation, seed)``, which returns one of ``observation.legal_bids``, it bids too,
    else the simulated human's bidder does; ``NAME+BIDDER`` takes another one. It isn't asked for a
    card where only one is legal, and should decide by what it is given alone: games are played in
    any order and in several processes.

    ``version``: what results are stored under besides the name; change it whenever the player
    decides otherwise. Without one ``player.version`` counts, and without that a hash of the file
    that defines it. The name may be registered again, for another player.

    >>> import spades
    >>> def lowest(observation, seed):
    ...     return min(observation.legal, key=lambda card: card.place % 13)
    >>> spades.register_player("lowest", lowest, version="1")
    >>> result = spades.play_match("lowest+bis", "random+bis", games=4)
    >>> result.programs
    {'lowest': '1'}

    Raises ``ProgramError`` for a name that a shipped player has, an object without ``play``, and
    code that declares no version and has no source to be read."""
    check_new_name(name, PlayerCode.role, PLAYERS.__contains__)
    PlayerCode.of(name, player, version).register(player)


def register_bidder(name: str, bidder: Any, *, version: str | None = None) -> None:
    """Give a bidder of your own a name: ``srp+NAME`` plays as srp and bids as it does.

    ``bidder``: a class, which is called without arguments, or an object, with
    ``bid(observation, seed)``, which returns one of ``observation.legal_bids``; or such a function.
    ``version`` and errors as in ``register_player``.

    >>> import spades
    >>> spades.register_bidder("three", lambda observation, seed: 3, version="1")
    >>> spades.play_match("srp+three", "random+three", games=4).programs
    {'+three': '1'}
    """
    check_new_name(name, BidderCode.role, BIDDERS.__contains__)
    BidderCode.of(name, bidder, version).register(bidder)
