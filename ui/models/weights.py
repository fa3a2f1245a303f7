"""What the log-linear model weighs, and how its features and the abstract moves are read."""

from __future__ import annotations

import streamlit as st

from analysis.models.tables import feature_table, move_table
from analysis.plots.models import plot_weights
from spades.human.features.abstract_moves import DEFINITIONS_NOTE
from ui.shared.widgets import show_chart


def show() -> None:
    st.markdown(
        "**Devlin 2016** is a log-linear model: a card's strength is the sum of the weights of "
        "its features, and a human plays it with the softmax of that strength over the legal "
        "cards. The weights are the published ones, fitted to 189,770 plays of AI Factory's "
        "players; published test accuracy 44.96 %, a random legal card 29.39 %."
    )
    features = feature_table()
    show_chart(plot_weights(features), "models_weights", "weights")
    st.caption(
        "Weight of each feature, in nats: +0.69 doubles a card's odds against another legal card."
    )
    st.subheader("The ten features of context")
    st.dataframe(features[features["reading"] != ""], hide_index=True, width="stretch")
    st.subheader("Abstract moves")
    st.caption(DEFINITIONS_NOTE)
    st.dataframe(move_table(), hide_index=True, width="stretch")
    st.download_button("All features (CSV)", features.to_csv(index=False), "features.csv")
