"""The worker processes of a command under way, and Dask's stand-in where none is wanted."""

from contextlib import contextmanager

import psutil

from analysis.runs import tasks


class InProcess:
    """Tasks are run in this process; ``done``: (name of the function, arguments) of each.

    ``opened``: workers asked for, and the number of tasks, by run. ``during``: called once, after
    the first task.
    """

    def __init__(self, monkeypatch):
        self.done, self.opened, self.during = [], [], []
        monkeypatch.setattr(tasks, "map_unordered", self.run)
        monkeypatch.setattr(tasks, "dask_client", self.client)

    def run(self, client, function, calls, *, is_cancelled):
        for index, call in enumerate(calls):
            if is_cancelled():
                return
            value = function(*call)
            self.done.append((call[0].__name__, call[1]))
            yield index, value
            while self.during:
                self.during.pop()()

    @contextmanager
    def client(self, workers=None, scheduler=None, n_tasks=None):
        self.opened.append((workers, n_tasks))
        yield "client"


def workers_of(process):
    """Its Dask workers, as far as they have been started."""
    found = []
    for child in psutil.Process(process.pid).children(recursive=True):
        try:
            if any("spawn_main" in word for word in child.cmdline()):
                found.append(child)
        except psutil.Error:  # gone, or not yet itself
            continue
    return found


def kill_a_worker(process):
    """Kill -9 of one of the workers, which must be up."""
    workers_of(process)[0].kill()
