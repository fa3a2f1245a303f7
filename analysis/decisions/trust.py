"""How far judges are trusted: in cards by stratum, fitted by ``python -m experiments.fit_judge``,
in bids by ``python -m experiments.check_bids``."""

from functools import lru_cache

from analysis.decisions.estimate import Trust
from analysis.decisions.lenses import Scene
from analysis.phases import phase_of
from spades.core.cards import N_SEATS
from spades.core.documents import load_object, read_text
from spades.core.observation import Observation
from spades.core.paths import DATA

SEARCHES_ALONE = Trust({"search": 1.0}, spread=10.0, drift=0.0)
"""For decisions without known bids, and where the chance to win the game counts: the quick players
give no values there. Not fitted."""
PATH = DATA / "tables" / "judge.json"
BIDS_PATH = DATA / "tables" / "bids.json"


def trust_in(observation: Observation) -> Trust:
    """The trust in judges of a decision, by ``stratum_of``."""
    return trusts()[stratum_of(observation)]


def stratum_of(observation: Observation) -> str:
    """The stratum of a decision, by whether a nil is alive and the phase of the round."""
    scene = Scene(observation)
    has_nil = any(map(scene.nil_alive, range(N_SEATS)))
    return stratum_name(phase_of(len(observation.table.plays)), has_nil=has_nil)


def stratum_name(phase: str, *, has_nil: bool) -> str:
    """``late, nil``."""
    return f"{phase}, nil" if has_nil else phase


@lru_cache(maxsize=1)
def trusts() -> dict[str, Trust]:
    """By ``stratum_name``."""
    strata = load_object(read_text(PATH))["strata"]
    return {name: Trust(**row) for name, row in strata.items()}


@lru_cache(maxsize=1)
def trust_in_bids() -> Trust:
    """The trust in the network as a judge of bids."""
    return Trust(**load_object(read_text(BIDS_PATH))["trust"])
