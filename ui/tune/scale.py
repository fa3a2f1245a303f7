"""How many points in a reward the papers support: under the sweep that varies it."""

import streamlit as st

from analysis.plots.sweeps import plot_reward_scale
from analysis.sweeps.reward_scale import choice_text, evidence_table, load_choice, misfit_table
from ui.shared.panel import Panel
from ui.shared.tables import ends, number, text

SWEEP = "reward-scale"
READING = (
    "A source's misfit is the mean of log(1 + z²) over its published numbers, z being how many "
    "standard errors ours is away, tolerance included; all together is the mean of the sources. "
    "Both sides of a match search at the same scale. Humans are **simulated**."
)
COMMAND = "python -m experiments.choose_reward_scale"
COLUMNS = {
    "source": "Source",
    "what": text("What", width=230),
    "unit": text("Unit", width=230),
    "published": number("Published", "%.3g"),
    "reward_scale": number("Points in a reward", "%d"),
    "value": number("Ours", "%.3g"),
    **ends("%.3g"),
    "n": "n",
    "z": number("z", "%+.1f", "Standard errors from the published, tolerance included."),
    "reading": text("Other reading", "Counted otherwise: beside the choice, not in it."),
}


def show_choice() -> None:
    choice = load_choice()
    panel = Panel("reward-scale-choice", "How many points in a reward do the papers support?")
    panel.answer(choice_text(choice))
    figure = plot_reward_scale(misfit_table(choice), choice["best"])
    panel.figure(figure, READING, command=COMMAND)
    panel.table(evidence_table(choice), COLUMNS, folded="Every published number, and ours by scale")
    st.caption(
        "Best, where it is weighed or counted otherwise: "
        + "; ".join(f"{row['reading']}, {row['best']}" for row in choice["readings"])
        + "."
    )
