"""A model measured for the comparison of all models."""

from collections.abc import Callable, Sequence

from analysis.models.measures import model_measures
from analysis.models.tables import MEASURED, own_question
from analysis.runs.progress import Progress
from analysis.runs.store import ResultStore
from spades.core.documents import Document
from spades.human import load_model, simulate_humans
from spades.human.features.logs import Examples, examples_of_log
from spades.human.model import HumanModel


def measure_own(
    names: Sequence[str],
    document: Document,
    *,
    tell: Callable[[Progress], None],
    is_cancelled: Callable[[], bool],
) -> None:
    """Measure the user's own models on the rounds of the comparison; stored for ``own_rows``."""
    fresh = document["fresh"]
    store = ResultStore()
    examples = examples_of_log(simulate_humans(fresh["rounds"], fresh["seed"]))
    for i, name in enumerate(names):
        tell(Progress(len(names), i, "models"))
        if is_cancelled():
            return
        row = comparison_row(name, load_model(name), examples)
        store.put(MEASURED, own_question(name, document), row)


def comparison_row(name: str, model: HumanModel, fresh: Examples) -> Document:
    """What the comparison says of one model: measures on fresh rounds, how it was trained."""
    facts = getattr(model, "facts_", {})
    return {
        "model": name,
        **{key: facts.get(key) for key in ("epochs", "seconds", "options", "seed")},
        "parameters": sum(tensor.size for tensor in model.tensors().values()),
        **model_measures(model, fresh),
    }
