"""The worker processes of a command under way."""

import psutil


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
