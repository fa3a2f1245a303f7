"""All human models side by side, as the stored comparison has them."""

from __future__ import annotations

import streamlit as st

from analysis.models.comparison import comparison_table, read_comparison
from analysis.plots.models import MEASURES, plot_comparison
from spades.core.errors import SpadesError
from ui.models import state
from ui.shared.links import model_label
from ui.shared.page import chart_config, literal
from ui.shared.tables import show_table


def show() -> None:
    try:
        document = read_comparison()
    except SpadesError as error:
        st.info(literal(str(error)), icon=":material/info:")
        return
    table = comparison_table(document)
    st.segmented_control(
        "Compare by", list(MEASURES), key=state.key("measure"), format_func=MEASURES.get,
        required=True,
    )  # fmt: skip
    measure = state.get("measure")
    ceilings = table["ceiling"].dropna()
    st.plotly_chart(
        plot_comparison(
            table,
            measure,
            {name: model_label(name) for name in table["model"]},
            ceiling=float(ceilings.iloc[0]) if len(ceilings) else None,
        ),
        width="stretch",
        key=state.key("comparison"),
        config=chart_config("models"),
    )
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
    number, percent = st.column_config.NumberColumn, {"format": "percent"}
    order = ["model", "accuracy", "accuracy_low", "accuracy_high", "share_of_ceiling"]
    order += ["illegal_first", "log_loss", "kl_to_truth", "ece", "accuracy_moves", "published"]
    order += ["decisions", "parameters", "epochs", "seconds"]
    show_table(
        table[order].assign(model=[model_label(name) for name in table["model"]]),
        "models",
        columns={
            "model": st.column_config.TextColumn("Model", width=230),
            "accuracy": number("Accuracy", help="Its likeliest legal card was played.", **percent),
            "accuracy_low": number("from", **percent),
            "accuracy_high": number("to", **percent),
            "share_of_ceiling": number("Of the ceiling", **percent),
            "illegal_first": number(
                "Illegal first",
                help="Share of first choices, before the legal cards are looked at, that were "
                "illegal. Nothing for models that are given the legal cards. Published: 0.05 %.",
                **percent,
            ),
            "log_loss": number("Log-loss", help="Nats a card.", format="%.4f"),
            "kl_to_truth": number(
                "KL to truth", help="Nats, from the simulated human's own.", format="%.4f"
            ),
            "ece": number("ECE", help="Expected calibration error.", format="%.4f"),
            "accuracy_moves": number("On abstract moves", **percent),
            "published": number("Published", help="Real humans, Baier 2018.", **percent),
            "decisions": number("Decisions", format="localized"),
            "parameters": number("Parameters", format="localized"),
            "epochs": "Epochs",
            "seconds": number("Training, s", format="%.0f"),
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
