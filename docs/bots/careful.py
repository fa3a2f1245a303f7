"""A Spades bot over the engine protocol: it bids its high cards and plays as cheaply as it can.

Standard library only. It keeps nothing: a request holds all that it decides by.
"""

import json
import sys

RANKS = "23456789TJQKA"


def rank(card):
    """How high a card is within its suit; jokers are the highest."""
    return 13 + (card == "JH") if card in ("JH", "JL") else RANKS.index(card[1])


def suit(card):
    return "S" if card in ("JH", "JL") else card[0]


def bid_of(hand, legal):
    """A trick for each ace and king, and for each spade after the third; never nil."""
    tricks = sum(rank(card) >= 11 for card in hand)
    tricks += max(0, sum(suit(card) == "S" for card in hand) - 3)
    return max(min(tricks, legal[-1]), 1, legal[0])


def beats(card, best):
    if suit(card) == suit(best):
        return rank(card) > rank(best)
    return suit(card) == "S"


def card_of(request):
    """The lowest card that wins the trick; where none does, or it is the partner's, the lowest."""
    legal = sorted(request["legal"], key=lambda card: (suit(card) == "S", rank(card)))
    trick = request["trick"]
    if not trick:
        return legal[-1]
    best = trick[0]
    for played in trick[1:]:
        if beats(played["card"], best["card"]):
            best = played
    partner_wins = len(trick) > 1 and best is trick[-2]
    winning = [card for card in legal if beats(card, best["card"])]
    return winning[0] if winning and not partner_wins else legal[0]


hand = []
for line in sys.stdin:
    message = json.loads(line)
    answer = {"id": message.get("id")}
    if message["type"] == "hello":
        answer.update(protocol=1, name="careful", version="1.0")
    elif message["type"] == "newround":
        hand = message["hand"]
    elif message["type"] == "bid":
        answer["bid"] = bid_of(hand, message["legal"])
    elif message["type"] == "play":
        answer["card"] = card_of(message)
    elif message["type"] == "quit":
        break
    if len(answer) > 1:
        print(json.dumps(answer), flush=True)
