import gc
import random
import time

import pytest

from spades.core.rules import Rules
from spades.notation import format_records, read_bytes, read_text
from spades.notation.notations.ptn_tags import record_texts
from spades.notation.reading import lines_of
from tests.notation.test_openspiel import history_of
from tests.notation.texts import JOKER_PTN, STANDARD_PTN
from tests.strategies import record_of

RECORDS = [
    record_of(Rules(), 3, 1),
    record_of(Rules(deck="joker-joker-deuce-deuce", nil=None), 2, 2, n_plays=30),
]
TEXTS = {
    "x.ptn": STANDARD_PTN + JOKER_PTN + format_records(RECORDS, "ptn"),
    "x.tn": format_records(RECORDS, "trick-notation"),
    "x.json": format_records(RECORDS, "json"),
    "x.jsonl": format_records(RECORDS, "jsonl"),
    "x.openspiel": " ".join(map(str, history_of(RECORDS[0]))),
}
N_TRIES = 100


def damaged(data, rng):
    """Bytes flipped, a piece cut out, or a piece doubled, up to five times."""
    data = bytearray(data)
    for _ in range(rng.randint(1, 5)):
        i, j = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        match rng.randrange(5):
            case 0 if i < len(data):
                data[i] ^= 1 << rng.randrange(8)
            case 1:
                del data[i : min(j, i + 40)]
            case 2:
                data[i:i] = data[i : min(j, i + 40)]
            case 3:
                del data[rng.randrange(len(data) // 2, len(data)) :]
            case _:
                data[i:i] = rng.choice(b'"[]{}%;.:-\n 0SHDCJ').to_bytes()
        data = data or bytearray(b"x")
    return bytes(data)


@pytest.mark.parametrize("name", TEXTS)
def test_damaged_files_are_read_or_refused(name):
    data = TEXTS[name].encode()
    for seed in range(N_TRIES):
        reading = read_bytes(damaged(data, random.Random(seed)), name=name)
        assert reading.records or reading.refused
        for record in reading.records:
            record.final()  # raises if it broke a rule


def mutated(text, rng):
    """A line dropped, doubled or exchanged with another, or one character dropped, doubled or made
    another."""
    lines = text.split("\n")
    i, j = (rng.randrange(len(lines)) for _ in range(2))
    at, char = rng.randrange(len(text)), rng.choice(' \n%;[]".:-x0SHDCAKJ')
    match rng.randrange(6):
        case 0:
            del lines[i]
        case 1:
            lines.insert(i, lines[i])
        case 2:
            lines[i], lines[j] = lines[j], lines[i]
        case 3:
            return text[:at] + text[at + 1 :]
        case 4:
            return text[:at] + char + text[at:]
        case _:
            return text[:at] + char + text[at + 1 :]
    return "\n".join(lines)


def n_plays(reading):
    return sum(len(record.plays) for record in reading.records)


@pytest.mark.parametrize(("notation", "name"), [("ptn", "x.ptn"), ("trick-notation", "x.tn")])
def test_no_play_is_lost_without_a_remark(notation, name):
    whole = [record_of(Rules(), 3, seed) for seed in (1, 2)]
    text = format_records(whole, notation)
    before = read_text(text, name=name)
    assert not before.refused
    n_lost = 0
    for seed in range(600):
        reading = read_text(mutated(text, random.Random(seed)), name=name)
        if n_plays(reading) < n_plays(before):
            n_lost += 1
            assert reading.refused or len(reading.notes) > len(before.notes), seed
    assert n_lost > 120


def test_a_round_that_ends_early_is_remarked_on():
    short = record_of(Rules(), 3, 1, n_plays=50)
    for notation, name in (("ptn", "x.ptn"), ("trick-notation", "x.tn")):
        reading = read_text(format_records([short], notation), name=name)
        assert reading.records[0].plays == short.plays
        assert "the round ends after 50 of 52 plays" in [note.text for note in reading.notes]


@pytest.mark.parametrize("name", TEXTS)
def test_noise_is_refused(name):
    for seed in range(N_TRIES):
        rng = random.Random(seed)
        reading = read_bytes(rng.randbytes(rng.randrange(200)), name=name)
        assert reading.refused
        text = "".join(rng.choices('[]"{}:%;. \nSHDCAKQJT98765432PNEW-eventdal', k=300))
        assert read_text(text, name=name).records == ()


BOMBS = {
    "open brackets": "[" * 300_000,
    "a tag of spaces": '[Event "' + " " * 300_000,
    "tags": '[Event "x"]\n' * 15_000,
    "prose lines": '[Event "x"]\n' + "word\n" * 60_000,
    "unclosed tags": '[Event "x"]\n' + "".join(f'[T{i} "x\nprose\n' for i in range(30_000)),
    "a long row": '[Event "x"]\n[Play "N"]\n' + "SA " * 150_000,
    "rows": '[Event "x"]\n[Play "N"]\n' + "SA SK SQ SJ\n" * 30_000,
    "a long hand": '[Event "x"]\n[Deal "N:' + "A" * 300_000 + ' - - -"]',
    "a name of brackets": '[Event "x"]\n[North "' + "(" * 300_000 + '"]',
    "markers": "% trick-notation v1\nP\n" * 15_000,
    "headers": "% trick-notation v1\n" + '[A "b"]' * 60_000,
    "a long deal": '% trick-notation v1\n[Deck "french52"]\nD ' + "N:A " * 300_000,
    "events": "% trick-notation v1\n" + "P N AS\n" * 60_000,
    "keys": '{"' + '": 1, "'.join(map(str, range(30_000))) + '": 1, "0": 2}',
    "depth": '{"a":' * 60_000,
    "strings": '{"a":' + '"' * 300_000,
    "escapes": '{"a":"' + "\\" * 300_001,
    "objects": "[" + "{}," * 30_000,
    "numbers": "1 " * 300_000,
    "lines of numbers": "1\n" * 30_000,
}


def timed_reading(text, name):
    """Of the processor, and what was read; without the collector, which goes through all that other
    tests left."""
    gc.disable()
    try:
        start = time.process_time()
        reading = read_text(text, name=name)
        return time.process_time() - start, reading
    finally:
        gc.enable()


@pytest.mark.parametrize("ending", [".ptn", ".tn", ".json", ".jsonl", ".openspiel", ""])
@pytest.mark.parametrize("bomb", BOMBS)
def test_no_text_takes_long(bomb, ending):
    name = f"x{ending}"
    for _ in range(3):
        seconds, reading = timed_reading(BOMBS[bomb], name)
        if seconds < 2:
            break
    assert seconds < 2
    assert reading.records == ()
    assert all(len(refusal.reason) < 3_000 for refusal in reading.refused)


def test_drafts_look_at_each_line_once():
    assert len(list(record_texts(lines_of(STANDARD_PTN * 200)))) == 200
