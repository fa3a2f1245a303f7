"""The experiments of a checkout: what remakes shipped data, the papers' results, the speed table.

They are not installed with the package. Here is the one place where the product imports them.
"""

import sys
from importlib import import_module
from types import ModuleType

from spades.core.errors import SpadesError
from spades.core.paths import DATA, IS_INSTALLED

CHECKOUT = DATA.parent


def load_experiment(name: str) -> ModuleType:
    """The module ``experiments.NAME``. ``SpadesError``: this is an installed copy without them."""
    if IS_INSTALLED or not (CHECKOUT / "experiments").is_dir():
        raise SpadesError(
            "this runs in a checkout of the project: the experiments are not part of the "
            "installed package"
        )
    if str(CHECKOUT) not in sys.path:
        sys.path.append(str(CHECKOUT))
    return import_module(f"experiments.{name}")
