"""Data: the logs that are here, importing and generating others, studies with people."""

from ui.data.state import VIEWS, page
from ui.shared.views import show_page

if __name__ == "__main__":
    show_page("Data", page, VIEWS)
