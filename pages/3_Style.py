"""Style: what groups of players do, and what single players' choices say of them."""

from ui.shared.views import show_page
from ui.style.state import VIEWS, page

if __name__ == "__main__":
    show_page("Style", page, VIEWS)
