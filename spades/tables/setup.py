"""The set-up of a table: seats, rules, deals, and the source of randomness."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from spades.agents import parse_agent
from spades.agents.play import MAX_ROUNDS
from spades.core.cards import N_SEATS, Hands, check_deal, four
from spades.core.documents import is_unicode
from spades.core.errors import SpadesError, shown
from spades.core.rules import Rules
from spades.tables.secret import is_key, new_key

DEFAULT_RULES = Rules()
NO_TEXTS = ("", "", "", "")
MAX_NAME = 40
MAX_HAND = 200
MAX_SEED = 2**53 - 1  # what JavaScript can hold
OWN_NAMES = ("key", "is_sealed")
"""Fields of a set-up that a request may not give."""
SEED_REFUSED = (
    "the deals of a table with people are drawn secretly, from no seed; to choose them, give deals "
    "(or a log's)"
)
PREDICTABLE = (
    "this table is of an earlier version, whose later deals could be predicted from its first "
    "rounds: its rounds stay readable, but it can't be played on. Open a new table"
)


class TableError(SpadesError):
    """A table that can't be set up, or a move that can't be made there."""


@dataclass(frozen=True)
class Setup:
    """Everything that determines a game except its moves.

    ``agents`` by seat, as text; None: a person. ``seed``: of a table of four agents. ``players``:
    names shown. ``rounds``: number of rounds, 0 for a game to the target or the floor. ``help``:
    whether hints, undo and claims are allowed. ``deals``: dealer and four hands of each round,
    empty for random ones; ``deals_of``: their source. ``about``: by seat a remark of the person,
    such as a rating. ``is_timed``: whether think times are stored. ``key``: the secret of a table
    with people, None before it is opened. ``is_sealed``: a study's table, of which only the study's
    owner learns more than one seat sees. Raises ``TableError``, and as ``parse_agent`` and
    ``check_deal``."""

    agents: tuple[str | None, str | None, str | None, str | None]
    seed: int | None = None
    rules: Rules = DEFAULT_RULES
    rounds: int = 0
    players: tuple[str, str, str, str] = NO_TEXTS
    help: bool = False
    deals: tuple[tuple[int, Hands], ...] = ()
    is_timed: bool = True
    deals_of: str = ""
    about: tuple[str, str, str, str] = NO_TEXTS
    key: str | None = field(default=None, repr=False)
    is_sealed: bool = False

    def __post_init__(self) -> None:
        if len(self.agents) != N_SEATS or len(self.players) != N_SEATS:
            raise TableError(f"{len(self.agents)} seats; a table has {N_SEATS}")
        agents = [text if text is None else str(parse_agent(text)) for text in self.agents]
        object.__setattr__(self, "agents", tuple(agents))
        self._check_texts("players", self.players)
        self._check_texts("about", self.about)
        if not _is_text(self.deals_of, MAX_HAND):
            raise TableError(f"deals_of is {shown(self.deals_of)}; a short text is legal")
        self._check_randomness()
        if type(self.rounds) is not int:
            raise TableError(f"rounds is {shown(self.rounds)}; a whole number is legal")
        if not 0 <= self.rounds <= MAX_ROUNDS:
            raise TableError(f"{self.rounds} rounds; 0 (a game) to {MAX_ROUNDS} are possible")
        if self.deals and len(self.deals) != self.rounds:
            raise TableError(f"{len(self.deals)} deals for {self.rounds} rounds")
        deals = tuple(self._checked_deal(dealer, hands) for dealer, hands in self.deals)
        object.__setattr__(self, "deals", deals)
        if self.rules.first_hand_bids_itself:
            raise TableError("a first round that bids itself can't be played at a table")

    def _checked_deal(self, dealer: int, hands: Hands) -> tuple[int, Hands]:
        """A dealer and hands as plain numbers, as they are stored."""
        are_integers = all(
            isinstance(number, int) and not isinstance(number, bool) for number in (dealer, *hands)
        )
        if not are_integers or not 0 <= dealer < N_SEATS or not _are_masks(hands):
            raise TableError(f"{shown((dealer, hands))} is no dealer with four hands")
        check_deal(hands, self.rules.cards)
        return int(dealer), four(map(int, hands))

    def _check_texts(self, name: str, texts: tuple[str, ...]) -> None:
        if not all(_is_text(text, MAX_NAME) for text in texts):
            raise TableError(f"{name} are texts of at most {MAX_NAME} letters: {shown(texts)}")

    def _check_randomness(self) -> None:
        """Check the source of the deals and the agents' random draws."""
        if self.seed is None:
            if not self.has_people and self.key is None:
                raise TableError("a table of four agents has a seed, a whole number")
        elif type(self.seed) is not int:
            raise TableError(f"seed is {shown(self.seed)}; a whole number is legal")
        elif not 0 <= self.seed <= MAX_SEED:
            raise TableError(f"seed is {shown(self.seed)}; 0 to {MAX_SEED} are legal")
        if self.key is not None and not is_key(self.key):
            raise TableError("the key of a table is 64 hexadecimal digits")
        if self.key is not None and self.seed is not None:
            raise TableError("a table has a seed or a key, not both")

    @property
    def has_people(self) -> bool:
        return None in self.agents

    @property
    def has_undo(self) -> bool:
        """Whether moves may be taken back: with help, and one person only."""
        return self.help and self.agents.count(None) == 1

    @property
    def is_predictable(self) -> bool:
        """Whether the table is older than keys, so that its later deals can be predicted."""
        return self.has_people and self.key is None and self.seed is not None

    def to_open(self) -> Self:
        """The set-up for opening a table: with people it gets a new key. ``TableError`` if such a
        table has a seed."""
        if not self.has_people or self.key is not None:
            return self
        if self.seed is not None:
            raise TableError(SEED_REFUSED)
        return replace(self, key=new_key())

    def document(self) -> dict[str, Any]:
        """The set-up as JSON values, without empty fields; ``from_document`` reads it."""
        values = {**vars(self), "rules": self.rules.non_defaults()}
        omitted = [name for name in ("seed", "key") if values[name] is None]
        if not self.deals:
            omitted += ["deals", "deals_of"]
        if not self.is_sealed:
            omitted.append("is_sealed")
        return {name: value for name, value in values.items() if name not in omitted}

    @classmethod
    def from_request(cls, document: Mapping[str, Any]) -> Self:
        """The set-up of a request, which can't choose the key; a table of four agents gets a seed
        if none is given. ``TableError`` or another ``SpadesError`` for an illegal one."""
        if not isinstance(document, Mapping):
            raise TableError(f"no set-up of a table: {shown(document)}")
        for name in OWN_NAMES:
            if name in document:
                raise TableError(f"{name} is the server's to say, no part of a request")
        request = dict(document)
        agents = document.get("agents")
        has_agents_only = isinstance(agents, list) and None not in agents
        if has_agents_only and request.get("seed") is None:
            request["seed"] = secrets.randbelow(MAX_SEED)
        setup = cls.from_document(request)
        if setup.has_people and setup.seed is not None:
            raise TableError(SEED_REFUSED)
        return setup

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """The set-up of a document; ``TableError`` or another ``SpadesError`` if illegal."""
        try:
            deals = [(dealer, four(hands)) for dealer, hands in document.get("deals") or ()]
            return cls(
                agents=four(document["agents"]),
                seed=document.get("seed"),
                rules=Rules.from_options(document.get("rules") or {}),
                rounds=document.get("rounds") or 0,
                players=tuple(document.get("players") or NO_TEXTS),
                help=document.get("help", False) is True,
                is_timed=document.get("is_timed", True) is True,
                deals=tuple(deals),
                deals_of=document.get("deals_of", ""),
                about=four(document.get("about") or NO_TEXTS),
                key=document.get("key"),
                is_sealed=document.get("is_sealed", False) is True,
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise TableError(f"no set-up of a table ({error}): {_shown(document)}") from None


def _are_masks(hands: tuple[int, ...]) -> bool:
    return 0 <= min(hands) <= max(hands) < 2**64


def check_player(name: object) -> str:
    """A name that a player gives; ``TableError`` for none, a long one, and one with signs that
    can't be printed."""
    is_name = _is_text(name, MAX_NAME) and isinstance(name, str) and name.isprintable()
    if not is_name or not str(name).strip():
        raise TableError(
            f"name is {shown(name)}; a text of 1 to {MAX_NAME} letters on one line is legal"
        )
    return str(name).strip()


def _is_text(text: object, max_length: int) -> bool:
    """Whether it is a text of at most this length that can be stored as UTF-8."""
    return isinstance(text, str) and len(text) <= max_length and is_unicode(text)


def _shown(document: object) -> str:
    """A document for an error message, without its key."""
    if isinstance(document, Mapping):
        document = {name: value for name, value in document.items() if name != "key"}
    return shown(document)
