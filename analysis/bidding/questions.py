"""What can be asked about a bid: bids before in words, rules, scores at which a game goes on.

The command ``bid`` and the Bidding page ask through ``observe_bids``, so that both refuse the
same with the same words. A *pattern* is a tuple of 0 to 3 bids in the order made, the last the
right-hand opponent's; 0 is nil, blind or not, ``ANY`` every bid: one or many of the 2,955 sequences
that have a curve."""

from collections.abc import Sequence
from contextlib import suppress
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spades.bidding import bid_context, observe_auction
from spades.bidding.answer import FOUR_SPADES, SURE_TRICK
from spades.bidding.auction import INDEX_OF, MAX_PREVIOUS
from spades.core import errors
from spades.core.cards import N_SEATS, partner_of
from spades.core.documents import parse_integer
from spades.core.observation import Observation
from spades.core.rules import LARGEST, MAX_BID, NIL_BID, Rules
from spades.core.scoring import winner

NIL_NAME, BLIND_NIL_NAME = "nil", "blind nil"
BLIND_WORDS = (BLIND_NIL_NAME, "blind-nil", "blindnil", "blind")  # as the records' notations have
ANY = -1
ANY_WORDS = ("*", "any")
SIDES = ("our side", "their side")
BIDDERS_BEFORE = ("right opponent", "partner", "left opponent")
"""Who bid last, the one before, and before that."""
ORDINALS = ("first", "second", "third", "fourth")
NIL_DENIED = {
    SURE_TRICK: "its spades take a trick for sure",
    FOUR_SPADES: "BIS's rule denies a nil with four spades or more, and estimates no chance",
}
"""What is said of a hand whose nil value is 0, by ``denial_of``."""
Pattern = tuple[int, ...]
_WORDS = {"None": None, "True": True, "False": False}


class ImpossibleScoreError(errors.SpadesError):
    """A target, scores or bags at which no round is bid."""


class PreviousBids(NamedTuple):
    """The bids before, in the order made: 0 is nil, ``blind`` whether it was bid unseen."""

    bids: tuple[int, ...] = ()
    blind: tuple[bool, ...] = ()


def parse_previous(text: str) -> PreviousBids:
    """Bids from ``3,1``, ``nil,3`` or ``blind nil,3``; ``IllegalBidError`` for other words.
    ``observe_bids`` says how many there may be, and which the rules allow."""
    words = _words_of(text)
    return PreviousBids(tuple(map(_parse_bid, words)), tuple(word in BLIND_WORDS for word in words))


def parse_pattern(text: str) -> Pattern:
    """A pattern from ``3,1``, ``nil,4`` or ``3,*``; ``IllegalBidError`` for other words."""
    words = _words_of(text)
    if len(words) > MAX_PREVIOUS:
        raise errors.IllegalBidError(
            f"{len(words)} bids; 0 to {MAX_PREVIOUS} can come before the one asked about"
        )
    return tuple(ANY if word in ANY_WORDS else _parse_bid(word, ", * for any") for word in words)


def nearest_pattern(text: str) -> Pattern:
    """What a text comes nearest to: its first three bids, any bid for what is none."""
    bids = map(_bid_in, _words_of(text)[:MAX_PREVIOUS])
    return tuple(ANY if bid is None else bid for bid in bids)


def _words_of(text: str) -> list[str]:
    return [" ".join(word.lower().split()) for word in text.split(",")] if text.strip() else []


def _bid_in(word: str) -> int | None:
    """The bid that a word names, None if it names none."""
    if word == NIL_NAME or word in BLIND_WORDS:
        return NIL_BID
    with suppress(errors.InvalidRecordError):
        return parse_integer(word, 0, MAX_BID)
    return None


def _parse_bid(word: str, others: str = "") -> int:
    bid = _bid_in(word)
    if bid is None:
        raise errors.IllegalBidError(
            f"a previous bid of {word[:20] or 'nothing'}; 0 to {MAX_BID} are legal, "
            f"{NIL_NAME} (0) and {BLIND_NIL_NAME}{others}"
        )
    return bid


def format_bids(bids: Sequence[int], blind: Sequence[bool] = ()) -> str:
    """The inverse of both: ``3,0``, ``3,blind nil`` and ``3,*``."""
    words = ["*" if bid == ANY else str(bid) for bid in bids]
    for i, is_blind in enumerate(blind):
        words[i] = BLIND_NIL_NAME if is_blind and bids[i] == NIL_BID else words[i]
    return ",".join(words)


def bid_word(bid: int) -> str:
    return "any" if bid == ANY else NIL_NAME if bid == NIL_BID else str(bid)


def bid_name(bid: int, rules: Rules, *, is_blind: bool = False) -> str:
    """``nil``, ``blind nil`` or the number; 0 is no nil where the rules have none."""
    if is_blind:
        return BLIND_NIL_NAME
    return NIL_NAME if bid == NIL_BID and rules.nil is not None else str(bid)


def name_of(pattern: Pattern) -> str:
    """A pattern in few words, for legends: ``after 1, 3``."""
    return "after " + ", ".join(map(bid_word, pattern)) if pattern else "first to bid"


def describe(pattern: Pattern) -> str:
    if not pattern:
        return "You bid first."
    who = BIDDERS_BEFORE[: len(pattern)][::-1]
    words = [f"{seat} {bid_word(bid)}" for seat, bid in zip(who, pattern, strict=True)]
    return f"You bid {ORDINALS[len(pattern)]}: {', '.join(words)}."


def sequences_of(pattern: Pattern) -> NDArray[np.int64]:
    """Indices of the sequences that a pattern means, ascending."""
    bids = [range(MAX_BID + 1) if bid == ANY else (bid,) for bid in pattern]
    return np.array([INDEX_OF[sequence] for sequence in product(*bids)])


def format_rules(rules: Rules) -> str:
    """The options that aren't defaults, as ``target=300,deck=joker-joker-ace``."""
    return ",".join(f"{name}={value}" for name, value in rules.non_defaults().items())


def parse_rules(text: str) -> Rules:
    """Rules from what ``format_rules`` writes; spaces are fine. Raises ``InvalidRulesError`` for an
    unknown option, one that comes twice or a value that can't be."""
    options: dict[str, Any] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = (part.strip() for part in item.partition("="))
        if name in options:
            raise errors.InvalidRulesError(f"the rule {errors.shown(name)} comes twice")
        try:
            is_number = value.lstrip("+-").isdecimal()
            number = parse_integer(value, -LARGEST, LARGEST) if is_number else value
        except errors.InvalidRecordError as error:
            raise errors.InvalidRulesError(f"rule {errors.shown(name)} is {error}") from None
        options[name] = _WORDS.get(value, number)
    return Rules.from_options(options)


def observe_bids(
    hand: int,
    previous: PreviousBids,
    *,
    rules: Rules,
    score: tuple[int, int] = (0, 0),
    bags: tuple[int, int] = (0, 0),
) -> Observation:
    """What a seat sees that is about to bid; scores and bags are (ours, theirs). Raises
    ``ImpossibleScoreError`` where the game would be over or can't be scored so, and
    ``IllegalBidError`` for bids that the rules don't allow."""
    if rules.target < 1:
        raise ImpossibleScoreError(f"target {rules.target:,} points; at least 1 is legal")
    check_score(rules, score)
    check_bags(rules, bags)
    seen = observe_auction(hand, previous.bids, rules=rules, score=score, bags=bags)
    first = N_SEATS - len(previous.bids)
    for i, is_blind in enumerate(previous.blind):
        if is_blind:
            seen.table.bid((first + i) % N_SEATS, previous.bids[i], blind=True)
    return seen


def check_score(rules: Rules, score: tuple[int, int]) -> None:
    """Raise where these scores (ours, theirs) have ended the game; equal ones never do."""
    won, floor = winner(rules, score), rules.losing_floor
    if won is None:
        return
    if max(score) >= rules.target:
        why = f"{SIDES[won]} has reached the target of {rules.target:,}"
    else:
        why = f"{SIDES[1 - won]} has fallen to the losing floor of {floor:,}"
    top = rules.target
    legal = f"below {top:,}" if floor is None else f"from {floor + 1:,} to {top - 1:,}"
    raise ImpossibleScoreError(
        f"score {score[0]:,} (ours) to {score[1]:,} (theirs): the game is over, {why}; scores "
        f"{legal}, or two equal ones, which play on, are legal"
    )


def nearest_score(rules: Rules, score: tuple[int, int]) -> tuple[int, int]:
    """The scores themselves where a round is bid at them, else moved to below the target and
    above the losing floor."""
    if winner(rules, score) is None:
        return score
    floor = rules.losing_floor
    least = min(score) if floor is None else floor + 1
    ours, theirs = (max(least, min(points, rules.target - 1)) for points in score)
    return ours, theirs


def check_bags(rules: Rules, bags: tuple[int, int]) -> None:
    """Raise for counts of bags (ours, theirs) that a penalty would have been taken for."""
    if nearest_bags(rules, bags) == tuple(bags):
        return
    why = "0 or more are legal"
    if rules.bag_limit:
        why = (
            f"0 to {rules.bag_limit - 1} are legal: {rules.bag_limit} bags cost "
            f"{rules.bag_penalty} points and are taken off the count"
        )
    raise ImpossibleScoreError(f"bags {bags[0]:,} (ours), {bags[1]:,} (theirs); {why}")


def nearest_bags(rules: Rules, bags: tuple[int, int]) -> tuple[int, int]:
    """The counts themselves where they are legal, else the nearest that are."""
    most = rules.bag_limit - 1 if rules.bag_limit else max(bags)
    ours, theirs = (max(0, min(count, most)) for count in bags)
    return ours, theirs


def why_no_nil(observation: Observation) -> str | None:
    """Why the seat doesn't bid nil whatever it holds, None where it may. The rules have no nil, or
    ask for a minimum that its partner hasn't bid; or the partner has bid nil: a second one is
    legal, but BIS never bids it."""
    rules, seat = observation.rules, observation.seat
    if not bid_context(rules).rules.has_nil:
        return "these rules have no nil: 0 is an ordinary bid"
    partner, legal = observation.table.bids[partner_of(seat)], observation.table.legal_bids(seat)
    if NIL_BID not in legal:
        return (
            f"nil is not legal here: a partnership has to bid {rules.min_bid} at least and the "
            f"partner bid {bid_word(partner)}, so {legal[0]} to {legal[-1]} are"
        )
    if partner == NIL_BID:
        return "the partner has bid nil; a second nil is legal, but BIS never bids one"
    return None
