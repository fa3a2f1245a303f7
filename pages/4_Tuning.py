"""Tuning: how strongly a human model biases the search, on one decision and over a sweep."""

from ui.tuning import ladder, state
from ui.tuning.frontier import show_frontier
from ui.tuning.sweeps import show_run_a_sweep, show_sweep_jobs

SHOW = {"ladder": ladder.show_ladder, "frontier": show_frontier, "run": show_run_a_sweep}

if __name__ == "__main__":
    with state.page.open("Tuning"):
        chosen = state.page.view("View", "view")
        if chosen != "ladder":
            show_sweep_jobs()
        SHOW[chosen]()
