"""Many readers at once: how long each waits for a page while one of them asks for long work.

The dashboard is started with stores of its own, and readers connect as browsers do: a WebSocket
each, a step on Replay every few seconds, and every timer that a page sets. One of them has a
whole hand reviewed and a sweep measured.
"""

import asyncio
import json
import random
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psutil
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.typing import Subprotocol

from experiments.bench.dashboard import free_port, start_server
from spades.core.documents import Document

READERS = 50
MINUTES = 3.0
LOG = "human-south"
N_ROUNDS = 2000  # of the log, from which each reader opens one after another
LAST_PLAY = 50
SECONDS_BETWEEN_CLICKS = 4.0
PATIENCE = 120.0  # seconds until a page that doesn't answer ends the reader's visit
VIEW = "spades_replay_view"  # the component that steps, at the end of its name
RUN_SWEEP = "Run the sweep"
SWEEP = {"view": "run", "sweep_games": 400, "sweep_decisions": 2000, "sweep_name": "load"}


@dataclass
class Waits:
    """Seconds that readers waited: for the first page of a round, and for a step in it; and what
    they saw of others' work."""

    pages: list[float] = field(default_factory=list)
    steps: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)  # MB, every five seconds


class Visit:
    """A browser's session at one page: what it was sent, and the timers it keeps."""

    def __init__(self, socket: Any, query: str) -> None:
        self.socket = socket
        self.query = query
        self.buttons: dict[str, str] = {}  # id by label
        self.view = ""  # id of the component that steps
        self.texts: list[str] = []
        self.finished = asyncio.Event()
        self._has_begun = False  # the run that was asked for last
        self._timers: dict[str, asyncio.Task] = {}
        self._set_by_this_run: set[str] = set()  # timers

    async def ask(
        self, *, page: str = "", fragment: str = "", button: str = "", ply: int | None = None
    ) -> None:
        """Have a page drawn, after a click on a button where one is named, or after a step on
        Replay to ``ply``."""
        message = BackMsg()
        run = message.rerun_script
        run.query_string = self.query
        run.page_name = page
        run.fragment_id = fragment
        run.is_auto_rerun = bool(fragment)
        if button:
            state = run.widget_states.widgets.add()
            state.id = self.buttons[button]
            state.trigger_value = True
        if ply is not None:
            if not self.view:
                raise KeyError("the page has no hand to step through")
            state = run.widget_states.widgets.add()
            state.id = self.view
            state.json_value = json.dumps({"ply": ply})
        await self.socket.send(message.SerializeToString())

    async def drawn(self, **asked: Any) -> float:
        """Seconds until the whole page has been drawn again, without runs that it triggers."""
        self.finished.clear()
        self._has_begun = False
        started = time.monotonic()
        await self.ask(**asked)
        await asyncio.wait_for(self.finished.wait(), PATIENCE)
        return time.monotonic() - started

    async def listen(self) -> None:
        async for data in self.socket:
            message = ForwardMsg()
            message.ParseFromString(data)
            self._take(message)

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._set_by_this_run = set()
        elif kind == "navigation":  # of a whole page, not of a fragment
            self._has_begun = True
        elif kind == "auto_rerun":
            self._start_timer(message.auto_rerun.fragment_id, message.auto_rerun.interval)
        elif kind == "stop_auto_rerun":
            self.stop_timers(message.stop_auto_rerun.fragment_ids)
        elif kind == "delta":
            self._keep(message.delta.new_element)
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "script_finished":
            self._end_of_run(message.script_finished)

    def _end_of_run(self, status: Any) -> None:
        """A whole page is drawn at the end of its own run, or of a later one: Streamlit drops the
        message where a timer asks for the next run at that moment."""
        if status == ForwardMsg.FINISHED_SUCCESSFULLY:
            self.stop_timers(self._timers.keys() - self._set_by_this_run)
        if self._has_begun and status != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            self.finished.set()

    def _keep(self, element: Any) -> None:
        kind = element.WhichOneof("type")
        if kind == "button":
            self.buttons[element.button.label] = element.button.id
        elif kind == "bidi_component" and element.bidi_component.component_name.endswith(VIEW):
            self.view = element.bidi_component.id
        elif kind == "exception":
            self.texts.append(element.exception.message)
        elif kind == "alert":
            self.texts.append(element.alert.body)

    def _start_timer(self, fragment: str, interval: float) -> None:
        async def tick() -> None:
            while True:
                await asyncio.sleep(interval)
                await self.ask(fragment=fragment)

        self.stop_timers([fragment])
        self._set_by_this_run.add(fragment)
        self._timers[fragment] = asyncio.create_task(tick())

    def stop_timers(self, fragments: Iterable[str] | None = None) -> None:
        """Stop those of some fragments, or all."""
        for fragment in list(self._timers if fragments is None else fragments):
            if timer := self._timers.pop(fragment, None):
                timer.cancel()


@contextmanager
def dashboard(folder: Path) -> Iterator[tuple[int, psutil.Process]]:
    """The dashboard on a free port, with empty stores in a folder; its process."""
    port = free_port()
    stores = {f"SPADES_{kind}": str(folder / kind) for kind in ("RESULTS", "GAMES", "DRILL")}
    with (folder / "server.log").open("w") as log:
        server = start_server(port, log, **stores)
        try:
            yield port, psutil.Process(server.pid)
        finally:
            server.terminate()
            server.wait(30)


@asynccontextmanager
async def open_visit(port: int, query: dict[str, Any]) -> AsyncIterator["Visit"]:
    """A session at the page of an address, until it is closed."""
    socket = await _connected(port)
    visit = Visit(socket, urlencode(query))
    listener = asyncio.create_task(visit.listen())
    try:
        yield visit
    finally:
        visit.stop_timers()
        listener.cancel()
        with suppress(websockets.WebSocketException):
            await socket.close()


async def _connected(port: int) -> Any:
    url = f"ws://127.0.0.1:{port}/_stcore/stream"
    until = time.monotonic() + 60
    while True:
        try:
            return await websockets.connect(
                url, subprotocols=[Subprotocol("streamlit")], max_size=None
            )
        except OSError:
            if time.monotonic() > until:
                raise
            await asyncio.sleep(0.2)


async def _read_rounds(port: int, seed: int, until: float, waits: Waits) -> None:
    """Open round after round and step through it until the time is over."""
    draws = random.Random(seed)
    await asyncio.sleep(draws.uniform(0, SECONDS_BETWEEN_CLICKS))
    while time.monotonic() < until:
        query = {"log": LOG, "round": draws.randrange(N_ROUNDS)}
        async with open_visit(port, query) as visit:
            try:
                waits.pages.append(await visit.drawn())
                for ply in range(1, LAST_PLAY + 1):
                    await asyncio.sleep(draws.uniform(0.5, 1.5) * SECONDS_BETWEEN_CLICKS)
                    if time.monotonic() > until:
                        break
                    waits.steps.append(await visit.drawn(ply=ply))
                waits.failures += [text for text in visit.texts if "Something went wrong" in text]
            except (TimeoutError, KeyError, websockets.WebSocketException) as error:
                waits.failures.append(f"{type(error).__name__}: {error}")


async def _ask_for_long_work(port: int, until: float, waits: Waits) -> None:
    """Open the review of a hand, and start a sweep."""
    review = {"log": LOG, "round": 3, "review": 1}
    # The connections stay open: a job runs only while its reader is connected.
    async with open_visit(port, review) as of_review, open_visit(port, SWEEP) as of_sweep:
        await _open_page(of_review, "", waits)
        if await _open_page(of_sweep, "Tune", waits):
            labels = [label for label in of_sweep.buttons if label.startswith(RUN_SWEEP)]
            if labels:
                await of_sweep.drawn(button=labels[0])
            else:
                waits.failures.append(f"no button {RUN_SWEEP} among {sorted(of_sweep.buttons)}")
        await asyncio.sleep(max(0.0, until - time.monotonic()))


async def _open_page(visit: Visit, page: str, waits: Waits) -> bool:
    """Open a page by its name; whether it was drawn in time."""
    try:
        await visit.drawn(page=page)
    except TimeoutError:
        waits.failures.append(f"the page {page or 'Replay'} wasn't drawn")
        return False
    return True


async def _watch_memory(server: psutil.Process, until: float, waits: Waits) -> None:
    while time.monotonic() < until:
        waits.memory.append(server.memory_info().rss / 2**20)
        await asyncio.sleep(5)


async def _measure(port: int, server: psutil.Process, readers: int, seconds: float) -> Waits:
    waits = Waits()
    async with open_visit(port, {"log": LOG, "round": 0}) as warm:
        await warm.drawn()  # compiles, or loads, what all need
    until = time.monotonic() + seconds
    await asyncio.gather(
        _watch_memory(server, until, waits),
        _ask_for_long_work(port, until, waits),
        *(_read_rounds(port, seed, until, waits) for seed in range(1, readers)),
    )
    return waits


def _quantile(values: list[float], share: float) -> float:
    if not values:
        return 0.0
    i = min(len(values) - 1, int(share * len(values)))
    return round(sorted(values)[i], 3)


def _summary_of_waits(seconds: list[float]) -> Document:
    return {
        "n": len(seconds),
        "median": round(statistics.median(seconds), 3) if seconds else None,
        "p95": _quantile(seconds, 0.95),
        "p99": _quantile(seconds, 0.99),
        "most": _quantile(seconds, 1),
    }


def summary(waits: Waits) -> Document:
    """What was measured, as JSON: seconds, MB."""
    n_intervals = len(waits.memory) - 1
    return {
        "pages": _summary_of_waits(waits.pages),
        "steps": _summary_of_waits(waits.steps),
        "memory": [round(waits.memory[i * n_intervals // 5]) for i in range(6)],
        "failures": len(waits.failures),
        "kinds of failures": sorted(set(waits.failures))[:5],
    }


def many_readers() -> Document:
    """How long each reader waits, as ``summary`` gives it; ``tracebacks`` in the server's log."""
    with tempfile.TemporaryDirectory() as name, dashboard(Path(name)) as (port, server):
        waits = asyncio.run(_measure(port, server, READERS, 60 * MINUTES))
        n_tracebacks = (Path(name) / "server.log").read_text().count("Traceback")
    return {"readers": READERS, **summary(waits), "tracebacks": n_tracebacks}
