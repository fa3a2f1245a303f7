"""The HTML document that a browser gets first, with the dashboard's own style in it.

What a script sends arrives after Streamlit's own pages are drawn, and everything would move then.
"""

from pathlib import Path

import streamlit
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spades.look.tokens import css_variables

_HERE = Path(__file__).parent
_MODULES = ("swipes", "links", "dialogs")
_MODULES_OF_BAR = ("history", "doors", "spotlights", "palette")
_DROPPED_FROM_REQUEST = (b"accept-encoding", b"if-none-match", b"if-modified-since")
_DROPPED_FROM_ANSWER = (b"content-length", b"etag", b"last-modified")


def _read_script(name: str) -> str:
    return (_HERE / "js" / f"{name}.js").read_text("utf-8")


def _code_of_charts() -> str:
    """The address of Streamlit's code for Plotly charts; empty where it isn't as expected."""
    static = Path(streamlit.__file__).parent / "static"
    found = sorted(static.glob("static/js/PlotlyChart.*.js"))
    return f"./{found[0].relative_to(static).as_posix()}" if len(found) == 1 else ""


def _own_head(*, has_charts: bool) -> bytes:
    sheets = [_HERE / "css" / f"{name}.css" for name in ("page", "tools")]
    style = css_variables() + "".join(sheet.read_text("utf-8") for sheet in sheets)
    arrival = _read_script("arrival")
    scripts = [_read_script(name) for name in _MODULES]
    if has_charts:
        scripts += [_read_script(name) for name in _MODULES_OF_BAR]
    code_of_charts = _code_of_charts()
    if has_charts and code_of_charts:
        scripts.append(_read_script("charts").replace("CHARTS", code_of_charts))
    modules = [f"<script type=module>{script}</script>" for script in scripts]
    head = f"<style>{style}</style><script>{arrival}</script>{''.join(modules)}"
    return head.encode()


class OwnStyle:
    """ASGI middleware that puts style and script at the end of a document's head.

    ``has_charts``: whether its pages have the bar, and charts, whose code is then fetched ahead."""

    def __init__(self, app: ASGIApp, *, has_charts: bool = True) -> None:
        self.app = app
        self.head = _own_head(has_charts=has_charts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = scope.get("headers", [])
        is_document = b"text/html" in dict(headers).get(b"accept", b"")
        if scope["type"] != "http" or scope["method"] != "GET" or not is_document:
            await self.app(scope, receive, send)
            return
        messages: list[Message] = []

        async def keep(message: Message) -> None:
            messages.append(message)

        asked = [header for header in headers if header[0] not in _DROPPED_FROM_REQUEST]
        await self.app({**scope, "headers": asked}, receive, keep)
        start, *parts = messages
        body = b"".join(part.get("body", b"") for part in parts)
        body = body.replace(b"</head>", self.head + b"</head>", 1)
        sent = [
            header for header in start["headers"] if header[0].lower() not in _DROPPED_FROM_ANSWER
        ]
        sent.append((b"content-length", str(len(body)).encode()))
        await send({**start, "headers": sent})
        await send({"type": "http.response.body", "body": body})
