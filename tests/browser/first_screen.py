"""What the first screen of a page holds: its answer, the top of its figure, and few controls."""

from typing import Any

MOST_CONTROLS = 12
LEAST_FIGURE = 120  # pixels of a figure's height, or of a table's where a page has no figure
FIRST_SCREENS = {
    "/?hand": ("[data-testid=rv-verdict]", "[data-testid=rv-decision]"),
    "/?view=disagreements": (".st-key-disagreements_answer", ".st-key-disagreements_rows"),
    "/Play?left": (".st-key-play_deal", ".st-key-play_seats"),
    "/Play?view=drill": ("text=Which card does", ".st-key-drill_table"),
    "/Style": (".st-key-habits_answer", ".st-key-habits_table"),
    "/Tune": ("[data-testid=stMetric]", ".st-key-tune_bench"),
    "/Bids": (".st-key-bid_verdict_answer", ".st-key-bids"),
    "/Agents": (".st-key-league_answer", ".st-key-league_wins_500"),
    "/Papers": ("text=The five papers print", ".st-key-papers"),
    "/Data": (".st-key-data_answer", "[data-testid=stDataFrame]"),
}
"""How each page's example begins: selectors of its answer and of its figure. A table to come and a
drill have no answer yet: a deal and a question stand for it."""
CONTROLS = """() => {
  const kinds = 'button, input, select, textarea, summary, a[href], [role=slider]';
  // A field is one control, with whatever buttons: steps of a number, choices side by side.
  const fields = '.stButtonGroup, .stSelectbox, .stMultiSelect, .stNumberInput, .stSlider';
  const elsewhere = ['header', '.st-key-bar', '.st-key-purpose', '.st-key-views_switch',
    '[class*=_view].stElementContainer', '[role=tablist]', 'thead', '.js-plotly-plot',
    '.stDataFrame', '.st-key-disagreements_rows', '.st-key-tune_decision_rows',
    '[inert]', '[aria-hidden=true]', '.stTooltipIcon'].join();
  const found = new Map();
  const look = (root) => root.querySelectorAll('*').forEach((node) => {
    if (node.closest(elsewhere)) return;
    if (node.shadowRoot) look(node.shadowRoot);
    if (!node.matches(kinds)) return;
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
ARRIVED = "() => !document.querySelector('[data-arriving]')"


def first_screen_faults(tab: Any, path: str) -> list[str]:
    """What is wrong with the first screen of the page at ``path``, a page's example."""
    answer, figure = next(named for begin, named in FIRST_SCREENS.items() if path.startswith(begin))
    bottom = tab.viewport_size["height"]
    tab.wait_for_function(ARRIVED)
    faults = []
    said = tab.locator(answer).last.bounding_box()
    if said["y"] + said["height"] > bottom:
        faults.append(f"the answer ends at {said['y'] + said['height']:.0f} of {bottom}")
    drawn = tab.locator(figure).first.bounding_box()
    needed = min(LEAST_FIGURE, drawn["height"])
    if drawn["y"] + needed > bottom:
        faults.append(f"the figure begins at {drawn['y']:.0f} of {bottom}")
    controls = tab.evaluate(CONTROLS)
    if len(controls) > MOST_CONTROLS:
        faults.append(f"{len(controls)} controls in sight: {controls}")
    return faults
