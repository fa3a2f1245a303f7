"""The order of the disagreements, the reader's thresholds, and which decisions are shown."""

from __future__ import annotations

import streamlit as st

from analysis.decisions.lenses import LENSES
from analysis.disagreements.found import CLASS_LABELS, CLASSES
from spades.core.cards import HAND_SIZE, SEAT_NAMES, SEATS
from spades.core.records import KINDS
from ui.disagreements import state
from ui.shared.page import literal
from ui.shared.widgets import row, segments, select, select_several

CLASS_HELP = (
    "*Search finds, human misses*: its card has under 10 % human probability and is worth at "
    "least the threshold more. *Human trap*: the likeliest human card loses at least the "
    "threshold (every find is one too). Both only where the 95 % intervals of the two values "
    "are apart. *Style only*: another card, and the intervals overlap."
)


def show_order() -> None:
    """By divergence or stakes, against which card, and from how much on."""
    with row("medium"):
        segments(
            "Biggest first by",
            state.ORDERS,
            state.key("by"),
            help="Divergence: Jensen–Shannon, in bits, between visit shares and human "
            "probabilities over the legal cards; 0 agrees, 1 shares no card. Stakes: points "
            "between the search's card and another, by the search's values.",
        )
        told = "Points that the search's card is worth more than this card."
        segments("Stakes against", state.OTHERS, state.key("against"), help=told)
        st.slider(
            "Shown from (bits)",
            0.0,
            1.0,
            step=0.01,
            key=state.key("bits"),
            width=200,
            help="Least divergence of a row, in the order by divergence.",
        )
        st.number_input(
            "Threshold (points)",
            0.0,
            state.MAX_POINTS,
            step=5.0,
            key=state.key("points"),
            width=160,
            help="Least difference of a find or a trap; in the order by stakes, of a row too.",
        )


def show_filters() -> None:
    """Class, lens and whose card it looks at, seat, kind, trick."""
    with row():
        classes = {name: CLASS_LABELS[name] for name in CLASSES}
        _filter("Class", classes, "class", 260, CLASS_HELP)
        lenses = {lens.name: lens.label for lens in LENSES}
        told = "What players complain of. The definitions are at the foot of the page."
        _filter("Lens", lenses, "lens", 260, told)
        select(
            "Lenses look at",
            state.ROLE_LABELS,
            state.key("lens_of"),
            width=175,
            help="The card that is complained of. The search's is put beside the human's "
            "likeliest, any other beside the search's.",
        )
        _filter("Seat", {seat: SEAT_NAMES[seat] for seat in SEATS}, "seat", 150)
        kinds = {kind: kind.replace("-", " ") for kind in KINDS}
        _filter("Kind", kinds, "kind", 170, "Who sits in the seat that decides.")
        st.slider("Tricks", 1, HAND_SIZE, key=state.key("tricks"), width=150)


def _filter(label: str, options: dict, name: str, width: int, told: str | None = None) -> None:
    select_several(label, options, state.key(name), width=width, help=told, placeholder="Any")


def show_definitions() -> None:
    """What each lens finds, exactly."""
    with st.expander("What the lenses find", icon=":material/search:"):
        for lens in LENSES:
            st.markdown(f"**{lens.label}.** {literal(lens.definition)}")
        st.caption(
            "Lenses see what the table showed and the mover's own hand. They say what a card does "
            "that the other doesn't, not that it was wrong: that is a matter of points."
        )
