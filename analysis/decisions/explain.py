"""The trick on the table in words: what has happened, what is needed, what each card does."""

from analysis.decisions.classes import needs_text
from analysis.decisions.judgement import SUIT_WORD, n_above, what_it_does
from analysis.decisions.lenses import Scene
from analysis.decisions.reasons import card_name
from spades.core.cards import N_SEATS, SEAT_NAMES, SEATS, cards_in, partner_of, suit_of
from spades.core.observation import Observation


def explain_trick(seen: Observation) -> list[str]:
    """Sentences on the trick that the seat is to play to; all from what the seat sees."""
    names = {seat: SEAT_NAMES[letter] for seat, letter in enumerate(SEATS)}
    names[seen.seat] = "You"
    names[partner_of(seen.seat)] = "Your partner"
    texts = (_so_far(seen, names), needs_text(seen), _shown_out(seen, names), _own_cards(seen))
    return [f"{text.removesuffix('.')}." for text in texts if text]


def _so_far(seen: Observation, names: dict[int, str]) -> str:
    """The trick under way, or the one before it."""
    table = seen.table
    plays = table.trick or table.plays[-N_SEATS:]
    if not plays:
        return "You lead to the first trick."
    seats = table.seats[-len(plays) :]
    played = ", ".join(
        f"{names[seat]} {card_name(seen, card)}" for seat, card in zip(seats, plays, strict=True)
    )
    if not table.trick:
        return f"The last trick: {played}. You took it and lead."
    ahead = names[Scene(seen).best_seat]
    verb = "are" if ahead == "You" else "is"
    return f"So far: {played}. {ahead} {verb} ahead."


def _shown_out(seen: Observation, names: dict[int, str]) -> str:
    """Which other seats have shown out of which suits; empty if none has."""
    scene = Scene(seen)
    texts = []
    for seat in range(N_SEATS):
        suits = [f"{word}s" for suit, word in enumerate(SUIT_WORD) if scene.is_void(seat, suit)]
        if suits and seat != seen.seat:
            texts.append(f"{names[seat]} of {' and '.join(suits)}")
    return f"Shown out: {'; '.join(texts)}." if texts else ""


def _own_cards(seen: Observation) -> str:
    """The legal cards by what they do to the trick; of a lead, which are the boss of their suit."""
    by_deed: dict[str, list[str]] = {}
    for card in sorted(cards_in(seen.legal_mask), key=lambda card: (suit_of(card), -card)):
        deed = what_it_does(seen, card)
        if not seen.table.trick:
            deed = "" if n_above(seen, card) else "no unseen card of the suit beats it"
        by_deed.setdefault(deed, []).append(card_name(seen, card))
    return " ".join(f"{', '.join(cards)}: {deed}." for deed, cards in by_deed.items() if deed)
