"""Drill: where old links lead; it is a view of Play."""

import streamlit as st

st.switch_page("pages/11_Play.py", query_params={**st.query_params.to_dict(), "view": "drill"})
