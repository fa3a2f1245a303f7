"""The Bids page's values, bound to its address."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import streamlit as st

from analysis.bidding import questions
from analysis.bidding.decisions import BIDDERS_COMPARED
from analysis.bidding.questions import (
    Pattern,
    PreviousBids,
    format_bids,
    format_rules,
    nearest_pattern,
    parse_pattern,
    parse_rules,
)
from analysis.nil import scores as nil_scores
from analysis.nil.rounds import ANY_KIND
from analysis.plots.bidding import bidder_label
from analysis.plots.nil import MEASURES
from analysis.style.counts import KIND_LABELS
from spades.bidding import BLIND_NIL
from spades.bidding.curves import N_VALUE_BINS
from spades.core.cards import DECKS, STANDARD, Deck, Pair, parse_hand
from spades.core.documents import parse_integer
from spades.core.errors import SpadesError
from spades.core.observation import Observation
from spades.core.rules import MAX_BID, NIL_BID, Rules
from spades.notation.log_store import list_logs
from ui.shared import address
from ui.shared.address import Field, Values, Widgets
from ui.shared.codecs import TEXT, Choice, Codec, Integer, Parsed, Several, WrongValueError
from ui.shared.hand_entry import HandCodec, get_hand, put_hand
from ui.shared.log_fields import LOG, SeveralLogs
from ui.shared.records import LogKey, log_key, readable_logs
from ui.shared.views import View, view_field

ENTRY = "bids_hand"
ROLES = ("from_left", "from_partner", "from_right")
"""Seats that may have bid before, in the order of bidding; the select boxes' keys."""
MAX_SCORE = 10_000
MAX_BAGS = 99
USUAL_HAND = "Q4.J742.T83.K652"
USUAL_PREVIOUS = (3, 4)
USUAL_MASK = parse_hand(USUAL_HAND, STANDARD)

LAB_LABELS = {"kept": "Contracts kept", "duel": "Bidder against bidder"}
SHAPES = {"means": "Means", "histogram": "Histogram"}
SIMULATED = "Simulated rounds of each bidder"
TABLE_LABELS = {"srp": "srp bots", "human": "simulated humans"}
KIND_TITLES = {ANY_KIND: "Anybody", **KIND_LABELS}
CALIBRATIONS = {"strata": "By nil value", "bins": "By forecast", "sequences": "By sequence"}
PLACES = ("right_bid", "partner_bid", "left_bid")
"""Seats before yours, from the last to bid to the first; the select boxes' keys."""
MAX_COMPARED = 4
MAX_LOGS = 3
USUAL_BID = 3
USUALLY_COMPARED = ["1,3", "3,3", "8,3"]  # Cohensius 2020, figure 3
USUAL_SUM = {2: 6, 3: 10}
"""Sum of the bids of the surface's cell, by how many bids were heard."""


@dataclass(frozen=True)
class HandQuestion:
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


def unusual_rules() -> str:
    """In what the controls' rules aren't the usual ones; as it is typed while it is illegal."""
    try:
        return format_rules(rules())
    except SpadesError:
        return get("options")


def unusual_score_and_rules() -> str:
    """The score and the bags where they aren't 0, and what ``unusual_rules`` says."""
    parts = []
    for word, (ours, theirs) in (("", get("score")), ("bags ", get("bags"))):
        if ours or theirs:
            parts.append(f"{word}{ours} to {theirs}")
    return ", ".join([*parts, *filter(None, [unusual_rules()])])


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
HAND = {
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
}
BIDDERS = {
    "more": Field(TEXT, ""),
    "rounds": Field(Choice((500, 2_000, 5_000, 20_000)), 2_000),
    "others": BIDDER,
    "also": Field(Choice(ALSO_LABELS), ""),
    "shape": Field(Choice(SHAPES), "means"),
    "seed": Field(Integer(0, 2**31 - 1), 0),
    "lab": Field(Choice((None, *LAB_LABELS)), None),
    "lab_rounds": Field(Choice((500, 2_000, 5_000)), 2_000),
    "lab_log": Field(Choice(log_labels), ""),
    "first": BIDDER,
}


@st.cache_data(max_entries=2, show_spinner=False)
def _scores_at(stamp: int) -> dict[str, nil_scores.NilScores]:
    """``stamp``: when the file of the scores was written."""
    return nil_scores.load_scores(nil_scores.SCORES)


def scores() -> dict[str, nil_scores.NilScores]:
    """The stored scores. Raises ``NilScoresError`` if they can't be read."""
    path = nil_scores.SCORES
    return _scores_at(path.stat().st_mtime_ns if path.exists() else 0)


def groups_known() -> list[str]:
    """Groups of sequences that have scores of both tables."""
    try:
        by_table = scores()
    except nil_scores.NilScoresError:  # the panel shows the error
        return [nil_scores.ALL]
    return [name for name in by_table["srp"].groups if name in by_table["human"].groups]


def _normalized(text: str) -> str:
    """Bids in order as links write them. Raises ``SpadesError`` for illegal ones."""
    return format_bids(parse_pattern(text))


def _at_codec(values: Values) -> Codec:
    """The sequence whose rounds are shown, one of those drawn."""
    drawn = [format_bids(values["sequence"]), *values["compare"]]

    def parse(text: str) -> str:
        sequence = _normalized(text)
        if sequence in drawn:
            return sequence
        legal = ", ".join(name for name in drawn if name) or "none"
        raise ValueError(f"these bids are not drawn; there are: {legal}")

    return Parsed(parse)


def _sums(values: Values) -> range:
    """Possible sums of the bids heard (``after``), given the partner's bid."""
    least = values["partner"]
    n_others = values["after"] - 1
    return range(least, least + MAX_BID * n_others + 1)


def _nearest(wanted: int, sums: range) -> int:
    return min(max(wanted, sums[0]), sums[-1])


def get_sequence() -> Pattern:
    places = PLACES[: get("turn")]
    return tuple(map(get, reversed(places)))


def put_sequence(pattern: Pattern) -> None:
    put("turn", len(pattern))
    bids = (*reversed(pattern), USUAL_BID, USUAL_BID, USUAL_BID)
    for place, bid in zip(PLACES, bids, strict=False):
        put(place, bid)


def _sum_codec(values: Values) -> Codec:
    sums = _sums(values)
    return Integer(sums[0], sums[-1])


LOGS = SeveralLogs("bids_logs", may_be_none=True)
TABLE = Field(Choice(TABLE_LABELS), "srp")
NILS = {
    "sequence": Field(
        Parsed(parse_pattern, format_bids, nearest_pattern),
        (),
        widgets=address.Widgets(put_sequence, get_sequence, ("turn", *PLACES)),
    ),
    "compare": Field(Several(Parsed(_normalized), "|", most=MAX_COMPARED), USUALLY_COMPARED),
    "tables": Field(Several(Choice(TABLE_LABELS), "|"), ["srp"]),
    "logs": LOGS.field(most=MAX_LOGS),
    "kind": Field(Choice(KIND_TITLES), ANY_KIND),
    "threshold": Field(Integer(-100, 100), 25),
    "log": LOG,
    "at": Field(_at_codec, lambda values: format_bids(values["sequence"])),
    "bin": Field(Integer(0, N_VALUE_BINS - 1), 8),
    "value": Field(Integer(1, 100), 50),
    "after": Field(Choice({2: "Third", 3: "Fourth"}), 3),
    "measure": Field(Choice(MEASURES), "chance"),
    "form": Field(Choice({"map": "Map", "surface": "Surface"}), "map"),
    "of": TABLE,
    "partner": Field(Integer(0, MAX_BID), USUAL_BID),
    "sum": Field(
        _sum_codec,
        lambda values: _nearest(USUAL_SUM[values["after"]], _sums(values)),
    ),
    "heard": Field(Choice((1, 2, 3)), 3),
    "scored": TABLE,
    "group": Field(Choice(groups_known), nil_scores.ALL),
    "by": Field(Choice(CALIBRATIONS), "strata"),
    "methods": Field(Several(Choice(nil_scores.METHODS), "|"), ["nil_curves", "curves"]),
}
OF_SCORES = ("scored", "group", "by", "methods")


def _curves_shown() -> list[str]:
    """``at`` only where it is drawn."""
    names = ["sequence", "compare", "tables", "logs", "kind", "bin", "threshold", *OF_SCORES]
    if parse_pattern(get("at")) in patterns():
        names.append("at")
    return names + _log_shown()


def _surface_shown() -> list[str]:
    names = ["value", "after", "measure", "form", "of", "partner", "sum", "kind"]
    return names + _log_shown()


def _log_shown() -> list[str]:
    """The log of the rounds listed, if there is any."""
    return ["log"] if readable_logs() else []


VIEWS = {
    "hand": View("Bids on a hand", "ui.bids.hand:show", [*HAND, *BIDDERS]),
    "nil": View("Its nil", "ui.bids.nil:show", [*HAND, "threshold", "rounds", "seed"]),
    "curves": View("Nil curves", "ui.bids.curves:show", _curves_shown),
    "surface": View("Partner and sum", "ui.bids.surface:show", _surface_shown),
    "ace": View("Ace of spades", "ui.bids.surface:show_aces", ["logs", "kind", "heard"]),
}
page = address.PageState(
    "bids",
    {"view": view_field(VIEWS), **HAND, **BIDDERS, **NILS},
    files=("logs", "log"),
)
key = page.key
get = page.get
put = page.put


def deck() -> Deck:
    return DECKS[get("deck")]


def question() -> HandQuestion:
    """The controls' question. Raises ``SpadesError`` for a number out of range."""
    hand = get_hand(ENTRY, deck())
    previous = _with_blind(_get_previous())
    chosen_rules = rules()
    score = get("score")
    bags = get("bags")
    _check_range("target", (chosen_rules.target,), 1, MAX_SCORE)
    _check_range("score", score, -MAX_SCORE, MAX_SCORE)
    _check_range("bags", bags, 0, MAX_BAGS)
    return HandQuestion(hand, previous, score, bags, chosen_rules)


def settle() -> None:
    """Open the scores if a link asks for them."""
    is_asked = page.is_first_look and any(name in st.query_params for name in OF_SCORES)
    put("scores_open", is_asked or st.session_state.get(key("scores_open"), False))


def patterns() -> list[Pattern]:
    """The sequences to draw: the chosen bids, then those compared with them."""
    compared = [parse_pattern(text) for text in get("compare")]
    return list(dict.fromkeys([get_sequence(), *compared]))


def cell() -> tuple[int, int]:
    return get("partner"), get("sum")


def cell_sums() -> range:
    """Possible sums of the bids with the partner's bid of the cell."""
    return _sums({"partner": get("partner"), "after": get("after")})


def settle_cell() -> None:
    """Callback: move the cell's sum to the nearest possible one."""
    put("sum", _nearest(get("sum"), cell_sums()))


def put_usual_cell() -> None:
    """Callback of another number of bids heard, for which the same sum means other hands."""
    put("partner", USUAL_BID)
    put("sum", USUAL_SUM[get("after")])


def compare_sequences(texts: Sequence[str]) -> None:
    """Callback: draw the curves after these bids."""
    first, *others = texts
    put("view", "curves")
    put_sequence(parse_pattern(first))
    put("compare", others[:MAX_COMPARED])
    put("at", first)


def add_compared() -> None:
    """Callback: keep the sequence of the chosen bids while others are chosen."""
    text = format_bids(get_sequence())
    if text and text not in get("compare"):
        put("compare", [*get("compare"), text][-MAX_COMPARED:])


def settle_compared() -> None:
    """Callback: normalize the sequences that were typed, and keep the errors of others."""
    sequences: dict[str, None] = {}
    errors = []
    for text in get("compare"):
        try:
            sequences[_normalized(text)] = None
        except SpadesError as error:
            errors.append(f"{text[:40]}: {error}")
    put("compare", [sequence for sequence in sequences if sequence])
    put("typed_errors", errors)
