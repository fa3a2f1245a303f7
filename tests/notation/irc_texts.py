"""Logs as the rhawk bot writes them, from records: made-up nicks, the bot's own messages."""

from spades.core.cards import SEATS, STANDARD
from spades.core.scoring import GameScore, add_round

NICKS = ("ann", "bob", "cat", "dan")  # N E S W
PAIRS = ("ann/cat", "bob/dan")


def card_of(code):
    """``10h``: rank then suit, as the bot writes."""
    text = STANDARD.format_card(code)
    return text[1].replace("T", "10") + text[0].lower()


def bid_of(record, seat):
    if record.bids[seat]:
        return str(record.bids[seat])
    return "blind" if record.blind[seat] else "nil"


def auction_lines(record):
    seats = [(record.dealer + i) % 4 for i in range(1, 5)]
    lines, said = [f"{NICKS[seats[0]]}: you bid first!"], []
    for i, seat in enumerate(seats):
        if record.bids[seat] == 0:
            lines.append(f"{NICKS[seat]} goes {'blind ' if record.blind[seat] else ''}nil!")
        said.append(f"{NICKS[seat]}:{bid_of(record, seat)}")
        if i < 3:
            lines.append(f"{NICKS[seats[i + 1]]}: it is your bid! ({' '.join(said)})")
    spare = 13 - sum(record.bids)
    word = f"Playing with {spare} bag" if spare > 0 else f"Fighting for {-spare} trick"
    extra = f"{word}{'' if abs(spare) == 1 else 's'}!" if spare else "No bags!"
    return [*lines, f"{extra} ({' '.join(said)})", f"{NICKS[seats[0]]}: you have the opening lead!"]


def play_lines(record):
    lines, pile = [], []
    for state in record.positions():
        table = state.table
        if len(table.plays) and len(table.plays) % 4 == 0:
            trick = [card_of(code) for code in table.plays[-4:]]
            seat = table.winners[-1]
            best = trick[table.seats[-4:].index(seat)]
            lines.append(f"{NICKS[seat]} wins with {best} ({','.join(trick)})")
        if table.is_over:
            break
        pile = ",".join(card_of(code) for code in table.trick)
        if table.plays:
            lines.append(f"{NICKS[table.turn]}: it is your turn!" + (f" ({pile})" if pile else ""))
    return lines


def score_lines(record, game):
    """Lines after the last trick, and the score then."""
    table, lines = record.final().table, ["Round over!"]
    after = add_round(record.rules, game, record.score())
    for side in (0, 1):
        took, bid = table.tricks_of(side), table.contract_of(side)
        if after.penalties[side]:
            lines.append(f"{PAIRS[side]} bag out")
        lines.append(
            f"{PAIRS[side]} {'make their bid' if took >= bid else 'go bust'}: {took}/{bid}"
        )
    for seat in range(4):
        if record.bids[seat] == 0:
            blind = "blind " if record.blind[seat] else ""
            how = "fails at" if table.tricks_taken[seat] else "makes"
            how = "fails miserably at" if blind and how != "makes" else how
            lines.append(f"{NICKS[seat]} {how} {blind}nil!")
    ours, theirs = after.score
    if ours == theirs:
        lines.append(f"tied at {ours} of {record.rules.target}")
    else:
        high, low = max(ours, theirs), min(ours, theirs)
        lead = PAIRS[0] if ours > theirs else PAIRS[1]
        lines.append(f"{lead} lead {high} to {low} of {record.rules.target}")
    return lines, GameScore(after.score, after.bags)


def stamped(lines):
    return "".join(
        f"2001-01-{1 + i // 86400:02} {i // 3600 % 24:02}:{i // 60 % 60:02}:{i % 60:02} | {line}\n"
        for i, line in enumerate(lines)
    )


def game_lines(records):
    """A whole game; the records are those of consecutive rounds, W dealing first."""
    rules = records[0].rules
    lines = [
        f"ann starts a game of Spades to {rules.target} with {rules.bag_limit} bags!",
        *(f"{nick} joins the game!" for nick in ("dan", "bob", "ann", "cat")),
    ]
    game = GameScore((0, 0), (0, 0))
    for record in records:
        lines += ["/me deals the cards", *auction_lines(record), *play_lines(record)]
        if record.is_complete:
            scored, game = score_lines(record, game)
            lines += scored
    return lines


def seat_of(nick):
    return SEATS[NICKS.index(nick)]
