"""Threads that somebody waits for: background jobs make way for them.

Python runs one thread at a time: without this, a page is drawn only as fast as jobs leave it time.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

POLL_SECONDS = 0.01  # between two looks at whether a page is being drawn


class Foreground:
    """The threads that somebody waits for, such as those that draw a page, until they end."""

    def __init__(self) -> None:
        self._threads: set[threading.Thread] = set()
        self._lock = threading.Lock()

    def enter(self) -> None:
        """Count the calling thread as waited for, until it ends."""
        with self._lock:
            self._threads.add(threading.current_thread())

    @contextmanager
    def left(self) -> Iterator[None]:
        """Don't count the calling thread inside: it only waits."""
        thread = threading.current_thread()
        with self._lock:
            was_counted = thread in self._threads
            self._threads.discard(thread)
        try:
            yield
        finally:
            if was_counted:
                self.enter()

    @property
    def is_busy(self) -> bool:
        """Whether a counted thread is still running."""
        with self._lock:
            self._threads = {thread for thread in self._threads if thread.is_alive()}
            return bool(self._threads)

    def make_way(self, seconds: float) -> None:
        """Wait until no thread is counted, at most this long."""
        until = time.monotonic() + seconds
        while self.is_busy and time.monotonic() < until:
            time.sleep(POLL_SECONDS)


foreground = Foreground()
