"""The document that a browser gets first."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import streamlit

from ui.shared import document
from ui.shared.document import OwnStyle

PAGE = b"<html><head><title>x</title></head><body></body></html>"


def answer(path="/Data", accept=b"text/html,*/*", body=PAGE, parts=1):
    """What a browser gets through the middleware, and the headers that the application saw."""
    seen, sent = {}, []

    async def application(scope, receive, send):
        seen.update(scope["headers"])
        headers = [(b"content-length", b"%d" % len(body)), (b"etag", b"old"), (b"x", b"y")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        size = -(-len(body) // parts)
        for i in range(parts):
            part = body[i * size : (i + 1) * size]
            more = {"more_body": i < parts - 1}
            await send({"type": "http.response.body", "body": part, **more})

    async def send(message):
        sent.append(message)

    headers = [(b"accept", accept), (b"accept-encoding", b"gzip"), (b"if-none-match", b"old")]
    scope = {"type": "http", "method": "GET", "path": path, "headers": headers}
    # Not in this thread: browser tests leave a running loop in theirs.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, OwnStyle(application)(scope, None, send)).result()
    whole = b"".join(message["body"] for message in sent[1:])
    return whole, dict(sent[0]["headers"]), seen


@pytest.mark.parametrize("parts", [1, 3])
def test_a_document_has_our_style_at_the_end_of_its_head(parts):
    whole, headers, seen = answer(parts=parts)
    head, _, rest = whole.partition(b"</head>")
    assert head.startswith(b"<html><head><title>x</title>")
    assert b".st-key-bar" in head
    assert b"touchstart" in head
    assert rest == b"<body></body></html>"
    assert int(headers[b"content-length"]) == len(whole)
    assert headers[b"x"] == b"y"
    assert b"etag" not in headers  # the page's, which knows nothing of ours
    assert b"accept-encoding" not in seen  # what is packed can't be read


def test_what_is_no_document_passes_as_it_is():
    whole, headers, seen = answer("/static/js/x.js", accept=b"*/*", body=b"let x = '</head>';")
    assert whole == b"let x = '</head>';"
    assert headers[b"etag"] == b"old"
    assert seen[b"accept-encoding"] == b"gzip"


def test_a_document_names_streamlits_code_of_charts():
    code = document._code_of_charts()
    assert (Path(streamlit.__file__).parent / "static" / code).stat().st_size > 1_000_000
    assert f'"{code}"'.encode() in document._own_head(has_charts=True)


def test_another_streamlit_may_name_its_code_otherwise(tmp_path, monkeypatch):
    monkeypatch.setattr(document.streamlit, "__file__", str(tmp_path / "__init__.py"))
    assert document._code_of_charts() == ""
