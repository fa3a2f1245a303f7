"""What a table is opened with: seats, rules, deals, and what its chance comes from."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from spades.agents import parse_agent
from spades.agents.play import MAX_ROUNDS
from spades.core.cards import N_SEATS, check_deal, four
from spades.core.errors import SpadesError, shown
from spades.core.rules import Rules
from spades.tables.secret import is_key, new_key

DEFAULT_RULES = Rules()
NO_TEXTS = ("", "", "", "")
MAX_NAME = 40
MAX_HAND = 200
MAX_SEED = 2**53 - 1  # what JavaScript can hold
OWN_NAMES = ("key", "is_sealed")
"""Of a set-up: what no caller from outside may say."""
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
    """All that a game depends on but its moves.

    ``agents`` by seat, as text; None: a person. ``seed``: of a table of four agents. ``players``:
    the names shown. ``rounds``: how many, 0 for a game to the target or the floor. ``help``:
    whether hints, taking back and claims are allowed. ``deals``: dealer and four hands of each
    round, empty for drawn ones; ``deals_of``: what they were taken from. ``about``: by seat what a
    person says, as a rating. ``is_timed``: whether it is stored how long people think. ``key``: the
    secret of a table with people, None before it is opened; ``is_sealed``: a study's, of which
    nobody but the study's owner is told more than one seat may see. Raises ``TableError``, and what
    ``parse_agent`` and ``check_deal`` raise."""

    agents: tuple[str | None, str | None, str | None, str | None]
    seed: int | None = None
    rules: Rules = DEFAULT_RULES
    rounds: int = 0
    players: tuple[str, str, str, str] = NO_TEXTS
    help: bool = False
    deals: tuple[tuple[int, tuple[int, int, int, int]], ...] = ()
    is_timed: bool = True
    deals_of: str = ""
    about: tuple[str, str, str, str] = NO_TEXTS
    key: str | None = field(default=None, repr=False)
    is_sealed: bool = False

    def __post_init__(self) -> None:
        if len(self.agents) != N_SEATS or len(self.players) != N_SEATS:
            raise TableError(f"{len(self.agents)} seats; a table has {N_SEATS}")
        texts = (text if text is None else str(parse_agent(text)) for text in self.agents)
        object.__setattr__(self, "agents", tuple(texts))
        for what, said in {"players": self.players, "about": self.about}.items():
            if not all(_is_text(text, MAX_NAME) for text in said):
                raise TableError(f"{what} are texts of at most {MAX_NAME} letters: {shown(said)}")
        if not _is_text(self.deals_of, MAX_HAND):
            raise TableError(f"deals_of is {shown(self.deals_of)}; a short text is legal")
        self._check_chance()
        if type(self.rounds) is not int:
            raise TableError(f"rounds is {shown(self.rounds)}; a whole number is legal")
        if not 0 <= self.rounds <= MAX_ROUNDS:
            raise TableError(f"{self.rounds} rounds; 0 (a game) to {MAX_ROUNDS} are possible")
        if self.deals and len(self.deals) != self.rounds:
            raise TableError(f"{len(self.deals)} deals for {self.rounds} rounds")
        for dealer, hands in self.deals:
            is_legal = {type(n) for n in (dealer, *hands)} == {int} and 0 <= dealer < N_SEATS
            if not is_legal or not 0 <= min(hands) <= max(hands) < 2**64:
                raise TableError(f"{shown((dealer, hands))} is no dealer with four hands")
            check_deal(hands, self.rules.cards)
        if self.rules.first_hand_bids_itself:
            raise TableError("a first round that bids itself can't be played at a table")

    def _check_chance(self) -> None:
        """Check what the deals and the agents' chance come from."""
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
    def is_predictable(self) -> bool:
        """Whether it is of a version before keys, so that its later deals can be predicted."""
        return self.has_people and self.key is None and self.seed is not None

    def to_open(self) -> Self:
        """The set-up with which a table is opened: with people, a key of its own is drawn.
        ``TableError`` where a seed is given for such a table."""
        if not self.has_people or self.key is not None:
            return self
        if self.seed is not None:
            raise TableError(SEED_REFUSED)
        return replace(self, key=new_key())

    def document(self) -> dict[str, Any]:
        values = {**vars(self), "rules": self.rules.non_defaults()}
        unsaid = [name for name in ("seed", "key") if values[name] is None]
        if not self.deals:
            unsaid += ["deals", "deals_of"]
        if not self.is_sealed:
            unsaid.append("is_sealed")
        return {name: value for name, value in values.items() if name not in unsaid}

    @classmethod
    def from_request(cls, document: Mapping[str, Any]) -> Self:
        """From what a caller from outside asks for, who neither chooses nor knows the key; a table
        of four agents gets a seed where none is given. ``TableError`` or another ``SpadesError``
        for anything else."""
        if not isinstance(document, Mapping):
            raise TableError(f"no set-up of a table: {shown(document)}")
        for name in OWN_NAMES:
            if name in document:
                raise TableError(f"{name} is the server's to say, no part of a request")
        asked = dict(document)
        agents = document.get("agents")
        if asked.get("seed") is None and isinstance(agents, list) and None not in agents:
            asked["seed"] = secrets.randbelow(MAX_SEED)
        setup = cls.from_document(asked)
        if setup.has_people and setup.seed is not None:
            raise TableError(SEED_REFUSED)
        return setup

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """From what ``document`` gives; ``TableError`` or another ``SpadesError`` for anything
        else."""
        try:
            return cls(
                agents=four(document["agents"]),
                seed=document.get("seed"),
                rules=Rules.from_options(document.get("rules") or {}),
                rounds=document.get("rounds") or 0,
                players=tuple(document.get("players") or NO_TEXTS),
                help=document.get("help", False) is True,
                is_timed=document.get("is_timed", True) is True,
                deals=tuple((dealer, four(hands)) for dealer, hands in document.get("deals") or ()),
                deals_of=document.get("deals_of", ""),
                about=four(document.get("about") or NO_TEXTS),
                key=document.get("key"),
                is_sealed=document.get("is_sealed", False) is True,
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise TableError(f"no set-up of a table ({error}): {_shown(document)}") from None


def _is_text(text: object, most: int) -> bool:
    """Whether it is a text of at most so many letters, all of which can be stored."""
    if not isinstance(text, str) or len(text) > most:
        return False
    return not any("\ud800" <= letter <= "\udfff" for letter in text)  # halves of a letter


def _shown(document: object) -> str:
    """A document in an error, without its key."""
    if isinstance(document, Mapping):
        document = {name: value for name, value in document.items() if name != "key"}
    return shown(document)
