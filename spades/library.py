"""What is shipped with the library, by name: hands, logs, models of human play."""

from typing import Literal, overload

from spades.core.errors import SpadesError
from spades.core.logs import Log
from spades.core.records import Record
from spades.human import HumanModel, load_model, model_names
from spades.notation import read
from spades.notation.log_store import open_log
from spades.notation.sources import hand_names, log_names, near_names

HandName = Literal["bug-report-335", "deal-231", "four-bots", "north-nil", "south-nil"]
LogName = Literal[
    "four-humans",
    "four-ismcts",
    "four-quick-ismcts",
    "four-srp-nil",
    "human-south",
    "thoughtful-south",
]


class UnknownNameError(SpadesError):
    """A name that no hand, log or model has."""


@overload
def shipped() -> dict[str, tuple[str, ...]]: ...
@overload
def shipped(name: HandName) -> Record: ...
@overload
def shipped(name: LogName) -> Log: ...
@overload
def shipped(name: str) -> Record | Log | HumanModel: ...


def shipped(
    name: str | None = None,
) -> dict[str, tuple[str, ...]] | Record | Log | HumanModel:
    """The hand, log or model of a name; without one, all names by kind.

    Logs and models of your own, in the folders of the dashboard, have names too.

    >>> import spades
    >>> spades.shipped()["hands"]
    ('bug-report-335', 'deal-231', 'four-bots', 'north-nil', 'south-nil')
    >>> spades.shipped("south-nil").hands[2]
    Hand('5432.JT62.764.J3')
    >>> spades.shipped("human-south")
    <Log of 2,108 rounds of 190 games, 109,616 plays>
    >>> spades.shipped("devlin2016")
    LogLinearModel('devlin2016')

    A hand is a ``Record``, a log a ``Log`` (arrays; ``log.record(i)`` is a round), a model a
    ``HumanModel``. Raises ``UnknownNameError``, with near names, for a name that nothing has."""
    names = {"hands": hand_names(), "logs": log_names(), "models": model_names()}
    if name is None:
        return names
    if name in names["hands"]:
        (record,) = read(name)
        return record
    if name in names["logs"]:
        return open_log(name)
    if name in names["models"]:
        return load_model(name)
    known = [one for kind in names.values() for one in kind]
    raise UnknownNameError(f"nothing is called {name!r}{near_names(name, known)}")
