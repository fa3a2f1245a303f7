"""Logs of the rhawk bot: every line that says something of the play is checked, no nick kept."""

import dataclasses
import os
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades.core.cards import STANDARD
from spades.core.records import HUMAN
from spades.core.rules import Rules
from spades.core.scoring import GameScore, add_round
from spades.notation import irc, read_bytes, read_path, read_text
from spades.notation.irc import installation_salt, pseudonym
from tests.notation.irc_texts import NICKS, game_lines, stamped
from tests.notation.test_fuzz import damaged
from tests.strategies import record_of

SAMPLE = Path(__file__).resolve().parents[3] / "shared" / "records" / "rhawk_synthetic.log"
SALT = b"salt" * 8
BOT_RULES = Rules(target=300)


@pytest.fixture(autouse=True)
def data_folder(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.mktemp("data")
    monkeypatch.setenv("SPADES_DATA", str(folder))
    return folder


def game_of(seed, n_rounds=3, rules=BOT_RULES):
    """Records of a game as the log should give them, but for names."""
    records, game = [], GameScore((0, 0), (0, 0))
    for i in range(n_rounds):
        record = record_of(
            rules, (3 + i) % 4, seed + i, round_index=i, score_before=game.score,
            bags_before=game.bags, kinds=(HUMAN,) * 4,
        )  # fmt: skip
        after = add_round(rules, game, record.score())
        game = GameScore(after.score, after.bags)
        records.append(record)
    return records


def bare(records):
    return [dataclasses.replace(r, players=("",) * 4, game_id="", source="") for r in records]


RECORDS = game_of(1)
LINES = game_lines(RECORDS)
TEXT = stamped(LINES)


def parse(text, **options):
    return irc.parse(text, salt=SALT, **options)


def edited(old, new, count=1):
    assert old in TEXT, old
    return TEXT.replace(old, new, count)


def refused_round(text, i=0):
    """The refusal of round ``i``; the others are read."""
    result = parse(text)
    assert len(result.refused) == 1, result.refused
    kept = [record for k, record in enumerate(RECORDS) if k != i]
    assert [r.plays for r in result.records] == [r.plays for r in kept]
    return result.refused[0]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 4), st.sampled_from([150, 300]))
def test_games_of_any_rounds(seed, n_rounds, target):
    limit = 10 if target == 300 else 5
    rules = Rules(target=target, bag_limit=limit, bag_penalty=10 * limit, nil=10 * limit,
                  blind_nil=20 * limit)  # fmt: skip
    records = game_of(seed, n_rounds, rules)
    result = parse(stamped(game_lines(records)))
    assert result.refused == ()
    assert bare(result.records) == records


def test_people_are_the_same_throughout_and_nowhere_named():
    result = parse(TEXT, name="x.log")
    (players,) = {record.players for record in result.records}
    assert len(set(players)) == 4
    assert all(player.startswith("p-") and len(player) == 18 for player in players)
    assert players[0] == pseudonym("ann", SALT)
    assert irc.parse(TEXT, salt=b"other" * 8).records[0].players != players
    assert parse(TEXT).records[0].players == players
    (game,) = {record.game_id for record in result.records}
    assert game.startswith("irc-")
    assert [record.source for record in result.records] == [
        f"x.log:{i}" for i, line in enumerate(LINES, 1) if line.startswith("/me")
    ]


@pytest.mark.skipif(not SAMPLE.is_file(), reason="the shared records are not here")
def test_the_shared_example():
    result = read_path(SAMPLE)
    assert result.refused == ()
    (record,) = result.records
    assert len(record.plays) == 52
    assert record.bids == (4, 1, 4, 3)
    assert record.rules == BOT_RULES
    assert record.final().table.tricks_taken == [3, 0, 5, 5]
    assert record.score().points == (80, 41)
    assert not any(nick in repr(result) for nick in ("ann", "'bob", "'cat'", "dan:"))


def test_text_tells_its_notation():
    assert read_text(TEXT).notation == "irc"
    assert read_bytes(TEXT.encode(), name="x.log").notation == "irc"


def test_colours_and_unicode_suits():
    suits = {"s": "\u2660", "h": "\u2665", "d": "\u2666", "c": "\u2663"}

    def pretty(line):
        if "(" not in line or ("wins" not in line and "turn" not in line):
            return line
        head, _, cards = line.partition("(")
        coloured = [
            f"\x03{'4' if c[-1] in 'hd' else '1'},00\x02{c[:-1]}\x02{suits[c[-1]]}\x0f"
            for c in cards.rstrip(")").split(",")
        ]
        return f"{head}({','.join(coloured)})"

    assert parse(stamped(map(pretty, LINES))).records == parse(TEXT).records


def test_tens_may_be_written_with_a_t():
    lines = [line.replace("10", "T") if "(" in line else line for line in LINES]
    assert bare(parse(stamped(lines)).records) == RECORDS


def nil_game():
    for seed in range(2_000):
        records = game_of(seed, 1)
        if 0 in records[0].bids and any(records[0].blind):
            return records
    raise AssertionError


def test_nils_are_announced_and_scored():
    records = nil_game()
    lines = game_lines(records)
    assert bare(parse(stamped(lines)).records) == records
    for old, new in ((" makes ", " fails at "), (" fails miserably at ", " makes ")):
        wrong = [line.replace(old, new) if "nil!" in line else line for line in lines]
        if wrong != lines:
            assert "nil took" in parse(stamped(wrong)).refused[0].reason


def test_older_files_leave_nils_out_of_the_list_of_bids():
    records = nil_game()
    lines = [
        re.sub(r" ?\w+:(nil|blind)\b", "", line).replace("( ", "(") for line in game_lines(records)
    ]
    assert not any(":nil" in line or ":blind" in line for line in lines)
    result = parse(stamped(lines))
    assert result.refused == ()
    assert bare(result.records) == records


def test_older_files_do_not_echo_the_last_bid():
    lines = [line for line in LINES if not line.startswith(("Playing", "Fighting", "No bags"))]
    assert bare(parse(stamped(lines)).records) == RECORDS


def test_older_files_sum_up_the_bids():
    n, e, s, w = RECORDS[0].bids
    words = [str(b) if b else "nil" for b in (n, s, e, w)]
    recap = "ann/cat bid {}/{}, bob/dan bid {}/{}, 3 bags remain".format(*words)
    lines = game_lines(RECORDS[:1])
    at = next(i for i, line in enumerate(lines) if line.startswith(("Play", "Fight", "No b")))
    lines[at] = recap
    assert bare(parse(stamped(lines)).records) == RECORDS[:1]


def test_a_log_that_starts_within_a_game():
    start = LINES.index("/me deals the cards", 10)
    result = parse(stamped(LINES[start:]))
    assert result.refused == ()
    assert [r.plays for r in result.records] == [r.plays for r in RECORDS[1:]]
    assert result.records[0].score_before is None
    assert result.records[0].rules == BOT_RULES
    assert set(result.records[1].score_before) == set(RECORDS[2].score_before)
    assert any("assumed" in note.text for note in result.notes)


def test_a_round_whose_deal_line_is_damaged_is_refused_and_the_others_keep_their_number():
    lines = stamped(LINES).splitlines()
    at = next(i for i, line in enumerate(lines) if line.endswith("/me deals the cards"))
    lines[at] = "x" + lines[at]
    result = parse("\n".join(lines))
    (refusal,) = result.refused
    assert "no line before them that deals" in str(refusal)
    assert [r.plays for r in result.records] == [r.plays for r in RECORDS[1:]]
    assert [r.round_index for r in result.records] == [r.round_index for r in RECORDS[1:]] == [1, 2]
    assert result.records[0].score_before is None


def test_two_games_in_a_file():
    other = game_of(50, 2)
    result = parse(stamped([*LINES, "Game over!", *game_lines(other)]))
    assert bare(result.records) == RECORDS + other
    assert len({record.game_id for record in result.records}) == 2
    result = parse(stamped([*LINES, "ann ends the game", *game_lines(other)]))
    assert len(result.records) == 5


def test_the_rest_of_a_game_goes_on_after_a_refusal():
    text = edited("wins with", "loses with")
    refused_round(text)
    assert parse(text).records[0].score_before == RECORDS[1].score_before


def line_of(n, text=TEXT):
    return text.split("\n")[n - 1].partition(" | ")[2]


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda: edited(": you bid first!", "x: you bid first!"), "another player"),
        (lambda: edited("wins with", "took"), "the trick was"),
        (lambda: re.sub(r"(make their bid|go bust): ", r"\1: 1", TEXT, count=1), "the log says 1"),
        (lambda: edited("make their bid", "go bust") if "make their bid" in TEXT.split("deals")[1]
         else edited("go bust", "make their bid"), "the log says"),
        (lambda: TEXT.replace(" of 300\n", "1 of 300\n", 1), "the score goes from"),
        (lambda: edited(": you have the opening lead!", " is cheating for ann"), "owner changed"),
        (lambda: edited("you have the opening lead!", "you have\n2001-01-01 00:00:00 | Cards have "
                        "been passed!"), "passing cards"),
    ],
)  # fmt: skip
def test_contradictions_refuse_the_round(edit, says):
    result = parse(edit())
    assert any(says in refusal.reason for refusal in result.refused), result.refused
    assert len(result.records) >= 1
    assert all(refusal.line for refusal in result.refused)
    no_nick_in(result)


def no_nick_in(result):
    texts = [r.reason for r in result.refused] + [note.text for note in result.notes]
    texts += [r.source + r.game_id + "".join(r.players) for r in result.records]
    for text in texts:
        assert not any(f"{nick}" in text.split() for nick in NICKS), text
        assert "ann/cat" not in text


def test_a_wrong_winner_or_card_is_refused_with_its_line():
    winner = next(line for line in LINES if "wins with" in line)
    nick = winner.split()[0]
    other = next(n for n in NICKS if n != nick)
    refusal = refused_round(edited(winner, winner.replace(nick, other, 1)))
    assert "wins trick 1, the log says" in refusal.reason
    assert line_of(refusal.line) == winner
    cards = winner.partition("(")[2].rstrip(")").split(",")
    best = winner.split()[3]
    wrong = next(card for card in cards if card != best)
    refusal = refused_round(edited(winner, winner.replace(f"with {best}", f"with {wrong}")))
    assert "trick 1 is won with" in refusal.reason


def test_a_wrong_turn_is_refused():
    turn = next(line for line in LINES if "your turn! (" in line)
    other = next(nick for nick in NICKS if nick != turn.split(":")[0])
    refusal = refused_round(edited(turn, other + turn[turn.index(":") :]))
    assert "play 1 is" in refusal.reason
    assert line_of(refusal.line) == turn
    refusal = refused_round(edited(turn, "eve" + turn[turn.index(":") :]))
    assert "a player not at the table" in refusal.reason


def test_a_revoke_is_refused_with_its_line():
    """The last trick's cards swapped with the first's: held, but not followed."""
    plays = list(RECORDS[0].plays)
    deck, found = STANDARD, None
    state = RECORDS[0].start()
    for ply, card in enumerate(plays):
        legal, hand = state.legal_plays(), state.hands[state.table.turn]
        if wrong := hand & ~legal:
            found = (ply, card, (wrong & -wrong).bit_length() - 1)
            break
        state.play(card)
    ply, card, wrong = found
    names = [deck.format_card(code)[::-1].lower() for code in (card, wrong)]
    swap = dict(zip(names, names[::-1], strict=True))

    def swapped(line):
        head, _, cards = line.partition("(")
        if "turn!" not in line and "wins" not in line:
            return line
        words = [c.replace("10", "t").lower() for c in cards.rstrip(")").split(",")]
        words = [swap.get(word, word) for word in words]
        rank = [w[0].upper().replace("T", "10") + w[1:] for w in words if w]
        return f"{head}({','.join(rank)})" if cards else line

    at = [i for i, line in enumerate(LINES) if line == "/me deals the cards"][1]
    lines = [swapped(line) if i < at else line for i, line in enumerate(LINES)]
    refusal = parse(stamped(lines)).refused[0]
    assert f"can't play {deck.format_card(wrong)}" in refusal.reason
    assert refusal.line


def cut_after(n_plays):
    """The first game's first round, ended when ``n_plays`` cards are on the table."""
    record = dataclasses.replace(RECORDS[0], plays=RECORDS[0].plays[:n_plays])
    return stamped([*game_lines([record]), "ann ends the game"])


@pytest.mark.parametrize("n_plays", [0, 1, 20, 50])
def test_a_round_cut_short_is_refused(n_plays):
    (refusal,) = parse(cut_after(n_plays)).refused
    assert f"cut short after {n_plays} of 52 plays" in refusal.reason


def test_a_round_that_lacks_one_play_is_kept():
    (record,) = parse(cut_after(51)).records
    assert record.hands == RECORDS[0].hands
    assert record.plays == RECORDS[0].plays[:51]


LAST_WIN = next(i for i, line in enumerate(LINES) if line == "Round over!")  # lines from 1


@pytest.mark.parametrize("over", ["Round over!", "Round ovex!"])
@pytest.mark.parametrize(("old", "new"), [("2001", "20X1"), (" wins ", " vins ")])
def test_a_round_that_is_over_without_its_last_trick_is_refused(over, old, new):
    """The last trick's line can't be read: fifty-one plays, and the log says it is over."""
    lines = TEXT.replace("Round over!", over, 1).split("\n")
    lines[LAST_WIN - 1] = lines[LAST_WIN - 1].replace(old, new, 1)
    text = "\n".join(lines)
    refusal = refused_round(text)
    unread = [LAST_WIN] if over == "Round over!" else [LAST_WIN, LAST_WIN + 1]
    named = ", ".join(map(str, unread))
    assert refusal.reason == f"the round is over after 51 of 52 plays; not read in it: line {named}"
    assert refusal.line == unread[-1] + 1
    note = next(note for note in parse(text).notes if note.line == LAST_WIN)
    assert note.text.endswith(f"say nothing of the play: {named}")
    no_nick_in(parse(text))


def test_a_line_within_a_round_that_cannot_be_read_is_named():
    lines = TEXT.split("\n")
    turn = next(i for i, line in enumerate(lines) if "your turn! (" in line)
    for start in ("20X1", "hello "):
        text = "\n".join([*lines[:turn], start + lines[turn][4:], *lines[turn + 1 :]])
        result = parse(text)
        assert bare(result.records) == RECORDS
        assert any(note.line == turn + 1 for note in result.notes)


def test_the_bot_s_own_rule_is_noted():
    notes = [note.text for note in parse(TEXT).notes]
    assert any("first trick" in note for note in notes)


def test_substitutes_and_chatter_are_noted_without_names():
    lines = [*LINES[:5], "eve (auth) can now play for ann", "hello ann", *LINES[5:]]
    result = parse(stamped(lines))
    assert bare(result.records) == RECORDS
    notes = [note.text for note in result.notes]
    assert any("substitute" in note for note in notes)
    assert any("1 lines" in note for note in notes)
    no_nick_in(result)


def test_teams_with_names():
    lines = [line.replace("ann/cat", "The Nils") if "/" in line and "deals" not in line else line
             for line in LINES]  # fmt: skip
    at = lines.index("/me deals the cards")
    lines.insert(at, "ann/cat are now known as The Nils")
    assert bare(parse(stamped(lines)).records) == RECORDS


def test_damaged_logs_are_read_or_refused():
    data = TEXT.encode()
    for seed in range(200):
        result = read_bytes(damaged(data, random.Random(seed)), name="x.log")
        assert result.records or result.refused
        for record in result.records:
            record.final()


BOMBS = [
    "2001-01-01 00:00:00 | " + "a" * 1_000_000,
    stamped(["/me deals the cards"] * 15_000),
    stamped([f"{'x' * 60} lead " * 30] * 5_000),
]


@pytest.mark.parametrize("text", BOMBS, ids=["a line", "deals", "teams"])
def test_no_log_takes_long(text):
    assert parse(text).records == ()


def test_the_salt_is_made_once(data_folder):
    salt = installation_salt()
    assert (data_folder / "salt").read_bytes() == salt
    assert installation_salt() == salt
    assert os.stat(data_folder / "salt").st_mode & 0o777 == 0o600
    assert os.listdir(data_folder) == ["salt"]
    assert read_text(TEXT).records[0].players[0] == pseudonym("ann", salt)


def test_two_processes_agree_on_the_salt(data_folder, monkeypatch):
    (data_folder / "salt").write_bytes(SALT)
    monkeypatch.setattr(irc, "_read", reads_first([None]))
    assert installation_salt() == SALT


def reads_first(first):
    """``_read`` that finds no salt at first, as if another process were about to make it."""
    real, left = irc._read, list(first)
    return lambda path: left.pop() if left else real(path)


def test_a_salt_cut_short_is_replaced(data_folder):
    (data_folder / "salt").write_bytes(b"short")
    assert len(installation_salt()) == 32


def test_without_a_folder_the_salt_lasts_for_the_process(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SPADES_DATA", str(tmp_path / "file"))
    assert installation_salt() == installation_salt()
