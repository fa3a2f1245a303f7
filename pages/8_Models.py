"""Models: the models of human play compared, looked into, trained."""

import streamlit as st

from spades.log_store import list_logs
from ui import models_state as state
from ui.page import setup, show_complaints


def main() -> None:
    setup("Models")
    st.title("Models of human play")
    logs = [entry.name for entry in list_logs() if not entry.problem]
    show_complaints(state.read_state(logs))
    chosen = st.segmented_control(
        "View",
        list(state.VIEWS),
        format_func=state.VIEWS.get,
        key=state.key("view"),
        required=True,
        label_visibility="collapsed",
    )
    show(chosen, logs)
    state.write_state()


def show(view: str, logs: list[str]) -> None:
    """The view chosen; each imports what it needs."""
    from ui import models_compare, models_one, models_train, models_weights

    if view == "compare":
        models_compare.show()
    elif view == "one":
        models_one.show(logs)
    elif view == "train":
        models_train.show(logs)
    else:
        models_weights.show()


if __name__ == "__main__":
    main()
