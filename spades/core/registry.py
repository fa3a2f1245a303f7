"""Find what is registered by being there: the classes in a package's files, by name."""

import importlib
import inspect
import pkgutil
from typing import Any


def implementations(package: str, base: type) -> dict[str, Any]:
    """The concrete subclasses of ``base`` that the modules of a package define, by their ``name``.

    In the order of their ``place``, where they have one, then of their names: the order in which
    texts list them. A new one is one new file; ``ValueError`` where two have the same name.
    """
    kinds: set[Any] = set()
    for file in pkgutil.iter_modules(importlib.import_module(package).__path__):
        module = importlib.import_module(f"{package}.{file.name}")
        kinds.update(kind for _, kind in inspect.getmembers(module, inspect.isclass))
    implementing = [
        kind for kind in kinds if issubclass(kind, base) and not inspect.isabstract(kind)
    ]
    by_name = {}
    for kind in sorted(implementing, key=lambda kind: (kind.place, kind.name)):
        if kind.name in by_name:
            raise ValueError(f"two implementations of {package} are called {kind.name}")
        by_name[kind.name] = kind
    return by_name
