"""Records as text for the page tests: whole ones and broken ones."""

from dataclasses import replace
from pathlib import Path

from spades.notation import format_records, read_path

HANDS = Path(__file__).parents[2] / "data" / "hands"
ALL_HANDS = sorted(path.stem for path in HANDS.glob("*.jsonl"))


def shipped(name="four-bots"):
    """The record of a shipped hand."""
    return read_path(HANDS / f"{name}.jsonl").records[0]


def bid_decisions(record, *bidders, **options):
    from analysis.bidding.decisions import each_bid_decision  # slow to load

    return tuple(each_bid_decision(record, *bidders, **options))


def ptn(record=None):
    return format_records([record or shipped()], "ptn")


def changed(old, new, text=None):
    """A valid PTN text with one change; fails if there is nothing to change."""
    text = text or ptn()
    assert text.count(old) == 1, old
    return text.replace(old, new)


def line_of(words, text=None):
    """Number of the line that holds some words, from 1."""
    lines = (text or ptn()).splitlines()
    return next(number for number, line in enumerate(lines, start=1) if words in line)


def cut_off():
    """Ends in the middle of the deal."""
    text = ptn()
    return text[: text.index("[Deal ") + 40]


def card_twice():
    """East holds the ace of spades twice and no queen."""
    return changed('[Deal "E:AQ92.', '[Deal "E:AA92.')


def revoke():
    """West plays a club on the first trick, though it holds diamonds."""
    return changed("DT D5 D8 DQ\n", "DT CJ D8 DQ\n")


def fourteenth_trick():
    return ptn() + "S2 S3 S4 S5\n"


BROKEN = {
    "cut-off": (cut_off, line_of("[Deal "), "has 2 hands"),
    "card-twice": (card_twice, line_of("[Deal "), "SA comes twice"),
    "revoke": (revoke, line_of("DT D5 D8 DQ"), "W must follow D; legal: D9 D7 D5"),
    "14-tricks": (fourteenth_trick, line_of("S3 CQ S6 SQ") + 1, "a row after the 13th trick"),
}


def without_bids():
    """A record whose bids are unknown: nothing can be searched."""
    return ptn(replace(shipped(), bids=(-1, -1, -1, -1)))


def with_names(*names):
    return ptn(replace(shipped(), players=names))


def labelled(elements, label):
    """The element with this label, whatever its key."""
    (found,) = [element for element in elements if element.label == label]
    return found
