"""All human models side by side, as the stored comparison has them."""

from __future__ import annotations

import streamlit as st

from analysis.models.tables import comparison_table, read_comparison
from analysis.plots.models import MEASURES, plot_comparison
from spades.core.errors import SpadesError
from ui.models import state
from ui.shared.options import model_label
from ui.shared.page import literal
from ui.shared.tables import count, number, percent, show_table, text, with_ends
from ui.shared.widgets import segments, show_chart, show_info


def show() -> None:
    try:
        document = read_comparison()
    except SpadesError as error:
        show_info(literal(str(error)), "info")
        return
    table = comparison_table(document)
    measure = segments("Compare by", MEASURES, state.key("measure"))
    ceilings = table["ceiling"].dropna()
    labels = {name: model_label(name) for name in table["model"]}
    ceiling = float(ceilings.iloc[0]) if len(ceilings) else None
    figure = plot_comparison(table, measure, labels, ceiling=ceiling)
    show_chart(figure, state.key("comparison"), "models")
    fresh, training = document["fresh"], document["training"]
    st.caption(
        f"Trained on {training['plays']:,} plays of four **simulated humans**, measured on "
        f"{fresh['plays']:,} plays of {fresh['rounds']:,} fresh rounds; bars: 95 % intervals, a "
        "game counting once. The simulated human's own probabilities are known, so is the best "
        f"accuracy that any model can have, the ceiling: {ceilings.iloc[0]:.1%}. Published "
        "accuracies are of real humans, whose ceiling nobody knows."
    )
    show_numbers(table)
    show_equal_states(document)


def show_numbers(table) -> None:
    """The table with every measure."""
    order = ["model", "accuracy", "accuracy_low", "accuracy_high", "share_of_ceiling"]
    order += ["illegal_first", "log_loss", "kl_to_truth", "ece", "accuracy_moves", "published"]
    order += ["decisions", "parameters", "epochs", "seconds"]
    show_table(
        table[order].assign(model=[model_label(name) for name in table["model"]]),
        "models",
        columns={
            "model": text("Model", width=230),
            **with_ends("accuracy", "Accuracy", told="Its likeliest legal card was played."),
            "share_of_ceiling": percent("Of the ceiling"),
            "illegal_first": percent(
                "Illegal first",
                "Share of first choices, before the legal cards are looked at, that were "
                "illegal. Nothing for models that are given the legal cards. Published: 0.05 %.",
            ),
            "log_loss": number("Log-loss", "%.4f", "Nats a card."),
            "kl_to_truth": number("KL to truth", "%.4f", "Nats, from the simulated human's own."),
            "ece": number("ECE", "%.4f", "Expected calibration error."),
            "accuracy_moves": percent("On abstract moves"),
            "published": percent("Published", "Real humans, Baier 2018."),
            "decisions": count("Decisions"),
            "parameters": count("Parameters"),
            "epochs": "Epochs",
            "seconds": number("Training, s", "%.0f"),
        },
    )


def show_equal_states(document) -> None:
    found = document["equal_states"]["hand_and_table"]
    if found["disagree"] is None:
        return
    st.caption(
        f"Equal states: {found['duplicated']:.1%} of decisions share hand and table with another "
        f"(published: under 10 %); there {found['disagree']:.1%} don't play the commonest card "
        f"(published: 20 %). Made by `{document['made_by']}`, code {document['code']}."
    )
