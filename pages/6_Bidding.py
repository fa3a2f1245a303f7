"""Bidding: every bidder on one hand, why BIS bids so, what bids bring, who makes contracts."""

from spades.core.cards import HAND_SIZE
from ui.bidding.hand import show_hand, show_question
from ui.bidding.lab import show_lab
from ui.bidding.state import page
from ui.shared.widgets import show_info


def main() -> None:
    with page.open("Bidding"):
        question = show_question()
        if question is None:
            return
        if question.hand.bit_count() == HAND_SIZE:
            show_hand(question)
        else:
            show_info("Complete the hand to see what it is bid.", "playing_cards")
        show_lab(question.rules)
        page.write()


if __name__ == "__main__":
    main()
