"""A game at a table, determined by its set-up and moves, from which it can be rebuilt at any time.

A seat is held by a person or an agent. At a table with people, deals and the agents' random draws
come from a secret key of the table (``spades.tables.secret``): nothing that is sent or logged
reveals later deals. At a table of four agents all randomness comes from a seed, as in
``spades.agents.play_games`` (game 0), which plays the same game.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from spades.agents import Agent, parse_agent
from spades.agents.play import LEVEL, MAX_ROUNDS
from spades.core.cards import N_SEATS, SEATS, Hands, clockwise, four, partnership_of, seat_name
from spades.core.deal import derive_seed, random_deal
from spades.core.observation import Observation
from spades.core.records import BOT, CLAIMED, HINTED, HUMAN, TAKEN_BACK, Record, aids_text
from spades.core.rules import NO_BID, Round, Table
from spades.core.scoring import add_round, score_round, winner
from spades.core.steps import Steps, last_value
from spades.search.solver import Solver, of_tricks
from spades.tables.secret import commitment, secret_deal, secret_seed
from spades.tables.setup import Setup, TableError

AUCTION = "auction"
PLAY = "play"
ROUND_OVER = "round over"
OVER = "over"
BID = "bid"
CARD = "card"
DEAL = "deal"
LEAVE = "leave"
BACK = "back"
LOOK = "look"
HINT = "hint"
UNDO = "undo"
CLAIM = "claim"
SIT = "sit"
STAND_IN = "srp+bis"
"""The agent that plays for a person who is away."""
COMPUTER = "computer"
"""The name of every agent at a sealed table."""
AGENT = "agent"
PERSON = "person"
PROGRAM = "program"
"""Who sits in a seat, as the table says."""
BLIND_BEHIND = 100
"""Points by which a person's side must be behind to be offered a blind nil."""


class Move(NamedTuple):
    """What a seat did. ``kind``: ``bid`` or ``card`` (a code), with its ``value``; ``deal``: the
    next round may begin; ``leave``: from now on ``STAND_IN`` plays; ``back``: the person returns;
    ``look``: at the hand, which ends the right to a blind nil; ``hint``: it was helped with the
    next card or bid; ``undo``: it takes its last one back; ``claim``: the rest is played with open
    hands; ``sit``: a program sits there, no person. ``blind``: a blind nil; ``ms``: think time of
    a person, if known."""

    seat: int
    kind: str
    value: int = 0
    blind: bool = False
    ms: int | None = None


class Game:
    """The state of a game. ``records``: the finished rounds; ``round``: the current one; ``score``:
    points and bags of the finished ones. If a person was away for even a card of a round, its
    record names the agent that stood in."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.moves = list[Move]()
        self.records = list[Record]()
        self.score = LEVEL
        self._agents = [None if text is None else parse_agent(text) for text in setup.agents]
        self.away = set[int]()
        self.programs = set[int]()
        self._stood_in = set[int]()
        self._deal()

    def _deal(self) -> None:
        setup = self.setup
        n = len(self.records)
        self._seed = None if setup.seed is None else derive_seed(setup.seed, 0, n)
        if setup.deals:
            dealer, hands = setup.deals[n]
        else:
            dealer = n % N_SEATS
            hands = self._drawn_hands()
        self.round = Round.deal(setup.rules, dealer, hands)
        self.dealt = four(self.round.hands)
        self._stood_in = set(self.away)
        self._looked = set[int]()
        self._is_claimed = False
        self._aids = {aid: set[int]() for aid in (HINTED, TAKEN_BACK, CLAIMED)}

    def _drawn_hands(self) -> Hands:
        """The random hands of the round that begins."""
        deck = self.setup.rules.cards
        if self.setup.key is not None:
            return secret_deal(deck, self.setup.key, len(self.records))
        if self._seed is None:
            raise TableError("this table hasn't been opened: it has no key to deal from")
        return random_deal(deck, derive_seed(self._seed, 0))

    def _chance(self, kind: str, n: int) -> int:
        """The seed of an agent's bid at seat ``n``, or of its card after ``n`` cards."""
        if self.setup.key is not None:
            action = "bid" if kind == BID else "play"
            return secret_seed(self.setup.key, f"round {len(self.records)} {action} {n}")
        if self._seed is None:
            raise TableError("this table hasn't been opened: its agents have no key to draw from")
        return derive_seed(self._seed, 1 if kind == BID else 2, n)

    @property
    def phase(self) -> str:
        table = self.round.table
        if NO_BID in table.bids:
            return AUCTION
        if not table.is_over:
            return PLAY
        return OVER if self.is_over else ROUND_OVER

    @property
    def is_over(self) -> bool:
        """Whether the last round of the game has been played."""
        n = len(self.records)
        if not self.round.table.is_over:
            return False
        if self.setup.rounds:
            return n >= self.setup.rounds
        has_winner = winner(self.setup.rules, self.score.score) is not None
        return has_winner or n >= MAX_ROUNDS

    @property
    def turn(self) -> int | None:
        """The seat to bid or to play; None between rounds and at the end."""
        table = self.round.table
        if self.phase == AUCTION:
            n_bids = sum(bid != NO_BID for bid in table.bids)
            return (table.dealer + 1 + n_bids) % N_SEATS
        return table.turn if self.phase == PLAY else None

    @property
    def record(self) -> Record:
        """The current round, as far as it has been played."""
        return self.records[-1] if self.round.table.is_over else self._record()

    def seen(self, seat: int) -> Observation:
        """A seat's observation, with the game's score when the round began."""
        return self.record.observe(self.round, seat)

    def hides_hand(self, seat: int) -> bool:
        """Whether a person hasn't seen the hand, because a blind nil is still possible."""
        us = partnership_of(seat)
        table = self.round.table
        score = self.score.score
        behind = score[1 - us] - score[us]
        may_bid_blind = self.setup.rules.has_blind_nil and behind >= BLIND_BEHIND
        is_person = self.setup.agents[seat] is None and seat not in self._stood_in
        has_looked = seat in self._looked or table.bids[seat] != NO_BID
        return may_bid_blind and is_person and not has_looked

    def make(self, move: Move) -> None:
        """Make a move. ``TableError``, or the rules' errors, if it is illegal; nothing has changed
        then."""
        if move.kind in (LEAVE, BACK):
            self._exchange(move.seat, has_left=move.kind == LEAVE)
        elif move.kind == LOOK:
            self._look(move.seat)
        elif move.kind == UNDO:
            self._take_back(move.seat)
        elif move.kind == SIT:
            self.check_may_sit(move.seat)
            self.programs.add(move.seat)
        elif move.kind == DEAL:
            if self.phase != ROUND_OVER:
                raise TableError(f"no round to deal: the phase is {self.phase}")
            self._deal()
        else:
            self._act(move)
        self.moves.append(move)
        if move.kind == CARD and self.round.table.is_over:
            self._score()

    def _act(self, move: Move) -> None:
        """A bid, card, hint or claim of the seat whose turn it is."""
        if move.seat != self.turn:
            owner = "nobody's" if self.turn is None else f"{seat_name(self.turn)}'s"
            raise TableError(f"it is {owner} turn, not {seat_name(move.seat)}'s")
        if move.kind in (HINT, CLAIM):
            self._help(move.kind)
        elif move.kind != {AUCTION: BID, PLAY: CARD}[self.phase]:
            raise TableError(f"a {move.kind} in the phase {self.phase}")
        elif move.kind == BID:
            is_person = self._agents[move.seat] is None
            if move.blind and is_person and not self.hides_hand(move.seat):
                raise TableError(f"a blind nil is bid unseen, {BLIND_BEHIND} points behind or more")
            self.round.table.bid(move.seat, move.value, blind=move.blind)
        else:
            self._play(move.value)

    def _look(self, seat: int) -> None:
        if not self.hides_hand(seat):
            raise TableError("the hand has been seen")
        self._looked.add(seat)

    def check_may_sit(self, seat: int) -> None:
        """``TableError`` unless a seat may still say who sits there."""
        if self.setup.agents[seat] is not None:
            raise TableError(f"{seat_name(seat)}'s seat is an agent's")
        if self.setup.is_sealed:
            raise TableError("who sits at a table of a study is its owner's to say")
        if any(move.seat == seat and move.kind in (BID, CARD) for move in self.moves):
            raise TableError(f"{seat_name(seat)} has bid: a seat says before that who sits there")

    @property
    def _ply(self) -> int:
        """Number of cards played; -4 to -1 while that many bids are missing."""
        table = self.round.table
        return len(table.plays) - sum(bid == NO_BID for bid in table.bids)

    def _help(self, kind: str) -> None:
        if not self.setup.help:
            raise TableError("help is off at this table")
        if self.turn is not None and self.hides_hand(self.turn):
            raise TableError("look at the hand first, or bid a blind nil")
        if kind == CLAIM and self.phase != PLAY:
            raise TableError(f"nothing to claim: the phase is {self.phase}")
        self._aids[HINTED if kind == HINT else CLAIMED].add(self._ply)
        self._is_claimed = kind == CLAIM

    @property
    def _movers(self) -> list[int]:
        """The seat of every bid and card so far, in order."""
        table = self.round.table
        movers = clockwise(table.dealer + 1) + table.seats
        return movers[: N_SEATS + self._ply]

    def may_take_back(self, seat: int) -> bool:
        """Whether a seat may take back its last bid or card."""
        return self.setup.has_undo and self.turn is not None and seat in self._movers

    def _take_back(self, seat: int) -> None:
        if not self.may_take_back(seat):
            raise TableError(
                f"{seat_name(seat)} has nothing to take back in this round, help is off at "
                "this table, or several people play"
            )
        before = self._record()
        kept = self._movers
        while kept.pop() != seat:
            pass
        self._aids[TAKEN_BACK].add(len(kept) - N_SEATS)
        self.round = Round.deal(before.rules, before.dealer, before.hands)
        for bidder in kept[:N_SEATS]:
            self.round.table.bid(bidder, before.bids[bidder], blind=before.blind[bidder])
        n_cards = max(0, len(kept) - N_SEATS)
        for card in before.plays[:n_cards]:
            self.round.play(card)

    def _exchange(self, seat: int, *, has_left: bool) -> None:
        """Let the stand-in take a seat, or give it back to the person."""
        is_person = self.setup.agents[seat] is None
        name = f"{seat_name(seat)}'s seat"
        if has_left and seat in self.away:
            raise TableError(f"{name} is no person's at the moment")
        if not has_left and (seat not in self.away or not is_person):  # no slow agent comes back
            raise TableError(f"{name} is a person's at the moment")
        if has_left:
            self._agents[seat] = parse_agent(STAND_IN)
            self.away.add(seat)
            self._stood_in.add(seat)
        else:
            self._agents[seat] = None
            self.away.discard(seat)

    def _play(self, card: int) -> None:
        legal = self.round.legal_plays()
        deck = self.setup.rules.cards
        if not 0 <= card < 64 or not legal >> card & 1:  # the round's own error shows all hands
            named = deck.format_card(card) if card in deck.codes else f"card {card}"
            raise TableError(f"{named} can't be played; legal: {deck.format_cards(legal)}")
        self.round.play(card)

    def _score(self) -> None:
        table = self.round.table
        record = self._record()
        scored = score_round(table.rules, table.bids, table.blind, table.tricks_taken)
        assert scored is not None
        self.score = add_round(table.rules, self.score, scored)
        self.records.append(record)
        key = self.deal_key
        if key is not None:
            self.records[-1] = replace(record, source=f"{record.source}; deal key {key}")

    def agents_move(self) -> Move | None:
        """The move of the agent whose turn it is; None if it is no agent's turn, or if the table
        can't be played on (``Setup.is_predictable``)."""
        decision = self.agents_decision()
        return None if decision is None else last_value(decision)

    def agents_decision(self) -> Steps[Move] | None:
        """``agents_move`` in steps. The observation is taken at once, so other threads may read and
        change the game between steps."""
        seat = self.turn
        if seat is None or self.setup.is_predictable:
            return None
        table = self.round.table
        if self._is_claimed:
            return _claimed_card(seat, table.copy(), four(self.round.hands))
        agent = self._agents[seat]
        if agent is None:
            return None
        seen = self.seen(seat)
        if self.phase == AUCTION:
            return _agents_bid(agent, seen, self._chance(BID, seat))
        return _agents_card(agent, seen, self._chance(CARD, len(table.plays)))

    @property
    def kinds(self) -> tuple[str, str, str, str]:
        """Who sits where: of ``records.KINDS``."""
        kinds = [HUMAN if agent is None else agent.player.kind for agent in self._agents]
        for seat in self._stood_in | self.programs:
            kinds[seat] = BOT
        return four(kinds)

    @property
    def names(self) -> tuple[str, str, str, str]:
        """What the players are called: an agent without a name by its text, a program as one."""
        names = list(self.setup.players)
        for seat in self.programs:
            names[seat] = f"{PROGRAM} {names[seat]}"
        for seat, text in enumerate(self._texts):
            if seat in self._stood_in or not names[seat]:
                names[seat] = text
        return four(names)

    @property
    def shown_names(self) -> tuple[str, str, str, str]:
        """What the players are called at the table: at a sealed one no agent is named."""
        if not self.setup.is_sealed:
            return self.names
        named = zip(self.setup.players, self._texts, strict=True)
        return four(COMPUTER if text else name for name, text in named)

    @property
    def shown_kinds(self) -> tuple[str, str, str, str]:
        """Who sits where, as the table shows it: at a sealed one all agents are of one kind."""
        if not self.setup.is_sealed:
            return self.kinds
        return four(BOT if text else HUMAN for text in self._texts)

    @property
    def sitters(self) -> list[str]:
        """Who sits where, by seat: ``AGENT``, ``PERSON`` or ``PROGRAM``, as the seats have said."""
        sitters = []
        for seat, text in enumerate(self.setup.agents):
            if text is not None or seat in self.away:
                sitters.append(AGENT)
            else:
                sitters.append(PROGRAM if seat in self.programs else PERSON)
        return sitters

    @property
    def people(self) -> set[str]:
        """The names of the people at a table with help, whose games are collected."""
        if not self.setup.help:
            return set()
        seats = range(N_SEATS)
        sit_there = [
            self.setup.agents[seat] is None and seat not in self.programs for seat in seats
        ]
        return {name for name, sits in zip(self.setup.players, sit_there, strict=True) if sits}

    @property
    def commitment(self) -> str | None:
        """What is published, from the opening on, of the key that people are dealt from."""
        key = self.setup.key
        return commitment(key) if key is not None and self.setup.has_people else None

    @property
    def deal_key(self) -> str | None:
        """The key, once the last card of a game with people has been played; None before."""
        return self.setup.key if self.setup.has_people and self.is_over else None

    @property
    def _texts(self) -> list[str]:
        """The agents of this round; "" for a person who plays it all; a program by its name."""
        texts = ["" if agent is None else str(agent) for agent in self._agents]
        for seat in self.programs:
            texts[seat] = f"{PROGRAM} {self.setup.players[seat]}"
        for seat in self._stood_in:
            texts[seat] = STAND_IN
        return texts

    def _remarks(self) -> Iterator[str]:
        """The parts of the record's source text."""
        if self.setup.deals_of:
            yield f"deals of {self.setup.deals_of}"
        for seat, about in zip(SEATS, self.setup.about, strict=True):
            if about:
                yield f"{seat} {about}"
        if self.commitment:
            committed = "agents" if self.setup.deals else "deals"
            yield f"{committed} committed {self.commitment}"

    def _record(self) -> Record:
        table = self.round.table
        setup = self.setup
        remarks = [*self._remarks(), aids_text(self._aids)]
        return Record(
            rules=setup.rules,
            dealer=table.dealer,
            hands=setup.rules.cards.hands(self.dealt),
            bids=four(table.bids),
            blind=four(table.blind),
            plays=setup.rules.cards.cards(table.plays),
            round_index=len(self.records),
            score_before=self.score.score,
            bags_before=self.score.bags,
            players=self.names,
            kinds=self.kinds,
            agents=four(self._texts),
            seed=None if setup.has_people else self._seed,
            source="; ".join(filter(None, remarks)),
        )


def _agents_bid(agent: Agent, seen: Observation, seed: int) -> Steps[Move]:
    yield
    bid = agent.bidder.bid(seen, seed)
    return Move(seen.seat, BID, bid, agent.bidder.bids_blind(seen))


def _agents_card(agent: Agent, seen: Observation, seed: int) -> Steps[Move]:
    card = yield from agent.player.play_in_steps(seen, seed)
    return Move(seen.seat, CARD, card)


def _claimed_card(seat: int, table: Table, hands: Hands) -> Steps[Move]:
    """A card after a claim: the double-dummy solver plays for all seats, for tricks."""
    yield
    values = Solver(of_tricks(table)).values(hands)
    best = max(values, key=lambda card: values[card])
    return Move(seat, CARD, best)


def replay(setup: Setup, moves: list[Move]) -> Game:
    """The game after these moves."""
    game = Game(setup)
    for move in moves:
        game.make(move)
    return game
