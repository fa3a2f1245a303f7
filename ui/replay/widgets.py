"""Widgets of the Replay page: bounds and options are those of the field in the address.

Each gets the value also as its default: see `ui.replay.state.get`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import streamlit as st

from spades.belief import Dealing
from spades.human import model_names
from ui.replay import state
from ui.shared.links import model_label

DEALING_HELP = (
    "Uniform: every deal that agrees with what was seen is equally likely. Biased: by the bids, as "
    "Whitehouse et al. 2013. Mixed: half of each. Posterior: by how likely a simulated human would "
    "have bid and played so."
)


def options_of(name: str) -> list:
    """What a field's link may choose from."""
    options = state.WIDGETS[name].codec.options
    return list(options() if callable(options) else options)


def number(label: str, name: str, *, step: float | None = None, told: str | None = None) -> Any:
    codec, value = state.WIDGETS[name].codec, state.get(name)
    return st.number_input(
        label, codec.low, codec.high, codec.kind(value), step=step, key=state.key(name), help=told
    )


def choose(
    label: str,
    name: str,
    *,
    options: Iterable | None = None,
    form: Mapping | Callable[[Any], str] = str,
    **settings: Any,
) -> Any:
    """One of a field's options."""
    offered = list(options) if options is not None else options_of(name)
    label_of = form.__getitem__ if isinstance(form, Mapping) else form
    index = offered.index(state.get(name))
    return st.selectbox(
        label, offered, index, key=state.key(name), format_func=label_of, **settings
    )


def segments(label: str, name: str, form: Mapping | Callable[[Any], str], **settings: Any) -> Any:
    """One of a few options, side by side."""
    label_of = form.__getitem__ if isinstance(form, Mapping) else form
    return st.segmented_control(
        label,
        options_of(name),
        default=state.get(name),
        key=state.key(name),
        format_func=label_of,
        required=True,
        **settings,
    )


def toggle(label: str, name: str, told: str) -> bool:
    return st.toggle(label, state.get(name), key=state.key(name), help=told)


def select_several(label: str, name: str, options: Mapping[str, str], told: str) -> list:
    return st.multiselect(
        label,
        list(options),
        default=state.get(name),
        key=state.key(name),
        format_func=options.get,
        help=told,
    )


def choose_count(label: str, name: str, width: int, told: str | None = None) -> int:
    """How many: one of a field's numbers."""
    return choose(label, name, form="{:,}".format, width=width, help=told)


def choose_dealing(name: str) -> Dealing:
    """How a panel's deals are drawn; by default as the search's."""
    of_search = state.settings().dealing

    def label_of(option: str) -> str:
        is_search = option == state.AS_SEARCH
        return f"As the search ({of_search.text()})" if is_search else option.capitalize()

    told = f"As the search: as those of the decision table. {DEALING_HELP}"
    chosen = choose("Dealt by", name, form=label_of, width=220, help=told)
    return of_search if chosen == state.AS_SEARCH else Dealing(chosen)


def model_options() -> dict[str, str]:
    """The human models and what pages call them."""
    return {name: model_label(name) for name in model_names()}
