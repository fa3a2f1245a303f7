"""A position in which to bid, given as text: previous bids, rules, scores of an unfinished game.

The command ``bid`` and the Bids page both use ``observe_bids``, and so refuse the same positions
with the same messages. A *pattern* stands for one or more of the 2,955 sequences of bids
that have a curve: a tuple of 0 to 3 bids in the order made, the last the right-hand opponent's; 0
is nil, blind or not, ``ANY`` is any bid."""

from collections.abc import Sequence
from contextlib import suppress
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from spades.bidding import bid_context, observe_auction
from spades.bidding.answer import FOUR_SPADES, SURE_TRICK
from spades.bidding.auction import INDEX_OF, MAX_PREVIOUS
from spades.core import errors
from spades.core.cards import N_SEATS, partner_of
from spades.core.documents import parse_integer
from spades.core.kernel import IntArray
from spades.core.observation import Observation
from spades.core.rules import LARGEST, MAX_BID, NIL_BID, Rules
from spades.core.scoring import winner

NIL_NAME = "nil"
BLIND_NIL_NAME = "blind nil"
BLIND_WORDS = (BLIND_NIL_NAME, "blind-nil", "blindnil", "blind")  # as in notations of records
ANY = -1
ANY_WORDS = ("*", "any")
SIDES = ("our side", "their side")
BIDDERS_BEFORE = ("right opponent", "partner", "left opponent")
"""From the last to bid back to the first."""
ORDINALS = ("first", "second", "third", "fourth")
NIL_DENIED = {
    SURE_TRICK: "its spades take a trick for sure",
    FOUR_SPADES: "BIS's rule denies a nil with four spades or more, and estimates no chance",
}
"""Why a hand's nil value is 0, by ``denial_of``."""
Pattern = tuple[int, ...]
_WORDS = {"None": None, "True": True, "False": False}


class ImpossibleScoreError(errors.SpadesError):
    """A target, scores or bags at which the game would be over."""


class PreviousBids(NamedTuple):
    """The previous bids, in the order made; 0 is nil, ``blind``: whether it was a blind nil."""

    bids: tuple[int, ...] = ()
    blind: tuple[bool, ...] = ()


def parse_previous(text: str) -> PreviousBids:
    """Bids from ``3,1``, ``nil,3`` or ``blind nil,3``. Raises ``IllegalBidError`` for other words;
    ``observe_bids`` checks their number and the rules."""
    words = _words_of(text)
    return PreviousBids(
        bids=tuple(_parse_bid(word) for word in words),
        blind=tuple(word in BLIND_WORDS for word in words),
    )


def parse_pattern(text: str) -> Pattern:
    """A pattern from ``3,1``, ``nil,4`` or ``3,*``. Raises ``IllegalBidError`` for other words."""
    words = _words_of(text)
    if len(words) > MAX_PREVIOUS:
        raise errors.IllegalBidError(
            f"{len(words)} bids; 0 to {MAX_PREVIOUS} can come before the one asked about"
        )
    return tuple(ANY if word in ANY_WORDS else _parse_bid(word, ", * for any") for word in words)


def nearest_pattern(text: str) -> Pattern:
    """The legal pattern nearest to a text: its first three bids, ``ANY`` for what is no bid."""
    bids = [_bid_in(word) for word in _words_of(text)[:MAX_PREVIOUS]]
    return tuple(ANY if bid is None else bid for bid in bids)


def _words_of(text: str) -> list[str]:
    if not text.strip():
        return []
    return [" ".join(word.lower().split()) for word in text.split(",")]


def _bid_in(word: str) -> int | None:
    """The bid that a word names, None if it names none."""
    if word == NIL_NAME or word in BLIND_WORDS:
        return NIL_BID
    with suppress(errors.InvalidRecordError):
        return parse_integer(word, 0, MAX_BID)
    return None


def _parse_bid(word: str, also_legal: str = "") -> int:
    bid = _bid_in(word)
    if bid is None:
        raise errors.IllegalBidError(
            f"a previous bid of {word[:20] or 'nothing'}; 0 to {MAX_BID} are legal, "
            f"{NIL_NAME} (0) and {BLIND_NIL_NAME}{also_legal}"
        )
    return bid


def format_bids(bids: Sequence[int], blind: Sequence[bool] = ()) -> str:
    """The inverse of ``parse_previous`` and ``parse_pattern``: ``3,0``, ``3,blind nil``,
    ``3,*``."""
    words = ["*" if bid == ANY else str(bid) for bid in bids]
    for i, is_blind in enumerate(blind):
        if is_blind and bids[i] == NIL_BID:
            words[i] = BLIND_NIL_NAME
    return ",".join(words)


def bid_word(bid: int) -> str:
    if bid == ANY:
        return "any"
    return NIL_NAME if bid == NIL_BID else str(bid)


def bid_name(bid: int, rules: Rules, *, is_blind: bool = False) -> str:
    """``nil``, ``blind nil`` or the number; 0 is no nil where the rules have none."""
    if is_blind:
        return BLIND_NIL_NAME
    return NIL_NAME if bid == NIL_BID and rules.nil is not None else str(bid)


def name_of(pattern: Pattern) -> str:
    """A pattern in few words, for legends: ``after 1, 3``."""
    if not pattern:
        return "first to bid"
    if all(bid == ANY for bid in pattern):
        return f"{ORDINALS[len(pattern)]} to bid"
    return "after " + ", ".join(bid_word(bid) for bid in pattern)


def describe(pattern: Pattern) -> str:
    if not pattern:
        return "You bid first."
    seats = BIDDERS_BEFORE[: len(pattern)][::-1]
    words = [f"{seat} {bid_word(bid)}" for seat, bid in zip(seats, pattern, strict=True)]
    return f"You bid {ORDINALS[len(pattern)]}: {', '.join(words)}."


def sequences_of(pattern: Pattern) -> IntArray:
    """Indices of the sequences that match a pattern, ascending."""
    legal_bids = [range(MAX_BID + 1) if bid == ANY else (bid,) for bid in pattern]
    return np.array([INDEX_OF[sequence] for sequence in product(*legal_bids)])


def format_rules(rules: Rules) -> str:
    """The options that aren't defaults, as ``target=300,deck=joker-joker-ace``."""
    return ",".join(f"{name}={value}" for name, value in rules.non_defaults().items())


def parse_rules(text: str) -> Rules:
    """Rules from what ``format_rules`` writes; spaces are ignored. Raises ``InvalidRulesError`` for
    an unknown option, one that is given twice or an illegal value."""
    options: dict[str, Any] = {}
    for item in text.split(","):
        if not item.strip():
            continue
        name, _, value = (part.strip() for part in item.partition("="))
        if name in options:
            raise errors.InvalidRulesError(f"the rule {errors.shown(name)} comes twice")
        options[name] = _parse_value(name, value)
    return Rules.from_options(options)


def _parse_value(rule: str, text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    is_number = text.lstrip("+-").isdecimal()
    if not is_number:
        return text
    try:
        return parse_integer(text, -LARGEST, LARGEST)
    except errors.InvalidRecordError as error:
        raise errors.InvalidRulesError(f"rule {errors.shown(rule)} is {error}") from None


def observe_bids(
    hand: int,
    previous: PreviousBids,
    *,
    rules: Rules,
    score: tuple[int, int] = (0, 0),
    bags: tuple[int, int] = (0, 0),
) -> Observation:
    """What a seat sees that is about to bid; scores and bags are (ours, theirs). Raises
    ``ImpossibleScoreError`` for scores or bags at which the game would be over, and
    ``IllegalBidError`` for bids that the rules don't allow."""
    if rules.target < 1:
        raise ImpossibleScoreError(f"target {rules.target:,} points; at least 1 is legal")
    check_score(rules, score)
    check_bags(rules, bags)
    observation = observe_auction(hand, previous.bids, rules=rules, score=score, bags=bags)
    first = N_SEATS - len(previous.bids)
    for i, is_blind in enumerate(previous.blind):
        if is_blind:
            observation.table.bid((first + i) % N_SEATS, previous.bids[i], blind=True)
    return observation


def check_score(rules: Rules, score: tuple[int, int]) -> None:
    """Raise ``ImpossibleScoreError`` if the game is over at these scores (ours, theirs); at equal
    ones it never is."""
    won = winner(rules, score)
    if won is None:
        return
    target = rules.target
    floor = rules.losing_floor
    if max(score) >= target:
        why = f"{SIDES[won]} has reached the target of {target:,}"
    else:
        why = f"{SIDES[1 - won]} has fallen to the losing floor of {floor:,}"
    legal = f"below {target:,}" if floor is None else f"from {floor + 1:,} to {target - 1:,}"
    raise ImpossibleScoreError(
        f"score {score[0]:,} (ours) to {score[1]:,} (theirs): the game is over, {why}; scores "
        f"{legal}, or two equal ones, which play on, are legal"
    )


def nearest_score(rules: Rules, score: tuple[int, int]) -> tuple[int, int]:
    """The scores, moved below the target and above the losing floor if the game is over at them."""
    if winner(rules, score) is None:
        return score
    floor = rules.losing_floor
    least = min(score) if floor is None else floor + 1
    ours, theirs = (max(least, min(points, rules.target - 1)) for points in score)
    return ours, theirs


def check_bags(rules: Rules, bags: tuple[int, int]) -> None:
    """Raise ``ImpossibleScoreError`` for counts of bags (ours, theirs) that would have cost a
    penalty."""
    if nearest_bags(rules, bags) == tuple(bags):
        return
    if rules.bag_limit:
        legal = (
            f"0 to {rules.bag_limit - 1} are legal: {rules.bag_limit} bags cost "
            f"{rules.bag_penalty} points and are taken off the count"
        )
    else:
        legal = "0 or more are legal"
    raise ImpossibleScoreError(f"bags {bags[0]:,} (ours), {bags[1]:,} (theirs); {legal}")


def nearest_bags(rules: Rules, bags: tuple[int, int]) -> tuple[int, int]:
    """The legal counts nearest to these."""
    largest = rules.bag_limit - 1 if rules.bag_limit else max(bags)
    ours, theirs = (max(0, min(count, largest)) for count in bags)
    return ours, theirs


def why_no_nil(observation: Observation) -> str | None:
    """Why the seat can't bid nil whatever it holds; None if it can. Either the rules have no nil,
    or they ask for a minimum that the partner hasn't bid, or the partner has bid nil: a second one
    is legal, but BIS never bids it."""
    rules = observation.rules
    if not bid_context(rules).rules.has_nil:
        return "these rules have no nil: 0 is an ordinary bid"
    partners_bid = observation.table.bids[partner_of(observation.seat)]
    legal = observation.table.legal_bids(observation.seat)
    if NIL_BID not in legal:
        return (
            f"nil is not legal here: a partnership must bid at least {rules.min_bid} and the "
            f"partner bid {bid_word(partners_bid)}, so {legal[0]} to {legal[-1]} are legal"
        )
    if partners_bid == NIL_BID:
        return "the partner has bid nil; a second nil is legal, but BIS never bids one"
    return None
