"""One round of the rhawk bot's log: its lines as messages, gathered, then replayed and checked.

Lines are ``YYYY-mm-dd HH:MM:SS | message``. Colour codes (``\\x03``...) and Unicode suits of older
files are taken off first. Places count from the first bidder, 0 to 3; seats are N E S W. Nicks are
in messages only; no text for people holds one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from spades.core.cards import N_CARDS, N_SEATS, SEATS, STANDARD
from spades.core.errors import InvalidRecordError
from spades.core.records import HUMAN, RoundRecord
from spades.core.rules import NIL_BID, NO_BID, Round, Rules, Table
from spades.core.scoring import GameScore, add_round
from spades.notation.hands import complete_deal, record_of_table
from spades.notation.reading import FENCES, blamed_on, shown

MAX_LINE = 2_000
UNKNOWN, UNSTAMPED = "unknown", "unstamped"

_STAMP = re.compile(r"\s*(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) \| ?")
_COLOUR = re.compile(
    "\x03(?:\\d{1,2}(?:,\\d{1,2})?)?|\x04[0-9a-fA-F]{0,6}|[\x02\x0f\x11\x16\x1d-\x1f]"
)
_SUITS = str.maketrans({**dict(zip("♠♥♦♣♤♡♢♧", "shdcshdc", strict=True)), "\ufe0f": None})
_NICK = r"(?:[^\s:/]{1,64})"
_PAIR = rf"(?:{_NICK}/{_NICK})"
_CARD = r"(?:(?:10|[2-9TJQKA])[shdc])"
_BID = r"(?:\d{1,2}|nil|blind)"
_BIDS = rf"\((?P<bids>{_NICK}:{_BID}(?: {_NICK}:{_BID}){{0,3}})?\)"
_CARDS = rf"\((?P<cards>{_CARD}(?:, ?{_CARD}){{0,3}})\)"
_N = r"-?\d{1,7}"

# The commonest first.
_PATTERNS = {
    "turn": rf"(?P<who>{_NICK}): it is your turn!(?: {_CARDS})?",
    "win": rf"(?P<who>{_NICK}) wins with (?P<card>{_CARD}) {_CARDS}",
    "bid": rf"(?P<who>{_NICK}): it is your bid!(?: {_BIDS})?",
    "deal": r"/me deals the cards",
    "first": rf"(?P<who>{_NICK}): you bid first!",
    "auction": rf"(?:Playing with (?P<bags>\d+) bags?!|(?P<even>No bags!)|"
    rf"Fighting for (?P<short>\d+) tricks?!)(?: {_BIDS})?",
    "lead": rf"(?P<who>{_NICK}): you have the opening lead!",
    "nil": rf"(?P<who>{_NICK}) goes (?P<blind>blind )?nil!",
    "over": r"Round over!",
    "made": r"(?P<team>.{1,200}?) (?P<how>make their bid|go bust): (?P<took>\d+)/(?P<bid>\d+)",
    "score": rf"(?P<team>.{{1,200}}?) lead (?P<ours>{_N}) to (?P<theirs>{_N}) of (?P<target>{_N})",
    "tied": rf"tied at (?P<ours>{_N}) of (?P<target>{_N})",
    "nil_result": rf"(?P<who>{_NICK}) (?:(?P<made>makes)|fails(?: miserably)? at) "
    r"(?P<blind>blind )?nil!",
    "recap": rf"(?P<a>{_NICK})/(?P<c>{_NICK}) bid (?P<bid_a>{_BID})/(?P<bid_c>{_BID}), "
    rf"(?P<b>{_NICK})/(?P<d>{_NICK}) bid (?P<bid_b>{_BID})/(?P<bid_d>{_BID}), .{{1,40}}",
    "start": rf"(?P<who>{_NICK}) starts a game of Spades to (?P<target>\d{{1,6}}) with "
    r"(?P<limit>\d{1,4}) bags?!",
    "join": rf"{_NICK} joins the game!",
    "end": rf"Game over!|{_NICK} ends the game",
    "named": rf"(?P<pair>{_PAIR}) are now known as (?P<team>.{{1,200}})",
    "passing": rf"{_PAIR}: select a card to pass.*|{_NICK} passes a card|Cards have been passed!",
    "cheating": rf"{_NICK} is cheating for {_NICK}",
    "substitute": rf"{_NICK} (?:\({_NICK}\) )?can (?:now|no longer) play for {_NICK}",
    "nothing": r".* bag (?:way )?out|It's a tie! Playing an extra round!|.* are (?:now )?boring",
}
_COMPILED = [(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS.items()]


@dataclass(frozen=True)
class Message:
    """A line of the log: its number, time, kind (a key of the patterns, ``UNKNOWN`` or
    ``UNSTAMPED``) and named parts."""

    line: int
    when: str
    kind: str
    parts: dict[str, str | None]

    def __getitem__(self, name: str) -> str:
        return self.parts[name] or ""


def is_log_line(line: str) -> bool:
    return _STAMP.match(line) is not None


def messages(lines: Iterable[tuple[int, str]]) -> Iterator[Message]:
    """Messages of numbered lines; a line without a time stamp says nothing but that it is there."""
    for number, raw in lines:
        stamp = _STAMP.match(raw)
        if stamp is None:
            if raw.strip() and not raw.startswith(FENCES):
                yield Message(number, "", UNSTAMPED, {})
            continue
        text = _COLOUR.sub("", raw[stamp.end() : stamp.end() + MAX_LINE]).translate(_SUITS).strip()
        yield _message(number, stamp.group(1), text)


def _message(number: int, when: str, text: str) -> Message:
    for kind, pattern in _COMPILED:
        if found := pattern.fullmatch(text):
            return Message(number, when, kind, found.groupdict())
    return Message(number, when, UNKNOWN, {})


def parse_cards(text: str) -> list[int]:
    """Codes of ``10h,Qh`` (rank then suit; T for 10 will do)."""
    cards = [card.strip().upper().replace("10", "T") for card in text.split(",") if card.strip()]
    return [STANDARD.parse_card(card[::-1]) for card in cards]


def parse_bids(text: str) -> list[tuple[str, str]]:
    """(nick, bid) of ``A:4 B:nil``, in the order bid."""
    pairs = [word.rpartition(":") for word in text.split()]
    return [(nick, bid.lower()) for nick, _, bid in pairs]


def parse_bid(text: str) -> tuple[int, bool]:
    """Bid and whether it is blind; 0 is nil."""
    if text in ("nil", "blind"):
        return 0, text == "blind"
    if int(text) > 13:
        raise InvalidRecordError(f"a bid of {shown(text)}; 0 to 13, nil and blind are legal")
    return int(text), False


Sides = Mapping[str, int]
_PLAYS_NEEDED = N_CARDS - 1
_MAX_LISTED = 20
_SIDES = ("N/S", "E/W")


@dataclass
class Draft:
    """The messages of one round. ``nicks`` and ``bids`` by place, None or ``NO_BID`` unknown."""

    line: int
    index: int
    nicks: list[str | None] = field(default_factory=lambda: [None] * N_SEATS)
    bids: list[int] = field(default_factory=lambda: [NO_BID] * N_SEATS)
    blind: list[bool] = field(default_factory=lambda: [False] * N_SEATS)
    nils: dict[int, bool] = field(default_factory=dict)  # announced, by place: blind?
    n_bids: int = 0
    plays: list[tuple[int, int]] = field(default_factory=list)  # (line, card)
    turns: list[tuple[Message, int]] = field(default_factory=list)  # at how many plays
    wins: list[Message] = field(default_factory=list)
    made: list[Message] = field(default_factory=list)
    nil_results: list[Message] = field(default_factory=list)
    score: Message | None = None
    auction: Message | None = None
    fault: InvalidRecordError | None = None
    unread: list[int] = field(default_factory=list)  # lines

    @property
    def target(self) -> int | None:
        return int(self.score["target"]) if self.score else None

    @property
    def unread_lines(self) -> str:
        more = ", ..." if len(self.unread) > _MAX_LISTED else ""
        return ", ".join(map(str, self.unread[:_MAX_LISTED])) + more

    def feed(self, message: Message) -> None:
        """Take a message; what can't be right is kept as the round's fault."""
        handler = getattr(self, f"_on_{message.kind}", None)
        if handler is None:
            return
        try:
            with blamed_on(message.line):
                handler(message)
        except InvalidRecordError as error:
            self.fault = self.fault or error

    def _on_first(self, message: Message) -> None:
        self._seat(0, message["who"])

    def _on_nil(self, message: Message) -> None:
        if self.n_bids >= N_SEATS:
            raise InvalidRecordError("a nil after the auction")
        self.nils[self.n_bids] = bool(message["blind"])

    def _on_bid(self, message: Message) -> None:
        self._take_bids(message["bids"])
        if not 0 < self.n_bids < N_SEATS:
            raise InvalidRecordError(f"a call to bid after {self.n_bids} bids")
        self._seat(self.n_bids, message["who"])

    def _on_auction(self, message: Message) -> None:
        self.auction = message
        if message["bids"]:
            self._take_bids(message["bids"])

    def _on_recap(self, message: Message) -> None:
        """An older summary: both partnerships, in the order of the seats from the first bidder."""
        nicks = [message[key] for key in "abcd"]
        if self.nicks[0] not in nicks:
            raise InvalidRecordError("the summary of the bids doesn't name the first bidder")
        shift = nicks.index(self.nicks[0])
        for i, key in enumerate("abcd"):
            place = (i - shift) % N_SEATS
            self._seat(place, nicks[i])
            self.take_bid(place, message[f"bid_{key}"].lower())
        self.n_bids = N_SEATS

    def _on_lead(self, message: Message) -> None:
        self._seat(0, message["who"])
        last = N_SEATS - 1
        # Older files don't echo the last bid; a nil was announced, a number follows from the score.
        if self.bids[last] == NO_BID and last in self.nils:
            self.take_bid(last, "blind" if self.nils[last] else "nil")

    def _on_turn(self, message: Message) -> None:
        self._take_cards(message)
        self.turns.append((message, len(self.plays)))

    def _on_win(self, message: Message) -> None:
        self._take_cards(message)
        self.wins.append(message)
        if len(self.plays) != N_SEATS * len(self.wins):
            raise InvalidRecordError(f"a trick of {len(self.plays) % N_SEATS} cards")

    def _on_over(self, _: Message) -> None:
        if len(self.plays) < N_CARDS:
            unread = f"; not read in it: line {self.unread_lines}" if self.unread else ""
            raise InvalidRecordError(
                f"the round is over after {len(self.plays)} of {N_CARDS} plays{unread}"
            )

    def _on_made(self, message: Message) -> None:
        self._on_over(message)
        self.made.append(message)

    def _on_nil_result(self, message: Message) -> None:
        self.nil_results.append(message)

    def _on_score(self, message: Message) -> None:
        self.score = message

    def _on_tied(self, message: Message) -> None:
        self.score = message

    def _on_passing(self, message: Message) -> None:
        raise InvalidRecordError("cards are passed; the engine doesn't know passing cards")

    def _on_cheating(self, message: Message) -> None:
        raise InvalidRecordError("the bot's owner changed cards or seats in this round")

    def _seat(self, place: int, nick: str) -> None:
        if self.nicks[place] is None and nick not in self.nicks:
            self.nicks[place] = nick
        if self.nicks[place] != nick:
            raise InvalidRecordError(
                f"another player than before is the {_place(place)} of this round's auction"
            )

    def take_bid(self, place: int, text: str) -> None:
        bid, is_blind = parse_bid(text)
        if place in self.nils and (bid, is_blind) != (0, self.nils[place]):
            raise InvalidRecordError(
                f"the {_place(place)} bidder goes {'blind ' * self.nils[place]}nil, but the bid is "
                f"{text}"
            )
        if self.bids[place] != NO_BID and (self.bids[place], self.blind[place]) != (bid, is_blind):
            raise InvalidRecordError(f"the {_place(place)} bid was {self.bids[place]}, now {text}")
        self.bids[place], self.blind[place] = bid, is_blind

    def _take_bids(self, text: str) -> None:
        """Bids so far; older files leave announced nils out."""
        pairs = parse_bids(text)
        listed = {nick for nick, _ in pairs}
        left_out = [p for p in self.nils if len(pairs) < N_SEATS and self.nicks[p] not in listed]
        places = [p for p in range(N_SEATS) if p not in left_out]
        if len(pairs) > len(places):
            raise InvalidRecordError(f"{len(pairs)} bids and {len(left_out)} nils")
        for place, (nick, bid) in zip(places, pairs, strict=False):
            self._seat(place, nick)
            self.take_bid(place, bid)
        for place in left_out:
            self.take_bid(place, "blind" if self.nils[place] else "nil")
        self.n_bids = len(pairs) + len(left_out)

    def _take_cards(self, message: Message) -> None:
        """The trick so far: it goes on from what was there."""
        cards = parse_cards(message["cards"])
        start = N_SEATS * len(self.wins)
        known = [card for _, card in self.plays[start:]]
        if cards[: len(known)] != known:
            was, now = (_text(part) for part in (known, cards))
            raise InvalidRecordError(f"the trick was {was}, now it is {now}")
        self.plays += [(message.line, card) for card in cards[len(known) :]]
        if len(self.plays) > N_CARDS:
            raise InvalidRecordError("a play after the 13th trick")

    def seats(self, known: Sides) -> dict[str, int]:
        """Seat by nick, as far as the auction tells; the deal passes clockwise from North."""
        nicks = [(place, nick) for place, nick in enumerate(self.nicks) if nick is not None]
        first = known.get(self.nicks[0] or "", self.index % N_SEATS)
        return {nick: (first + place) % N_SEATS for place, nick in nicks}

    def score_after(self, seats: Sides, teams: Mapping[str, str]) -> tuple[int, int] | None:
        """Score by side that the log says stands after the round; None if it says none."""
        if self.score is None:
            return None
        ours = int(self.score["ours"])
        if self.score.kind == "tied":
            return ours, ours
        theirs, side = int(self.score["theirs"]), _side_of(self.score["team"], seats, teams)
        return None if side is None else ((ours, theirs) if side == 0 else (theirs, ours))


def _place(place: int) -> str:
    return ("first", "second", "third", "fourth")[place]


def _text(cards: list[int]) -> str:
    return " ".join(map(STANDARD.format_card, cards)) or "empty"


def _side_of(team: str, seats: Sides, teams: Mapping[str, str]) -> int | None:
    """Partnership that a team's name or pair of nicks stands for; None for a name not known."""
    first, _, second = teams.get(team, team).partition("/")
    if first not in seats or second not in seats or (seats[first] - seats[second]) % 2:
        return None
    return seats[first] % 2


@dataclass(frozen=True)
class Outcome:
    """A round read: its record without names, the nick in each seat, the score after it."""

    record: RoundRecord
    nicks: tuple[str, ...]
    after: GameScore | None


def read_round(
    draft: Draft, rules: Rules, known: Sides, teams: Mapping[str, str], before: GameScore | None
) -> Outcome:
    """Replay a round and check all that the log says of it. ``known``: seats of the game so far."""
    if draft.fault:
        raise draft.fault
    nicks, seats = _seats(draft, known)
    first = seats[nicks[0]]
    if len(draft.plays) < _PLAYS_NEEDED:
        raise InvalidRecordError(
            f"the round is cut short after {len(draft.plays)} of {N_CARDS} plays; the hands are "
            "known only from the cards played"
        )
    _infer_last_bid(draft, seats, teams)
    _check_auction(draft)
    state = _start(draft, rules, first)
    hands = tuple(state.hands)
    for line, card in draft.plays:
        with blamed_on(line):
            state.play(card)
    table = state.table
    _check_turns(draft, seats, table)
    _check_contracts(draft, seats, teams, table)
    _check_nils(draft, seats, table)
    record = record_of_table(
        table,
        hands,
        round_index=draft.index,
        score_before=before.score if before else None,
        bags_before=before.bags if before else None,
        kinds=(HUMAN,) * N_SEATS,
    )
    after = _checked_score(draft, record, before, draft.score_after(seats, teams))
    by_seat = tuple(nicks[(seat - first) % N_SEATS] for seat in range(N_SEATS))
    return Outcome(record, by_seat, after)


def _seats(draft: Draft, known: Sides) -> tuple[list[str], dict[str, int]]:
    """Nick by place, and seat by nick."""
    nicks = [nick for nick in draft.nicks if nick is not None]
    if len(nicks) < N_SEATS:
        raise InvalidRecordError(f"the auction names {len(nicks)} players of {N_SEATS}")
    seats = draft.seats(known)
    if known and seats != known:
        raise InvalidRecordError("other players than before, or in another order")
    return nicks, seats


def _infer_last_bid(draft: Draft, seats: Sides, teams: Mapping[str, str]) -> None:
    """The fourth bid of older files, from its partnership's contract in the score lines."""
    last = N_SEATS - 1
    if draft.bids[last] != NO_BID or NO_BID in draft.bids[:last]:
        return
    nick = draft.nicks[last]
    for message in draft.made:
        if nick and _side_of(message["team"], seats, teams) == seats[nick] % 2:
            bid = int(message["bid"]) - draft.bids[last - 2]
            with blamed_on(message.line):
                draft.take_bid(last, str(max(bid, 0)))


def _start(draft: Draft, rules: Rules, first: int) -> Round:
    """The round before the first lead, hands from the cards that each seat played."""
    dealer = (first - 1) % N_SEATS
    table, played = Table(rules, dealer), [0] * N_SEATS
    for line, card in draft.plays:
        with blamed_on(line):
            if table.played_mask >> card & 1:
                raise InvalidRecordError(f"{STANDARD.format_card(card)} is played twice")
        played[table.turn] |= 1 << card
        table.record_play(card)
    whole = [mask if mask.bit_count() == N_CARDS // N_SEATS else None for mask in played]
    state = Round.deal(rules, dealer, complete_deal(whole, played, STANDARD))
    for place in range(N_SEATS):
        if draft.bids[place] != NO_BID:
            state.table.bid((first + place) % N_SEATS, draft.bids[place], blind=draft.blind[place])
    return state


def _check_turns(draft: Draft, seats: Sides, table: Table) -> None:
    for message, n_plays in draft.turns:
        if n_plays < len(table.seats):
            due = table.seats[n_plays]
            _check(message, seats, due, f"play {n_plays} is {SEATS[due]}'s")
    for trick, message in enumerate(draft.wins):
        winner = table.winners[trick]
        _check(message, seats, winner, f"{SEATS[winner]} wins trick {trick + 1}")
        (card,) = parse_cards(message["card"])
        ply = table.seats.index(winner, N_SEATS * trick)
        if table.plays[ply] != card:
            raise InvalidRecordError(
                f"trick {trick + 1} is won with {STANDARD.format_card(table.plays[ply])}, the log "
                f"says {STANDARD.format_card(card)}",
                message.line,
            )


def _check(message: Message, seats: Sides, due: int, what: str) -> None:
    found = seats.get(message["who"])
    if found != due:
        says = "a player not at the table" if found is None else SEATS[found]
        raise InvalidRecordError(f"{what}, the log says {says}", message.line)


def _check_auction(draft: Draft) -> None:
    """What the bot says of the sum of the bids: the bags or tricks that lack."""
    message = draft.auction
    if message is None or NO_BID in draft.bids:
        return
    spare = N_CARDS // N_SEATS - sum(draft.bids)
    said = int(message["bags"] or 0) - int(message["short"] or 0)
    if spare != said:
        raise InvalidRecordError(
            f"the bids {draft.bids} leave {spare} tricks, the log says {said}", message.line
        )


def _check_contracts(draft: Draft, seats: Sides, teams: Mapping[str, str], table: Table) -> None:
    for message in draft.made if table.is_over else ():
        side = _side_of(message["team"], seats, teams)
        if side is None:  # a team's name that the log doesn't explain
            continue
        took, contract = table.tricks_of(side), table.contract_of(side)
        said, is_made = (int(message["took"]), int(message["bid"])), message["how"] != "go bust"
        if said != (took, contract) or is_made != (took >= contract):
            raise InvalidRecordError(
                f"{_SIDES[side]} took {took} of {contract}, the log says {said[0]} of {said[1]}, "
                f"{'made' if is_made else 'bust'}",
                message.line,
            )


def _check_nils(draft: Draft, seats: Sides, table: Table) -> None:
    for message in draft.nil_results if table.is_over else ():
        seat, is_made = seats.get(message["who"]), bool(message["made"])
        if seat is None or table.bids[seat] != NIL_BID:
            raise InvalidRecordError("a nil is scored that nobody bid", message.line)
        if is_made != (table.tricks_taken[seat] == 0):
            raise InvalidRecordError(
                f"{SEATS[seat]}'s nil took {table.tricks_taken[seat]} tricks, the log says "
                f"{'made' if is_made else 'failed'}",
                message.line,
            )


def _checked_score(
    draft: Draft, record: RoundRecord, before: GameScore | None, said: tuple[int, int] | None
) -> GameScore | None:
    """The score after the round; refused where the log says another."""
    scored = record.score()
    if before is None or scored is None:
        return None
    after = add_round(record.rules, before, scored)
    if said is not None and after.score != said:
        raise InvalidRecordError(
            f"the score goes from {before.score} to {said} (N/S, E/W) in the log; the plays make "
            f"it {after.score}",
            draft.score.line if draft.score else 0,
        )
    return after
