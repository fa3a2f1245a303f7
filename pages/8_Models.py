"""Models: the models of human play compared, looked into, trained."""

from importlib import import_module

import streamlit as st

from ui.models import state
from ui.shared.page import setup, show_complaints
from ui.shared.widgets import show_view_control


def main() -> None:
    setup("Models")
    st.title("Models of human play")
    show_complaints(state.page.read())
    view = show_view_control(state.VIEWS, state.key("view"))
    import_module(f"ui.models.{view}").show()  # a view imports much that the others don't need
    state.page.write()


if __name__ == "__main__":
    main()
