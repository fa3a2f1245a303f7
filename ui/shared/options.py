"""Models and the options of a search as pages set and show them: fields, labels, values."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from analysis.decisions.settings import STUDIED_SCALE
from analysis.decisions.settings import model_label as model_label
from spades.belief import Dealing
from spades.core.options import fitting_options, options_of
from spades.search import SearchSettings, Technique
from ui.shared.address import Field, option_field

_OPTIONS = options_of(SearchSettings)
BIAS = _OPTIONS["bias"]
BIAS_OPTIONS = {name: option for name, option in _OPTIONS.items() if option.part == BIAS.field}
_SCALE = replace(_OPTIONS["reward_scale"], default=STUDIED_SCALE)
SEARCH_OPTIONS = {
    name: option
    for name, option in (_OPTIONS | {"reward_scale": _SCALE}).items()
    if option is not BIAS and name not in BIAS_OPTIONS
}
"""With the defaults of the search that is shown where a link names none, ``STUDIED_AGENT``."""
DEALING_OPTIONS = options_of(Dealing)
STRENGTHS = tuple(name for name in BIAS_OPTIONS if name != "model")
"""Options of how a technique leans towards its model."""


def fields_of(options: Mapping[str, Any]) -> dict[str, Field]:
    """A page's fields for declared options, by their names."""
    return {name: option_field(option) for name, option in options.items()}


def chosen(kind: type, get: Callable[[str], Any], **others: Any) -> Any:
    """An object of ``kind`` with the options of a page's fields, or of ``others``. Options that do
    nothing with the rest keep their defaults."""
    values = dict(others)
    for name, option in options_of(kind).items():
        if name not in values:
            value = get(name)
            values[name] = option.separator.join(value) if option.separator else value
    return fitting_options(kind, values)


def chosen_bias(get: Callable[[str], Any], **others: Any) -> Technique | None:
    """The bias of a page's fields, which the field ``technique`` names; ``others`` as in
    ``chosen``."""
    values = {BIAS.name: get("technique")}
    for name in BIAS_OPTIONS:
        values[name] = others[name] if name in others else get(name)
    settings: SearchSettings = fitting_options(SearchSettings, values)
    return settings.bias
