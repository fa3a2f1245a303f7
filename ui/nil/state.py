"""The Nil page's values, bound to its address.

Other pages link here with ``hand`` and ``previous``, as
``/Nil?hand=AKJ62.AQ.Q.K9543&previous=3,1``.
"""

from collections.abc import Sequence

import streamlit as st

from analysis.bidding.questions import Pattern, format_bids, nearest_pattern, parse_pattern
from analysis.nil import scores as nil_scores
from analysis.nil.rounds import ANY_KIND
from analysis.plots.nil import MEASURES
from analysis.style.counts import KIND_LABELS
from spades.bidding.curves import N_VALUE_BINS
from spades.core.cards import DECKS, STANDARD, Deck, parse_hand
from spades.core.errors import SpadesError
from spades.core.rules import MAX_BID
from spades.notation.log_store import LogEntry, list_logs
from ui.shared import address
from ui.shared.address import Field, Values
from ui.shared.codecs import Choice, Codec, Integer, Parsed, Several
from ui.shared.hand_entry import HandCodec, get_hand, put_hand

VIEWS = {
    "curves": "Success curves",
    "hand": "A hand",
    "surface": "Partner and sum",
    "ace": "Ace of spades",
}
TABLE_LABELS = {"srp": "srp bots", "human": "simulated humans"}
KIND_TITLES = {ANY_KIND: "Anybody", **KIND_LABELS}
PLACES = ("right_bid", "partner_bid", "left_bid")
"""Seats before yours, from the last to bid to the first; the select boxes' keys."""
MAX_COMPARED = 4
MAX_LOGS = 3
HAND = "nil_hand"
USUAL_HAND = "J52.9643.Q.K9543"  # has the two example suits of Cohensius 2020, section 4.2
USUAL_MASK = parse_hand(USUAL_HAND, STANDARD)
USUAL_BID = 3
USUALLY_COMPARED = ["1,3", "3,3", "8,3"]  # Cohensius 2020, figure 3
USUAL_SUM = {2: 6, 3: 10}
"""Sum of the bids of the surface's cell, by how many bids were heard."""
SHOWN_FIRST = "four-srp-nil"
"""The shipped log with the most nils; it has rounds for the points of the bots' curves."""


def readable_logs() -> dict[str, LogEntry]:
    """The readable logs by name, the one with the most nils first."""
    entries = sorted(list_logs(), key=lambda entry: entry.name != SHOWN_FIRST)
    return {entry.name: entry for entry in entries if entry.is_readable}


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
    drawn = [format_bids(values["previous"]), *values["compare"]]

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


def _get_hand() -> int | None:
    hand = get_hand(HAND, deck())
    return None if hand == USUAL_MASK else hand


def _put_hand(hand: int | None) -> None:
    put_hand(HAND, USUAL_MASK if hand is None else hand, deck())


def get_previous() -> Pattern:
    places = PLACES[: get("turn")]
    return tuple(map(get, reversed(places)))


def put_previous(pattern: Pattern) -> None:
    put("turn", len(pattern))
    bids = (*reversed(pattern), USUAL_BID, USUAL_BID, USUAL_BID)
    for place, bid in zip(PLACES, bids, strict=False):
        put(place, bid)


def _get_logs() -> list[str]:
    """The chosen logs; where aces are counted and none is chosen, the first few."""
    chosen: list[str] = st.session_state[key("logs")]
    if get("view") == "ace" and not chosen:
        return list(readable_logs())[:MAX_LOGS]
    return chosen


def _put_logs(logs: list[str]) -> None:
    st.session_state[key("logs")] = logs


def _view_of(values: Values) -> str:
    return "curves" if values["hand"] is None else "hand"


def _sum_codec(values: Values) -> Codec:
    sums = _sums(values)
    return Integer(sums[0], sums[-1])


TABLE = Field(Choice(TABLE_LABELS), "srp")
page = address.PageState(
    "nil",
    {
        "deck": Field(Choice(DECKS), STANDARD.name),
        # None: the usual hand, of which the link says nothing
        "hand": Field(
            lambda values: HandCodec(DECKS[values["deck"]], USUAL_HAND),
            None,
            widgets=address.Widgets(_put_hand, _get_hand),
        ),
        "view": Field(Choice(VIEWS), _view_of),
        "previous": Field(
            Parsed(parse_pattern, format_bids, nearest_pattern),
            (),
            widgets=address.Widgets(put_previous, get_previous, ("turn", *PLACES)),
        ),
        "compare": Field(Several(Parsed(_normalized), "|", most=MAX_COMPARED), USUALLY_COMPARED),
        "tables": Field(Several(Choice(TABLE_LABELS), "|"), ["srp"]),
        "logs": Field(
            Several(Choice(readable_logs), "|", most=MAX_LOGS),
            [],
            widgets=address.Widgets(_put_logs, _get_logs, ("logs",)),
        ),
        "kind": Field(Choice(KIND_TITLES), ANY_KIND),
        "threshold": Field(Integer(-100, 100), 25),
        "log": Field(
            Choice(readable_logs),
            lambda values: next(iter(readable_logs()), None),
            is_always_written=True,
        ),
        "at": Field(_at_codec, lambda values: format_bids(values["previous"])),
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
        "by": Field(Choice({"bins": "By forecast", "sequences": "By sequence"}), "bins"),
        "methods": Field(Several(Choice(nil_scores.METHODS), "|"), ["curves", "value"]),
    },
    files=("logs", "log"),
)
OF_SCORES = ("scored", "group", "by", "methods")
key = page.key
get = page.get
put = page.put


def settle() -> None:
    """Drop logs that were deleted meanwhile; open the scores if a link asks for them."""
    logs = readable_logs()
    put("logs", [name for name in st.session_state[key("logs")] if name in logs])
    if get("log") not in logs:
        put("log", next(iter(logs), None))
    if page.is_first_look:
        put("scores_open", any(name in st.query_params for name in OF_SCORES))


def write_state() -> None:
    """Bring the address up to date: with the log if the view shows it, with ``at`` if it is
    drawn."""
    view = get("view")
    has_cell = page.format(page.values(), ("partner", "sum"))
    is_log_shown = view == "curves" or (view == "surface" and has_cell)
    usual_log = next(iter(readable_logs()), None)
    hidden = set()
    if usual_log is None or (get("log") == usual_log and not is_log_shown):
        hidden.add("log")
    if parse_pattern(get("at")) not in patterns():
        hidden.add("at")
    page.write([name for name in page.fields if name not in hidden])


def deck() -> Deck:
    return DECKS[get("deck")]


def patterns() -> list[Pattern]:
    """The sequences to draw: the chosen bids, then those compared with them."""
    compared = [parse_pattern(text) for text in get("compare")]
    return list(dict.fromkeys([get_previous(), *compared]))


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
    put_previous(parse_pattern(first))
    put("compare", others[:MAX_COMPARED])
    put("at", first)


def add_compared() -> None:
    """Callback: keep the sequence of the chosen bids while others are chosen."""
    text = format_bids(get_previous())
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
