"""Bids: a hand, every bidder's bid on it and its nil; when nils succeed, by the bids before."""

from ui.bids.state import VIEWS, page
from ui.shared.views import show_page

if __name__ == "__main__":
    show_page("Bids", page, VIEWS)
