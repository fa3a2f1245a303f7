"""Tune: how strongly a human model biases the search: over sweeps, on one decision, in a match."""

from ui.shared.views import show_page
from ui.tune.state import VIEWS, page

if __name__ == "__main__":
    show_page("Tune", page, VIEWS)
