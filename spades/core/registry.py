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
    found: dict[str, Any] = {}
    path = importlib.import_module(package).__path__
    for module in pkgutil.iter_modules(path):
        members = vars(importlib.import_module(f"{package}.{module.name}"))
        for member in members.values():
            if not _is_implementation(member, base):
                continue
            if found.setdefault(member.name, member) is not member:
                raise ValueError(f"two implementations of {package} are called {member.name}")
    return dict(sorted(found.items(), key=lambda item: (item[1].place, item[0])))


def _is_implementation(member: object, base: type) -> bool:
    is_subclass = isinstance(member, type) and issubclass(member, base)
    return is_subclass and not inspect.isabstract(member)
