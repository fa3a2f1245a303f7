"""The controls of a bias, on the bench and on the ladder."""

from analysis.sweeps.sweep import AGENT_OPTIONS
from ui.shared.options import model_label
from ui.tune import state
from ui.tune.state import page


def show_bias_controls() -> None:
    """The technique, its strengths and its model."""
    page.control("technique")
    technique = page.get("technique")
    for name in state.STRENGTHS:
        if AGENT_OPTIONS[name].applies({"bias": technique}):
            page.stops(name)
    page.menu("model", format_func=model_label)
