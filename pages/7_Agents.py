"""Agents: the league, what ``best`` is made of, judges compared, models of human play."""

from ui.agents.state import VIEWS, page
from ui.shared.views import show_page

if __name__ == "__main__":
    show_page("Agents", page, VIEWS)
