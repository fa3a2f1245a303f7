"""Files as accidents leave them."""

import sqlite3

from analysis.runs.store import ResultStore


def damage_store(path, kind, of):
    """A store that is ``junk``, a ``folder``, or that has a malformed ``row`` of a kind."""
    if kind == "folder":
        path.mkdir(parents=True)
        return
    ResultStore(path).put(of, {"n": 1}, {"is": 1})
    if kind == "junk":
        path.write_bytes(b"junk" * 1000)
        return
    ResultStore(path).put(of, {"n": 2}, {"is": 2})
    with sqlite3.connect(path) as store:
        store.execute("UPDATE results SET answer = '[1, 2' WHERE question LIKE '%1%'")
    store.close()


def damaged(data, rng):
    """Bytes flipped, a piece zeroed or cut off."""
    data = bytearray(data)
    match rng.randrange(4):
        case 0 | 1:
            for _ in range(rng.choice((1, 1, 20))):
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        case 2:
            start = rng.randrange(len(data))
            data[start : start + 300] = bytes(len(data[start : start + 300]))
        case _:
            del data[rng.randrange(len(data)) :]
    return bytes(data)
