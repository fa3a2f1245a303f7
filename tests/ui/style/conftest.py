"""The Style page of the shipped humans, with nothing cached from another test."""

import pytest
import streamlit as st

from tests.pages.apps import open_page


@pytest.fixture
def show():
    """Opens the page; named arguments are its address."""
    st.cache_data.clear()
    st.cache_resource.clear()

    def open_style(**query):
        return open_page("3_Style", {"logs": "human-south", **query})

    return open_style
