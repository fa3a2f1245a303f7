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
        messages: list[Message] = []

        async def keep(message: Message) -> None:
            messages.append(message)

        kept = [pair for pair in headers if pair[0] not in _UNASKED]
        await self.app({**scope, "headers": kept}, receive, keep)
        start, *parts = messages
        body = b"".join(part.get("body", b"") for part in parts)
        body = body.replace(b"</head>", self.head + b"</head>", 1)
        said = [pair for pair in start["headers"] if pair[0].lower() not in _UNSAID]
        said.append((b"content-length", str(len(body)).encode()))
        await send({**start, "headers": said})
        await send({"type": "http.response.body", "body": body})
