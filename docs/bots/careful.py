"""A Spades bot over the engine protocol: it counts tricks to bid, and wins them cheaply."""

import json
import sys

RANKS = "23456789TJQKA"


def rank(card):
    return RANKS.index(card[1])


def beats(card, best):
    if card[0] == best[0]:
        return rank(card) > rank(best)
    return card[0] == "S"


def bid(hand, legal):
    """A trick for each ace and king, and for each spade after the third; never nil."""
    high = sum(card[1] in "AK" for card in hand)
    long = max(0, sum(card[0] == "S" for card in hand) - 3)
    return max(legal[0], 1, min(high + long, legal[-1]))


def play(request):
    """The cheapest card that wins; where none does, or the partner has the trick, the cheapest."""
    legal = sorted(request["legal"], key=lambda card: (card[0] == "S", rank(card)))
    cards = [played["card"] for played in request["trick"]]
    if not cards:
        return legal[-1]
    best = cards[0]
    for card in cards:
        if beats(card, best):
            best = card
    winning = [card for card in legal if beats(card, best)]
    is_partners = len(cards) > 1 and best == cards[-2]
    return winning[0] if winning and not is_partners else legal[0]


def main():
    hand = []
    for line in sys.stdin:
        message = json.loads(line)
        answer = {"id": message.get("id")}
        if message["type"] == "quit":
            return
        if message["type"] == "hello":
            answer.update(protocol=1, name="careful", version="1.0")
        elif message["type"] == "newround":
            hand = message["hand"]
        elif message["type"] == "bid":
            answer["bid"] = bid(hand, message["legal"])
        elif message["type"] == "play":
            answer["card"] = play(message)
        if len(answer) > 1:
            print(json.dumps(answer), flush=True)


main()
