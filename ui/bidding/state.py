"""The Bidding page's values, bound to its address.

Every query key begins with ``bid_``; other pages link here with ``ui.shared.address``.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from analysis.bidding import questions
from analysis.bidding.decisions import BIDDERS_COMPARED
from analysis.bidding.questions import PreviousBids, format_bids, format_rules, parse_rules
from analysis.plots.bidding import bidder_label
from spades.bidding import BLIND_NIL
from spades.core.cards import DECKS, STANDARD, Deck, Pair, parse_hand
from spades.core.documents import parse_integer
from spades.core.errors import SpadesError
from spades.core.observation import Observation
from spades.core.rules import MAX_BID, NIL_BID, Rules
from spades.notation.log_store import list_logs
from ui.shared import address
from ui.shared.address import Field, Values, Widgets
from ui.shared.codecs import TEXT, Choice, Codec, Integer, Parsed, WrongValueError
from ui.shared.hand_entry import HandCodec, get_hand, put_hand
from ui.shared.records import LogKey, log_key

ENTRY = "bidding_hand"
ROLES = ("left", "partner", "right")
"""Seats that may have bid before, in the order of bidding: left-hand opponent, partner, right."""
MAX_SCORE = 10_000
MAX_BAGS = 99
USUAL_HAND = "Q4.J742.T83.K652"
USUAL_PREVIOUS = (3, 4)
USUAL_BID = 3
USUAL_MASK = parse_hand(USUAL_HAND, STANDARD)

LAB_LABELS = {"kept": "Contracts kept", "duel": "Bidder against bidder"}
SHAPES = {"means": "Means", "histogram": "Histogram"}
SIMULATED = "Simulated rounds of each bidder"


@dataclass(frozen=True)
class Question:
    """What the bidding seat sees, the key of the page's caches. Scores are (ours, theirs)."""

    hand: int
    previous: PreviousBids
    score: Pair
    bags: Pair
    rules: Rules

    def observation(self) -> Observation:
        return questions.observe_bids(
            self.hand, self.previous, rules=self.rules, score=self.score, bags=self.bags
        )


def _parse_rules(text: str) -> Rules:
    rules = parse_rules(text)
    _check_range("target", (rules.target,), 1, MAX_SCORE)
    return rules


def _check_range(name: str, numbers: Iterable[int], low: int, high: int) -> None:
    for number in numbers:
        if not low <= number <= high:
            raise questions.ImpossibleScoreError(
                f"{name} {number:,}; {low:,} to {high:,} are legal here"
            )


def rules() -> Rules:
    """The controls' rules. Raises ``InvalidRulesError`` for illegal ones."""
    options = parse_rules(get("options")).non_defaults()
    return Rules.from_options({**options, "deck": get("deck"), "target": get("target")})


def _put_rules(chosen: Rules) -> None:
    put("deck", chosen.deck)
    put("target", chosen.target)
    others = chosen.non_defaults()
    others.pop("deck", None)
    others.pop("target", None)
    put("options", format_rules(Rules.from_options(others)))


def _parse_bids(text: str) -> tuple[int, ...]:
    """The bids of the select boxes: ``BLIND_NIL`` for a blind nil."""
    bids, blind = questions.parse_previous(text)
    if len(bids) > len(ROLES):
        raise ValueError(f"{len(bids)} bids; 0 to {len(ROLES)} come before one")
    return tuple(BLIND_NIL if is_blind else bid for bid, is_blind in zip(bids, blind, strict=True))


def _with_blind(chosen: tuple[int, ...]) -> PreviousBids:
    return PreviousBids(
        bids=tuple(NIL_BID if bid == BLIND_NIL else bid for bid in chosen),
        blind=tuple(bid == BLIND_NIL for bid in chosen),
    )


def _get_previous() -> tuple[int, ...]:
    return tuple(get(role) for role in ROLES[len(ROLES) - get("position") :])


def _put_previous(previous: tuple[int, ...]) -> None:
    put("position", len(previous))
    n_after = len(ROLES) - len(previous)
    bids = (USUAL_BID,) * n_after + previous
    for role, bid in zip(ROLES, bids, strict=True):
        put(role, bid)


def _pair(names: tuple[str, str], low: int, high: int, check: Callable, nearest: Callable) -> Field:
    """A pair, ours and theirs, of two widgets. In a link, numbers at which the game is over are
    replaced by the nearest legal ones."""
    legal = f"two numbers from {low:,} to {high:,}, ours,theirs, are legal"

    def parse(text: str, rules: Rules) -> Pair:
        try:
            ours, theirs = (parse_integer(part, low, high) for part in text.split(","))
        except ValueError:
            raise ValueError(legal) from None
        try:
            check(rules, (ours, theirs))
        except SpadesError as error:
            raise WrongValueError(str(error), nearest(rules, (ours, theirs))) from None
        return ours, theirs

    def codec(values: Values) -> Codec:
        return Parsed(lambda text: parse(text, values["rules"]), "{0[0]},{0[1]}".format)

    ours_name, theirs_name = names

    def put_both(pair: Pair) -> None:
        ours, theirs = pair
        put(ours_name, ours)
        put(theirs_name, theirs)

    def get_both() -> Pair:
        return get(ours_name), get(theirs_name)

    return Field(codec, (0, 0), widgets=Widgets(put_both, get_both, names))


def log_keys() -> dict[str, LogKey]:
    return {entry.name: log_key(entry) for entry in list_logs() if entry.is_readable}


def log_labels() -> dict[str, str]:
    return {"": SIMULATED, **{name: name for name in log_keys()}}


ALSO_LABELS: dict[str | int, str] = {
    "": "no other bid",
    **{bid: str(bid) for bid in range(MAX_BID + 1)},
}
BIDDER = Field(Choice({name: bidder_label(name) for name in BIDDERS_COMPARED}), "bis")
page = address.PageState(
    address.BIDDING_PREFIX.removesuffix("_"),
    {
        "rules": Field(
            Parsed(_parse_rules, format_rules),
            Rules(),
            widgets=Widgets(_put_rules, rules, ("deck", "target", "options")),
        ),
        "hand": Field(
            lambda values: HandCodec(values["rules"].cards, USUAL_HAND),
            lambda values: USUAL_MASK if values["rules"].cards is STANDARD else 0,
            widgets=Widgets(
                lambda hand: put_hand(ENTRY, hand, deck()), lambda: get_hand(ENTRY, deck())
            ),
        ),
        "previous": Field(
            Parsed(_parse_bids, lambda bids: format_bids(*_with_blind(bids))),
            USUAL_PREVIOUS,
            widgets=Widgets(_put_previous, _get_previous, ("position", *ROLES)),
        ),
        "score": _pair(
            ("us", "them"), -MAX_SCORE, MAX_SCORE, questions.check_score, questions.nearest_score
        ),
        "bags": _pair(
            ("our_bags", "their_bags"), 0, MAX_BAGS, questions.check_bags, questions.nearest_bags
        ),
        "more": Field(TEXT, ""),
        "rounds": Field(Choice((500, 2_000, 5_000, 20_000)), 2_000),
        "others": BIDDER,
        "also": Field(Choice(ALSO_LABELS), ""),
        "shape": Field(Choice(SHAPES), "means"),
        "seed": Field(Integer(0, 2**31 - 1), 0),
        "lab": Field(Choice((None, *LAB_LABELS)), None),
        "lab_rounds": Field(Choice((500, 2_000, 5_000)), 2_000),
        "log": Field(Choice(log_labels), ""),
        "first": BIDDER,
    },
    prefix=address.BIDDING_PREFIX,
)
key = page.key
get = page.get
put = page.put


def deck() -> Deck:
    return DECKS[get("deck")]


def question() -> Question:
    """The controls' question. Raises ``SpadesError`` for a number out of range."""
    hand = get_hand(ENTRY, deck())
    previous = _with_blind(_get_previous())
    chosen_rules = rules()
    score = get("score")
    bags = get("bags")
    _check_range("target", (chosen_rules.target,), 1, MAX_SCORE)
    _check_range("score", score, -MAX_SCORE, MAX_SCORE)
    _check_range("bags", bags, 0, MAX_BAGS)
    return Question(hand, previous, score, bags, chosen_rules)
