"""The sidebar of every page: where else there is to go."""

from __future__ import annotations

import streamlit as st

APP_NAME = "Spades decision lab"
PAGES = (
    ("app.py", "Replay", "playing_cards"),
    ("pages/2_Disagreements.py", "Disagreements", "call_split"),
    ("pages/3_Playstyle.py", "Playstyle", "bar_chart"),
    ("pages/4_Tuning.py", "Tuning", "tune"),
    ("pages/5_Nil.py", "Nil", "exposure_zero"),
    ("pages/6_Bidding.py", "Bidding", "gavel"),
    ("pages/7_Arena.py", "Arena", "trophy"),
    ("pages/8_Models.py", "Models", "psychology"),
    ("pages/9_Data.py", "Data", "database"),
)
_OVERLAYS_BELOW = 768  # pixels; Streamlit's
_mount = st.components.v2.component(
    "spades_sidebar",
    html="<span hidden></span>",
    js="""export default function ({ data }) {
  const sidebar = document.querySelector('[data-testid=stSidebar]');
  const makeRoom = (event) => {
    const isLink = event.target.closest('[data-testid=stPageLink-NavLink]');
    if (!isLink || window.innerWidth >= data.overlaysBelow) return;
    sidebar.querySelector('[data-testid=stSidebarCollapseButton] button')?.click();
  };
  sidebar?.addEventListener('click', makeRoom);
  return () => sidebar?.removeEventListener('click', makeRoom);
}""",
)


def show_sidebar() -> None:
    """Links to all pages; on a narrow screen, where it lies over the page, one picked closes it."""
    with st.sidebar:
        st.subheader(APP_NAME)
        for path, label, icon in PAGES:
            st.page_link(path, label=label, icon=f":material/{icon}:")
        st.caption(
            "Human probabilities come from the log-linear model of Devlin et al. 2016 with its "
            "published weights. Abstract moves are reconstructed from their names and counts: "
            "the papers print no definitions."
        )
        _mount(data={"overlaysBelow": _OVERLAYS_BELOW}, key="sidebar")
