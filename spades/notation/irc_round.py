"""One round of the rhawk bot's log: its lines as messages, gathered, then replayed and checked.

Lines are ``YYYY-mm-dd HH:MM:SS | message``. Colour codes (``\\x03``...) and Unicode suits of older
files are taken off first. Places count from the first bidder, 0 to 3; seats are N E S W. Nicks are
in messages only; no text for people holds one.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from spades.core.cards import N_CARDS, N_SEATS, SEATS, STANDARD
from spades.core.errors import InvalidRecordError, shown
from spades.core.records import HUMAN, RoundRecord
from spades.core.rules import NIL_BID, NO_BID, Round, Rules, Table
from spades.core.scoring import GameScore, add_round
from spades.notation.hands import deal_of_plays, record_of_table
from spades.notation.reading import FENCES, blamed_on

MAX_LINE = 2_000

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
# A message of any kind has one of these: what people say is told from it at one glance.
_SIGNS = re.compile(
    "it is your|wins with|deals the cards|you bid|playing with|no bags|fighting|opening lead|goes|"
    "round over|make their bid|bust|lead|tied at|nil|starts a game|joins|game over|ends the game|"
    "now known|card to pass|passes|been passed|is cheating|play for|bag|it's a tie|boring| bid ",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Message:
    """A line of the log: its number, time, kind (a key of the patterns or
    ``unknown``) and named parts."""

    line: int
    when: str
    kind: str
    parts: dict[str, str | None]

    def __getitem__(self, name: str) -> str:
        return self.parts[name] or ""


def is_log_line(line: str) -> bool:
    return _STAMP.match(line) is not None


def messages(lines: Iterable[tuple[int, str]]) -> Iterator[Message | int]:
    """Messages of numbered lines; of a line without a time stamp, which says nothing but that it is
    there, its number alone."""
    for number, raw in lines:
        stamp = _STAMP.match(raw)
        if stamp is None:
            if raw and not raw.isspace() and not raw.startswith(FENCES):
                yield number
            continue
        text = _COLOUR.sub("", raw[stamp.end() : stamp.end() + MAX_LINE]).translate(_SUITS).strip()
        yield _message(number, stamp.group(1), text)


def _message(number: int, when: str, text: str) -> Message:
    if _SIGNS.search(text):
        for kind, pattern in _COMPILED:
            if found := pattern.fullmatch(text):
                return Message(number, when, kind, found.groupdict())
    return Message(number, when, "unknown", {})


def _parse_cards(text: str) -> list[int]:
    """Codes of ``10h,Qh`` (rank then suit; T for 10 will do)."""
    cards = [card.strip().upper().replace("10", "T") for card in text.split(",") if card.strip()]
    return [STANDARD.parse_card(card[::-1]) for card in cards]


def _parse_bid(text: str) -> tuple[int, bool]:
    """Bid and whether it is blind; 0 is nil."""
    if text in ("nil", "blind"):
        return 0, text == "blind"
    if int(text) > 13:
        raise InvalidRecordError(f"a bid of {shown(text)}; 0 to 13, nil and blind are legal")
    return int(text), False


BOT_TARGET, BOT_LIMIT, SHORT_LIMIT, SHORT_TARGET = 300, 10, 5, 200
_MAX_LISTED = 20
MAX_MESSAGES = 1_000  # of one round; a whole one has some 150
_PLACES = ("first", "second", "third", "fourth")
_LAST = N_SEATS - 1


@dataclass
class Game:
    """A game under way: what it is to, seats by nick, pairs by team's name, and the score."""

    name: str
    target: int | None = None
    limit: int | None = None
    n_deals: int = 0
    seats: dict[str, int] = field(default_factory=dict)
    teams: dict[str, str] = field(default_factory=dict)
    score: tuple[int, int] | None = None

    @property
    def rules(self) -> Rules:
        target = BOT_TARGET if self.target is None else self.target
        limit = self.limit or (BOT_LIMIT if target > SHORT_TARGET else SHORT_LIMIT)
        worth = 10 * limit
        return Rules(target, None, limit, bag_penalty=worth, nil=worth, blind_nil=2 * worth)

    @property
    def bags(self) -> tuple[int, int] | None:
        """Bags before the round, as the bot counts them."""
        limit = self.rules.bag_limit
        return (self.score[0] % limit, self.score[1] % limit) if self.score else None


@dataclass
class Draft:
    """The messages of one round. ``nicks`` and ``bids`` by place, None or ``NO_BID`` unknown."""

    line: int
    game: Game
    index: int
    nicks: list[str | None] = field(default_factory=lambda: [None] * N_SEATS)
    bids: list[int] = field(default_factory=lambda: [NO_BID] * N_SEATS)
    blind: list[bool] = field(default_factory=lambda: [False] * N_SEATS)
    nils: dict[int, str] = field(default_factory=dict)  # announced, by place: nil or blind
    n_bids: int = 0
    plays: list[tuple[int, int]] = field(default_factory=list)  # (line, card)
    turns: list[tuple[Message, int]] = field(default_factory=list)  # at how many plays
    wins: list[Message] = field(default_factory=list)
    made: list[Message] = field(default_factory=list)
    nil_results: list[Message] = field(default_factory=list)
    score: Message | None = None
    auction: Message | None = None
    fault: InvalidRecordError | None = None
    unread: list[int] = field(default_factory=list)  # lines, the first of them
    n_unread: int = 0
    n_messages: int = 0
    scored: tuple[int, int] | None = None  # score after the round, as the plays make it

    @property
    def unread_lines(self) -> str:
        more = ", ..." if self.n_unread > _MAX_LISTED else ""
        return ", ".join(map(str, self.unread)) + more

    def skip(self, line: int) -> None:
        """Remember a line that can't be read."""
        self.n_unread += 1
        if len(self.unread) < _MAX_LISTED:
            self.unread.append(line)

    def feed(self, message: Message) -> None:
        """Take a message; what can't be right is kept as the round's fault."""
        self.n_messages += 1
        if self.n_messages > MAX_MESSAGES:
            reason = f"over {MAX_MESSAGES:,} lines of one round; a whole one has some 150"
            self.fault = self.fault or InvalidRecordError(reason, message.line)
            return
        try:
            with blamed_on(message.line):
                self._take(message)
        except InvalidRecordError as error:
            self.fault = self.fault or error

    def _take(self, message: Message) -> None:
        match message.kind:
            case "first":
                self._seat(0, message["who"])
            case "nil":
                if self.n_bids >= N_SEATS:
                    raise InvalidRecordError("a nil after the auction")
                self.nils[self.n_bids] = "blind" if message["blind"] else "nil"
            case "bid":
                self._take_bids(message["bids"])
                if not 0 < self.n_bids < N_SEATS:
                    raise InvalidRecordError(f"a call to bid after {self.n_bids} bids")
                self._seat(self.n_bids, message["who"])
            case "auction":
                self.auction = message
                if message["bids"]:
                    self._take_bids(message["bids"])
            case "recap":
                self._take_recap(message)
            case "lead":
                self._seat(0, message["who"])
                # Older files don't echo the last bid; a nil was announced, a number follows from
                # the score.
                if self.bids[_LAST] == NO_BID and _LAST in self.nils:
                    self._take_bid(_LAST, self.nils[_LAST])
            case "turn":
                self._take_cards(message)
                self.turns.append((message, len(self.plays)))
            case "win":
                self._take_cards(message)
                self.wins.append(message)
                if len(self.plays) != N_SEATS * len(self.wins):
                    raise InvalidRecordError(f"a trick of {len(self.plays) % N_SEATS} cards")
            case "over" | "made":
                self._check_whole()
                self.made += [message] * (message.kind == "made")
            case "nil_result":
                self.nil_results.append(message)
            case "score" | "tied":
                self.score = message
            case "passing":
                raise InvalidRecordError("cards are passed; the engine doesn't know passing cards")
            case "cheating":
                raise InvalidRecordError("the bot's owner changed cards or seats in this round")

    def _take_recap(self, message: Message) -> None:
        """An older summary: both partnerships, in the order of the seats from the first bidder."""
        nicks = [message[key] for key in "abcd"]
        if self.nicks[0] not in nicks:
            raise InvalidRecordError("the summary of the bids doesn't name the first bidder")
        shift = nicks.index(self.nicks[0])
        for i, key in enumerate("abcd"):
            place = (i - shift) % N_SEATS
            self._seat(place, nicks[i])
            self._take_bid(place, message[f"bid_{key}"].lower())
        self.n_bids = N_SEATS

    def _check_whole(self) -> None:
        if len(self.plays) < N_CARDS:
            unread = f"; not read in it: line {self.unread_lines}" if self.unread else ""
            reason = f"the round is over after {len(self.plays)} of {N_CARDS} plays{unread}"
            raise InvalidRecordError(reason)

    def _seat(self, place: int, nick: str) -> None:
        if self.nicks[place] is None and nick not in self.nicks:
            self.nicks[place] = nick
        if self.nicks[place] != nick:
            reason = f"another player than before is the {_PLACES[place]} of this round's auction"
            raise InvalidRecordError(reason)

    def _take_bid(self, place: int, text: str) -> None:
        bid = _parse_bid(text)
        if (nil := self.nils.get(place)) and bid != _parse_bid(nil):
            raise InvalidRecordError(
                f"the {_PLACES[place]} bidder goes {'blind ' * (nil == 'blind')}nil, but the bid "
                f"is {text}"
            )
        if self.bids[place] != NO_BID and (self.bids[place], self.blind[place]) != bid:
            raise InvalidRecordError(f"the {_PLACES[place]} bid was {self.bids[place]}, now {text}")
        self.bids[place], self.blind[place] = bid

    def _take_bids(self, text: str) -> None:
        """Bids so far, ``A:4 B:nil``, in the order bid; older files leave announced nils out."""
        pairs = [word.rpartition(":") for word in text.split()]
        listed = {nick for nick, _, _ in pairs}
        left_out = [p for p in self.nils if len(pairs) < N_SEATS and self.nicks[p] not in listed]
        places = [p for p in range(N_SEATS) if p not in left_out]
        if len(pairs) > len(places):
            raise InvalidRecordError(f"{len(pairs)} bids and {len(left_out)} nils")
        for place, (nick, _, bid) in zip(places, pairs, strict=False):
            self._seat(place, nick)
            self._take_bid(place, bid.lower())
        for place in left_out:
            self._take_bid(place, self.nils[place])
        self.n_bids = len(pairs) + len(left_out)

    def _take_cards(self, message: Message) -> None:
        """The trick so far: it goes on from what was there."""
        cards = _parse_cards(message["cards"])
        known = [card for _, card in self.plays[N_SEATS * len(self.wins) :]]
        if cards[: len(known)] != known:
            was, now = (
                " ".join(map(STANDARD.format_card, part)) or "empty" for part in (known, cards)
            )
            raise InvalidRecordError(f"the trick was {was}, now it is {now}")
        self.plays += [(message.line, card) for card in cards[len(known) :]]
        if len(self.plays) > N_CARDS:
            raise InvalidRecordError("a play after the 13th trick")

    @property
    def seats(self) -> dict[str, int]:
        """Seat by nick: the game's, in its first round as far as the auction tells."""
        return self.game.seats or self._auction_seats()

    def _auction_seats(self) -> dict[str, int]:
        """The deal passes clockwise from North."""
        first = self.game.seats.get(self.nicks[0] or "", self.index % N_SEATS)
        places = enumerate(self.nicks)
        return {nick: (first + place) % N_SEATS for place, nick in places if nick is not None}

    def _side_of(self, message: Message) -> int | None:
        """Partnership that a team's name or pair of nicks means; None for a name not known."""
        seats, team = self.seats, message["team"]
        first, _, second = self.game.teams.get(team, team).partition("/")
        if first not in seats or second not in seats or (seats[first] - seats[second]) % 2:
            return None
        return seats[first] % 2

    def score_after(self) -> tuple[int, int] | None:
        """Score by side that the log says the game has after the round; None if it says none."""
        if self.score is None:
            return None
        ours = int(self.score["ours"])
        if self.score.kind == "tied":
            return ours, ours
        theirs, side = int(self.score["theirs"]), self._side_of(self.score)
        return None if side is None else ((ours, theirs) if side == 0 else (theirs, ours))

    def read(self) -> RoundRecord:
        """Replay the round and check all that the log says of it; then the game has its score. The
        record's players are nicks."""
        if self.fault:
            raise self.fault
        if n_unknown := self.nicks.count(None):
            raise InvalidRecordError(
                f"the auction names {N_SEATS - n_unknown} players of {N_SEATS}"
            )
        if self._auction_seats() != self.seats:
            raise InvalidRecordError("other players than before, or in another order")
        if len(self.plays) < N_CARDS - 1:
            raise InvalidRecordError(
                f"the round is cut short after {len(self.plays)} of {N_CARDS} plays; the hands "
                "are known only from the cards played"
            )
        self._infer_last_bid()
        self._check_auction()
        state = self._start()
        hands = tuple(state.hands)
        for line, card in self.plays:
            with blamed_on(line):
                state.play(card)
        self._check_turns(state.table)
        if state.table.is_over:
            self._check_contracts(state.table)
            self._check_nils(state.table)
        record = record_of_table(
            state.table,
            hands,
            round_index=self.index,
            score_before=self.game.score,
            bags_before=self.game.bags,
            players=tuple(sorted(self.seats, key=lambda nick: self.seats[nick])),
            kinds=(HUMAN,) * N_SEATS,
        )
        self._check_score(record)
        self.game.seats = self.seats
        return record

    def _infer_last_bid(self) -> None:
        """The fourth bid of older files, from its partnership's contract in the score lines."""
        if self.bids[_LAST] != NO_BID or NO_BID in self.bids[:_LAST]:
            return
        for message in self.made:
            if self._side_of(message) == self.seats[self.nicks[_LAST] or ""] % 2:
                bid = int(message["bid"]) - self.bids[_LAST - 2]
                with blamed_on(message.line):
                    self._take_bid(_LAST, str(max(bid, 0)))

    def _check_auction(self) -> None:
        """What the bot says of the sum of the bids: the bags or tricks that lack."""
        message, bids = self.auction, self.bids
        if message is None or NO_BID in bids:
            return
        spare = N_CARDS // N_SEATS - sum(bids)
        said = int(message["bags"] or 0) - int(message["short"] or 0)
        if spare != said:
            reason = f"the bids {bids} leave {spare} tricks, the log says {said}"
            raise InvalidRecordError(reason, message.line)

    def _start(self) -> Round:
        """The round before the first lead, hands from the cards that each seat played."""
        rules, first = self.game.rules, self.seats[self.nicks[0] or ""]
        table = Table(rules, (first - 1) % N_SEATS)
        for line, card in self.plays:
            with blamed_on(line):
                if table.played_mask >> card & 1:
                    raise InvalidRecordError(f"{STANDARD.format_card(card)} is played twice")
            table.record_play(card)
        state = Round.deal(rules, table.dealer, deal_of_plays(table.played, STANDARD))
        for place, (bid, is_blind) in enumerate(zip(self.bids, self.blind, strict=True)):
            if bid != NO_BID:
                state.table.bid((first + place) % N_SEATS, bid, blind=is_blind)
        return state

    def _check_turns(self, table: Table) -> None:
        for message, n_plays in self.turns:
            if n_plays < len(table.seats):
                due = table.seats[n_plays]
                self._check_who(message, due, f"play {n_plays} is {SEATS[due]}'s")
        for trick, message in enumerate(self.wins):
            winner = table.winners[trick]
            self._check_who(message, winner, f"{SEATS[winner]} wins trick {trick + 1}")
            (card,) = _parse_cards(message["card"])
            best = table.plays[table.seats.index(winner, N_SEATS * trick)]
            if best != card:
                raise InvalidRecordError(
                    f"trick {trick + 1} is won with {STANDARD.format_card(best)}, the log says "
                    f"{STANDARD.format_card(card)}",
                    message.line,
                )

    def _check_who(self, message: Message, due: int, what: str) -> None:
        found = self.seats.get(message["who"])
        if found != due:
            says = "a player not at the table" if found is None else SEATS[found]
            raise InvalidRecordError(f"{what}, the log says {says}", message.line)

    def _check_contracts(self, table: Table) -> None:
        for message in self.made:
            side = self._side_of(message)
            if side is None:  # a team's name that the log doesn't explain
                continue
            took, contract = table.tricks_of(side), table.contract_of(side)
            said, is_made = (int(message["took"]), int(message["bid"])), message["how"] != "go bust"
            if said != (took, contract) or is_made != (took >= contract):
                raise InvalidRecordError(
                    f"{('N/S', 'E/W')[side]} took {took} of {contract}, the log says {said[0]} of "
                    f"{said[1]}, {'made' if is_made else 'bust'}",
                    message.line,
                )

    def _check_nils(self, table: Table) -> None:
        for message in self.nil_results:
            seat, is_made = self.seats.get(message["who"]), bool(message["made"])
            if seat is None or table.bids[seat] != NIL_BID:
                raise InvalidRecordError("a nil is scored that nobody bid", message.line)
            if is_made != (table.tricks_taken[seat] == 0):
                raise InvalidRecordError(
                    f"{SEATS[seat]}'s nil took {table.tricks_taken[seat]} tricks, the log says "
                    f"{'made' if is_made else 'failed'}",
                    message.line,
                )

    def _check_score(self, record: RoundRecord) -> None:
        """The score after the round, as the plays make it; refused where the log says another."""
        scored = record.score()
        if record.score_before is None or record.bags_before is None or scored is None:
            return
        before = GameScore(record.score_before, record.bags_before)
        self.scored = add_round(record.rules, before, scored).score
        if (said := self.score_after()) not in (None, self.scored):
            raise InvalidRecordError(
                f"the score goes from {before.score} to {said} (N/S, E/W) in the log; the plays "
                f"make it {self.scored}",
                self.score.line if self.score else 0,
            )
