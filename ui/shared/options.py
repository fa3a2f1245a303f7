"""Models and the options of a search as pages set and show them: fields, labels, values."""

from collections.abc import Callable, Mapping
from typing import Any

from spades.belief import Dealing
from spades.core.options import fitting_options, options_of
from spades.search import SearchSettings, Technique
from ui.shared.address import Field, option_field

_OPTIONS = options_of(SearchSettings)
BIAS = _OPTIONS["bias"]
BIAS_OPTIONS = {name: option for name, option in _OPTIONS.items() if option.part == BIAS.field}
SEARCH_OPTIONS = {
    name: option
    for name, option in _OPTIONS.items()
    if option is not BIAS and name not in BIAS_OPTIONS
}
DEALING_OPTIONS = options_of(Dealing)
STRENGTHS = tuple(name for name in BIAS_OPTIONS if name != "model")
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


def chosen_bias(get: Callable[[str], Any], **others: Any) -> Technique | None:
    """The bias that a page's fields choose, whose field ``technique`` names it; ``others`` as in
    ``chosen``."""
    values = {name: others[name] if name in others else get(name) for name in BIAS_OPTIONS}
    settings: SearchSettings = fitting_options(
        SearchSettings, {BIAS.name: get("technique"), **values}
    )
    return settings.bias


def delay_label(delay: str) -> str:
    return BIAS_OPTIONS["delay"].value_label(delay)


def model_label(name: str) -> str:
    """What pages call a model; one that was trained here goes by its name."""
    return MODEL_LABELS.get(name, name)
