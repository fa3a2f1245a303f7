"""The comparison of all human models, and the weights of Devlin 2016."""

from collections.abc import Sequence
from typing import Any

from analysis.models import tables
from analysis.models.comparison import measure_own
from analysis.models.training import own_names
from analysis.plots.models import plot_comparison, plot_weights
from analysis.runs.store import ResultStore
from spades.core.errors import SpadesError
from spades.human.features.abstract_moves import DEFINITIONS_NOTE
from ui.agents.state import page
from ui.shared.jobs import show_jobs, show_start, start_job
from ui.shared.options import model_label
from ui.shared.page import literal
from ui.shared.panel import Panel
from ui.shared.states import show_empty
from ui.shared.tables import count, number, percent, text, with_ends

COLUMNS = {
    "model": text("Model", width=230),
    **with_ends("accuracy", "Accuracy", hint="Its likeliest legal card was played."),
    "share_of_ceiling": percent("Of the ceiling"),
    "illegal_first": percent(
        "Illegal first",
        "Share of illegal cards among the first choices of all cards. Empty for models that are "
        "given the legal cards. Published: 0.05%.",
        step=1e-4,
    ),
    "log_loss": number("Log-loss", "%.4f", "Nats a card."),
    "kl_to_truth": number("KL to truth", "%.4f", "Nats, from the simulated human's own."),
    "ece": number("ECE", "%.4f", "Expected calibration error."),
    "accuracy_moves": percent("On abstract moves"),
    "published": percent("Published", "Real humans, Baier 2018."),
    "decisions": count("Decisions"),
    "parameters": count("Parameters"),
    "epochs": "Epochs",
    "seconds": number("Training, s", "%.0f"),
}
FEATURE_COLUMNS = {
    "feature": text("Feature", width=290),
    "weight": number("Weight", "%+.2f", "In nats."),
    "reading": text("Our reading of the paper"),
}
MOVE_COLUMNS = {
    "abstract move": "Abstract move",
    "category": "Category",
    "position": "Position",
    "classes of 68": number("Classes of 68", hint="Into how many of the 68 it splits, by suit."),
}


def show_compare() -> None:
    show_jobs("agents", made=lambda: ResultStore().stamp(tables.MEASURED))
    try:
        document = tables.read_comparison()
        own = tables.own_rows(document)
    except SpadesError as error:
        show_empty(literal(str(error)), "info")
        return
    _show_own([row["model"].removesuffix(tables.YOURS) for row in own], document)
    table = tables.comparison_table({**document, "models": [*document["models"], *own]})
    panel = Panel("models")
    with panel.question:
        measure = page.segments("Compare by", "measure")
    ceiling = next(iter(table["ceiling"].dropna()), None)
    labels = {name: model_label(name) for name in table["model"]}
    figure = plot_comparison(table, measure, labels, ceiling=ceiling)
    panel.figure(figure, _origin_text(document, ceiling))
    equal = document["equal_states"]["hand_and_table"]
    note = ""
    if equal["disagree"] is not None:
        note = (
            f"Equal states: {equal['duplicated']:.1%} of decisions share hand and table with "
            f"another (published: under 10%); there {equal['disagree']:.1%} don't play the "
            f"commonest card (published: 20%). Made by `{document['made_by']}`, code "
            f"{document['code']}."
        )
    panel.table(table[[*COLUMNS]].replace({"model": labels}), COLUMNS, note)


def _show_own(measured: Sequence[str], document: dict[str, Any]) -> None:
    """A button that adds the user's own models to the comparison."""
    missing = [name for name in own_names() if name not in measured]
    if not missing:
        return
    names = ", ".join(missing)
    show_start(
        "Add my models",
        f"{names}: not measured yet on the rounds of the comparison; about a minute each.",
        page.key("add_own"),
        start_job,
        "Your models in the comparison",
        "models compared",
        measure_own,
        missing,
        document,
        icon="add",
    )


def _origin_text(document: dict[str, Any], ceiling: float | None) -> str:
    fresh = document["fresh"]
    training = document["training"]
    ceiling_text = "" if ceiling is None else f": {ceiling:.1%}"
    return (
        f"Trained on {training['plays']:,} plays of four **simulated humans**, measured on "
        f"{fresh['plays']:,} plays of {fresh['rounds']:,} fresh rounds; bars: 95% intervals, a "
        "game counting once. The simulated human's own probabilities are known, and so is the best "
        f"accuracy that any model can have, the ceiling{ceiling_text}. Published accuracies are of "
        "real humans, whose ceiling is unknown. Your own models are green; they were trained on "
        "other data."
    )


def show_weights() -> None:
    panel = Panel("weights")
    panel.answer(
        "**Devlin 2016** is a log-linear model: a card's strength is the sum of the weights of "
        "its features, and a human plays it with the softmax of that strength over the legal "
        "cards. The weights are the published ones, fitted to 189,770 plays of AI Factory's "
        "players; published test accuracy 44.96%, a random legal card 29.39%."
    )
    features = tables.feature_table()
    panel.figure(
        plot_weights(features),
        "Weight of each feature, in nats: +0.69 doubles the odds of a card over another legal "
        "card.",
    )
    panel.export(features, "features")
    in_context = features[features["reading"] != ""]
    Panel("features", "The ten features of context").table(in_context, FEATURE_COLUMNS)
    Panel("moves", "Abstract moves").table(tables.move_table(), MOVE_COLUMNS, DEFINITIONS_NOTE)
