"""The worker processes of a command under way, and Dask's stand-in where none is wanted."""

from contextlib import contextmanager

import psutil

from analysis.runs import parts


class InProcess:
    """Parts are computed in this process; ``done``: (name of the function, arguments) of each.

    ``opened``: workers asked for, and the number of tasks, by run. ``during``: called once, after
    the first part.
    """

    def __init__(self, monkeypatch):
        self.done, self.opened, self.during = [], [], []
        monkeypatch.setattr(parts, "run_tasks", self.run)
        monkeypatch.setattr(parts, "dask_client", self.client)

    def run(self, client, function, tasks, *, is_cancelled):
        for index, task in enumerate(tasks):
            if is_cancelled():
                return
            value = function(*task)
            self.done.append((task[0].__name__, task[1]))
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
