"""Models and the options of a search as pages set and show them: fields, labels, values."""

from collections.abc import Callable, Mapping
from typing import Any

from spades.belief import Dealing
from spades.core.options import fitting_options, options_of
from spades.search import BiasSettings, SearchSettings
from ui.shared.address import Field, option_field

SEARCH_OPTIONS = {name: one for name, one in options_of(SearchSettings).items() if name != "bias"}
DEALING_OPTIONS = options_of(Dealing)
BIAS_OPTIONS = options_of(BiasSettings)
STRENGTHS = tuple(name for name, one in BIAS_OPTIONS.items() if one.needs)
"""Options that say how a technique leans towards its model."""
MODEL_LABELS = {
    "devlin2016": "Devlin 2016",
    "devlin2016-nil": "Devlin 2016 + nil (simulated humans)",
    "log-linear-fit": "Log-linear, refitted",
}


def fields_of(options: Mapping[str, Any]) -> dict[str, Field]:
    """A page's fields for declared options, by their names."""
    return {name: option_field(option) for name, option in options.items()}


def chosen(kind: type, get: Callable[[str], Any], **others: Any) -> Any:
    """The options of a kind as a page's fields have them, but for ``others``; those that do nothing
    with the rest keep their defaults."""
    values = dict(others)
    for name, option in options_of(kind).items():
        if name not in values:
            value = get(name)
            values[name] = option.separator.join(value) if option.separator else value
    return fitting_options(kind, values)


def delay_label(delay: str) -> str:
    return BIAS_OPTIONS["delay"].value_label(delay)


def model_label(name: str) -> str:
    """What pages call a model; one that was trained here goes by its name."""
    return MODEL_LABELS.get(name, name)
