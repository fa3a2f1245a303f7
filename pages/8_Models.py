"""Models: the models of human play compared, looked into, trained."""

import streamlit as st

from spades.notation.log_store import list_logs
from ui.models import state
from ui.shared.page import setup, show_complaints


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
    from ui.models import compare as models_compare
    from ui.models import one as models_one
    from ui.models import train as models_train
    from ui.models import weights as models_weights

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
