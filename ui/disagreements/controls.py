"""The order of the disagreements, the reader's thresholds, and which decisions are shown."""

from __future__ import annotations

import streamlit as st

from analysis.decisions.lenses import LENS_NAMES, LENSES
from analysis.disagreements.found import CLASS_LABELS, CLASSES, ROLES
from spades.core.cards import HAND_SIZE, SEAT_NAMES, SEATS
from spades.core.records import KINDS
from ui.disagreements import state
from ui.shared.page import literal

CLASS_HELP = (
    "*Search finds, human misses*: its card has under 10 % human probability and is worth at "
    "least the threshold more. *Human trap*: the likeliest human card loses at least the "
    "threshold (every find is one too). Both only where the 95 % intervals of the two values "
    "are apart. *Style only*: another card, and the intervals overlap."
)


def show_order() -> None:
    """By divergence or stakes, against which card, and from how much on."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.segmented_control(
            "Biggest first by",
            list(state.ORDERS),
            key=state.key("by"),
            format_func=state.ORDERS.get,
            required=True,
            help="Divergence: Jensen–Shannon, in bits, between visit shares and human "
            "probabilities over the legal cards; 0 agrees, 1 shares no card. Stakes: points "
            "between the search's card and another, by the search's values.",
        )
        st.segmented_control(
            "Stakes against",
            list(state.OTHERS),
            key=state.key("against"),
            format_func=state.OTHERS.get,
            required=True,
            help="Points that the search's card is worth more than this card.",
        )
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
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.multiselect(
            "Class",
            list(CLASSES),
            key=state.key("class"),
            format_func=CLASS_LABELS.get,
            width=260,
            help=CLASS_HELP,
            placeholder="Any",
        )
        labels = {lens.name: lens.label for lens in LENSES}
        st.multiselect(
            "Lens",
            list(LENS_NAMES),
            key=state.key("lens"),
            format_func=labels.get,
            width=260,
            help="What players complain of. The definitions stand at the foot of the page.",
            placeholder="Any",
        )
        st.selectbox(
            "Lenses look at",
            list(ROLES),
            key=state.key("lens_of"),
            format_func=state.ROLE_LABELS.get,
            width=175,
            help="The card that is complained of. The search's is put beside the human's "
            "likeliest, any other beside the search's.",
        )
        st.multiselect(
            "Seat",
            list(SEATS),
            key=state.key("seat"),
            format_func=SEAT_NAMES.get,
            width=150,
            placeholder="Any",
        )
        st.multiselect(
            "Kind",
            list(KINDS),
            key=state.key("kind"),
            format_func=lambda kind: kind.replace("-", " "),
            width=170,
            placeholder="Any",
            help="Who sits in the seat that decides.",
        )
        st.slider("Tricks", 1, HAND_SIZE, key=state.key("tricks"), width=150)


def show_definitions() -> None:
    """What each lens finds, exactly."""
    with st.expander("What the lenses find", icon=":material/search:"):
        for lens in LENSES:
            st.markdown(f"**{lens.label}.** {literal(lens.definition)}")
        st.caption(
            "Lenses see what the table showed and the mover's own hand. They say what a card does "
            "that the other doesn't, not that it was wrong: that is a matter of points."
        )
