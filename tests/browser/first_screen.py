"""What the first screen of a page holds: its answer, the top of its figure, and few controls."""

from typing import Any

MOST_CONTROLS = 12
LEAST_FIGURE = 120  # pixels of a figure's height, or of a table's where a page has no figure
FIRST_SCREENS = {
    "Replay": ("[data-testid=rv-verdict]", "[data-testid=rv-decision]"),
    "Disagreements": ("h5", "[data-testid=stMain] [role=listbox]"),
    "Play": (".st-key-play_deal", ".st-key-play_seats"),
    "Style": (".st-key-habits_answer", ".st-key-habits_table"),
    "Tune": ("[data-testid=stMetric]", ".st-key-tune_bench"),
    "Bids": (".st-key-bid_verdict_answer", ".st-key-bids"),
    "Agents": (".st-key-league_wins_answer", ".st-key-league_wins"),
    "Papers": (".st-key-papers_answer", ".st-key-papers"),
    "Data": (".st-key-data_answer", ".st-key-log_rates_table"),
}
"""Selectors of each page's answer, all of it, and of its figure; Play's question is a form, its
answer a deal."""
CONTROLS = """() => {
  const kinds = 'button, input, select, textarea, a[href], [role=slider], [role=combobox]';
  // A field is one control, with whatever buttons: steps of a number, choices side by side.
  const fields = '.stButtonGroup, .stSelectbox, .stMultiSelect, .stNumberInput, .stSlider';
  const elsewhere = ['header', '.st-key-bar', '.st-key-purpose', '.st-key-views_switch',
    '[class*=_view].stElementContainer', '[role=tablist]', 'thead', '.js-plotly-plot', '.stDataFrame',
    '[inert]', '[aria-hidden=true]', '[data-testid=stTooltipIcon]', '.stTooltipIcon'].join();
  const found = new Map();
  const look = (root) => root.querySelectorAll('*').forEach((node) => {
    if (node.shadowRoot) look(node.shadowRoot);
    if (!node.matches(kinds) || node.closest(elsewhere)) return;
    if (!node.checkVisibility({opacityProperty: true, visibilityProperty: true})) return;
    const { width, height, top, left } = node.getBoundingClientRect();
    const isInSight = top >= 0 && top < innerHeight && left >= 0 && left < innerWidth;
    if (!isInSight || width <= 2 || height <= 2) return;
    const control = node.closest(fields) ?? node;
    found.set(control, (control.innerText || control.ariaLabel || control.outerHTML).slice(0, 60));
  });
  look(document);
  return [...found.values()];
}"""
"""The controls in sight of the view that is shown: not what leads to pages, views and tabs, nor the
marks of a chart and the headings and rows of a table, nor what is folded away."""
