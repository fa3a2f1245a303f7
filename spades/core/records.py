"""Rounds as they are logged, and the replay that every one must pass.

A record holds the deal, the bids and the cards in the order played; everything else (trick
winners, tricks, points) is derived. A round cut short is valid and marked.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from spades.core.cards import N_CARDS, SEATS, Card, Hand, Pair, clockwise
from spades.core.display import round_text
from spades.core.observation import Observation, observe
from spades.core.rules import NO_BID, Round, Rules
from spades.core.scoring import RoundScore, score_round

SCHEMA_VERSION = 1
HUMAN = "human"
BOT = "bot"
SIMULATED_HUMAN = "simulated-human"
KINDS = (HUMAN, BOT, SIMULATED_HUMAN)
HINTED = "hinted"
TAKEN_BACK = "taken back"
CLAIMED = "claimed"
_AIDS = re.compile(rf"({HINTED}|{TAKEN_BACK}|{CLAIMED})((?: -?\d\d?)+)")


@dataclass(frozen=True, repr=False)
class Record:
    """One round: a row of the log schema.

    ``hands``: by seat, as dealt; ``plays``: cards in the order played, fewer than 52 where the
    round was cut short. Both may be given as kernels have them, masks and codes. ``bids`` by seat
    with ``NO_BID`` (-1) for unknown and 0 for nil. ``players`` are shown names (pseudonyms in
    logs), ``kinds`` of ``KINDS``, ``agents`` the agents' text for bots. ``score_before`` and
    ``bags_before`` by partnership, None if unknown. ``source``: where it comes from, and after
    ``aids_text`` where people were helped."""

    rules: Rules
    dealer: int
    hands: tuple[Hand, Hand, Hand, Hand]
    bids: tuple[int, int, int, int] = (NO_BID,) * 4
    blind: tuple[bool, bool, bool, bool] = (False,) * 4
    plays: tuple[Card, ...] = ()
    game_id: str = ""
    round_index: int = 0
    score_before: Pair | None = None
    bags_before: Pair | None = None
    players: tuple[str, str, str, str] = ("", "", "", "")
    kinds: tuple[str, str, str, str] = (BOT,) * 4
    agents: tuple[str, str, str, str] = ("", "", "", "")
    seed: int | None = None
    source: str = ""

    def __post_init__(self) -> None:
        deck = self.rules.cards
        object.__setattr__(self, "hands", deck.hands(self.hands))
        object.__setattr__(self, "plays", deck.cards(self.plays))

    @property
    def is_complete(self) -> bool:
        return len(self.plays) == N_CARDS

    @property
    def has_bids(self) -> bool:
        return min(self.bids) != NO_BID

    def start(self) -> Round:
        """The round after the auction, before the first lead; raises if deal or bids are wrong."""
        state = Round.deal(self.rules, self.dealer, self.hands)
        for seat in clockwise(self.dealer + 1):
            if self.bids[seat] != NO_BID:
                state.table.bid(seat, self.bids[seat], blind=self.blind[seat])
        return state

    def at(self, ply: int) -> Round:
        """The round with ``ply`` cards played."""
        state = self.start()
        for card in self.plays[:ply]:
            state.play(card.code)
        return state

    def observation(self, ply: int, seat: int | None = None) -> Observation:
        """What a seat (default: the one to play) sees with ``ply`` cards played."""
        return self.observe(self.at(ply), seat)

    def observe(self, state: Round, seat: int | None = None) -> Observation:
        return observe(state, seat, score_before=self.score_before, bags_before=self.bags_before)

    def positions(self) -> Iterator[Round]:
        """The round before every play and at the end: one object, played on between yields."""
        state = self.start()
        yield state
        for card in self.plays:
            state.play(card.code)
            yield state

    def final(self) -> Round:
        """The round after its last play: the replay check. Raises what the rules refuse."""
        return self.at(len(self.plays))

    def score(self) -> RoundScore | None:
        """Points and bags of the round; None if it is cut short or its bids are unknown."""
        if not self.is_complete:
            return None
        tricks = self.final().table.tricks_taken
        return score_round(self.rules, self.bids, self.blind, tricks)

    def __repr__(self) -> str:
        title = f"{self.game_id}, " if self.game_id else ""
        place = f"round {self.round_index + 1}, {SEATS[self.dealer]} dealt"
        return f"<Record {title}{place}, {len(self.plays)} cards played>"

    def __str__(self) -> str:
        return round_text(self)

    def _repr_html_(self) -> str:
        from spades.core.figures import round_figure

        return round_figure(self)

    def _repr_svg_(self) -> str:
        """The deal and the bids alone."""
        from spades.core.figures import deal_drawing

        return deal_drawing(self)


def aids_text(aids: Mapping[str, Iterable[int]]) -> str:
    """Where people were helped, for ``source``: ``hinted 3 17; taken back 30``; by number of cards
    played before, bids -4 to -1."""
    parts = []
    for aid, plies in aids.items():
        numbers = " ".join(map(str, sorted(plies)))
        if numbers:
            parts.append(f"{aid} {numbers}")
    return "; ".join(parts)


def aided_plies(source: str) -> set[int]:
    """The cards (0 to 51) and bids (-4 to -1) of a round that weren't chosen unaided: those that
    were hinted at, and all from the first that was taken back or claimed."""
    plies_of = {aid: set[int]() for aid in (HINTED, TAKEN_BACK, CLAIMED)}
    for aid, plies in _AIDS.findall(source):
        plies_of[aid] = set(map(int, plies.split()))
    first_end = min(plies_of[TAKEN_BACK] | plies_of[CLAIMED], default=N_CARDS)
    return plies_of[HINTED] | set(range(first_end, N_CARDS))
