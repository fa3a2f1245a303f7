"""A browser's tab without a server."""

from types import SimpleNamespace

import pytest
import streamlit as st


class Address(dict):
    """The address that the tab shows."""

    def to_dict(self):
        return dict(self)

    def from_dict(self, wanted):
        self.clear()
        self.update(wanted)


@pytest.fixture
def tab(monkeypatch):
    """An empty session and address in Streamlit's place."""
    tab = SimpleNamespace(session_state={}, query_params=Address())
    for name, value in vars(tab).items():
        monkeypatch.setattr(st, name, value)
    return tab
