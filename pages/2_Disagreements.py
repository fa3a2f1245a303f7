"""Disagreements: where old links lead; it is a view of Replay."""

import streamlit as st

st.switch_page("app.py", query_params={**st.query_params.to_dict(), "view": "disagreements"})
