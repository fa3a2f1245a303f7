"""Play: a seat at a table against agents, and a drill of decisions judged beforehand."""

from ui.play.state import VIEWS, page
from ui.shared.views import show_page

if __name__ == "__main__":
    show_page("Play", page, VIEWS)
