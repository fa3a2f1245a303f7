"""The trick on the table in words: what has happened, what is needed, what each card does."""

from analysis.decisions.classes import needs_text
from analysis.decisions.lenses import Scene
from analysis.decisions.reasons import card_name
from analysis.decisions.report import SUIT_WORD, n_above, what_it_does
from spades.core.cards import N_SEATS, SEAT_NAMES, SEATS, cards_in, partner_of, suit_of
from spades.core.observation import Observation


def explain_trick(seen: Observation) -> list[str]:
    """Sentences on the trick that the seat is to play to; all from what the seat sees."""
    names = {seat: SEAT_NAMES[letter] for seat, letter in enumerate(SEATS)}
    names |= {seen.seat: "You", partner_of(seen.seat): "Your partner"}
    texts = (_so_far(seen, names), needs_text(seen), _shown_out(seen, names), _own_cards(seen))
    return [text if text.endswith(".") else f"{text}." for text in texts if text]


def _so_far(seen: Observation, names: dict[int, str]) -> str:
    """The trick under way, or the one before it."""
    table, scene = seen.table, Scene(seen)
    plays = table.trick or table.plays[-N_SEATS:]
    if not plays:
        return "You lead to the first trick."
    seats = table.seats[-len(plays) :]
    cards = [card_name(seen, card) for card in plays]
    played = ", ".join(f"{names[s]} {c}" for s, c in zip(seats, cards, strict=True))
    if table.trick:
        ahead = names[scene.best_seat]
        return f"So far: {played}. {ahead} {'are' if ahead == 'You' else 'is'} ahead."
    return f"The last trick: {played}. You took it and lead."


def _shown_out(seen: Observation, names: dict[int, str]) -> str:
    scene, found = Scene(seen), []
    for seat in range(N_SEATS):
        suits = [f"{word}s" for suit, word in enumerate(SUIT_WORD) if scene.is_void(seat, suit)]
        if suits and seat != seen.seat:
            found.append(f"{names[seat]} of {' and '.join(suits)}")
    return f"Shown out: {'; '.join(found)}." if found else ""


def _own_cards(seen: Observation) -> str:
    """The legal cards by what they do to the trick; of a lead, which are the boss of their suit."""
    by_deed: dict[str, list[str]] = {}
    for card in sorted(cards_in(seen.legal_mask), key=lambda card: (suit_of(card), -card)):
        deed = what_it_does(seen, card)
        if not seen.table.trick:
            deed = "" if n_above(seen, card) else "no unseen card of the suit beats it"
        by_deed.setdefault(deed, []).append(card_name(seen, card))
    return " ".join(f"{', '.join(cards)}: {deed}." for deed, cards in by_deed.items() if deed)
