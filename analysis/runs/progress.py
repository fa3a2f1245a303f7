"""How far a job is, and durations for people."""

import time
from dataclasses import dataclass

SECONDS_AS_SUCH = 90  # from here on a duration is given in minutes
MINUTES_AS_SUCH = 90  # from here on in hours and minutes


@dataclass
class Progress:
    """How far a job is. ``unit``: what ``total`` and ``done`` count.

    ``started`` (``time.monotonic``) and ``done_before``: when this run of the job began, and what
    was done by then; the pace is taken from what was done since.
    """

    total: int
    done: int = 0
    unit: str = "tasks"
    started: float = 0.0
    done_before: int = 0

    @property
    def share(self) -> float:
        """Share done, 0 to 1."""
        if not self.total:
            return 0.0
        return min(1.0, self.done / self.total)

    @property
    def seconds_left(self) -> float | None:
        """Estimated from the pace of this run; None before there is one."""
        done_now = self.done - self.done_before
        if not done_now or not self.started:
            return None
        seconds_each = (time.monotonic() - self.started) / done_now
        return seconds_each * (self.total - self.done)

    def text(self) -> str:
        text = f"{self.done:,} of {self.total:,} {self.unit}"
        seconds = self.seconds_left
        if seconds is None:
            return text
        return f"{text}, {format_seconds(seconds)} left"


def format_seconds(seconds: float) -> str:
    """A duration for people: ``40 s``, ``12 min``, ``3 h 20 min``."""
    if seconds < SECONDS_AS_SUCH:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < MINUTES_AS_SUCH:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"
