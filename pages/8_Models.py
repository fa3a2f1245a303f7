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
    room = import_module(f"ui.models.{state.MODULES[view]}")  # the others need much more
    getattr(room, f"show_{view}")()
    state.page.write()


if __name__ == "__main__":
    main()
