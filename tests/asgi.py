"""Requests to an ASGI application without a server, also such as no well-behaved client sends."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

HOST = "localhost:8501"


class Answer(NamedTuple):
    """``status`` None: the application said nothing."""

    status: int | None
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


async def ask(app, method, path, body=b"", *, query="", headers=None, client="127.0.0.1", **how):
    """One request. ``body``: bytes, what JSON makes of anything else; ``how``: ``chunks``, parts of
    a body; ``leaves``: after them, before the end of the body; ``stays_silent``: it sends no end;
    ``scheme``."""
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    chunks = list(how.get("chunks", [sent]))
    given = {"host": HOST, **({"content-type": "application/json"} if method == "POST" else {})}
    given |= headers or {}
    pairs = [(k.encode(), v.encode("latin-1")) for k, v in given.items() if v is not None]
    raw = query if isinstance(query, bytes) else query.encode()
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
        "path": path, "raw_path": path.encode("utf-8", "replace"), "query_string": raw,
        "headers": pairs, "client": (client, 5), "server": ("localhost", 8501),
        "scheme": "http", "root_path": "",
    }  # fmt: skip
    is_cut = how.get("leaves") or how.get("stays_silent")
    told = []

    async def receive():
        if chunks:
            part = chunks.pop(0)
            return {"type": "http.request", "body": part, "more_body": bool(chunks or is_cut)}
        if how.get("leaves"):
            return {"type": "http.disconnect"}
        await asyncio.sleep(3600)

    async def send(message):
        told.append(message)

    await app(scope, receive, send)
    if not told:
        return Answer(None, {}, b"")
    start, *parts = told
    said = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
    return Answer(start["status"], said, b"".join(part.get("body", b"") for part in parts))


def run(coroutine):
    """Run a coroutine in a thread of its own: Playwright has a loop in the thread of the tests."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def get(app, path, **options):
    return run(ask(app, "GET", path, **options))


def post(app, path, body=b"", **options):
    return run(ask(app, "POST", path, body, **options))
