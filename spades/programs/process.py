"""A program as a process: lines to it and from it, within bounds of time and memory.

Nothing here waits for a pipe alone: whoever waits for a line writes what the program hasn't taken
yet and reads what it says on both of its outputs, so that no two sides wait for each other. Between
two requests nothing is read: a program that talks then fills its pipe and is held up.
"""

import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from spades.core.access import VARIABLE as ACCESS_TOKEN
from spades.core.programs import ProgramError, ProgramFaultError
from spades.programs.connection import MAX_UNSENT, UNREAD

MAX_LINE = 1 << 16  # bytes
READ_SIZE = 1 << 16
KEPT_ERRORS = 2048  # bytes of the error output, the last
QUIT_SECONDS = 0.5  # to end by itself
KILL_SECONDS = 5.0  # to be gone after it was killed


class ProgramProcess:
    """A started program. ``ProgramError`` where it can't be started.

    It leads a process group of its own, which is killed at the end, so that what it started goes
    with it. A watcher kills the group also where this process is killed: it waits for the end of
    its input, which the system closes then."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        environment = dict(os.environ)
        environment.pop(ACCESS_TOKEN, None)  # opens tables: no program's business
        try:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env=environment,
                start_new_session=True,
                bufsize=0,
            )
        except (OSError, ValueError) as error:
            raise ProgramError(f"{command[0]} can't be started: {error}") from None
        self._watcher = _watch(self._process.pid)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._input = self._process.stdin.fileno()
        self._output = self._process.stdout.fileno()
        self._errors = self._process.stderr.fileno()
        self._open_outputs = {self._output, self._errors}
        self._poll = select.poll()
        for descriptor in (self._input, self._output, self._errors):
            os.set_blocking(descriptor, False)
        for descriptor in self._open_outputs:
            self._poll.register(descriptor, select.POLLIN)
        self._unsent = bytearray()
        self._received = bytearray()
        self._last_errors = b""
        self.is_closed = False

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, line: bytes) -> None:
        """Queue a line, its end included; it is written by ``flush``, and while an answer is
        waited for."""
        if len(self._unsent) + len(line) > MAX_UNSENT:
            raise ProgramFaultError(UNREAD)
        self._unsent += line

    def read_line(self, seconds: float) -> bytes | None:
        """The next line that the program writes, without its end; None where none comes in time.

        ``ProgramFaultError`` where the program ends, or writes ``MAX_LINE`` bytes without a line's
        end."""
        deadline = time.monotonic() + seconds
        while True:
            end = self._received.find(b"\n")
            if end > MAX_LINE or (end < 0 and len(self._received) > MAX_LINE):
                raise ProgramFaultError(
                    f"it wrote more than {MAX_LINE:,} bytes without a line's end"
                )
            if end >= 0:
                line = bytes(self._received[:end])
                del self._received[: end + 1]
                return line
            if self._output not in self._open_outputs:
                raise ProgramFaultError(self._how_it_ended())
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            self._exchange(left)

    def _exchange(self, seconds: float) -> None:
        """Wait until the program reads or writes, and let it."""
        if self._unsent:
            self.flush()
        if self._unsent:
            self._poll.register(self._input, select.POLLOUT)
        ready = self._poll.poll(max(1.0, seconds * 1000))
        if self._unsent:
            self._poll.unregister(self._input)
        for descriptor, _ in ready:
            if descriptor == self._output:
                self._received += self._read(descriptor)
            elif descriptor == self._errors:
                said = self._last_errors + self._read(descriptor)
                self._last_errors = said[-KEPT_ERRORS:]

    def flush(self) -> None:
        """Write as much of what is queued as the program's pipe takes."""
        try:
            written = os.write(self._input, self._unsent)
        except BlockingIOError:
            return
        except OSError:  # it has closed its input; that it ends is seen at its output
            written = len(self._unsent)
        del self._unsent[:written]

    def _read(self, descriptor: int) -> bytes:
        try:
            data = os.read(descriptor, READ_SIZE)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:
            self._open_outputs.discard(descriptor)
            self._poll.unregister(descriptor)
        return data

    def _how_it_ended(self) -> str:
        status = self._exit_status(QUIT_SECONDS)
        if status is None:
            return "it closed its output"
        if status < 0:
            return f"it was ended by signal {-status}"
        return f"it ended with exit status {status}"

    def _exit_status(self, seconds: float) -> int | None:
        """Its exit status, minus the number of the signal that ended it; None while it runs. It
        isn't reaped: until its group has been killed, nobody else may get its number."""
        deadline = time.monotonic() + seconds
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        while True:
            found = os.waitid(os.P_PID, self.pid, options)
            if found is not None:
                is_exit = found.si_code == os.CLD_EXITED
                return found.si_status if is_exit else -found.si_status
            if time.monotonic() > deadline:
                return None
            time.sleep(0.005)

    def last_error_line(self) -> str:
        """The last line of what the program wrote to its error output, "" for none."""
        with suppress(ProgramFaultError):
            self._exchange(0)
        lines = self._last_errors.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""

    def close(self, last_words: bytes = b"") -> None:
        """End the program and all of its process group: gently if there are last words."""
        if self.is_closed:
            return
        self.is_closed = True
        if last_words:
            self._unsent += last_words
            self.flush()
            self._exit_status(QUIT_SECONDS)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self._watcher.kill()
        for process in (self._process, self._watcher):
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(KILL_SECONDS)


def _watch(group: int) -> subprocess.Popen:
    """A process that kills a group once this process is gone, however it went."""
    return subprocess.Popen(
        ["/bin/sh", "-c", f"read _; kill -9 -{group}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
    )
