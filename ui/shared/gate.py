"""The gate before everything that the server answers over HTTP.

Every answer carries the headers that browsers guard a page by. A request whose Host isn't this
server's (``server.allowedHosts``) gets nothing, so that no foreign name leads here. The routes that
aren't Streamlit's are asked by this server's own pages and by programs alone: their method, origin,
content type and size are checked here, and how much a client asks at a time.
"""

import asyncio
import ipaddress
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

HEALTH = "/_stcore/health"  # asked by what starts the server, by any name
MAX_BYTES = 16_384
BODY_SECONDS = 10.0
OPEN_OF_CLIENT = 64
OPEN_IN_ALL = 512
REQUESTS_A_SECOND = 50.0
REQUESTS_AT_ONCE = 200.0
ANSWERS = "/tables/answer"  # of programs that play: one for each question
ANSWERS_A_SECOND = 400.0
MAX_CLIENTS = 10_000  # whose rates are known
OWN_SITES = ("same-origin", "none")  # of Sec-Fetch-Site: our pages, an address that was typed
NO_STORE = {"cache-control": "no-store"}
_log = logging.getLogger(__name__)

POLICY = {
    "default-src": "'self'",
    # Streamlit's page and ours hold scripts, components bring theirs as blobs, and charts
    # compile expressions.
    "script-src": "'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "media-src": "'self' data: blob:",
    "connect-src": "'self' data: blob:",
    "worker-src": "'self' blob:",
    "frame-src": "'self' data: blob:",
    "frame-ancestors": "'self'",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
}
HEADERS = {
    "content-security-policy": "; ".join(f"{what} {whence}" for what, whence in POLICY.items()),
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "referrer-policy": "same-origin",  # addresses hold tokens
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class RefusedError(Exception):
    """A request that isn't let in: its status, why, and headers of the answer."""

    def __init__(self, status: int, reason: str, **headers: str) -> None:
        super().__init__(reason)
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}

    def answer(self) -> JSONResponse:
        headers = {**NO_STORE, **self.headers}
        return JSONResponse({"error": str(self)}, status_code=self.status, headers=headers)


class Rates:
    """How often each client may do something: ``at_once`` times, and ``a_second`` from then on."""

    def __init__(
        self, a_second: float, at_once: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.a_second = a_second
        self.at_once = at_once
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, client: str) -> float:
        """0 where the client may do it now, which counts; else the seconds until it may."""
        now = self._clock()
        left = self._left_of(client, now)
        if left < 1:
            return (1 - left) / self.a_second
        if len(self._left) >= MAX_CLIENTS:
            self._forget(now)
        self._left[client] = (left - 1, now)
        return 0.0

    def _left_of(self, client: str, now: float) -> float:
        left, taken_at = self._left.get(client, (self.at_once, now))
        return min(self.at_once, left + (now - taken_at) * self.a_second)

    def _forget(self, now: float) -> None:
        """Drop the clients that have their full allowance again."""
        for client in list(self._left):
            if self._left_of(client, now) >= self.at_once:
                del self._left[client]


def client_of(address: str | None) -> str:
    """What counts as one client: an IPv4 address, or an IPv6 address's network, its first 64 bits;
    ``local`` without an address."""
    try:
        ip = ipaddress.ip_address(address or "")
    except ValueError:
        return address or "local"
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped:
            return str(ip.ipv4_mapped)
        return str(ipaddress.ip_network((ip, 64), strict=False))
    return str(ip)


class Gate:
    """ASGI middleware. ``routes``: those that aren't Streamlit's, all below one first folder."""

    def __init__(self, app: ASGIApp, routes: Sequence[Route] = ()) -> None:
        self.app = app
        self.methods = {route.path: _methods(route.methods or ()) for route in routes}
        self.folders = tuple({f"/{path.split('/')[1]}/" for path in self.methods})
        self._rates = Rates(REQUESTS_A_SECOND, REQUESTS_AT_ONCE)
        self._answer_rates = Rates(ANSWERS_A_SECOND, ANSWERS_A_SECOND)
        self._open = Counter[str]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # Streamlit checks Host and Origin of its WebSocket
            await self.app(scope, receive, send)
            return
        guarded = _with_headers(send)
        path = _path_below_base(scope)
        headers = Headers(scope=scope)
        if path != HEALTH and not is_host_allowed(headers.get("host")):
            refusal = RefusedError(403, "this server has another name (server.allowedHosts)")
            await refusal.answer()(scope, receive, guarded)
        elif path.startswith(self.folders):
            await self._pass_own({**scope, "path": path}, receive, guarded)
        else:
            await self.app(scope, receive, guarded)

    async def _pass_own(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A request for a route of ours."""
        client = client_of((scope.get("client") or (None,))[0])
        self._open[client] += 1
        try:
            rates = self._answer_rates if scope["path"] == ANSWERS else self._rates
            self._check_load(client, rates)
            self._check(scope)
            if scope["method"] == "POST":
                body = await _read(receive, Headers(scope=scope))
                if body is None:
                    return  # the client left
                receive = _replay(body, receive)
            state = {**scope.get("state", {}), "client": client}
            await self.app({**scope, "state": state}, receive, send)
        except RefusedError as refusal:
            await refusal.answer()(scope, receive, send)
        except ConnectionError:
            pass  # the client left while it was answered
        finally:
            self._open[client] -= 1
            if not self._open[client]:
                del self._open[client]

    def _check_load(self, client: str, rates: Rates) -> None:
        wait = rates.take(client)
        if wait:
            raise RefusedError(
                429,
                f"more than {rates.a_second:g} requests a second: ask less often",
                retry_after=str(1 + int(wait)),
            )
        if self._open[client] > OPEN_OF_CLIENT or self._open.total() > OPEN_IN_ALL:
            raise RefusedError(
                429,
                f"a client has at most {OPEN_OF_CLIENT} requests open at a time, all clients "
                f"{OPEN_IN_ALL}: wait for an answer",
                retry_after="5",
            )

    def _check(self, scope: Scope) -> None:
        """Method, origin and content type."""
        headers = Headers(scope=scope)
        methods = self.methods.get(scope["path"])
        if methods is None:
            folder = scope["path"].split("/")[1]
            known = ", ".join(path for path in self.methods if path.startswith(f"/{folder}/"))
            raise RefusedError(404, f"nothing has this address; what programs may ask: {known}")
        if scope["method"] not in methods:
            legal = ", ".join(sorted(methods))
            raise RefusedError(405, f"{legal} is the method of {scope['path']}", allow=legal)
        if headers.get("sec-fetch-site", "none") not in OWN_SITES or not _is_own_origin(headers):
            raise RefusedError(403, "pages of other sites may not ask this server")
        content_type = headers.get("content-type", "").partition(";")[0].strip().lower()
        if scope["method"] == "POST" and content_type != "application/json":
            raise RefusedError(
                415, 'a request is JSON, with the header "Content-Type: application/json"'
            )


def _methods(methods: Iterable[str]) -> set[str]:
    return set(methods) - {"HEAD"}


def _path_below_base(scope: Scope) -> str:
    """The path without ``server.baseUrlPath``."""
    base = str(config.get_option("server.baseUrlPath") or "").strip("/")
    path: str = scope["path"]
    if base and path.startswith(f"/{base}/"):
        return path.removeprefix(f"/{base}")
    return path


def _is_own_origin(headers: Headers) -> bool:
    """Whether the page that asks, if a browser names one, is of this server. A proxy may end TLS:
    the scheme doesn't count."""
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
    except ValueError:
        return False


async def _read(receive: Receive, headers: Headers) -> bytes | None:
    """The body of a request; None where the client left before its end."""
    length = headers.get("content-length", "0")
    too_large = RefusedError(413, f"a request has {MAX_BYTES:,} bytes at most", connection="close")
    if not length.isdecimal() or int(length[:10]) > MAX_BYTES:
        raise too_large
    body = b""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None
                body += message.get("body", b"")
                if len(body) > MAX_BYTES:
                    raise too_large
                if not message.get("more_body", False):
                    return body
    except TimeoutError:
        reason = f"the whole request is due within {BODY_SECONDS:g} s"
        raise RefusedError(408, reason, connection="close") from None


def _replay(body: bytes, receive: Receive) -> Receive:
    """What the application receives: the body that was read, then what comes after it."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_next() -> Message:
        return messages.pop() if messages else await receive()

    return receive_next


def _with_headers(send: Send) -> Send:
    async def send_guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
        await send(message)

    return send_guarded
