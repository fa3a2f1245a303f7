"""The notations: one file each. A new file here is a new notation, everywhere."""

from spades.core.registry import implementations
from spades.notation.notations.notation import Notation

NOTATIONS: dict[str, Notation] = {
    name: kind() for name, kind in implementations(__name__, Notation).items()
}
