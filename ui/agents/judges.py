"""Judges of decisions held against rounds played out."""

from analysis.decisions import judges
from ui.agents.state import page
from ui.shared.panel import Panel
from ui.shared.states import show_empty
from ui.shared.tables import count, number, percent, with_ends
from ui.shared.widgets import errors_shown

COLUMNS = {
    "judge": "Judge",
    "decisions": count("Decisions"),
    **with_ends("slope", "Realised", "%.2f", "Points realised for a point that is claimed."),
    "explained": percent("Explained", "Share of the realised leads' spread beyond their noise."),
    "clear": count("Clear"),
    **with_ends(
        "overturned",
        "Overturned",
        hint="Of the clear ones: another card is better by over a point and two standard errors.",
    ),
    **with_ends("open", "Open", hint="Decisions that lean or on which judges differ."),
    "seconds": number("Seconds", "%.1f", "Of one core, a decision."),
}


@errors_shown()
def show() -> None:
    panel = Panel("judges", "How far judges are right")
    found = judges.measured()
    if found is None:
        show_empty(f"Nothing is measured yet: `{judges.COMMAND}` compares them.", "science")
        return
    with panel.question:
        page.select("Decisions", "stratum", judges.strata(found), width=320)
    panel.answer(judges.judges_sentence(found))
    table = judges.judges_table(found, page.get("stratum"))
    note = (
        "On the half of the truth set that nothing was fitted to: decisions of strong agents and "
        "simulated humans whose cards four strong agents, each shown its own hand alone, have "
        f"played out in 1,000 deals each. Measured by `{found['made_by']}`."
    )
    panel.table(table, COLUMNS, note, column_order=list(COLUMNS))
