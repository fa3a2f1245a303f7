"""The document that a browser gets first, with the dashboard's own style in it.

What a script sends comes after Streamlit's own pages are drawn, and everything would move then.
"""

from pathlib import Path

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HERE = Path(__file__).parent
_SCRIPTS = ("arrival", "swipes", "links")
_UNASKED = (b"accept-encoding", b"if-none-match", b"if-modified-since")
_UNSAID = (b"content-length", b"etag", b"last-modified")


def _own_head() -> bytes:
    style = (_HERE / "css" / "page.css").read_text("utf-8")
    arrival, *later = ((_HERE / "js" / f"{name}.js").read_text("utf-8") for name in _SCRIPTS)
    modules = "".join(f"<script type=module>{script}</script>" for script in later)
    return f"<style>{style}</style><script>{arrival}</script>{modules}".encode()


class OwnStyle:
    """ASGI middleware that puts style and script at the end of a document's head."""

    def __init__(self, app: ASGIApp) -> None:
        self.app, self.head = app, _own_head()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = scope.get("headers", [])
        is_document = b"text/html" in dict(headers).get(b"accept", b"")
        if scope["type"] != "http" or scope["method"] != "GET" or not is_document:
            await self.app(scope, receive, send)
            return
        plain = {**scope, "headers": [pair for pair in headers if pair[0] not in _UNASKED]}
        await self.app(plain, receive, _Rewriting(send, self.head))


class _Rewriting:
    """Sends an answer on as soon as it is whole."""

    def __init__(self, send: Send, head: bytes) -> None:
        self._send, self._head = send, head
        self._start: Message = {}
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            return
        self._body += message.get("body", b"")
        if message.get("more_body"):
            return
        body = self._body.replace(b"</head>", self._head + b"</head>", 1)
        kept = [pair for pair in self._start["headers"] if pair[0].lower() not in _UNSAID]
        length = (b"content-length", str(len(body)).encode())
        await self._send({**self._start, "headers": [*kept, length]})
        await self._send({"type": "http.response.body", "body": body})
