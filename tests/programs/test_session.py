"""A conversation with a program, good or bad: what it is told, what it may answer, how it ends."""

import json
import os
import random
import time
from pathlib import Path

import pytest

from spades.core.cards import cards_in
from spades.core.observation import observe
from spades.core.programs import ProgramError, ProgramFaultError
from spades.core.rules import NO_BID, Rules
from spades.programs import Session
from spades.programs import session as session_module
from spades.programs.messages import seed_for_program
from spades.programs.process import KEPT_ERRORS, MAX_LINE, MAX_UNSENT
from tests.positions import random_round, swap_hidden


def an_auction():
    state = random_round(random.Random(1), 0, bids=(NO_BID,) * 4)
    return observe(state, (state.table.dealer + 1) % 4)


def a_play():
    """An observation of a seat with several legal cards."""
    state = random_round(random.Random(3), 9)
    assert len(list(cards_in(observe(state).legal_mask))) > 1
    return observe(state)


def is_running(pid):
    """Whether a process runs; a zombie doesn't."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def wait_until(condition, seconds=5.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "still not so"
        time.sleep(0.02)


def test_a_program_bids_and_plays(session):
    talk = session("well")
    assert talk.bid(an_auction(), 0) == 3
    seen = a_play()
    deck = seen.rules.cards
    assert deck.card(talk.play(seen, 0)) == deck.format_cards(seen.legal_mask).split()[0]


WRONG = {
    "die": "it ended with exit status 3; its last error line: ZeroDivisionError: division by zero",
    "be killed": "it was ended by signal 9",
    "close": "it closed its output",
    "junk": "that is no valid JSON",
    "other json": "where a JSON object {...} is due; it wrote [1, 2]; ",
    "wrong id": "id 2 answers no question",
    "text id": "id '1' answers no question",
    "no value": 'no \'card\' in the answer; it wrote {"id": 1}; {"id": 1, "card": "HT"} is legal',
    "illegal card": "; legal: ",
    "flood": f"it wrote more than {MAX_LINE:,} bytes without a line's end",
}


@pytest.mark.parametrize("how", WRONG)
def test_a_wrong_answer_is_a_fault_and_the_program_is_gone(session, how):
    talk = session(how)
    seen = a_play()
    with pytest.raises(ProgramFaultError) as caught:
        talk.play(seen, 0)
    message = str(caught.value)
    assert WRONG[how] in message
    assert message.startswith(f"m 1, ply 9, {'NESW'[seen.seat]} to play: ")
    assert message.endswith(seen.text())
    assert caught.value.seat == seen.seat
    assert talk._process is None


def test_an_illegal_card_is_named_with_the_line_and_the_legal_ones(session):
    seen = a_play()
    with pytest.raises(ProgramFaultError) as caught:
        session("illegal card").play(seen, 0)
    legal = seen.rules.cards.format_cards(seen.legal_mask)
    card = "H9" if "S9" in seen.hand else "S9"
    told = f'it played \'{card}\'; it wrote {{"id": 1, "card": "{card}"}}; legal: {legal} | '
    assert told in str(caught.value)


@pytest.mark.parametrize(("how", "bid"), [("illegal bid", "14"), ("true bid", "True")])
def test_an_illegal_bid(session, how, bid):
    with pytest.raises(ProgramFaultError, match="a whole number from 0 to 13 is legal") as caught:
        session(how).bid(an_auction(), 0)
    assert f"to bid: it bid {bid}; it wrote" in str(caught.value)


def test_after_a_fault_the_program_starts_anew(session):
    talk = session("die", 2)
    seen = a_play()
    talk.play(seen, 0)
    with pytest.raises(ProgramFaultError):
        talk.play(seen, 0)
    assert talk.play(seen, 0) in cards_in(seen.legal_mask)


def test_one_that_hangs_is_late_after_its_time_and_stop(session):
    talk = session("hang", seconds=0.3)
    started = time.monotonic()
    with pytest.raises(
        ProgramFaultError, match=r"didn't answer within 0\.3 s, nor 0\.3 s after stop"
    ):
        talk.play(a_play(), 0)
    assert 0.6 <= time.monotonic() - started < 5


def test_an_answer_between_stop_and_the_end_counts(session, monkeypatch):
    monkeypatch.setattr(session_module, "GRACE_SECONDS", 5.0)
    talk = session("late", seconds=0.1)
    assert talk.play(a_play(), 0) in cards_in(a_play().legal_mask)


def test_an_answer_too_many_is_a_fault_of_the_next_question(session):
    talk = session("twice")
    talk.play(a_play(), 0)
    with pytest.raises(ProgramFaultError, match="id 1 answers no question"):
        talk.play(a_play(), 0)


def test_loud_errors_do_no_harm_and_are_not_kept(session):
    talk = session("loud errors")
    talk.play(a_play(), 0)
    assert len(talk._process._last_errors) == KEPT_ERRORS


def test_one_that_reads_nothing_fills_no_memory(session):
    talk = session("deaf", seconds=0.2)
    with pytest.raises(ProgramFaultError, match="didn't answer"):
        talk.play(a_play(), 0)
    talk = session("well")
    talk.play(a_play(), 0)
    process = talk._process
    process.send(b"x" * (MAX_UNSENT - 1) + b"\n")
    with pytest.raises(ProgramFaultError, match="it leaves 1 MB unread"):
        process.send(b"\n")


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("no start", "it ended with exit status 1; its last error line: no such model"),
        ("mute", "it didn't answer hello in 0.2 s"),
        ("other protocol", 'it answered hello by {"id": 0, "protocol": 2'),
        ("other version", "it says that it is version '2', the list of programs says '1'"),
    ],
)
def test_one_that_cannot_start_loses_no_game(session, monkeypatch, how, told):
    if how == "mute":
        monkeypatch.setattr(session_module, "START_SECONDS", 0.2)
    with pytest.raises(ProgramError) as caught:
        session(how).play(a_play(), 0)
    assert told in str(caught.value)
    assert not isinstance(caught.value, ProgramFaultError)


def test_a_slow_start_is_waited_for(session):
    assert session("slow start").play(a_play(), 0) in cards_in(a_play().legal_mask)


def test_a_command_that_is_not_there(program):
    missing = program("well")
    object.__setattr__(missing, "command", ("/no/such/program",))
    with pytest.raises(ProgramError, match="/no/such/program can't be started: "):
        Session(missing).play(a_play(), 0)


@pytest.mark.parametrize("how", ["well", "ignore quit"])
def test_closing_ends_the_program_and_its_watcher(session, how):
    talk = session(how)
    talk.play(a_play(), 0)
    pids = [talk._process.pid, talk._process._watcher.pid]
    assert all(map(is_running, pids))
    talk.close()
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)  # no zombies either


def test_what_a_program_started_is_killed_with_it(session, tmp_path, monkeypatch):
    child_file = tmp_path / "child"
    monkeypatch.setenv("CHILD_FILE", str(child_file))
    talk = session("hang with a child", seconds=1.0)
    with pytest.raises(ProgramFaultError):
        talk.play(a_play(), 0)
    child = int(child_file.read_text())
    wait_until(lambda: not is_running(child))


def test_a_program_ends_with_the_process_that_asks_it(program, tmp_path):
    """Where that is killed, nothing is left to end the program but the watcher."""
    read_end, write_end = os.pipe()
    asker = os.fork()
    if asker == 0:
        talk = Session(program("well"))
        talk.play(a_play(), 0)
        os.write(write_end, str(talk._process.pid).encode())
        time.sleep(60)
        os._exit(1)
    pid = int(os.read(read_end, 100))
    os.close(read_end)
    os.close(write_end)
    assert is_running(pid)
    os.kill(asker, 9)
    os.waitpid(asker, 0)
    wait_until(lambda: not is_running(pid))


def test_the_access_token_is_not_passed_on(session, monkeypatch, tmp_path):
    monkeypatch.setenv("SPADES_ACCESS_TOKEN", "secret")
    talk = session("well")
    talk.play(a_play(), 0)
    environment = Path(f"/proc/{talk._process.pid}/environ").read_bytes()
    assert b"PATH=" in environment
    assert b"SPADES_ACCESS_TOKEN" not in environment


def told(path):
    """All messages that programs have read, each process's in order."""
    files = sorted(path.parent.glob(f"{path.name}.*"), key=lambda file: file.stat().st_mtime_ns)
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


@pytest.fixture
def lines(tmp_path, monkeypatch):
    path = tmp_path / "lines"
    monkeypatch.setenv("LINES_FILE", str(path))
    return path


def test_a_program_is_told_what_is_new_and_no_more(session, lines):
    state = random_round(random.Random(5), 4)
    seat = state.table.turn
    talk = session("well")
    talk.play(observe(state, seat), 7)
    new_kinds = []
    while not new_kinds or state.table.turn != seat:
        state.play(next(cards_in(state.legal_plays())))
        new_kinds.append("card")
        if len(state.table.plays) % 4 == 0:
            new_kinds.append("trick")
    talk.play(observe(state, seat), 8)
    kinds = [message.get("event", message["type"]) for message in told(lines)]
    first = ["hello", "newround", *["bid"] * 4, *["card"] * 4, "trick", "play"]
    assert kinds == [*first, *new_kinds, "play"]


def test_a_round_hand_worked(session, lines):
    """The messages of two tricks, written down by hand from the rules."""
    rules = Rules()
    deck = rules.cards
    state = random_round(random.Random(5), 0, rules=rules)
    hands = ["AKQJ.T98.765.432", "T98.765.432.AKQJ", "765.432.AKQJ.T98", "432.AKQJ.T98.765"]
    from spades.core.cards import parse_hand

    state.hands[:] = [parse_hand(hand, deck) for hand in hands]
    state.table.dealer, state.table.leader = 3, 0
    state.table.bids[:] = [4, 3, 0, 2]
    talk = session("well")
    talk.play(observe(state, 0, score_before=(120, -30), bags_before=(2, 5)), 1)
    for card in ("HT", "H7", "H4", "HA"):
        state.play(card)
    for card in ("C7", "C2"):
        state.play(card)
    talk.play(observe(state, 1, score_before=(120, -30), bags_before=(2, 5)), 2)
    messages = told(lines)
    newround = messages[1]
    assert newround["seat"] == "N"
    assert newround["dealer"] == "W"
    plain = ["HT", "H9", "H8", "D7", "D6", "D5", "C4", "C3", "C2"]
    assert newround["hand"] == ["SA", "SK", "SQ", "SJ", *plain]
    assert (newround["score"], newround["bags"]) == ({"NS": 120, "EW": -30}, {"NS": 2, "EW": 5})
    assert newround["rules"]["target"] == 500
    assert [(m["seat"], m["bid"]) for m in messages[2:6]] == [
        ("N", 4),
        ("E", 3),
        ("S", 0),
        ("W", 2),
    ]
    play = messages[6]
    assert play["legal"] == plain  # spades aren't broken
    assert play["hand"] == newround["hand"]
    assert play["trick"] == []
    assert play["tricks"] == {"N": 0, "E": 0, "S": 0, "W": 0}
    assert play["bids"] == {"N": 4, "E": 3, "S": 0, "W": 2}
    # Now East is asked by the same session: another seat, so another round to it.
    assert messages[7]["type"] == "newround"
    assert messages[7]["seat"] == "E"
    events = messages[12:19]
    assert [(m.get("seat"), m.get("card")) for m in events] == [
        ("N", "HT"), ("E", "H7"), ("S", "H4"), ("W", "HA"), (None, None), ("W", "C7"), ("N", "C2"),
    ]  # fmt: skip
    assert events[4] == {
        "type": "event",
        "event": "trick",
        "winner": "W",
        "tricks": {"N": 0, "E": 0, "S": 0, "W": 1},
    }
    play = messages[19]
    assert play["trick"] == [{"seat": "W", "card": "C7"}, {"seat": "N", "card": "C2"}]
    assert play["legal"] == ["CA", "CK", "CQ", "CJ"]
    assert play["broken"] is False
    assert play["seconds"] == 5.0


def test_the_end_of_a_round_is_told_with_its_points(session, lines):
    state = random_round(random.Random(8), 44)
    seat = state.table.turn
    talk = session("well")
    talk.play(observe(state, seat), 0)
    while not state.table.is_over:
        state.play(next(cards_in(state.legal_plays())))
    talk.follow(observe(state, seat))
    wait_until(lambda: told(lines)[-1].get("event") == "round")
    from spades.core.scoring import score_round

    scored = score_round(state.table.rules, [3] * 4, [False] * 4, state.table.tricks_taken)
    last = told(lines)[-1]
    assert last["points"] == {"NS": scored.points[0], "EW": scored.points[1]}
    assert last["bags"] == {"NS": scored.bags[0], "EW": scored.bags[1]}


def test_no_hidden_card_and_no_seed_reaches_a_program(session, lines):
    """The bytes sent are the same whatever the others hold, and say nothing of the deal's seed."""
    rng = random.Random(2)
    state = random_round(rng, 14)
    seat = state.table.turn
    sent = []
    for other in (state, swap_hidden(state, seat, rng)):
        talk = session("well")
        talk.play(observe(other, seat), 123456789)
        sent.append([m for m in told(lines) if m["type"] != "hello"])
        talk.close()
        for file in lines.parent.glob("lines.*"):
            file.unlink()
    assert sent[0] == sent[1]
    assert "123456789" not in json.dumps(sent)
    assert sent[0][-1]["seed"] == seed_for_program(123456789) < 2**53
