"""Human models by a hash of their numbers, for the keys of results.

A model is a file that anybody may train anew under the same name: the name alone says too little.
"""

from __future__ import annotations

import hashlib

from spades.human import load_prior
from spades.human.prior import Prior

_known: dict[str, tuple[Prior, str]] = {}


def model_hash(name: str) -> str:
    """Hash of a human model's numbers as they are now, 12 hexadecimal digits.

    ``UnknownModelError`` where there is none.
    """
    prior = load_prior(name)  # the same object until its file changes
    prior_known, found = _known.get(name, (None, ""))
    if prior_known is not prior:
        digest = hashlib.sha256()
        for numbers in (prior.weights, prior.plan, prior.numbers):
            digest.update(numbers.tobytes())
        found = digest.hexdigest()[:12]
        _known[name] = (prior, found)
    return found
