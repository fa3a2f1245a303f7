"""The features worked out from an observation by the book, in plain Python and by name."""

from spades.core.cards import HAND_SIZE, cards_in, strength_of, suit_mask, suit_of
from spades.core.rules import beats

SUITS = ("spades", "first", "second", "third")
SEATS = ("own", "left", "partner", "right")


def suit_order(observation):
    """Spades, then the suit led, then side suits longer before shorter, stronger before weaker."""
    hand, led = observation.hand_mask, observation.table.led_suit

    def key(suit):
        cards = [strength_of(card) for card in cards_in(hand & suit_mask(suit))]
        return (suit != led, -len(cards), sorted(-s for s in cards), suit)

    return [0, *sorted((1, 2, 3), key=key)]


def features_by_the_book(observation, card=None):
    """Every feature by name, of the state or of that after a card."""
    return {
        **suit_features(observation, card),
        **trick_features(observation, card),
        **contract_features(observation, card),
    }


def held_after(observation, card):
    return observation.hand_mask if card is None else observation.hand_mask & ~(1 << card)


def suit_features(observation, card):
    table, deck, seat = observation.table, observation.rules.cards, observation.seat
    hand, found = held_after(observation, card), {}
    for name, suit in zip(SUITS, suit_order(observation), strict=True):
        own = [strength_of(c) for c in cards_in(hand & suit_mask(suit))]
        out = [strength_of(c) for c in cards_in(observation.unseen_mask & suit_mask(suit))]
        size = len(deck.suits[suit])
        is_void = [bool(table.voids[(seat + i) % 4] & suit_mask(suit)) for i in range(4)]
        found |= {
            f"{name}_held": 12 * min(len(own), 8),
            f"{name}_masters": 33 * min(3, sum(s > max(out, default=-1) for s in own)),
            f"{name}_honours": 25 * sum(s >= size - 4 for s in own),
            f"{name}_low": 20 * sum(s < 5 for s in own),
            f"{name}_ranks": min(120, sum(s + 1 for s in own)),
            f"{name}_out": 7 * len(out),
            f"{name}_foes_void": 40 * (is_void[1] + is_void[3]),
            f"{name}_partner_void": 60 * is_void[2],
        }
    return found


def winner_of(trick):
    best = 0
    for i, card in enumerate(trick):
        if beats.py_func(card, trick[best]):
            best = i
    return best


def trick_features(observation, card):
    table, deck = observation.table, observation.rules.cards
    place = len(table.trick)
    trick = [*table.trick, *([] if card is None else [card])]
    found = {f"place_{name}": 0 for name in ("lead", "second", "third", "last")}
    found |= dict.fromkeys(("led_spades", "led_side_suit", "rank_ahead", "ruffed", "threats"), 0)
    found |= dict.fromkeys(("ahead_own", "ahead_partner", "ahead_opponent"), 0)
    found["place_" + ("lead", "second", "third", "last")[place]] = 50
    if not trick:
        return found
    led, best = suit_of(trick[0]), trick[winner_of(trick)]
    who = (table.leader + winner_of(trick) - observation.seat) % 4
    suit, strength = suit_of(best), strength_of(best)
    above = [c for c in cards_in(observation.unseen_mask & suit_mask(suit)) if c > best]
    return found | {
        "led_spades": 20 * (led == 0),
        "led_side_suit": 20 * (led != 0),
        "ahead_" + ("own", "opponent", "partner", "opponent")[who]: 30,
        "rank_ahead": 30 * (strength + 1) // len(deck.suits[suit]),
        "ruffed": 30 * (suit == 0 and led != 0),
        "threats": 4 * min(10, len(above)) if place < 3 else 0,
    }


def contract_features(observation, card):
    table, rules, seat = observation.table, observation.rules, observation.seat
    tricks = list(table.tricks_taken)
    trick = [*table.trick, *([] if card is None else [card])]
    if len(trick) == 4:
        tricks[(table.leader + winner_of(trick)) % 4] += 1
    left = HAND_SIZE - len(table.winners)
    played = [*table.plays, *([] if card is None else [card])]
    found = {"tricks_left": 6 * left, "broken": 20 * any(suit_of(c) == 0 for c in played)}
    for i, name in enumerate(SEATS):
        bid = table.bids[(seat + i) % 4]
        alive = rules.nil is not None and bid == 0 and tricks[(seat + i) % 4] == 0
        found |= {f"bid_{name}": 12 * min(8, max(0, bid)), f"nil_{name}": 80 * alive}
    scores, bags = observation.score_before or (0, 0), observation.bags_before or (0, 0)
    for side, seats in (("own", (seat, seat + 2)), ("their", (seat + 1, seat + 3))):
        bids = [max(0, table.bids[s % 4]) for s in seats]
        counting = [
            tricks[s % 4]
            for s in seats
            if not (
                rules.nil is not None
                and table.bids[s % 4] == 0
                and rules.failed_nil_tricks == "bags"
            )
        ]
        wanted = max(0, sum(bids) - sum(counting))
        p = seats[0] % 2
        share = min(1, max(0, scores[p]) / rules.target)
        counted = min(1, bags[p] / rules.bag_limit) if rules.bag_limit else 0
        found |= {
            f"wanted_{side}": 10 * min(10, wanted),
            f"pressure_{side}": int(80 * min(1, wanted / left) + 1e-9),
            f"over_{side}": 16 * min(5, max(0, sum(counting) - sum(bids))),
            f"bags_{side}": int(80 * counted + 1e-9),
            f"score_{side}": int(40 * share + 1e-9),
        }
    return found
