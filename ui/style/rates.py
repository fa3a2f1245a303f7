"""One player's rates of points, sets, nils and bags, against a cohort's."""

import pandas as pd
import streamlit as st

from analysis.people.players import seats_of_player
from analysis.people.rates import MEASURES, SHARES, compare_rates, trials_of
from analysis.text_tables import shown, span
from spades.core.records import BOT, KINDS
from spades.notation.log_store import content_hash
from ui.shared.records import opened, readable_logs
from ui.shared.states import show_empty
from ui.shared.tables import show_frame
from ui.shared.widgets import row, show_note
from ui.style.state import page, pick_player


def show() -> None:
    log, player = pick_player()
    with row():
        hint = "The player is compared with the people of this log, simulated ones included."
        cohort = page.select("Cohort", "cohort", list(readable_logs()), width=260, help=hint)
    own_key = (log, content_hash(log))
    cohort_key = (cohort, content_hash(cohort))
    table = _compared(own_key, player, cohort_key)
    n = int(table["cohort_n"].max())
    if not n:
        show_empty("The cohort's log has no whole round of people, simulated or not.", "group")
        return
    rows = [_texts(rates) for rates in table.to_dict("records")]
    show_frame(pd.DataFrame(rows))
    show_note(
        f"{player} in {log} against {n:,} rounds of the people of {cohort}. In brackets: 95%. "
        "Percentile: the share of samples of the cohort, as large as the player's, that are lower; "
        "by chance alone it is anywhere from 0 to 100."
    )


@st.cache_data(max_entries=32, show_spinner="Counting ...")
def _compared(log: tuple[str, str], player: str, cohort: tuple[str, str]) -> pd.DataFrame:
    """``log`` and ``cohort``: names of logs, and their content hashes for the cache."""
    own_log = opened(log[0])
    cohort_log = opened(cohort[0])
    own = trials_of(own_log, seats_of_player(own_log, player))
    people = trials_of(cohort_log, cohort_log.kind != KINDS.index(BOT))
    return compare_rates(own, people)


def _texts(rates: dict) -> dict[str, str]:
    """A row of the comparison as texts."""
    form = ".1%" if rates["measure"] in SHARES else ".2f"

    def text(prefix: str) -> str:
        value = shown(rates[prefix], form)
        interval = span((rates[f"{prefix}_low"], rates[f"{prefix}_high"]), form)
        return f"{value} ({interval}), n = {rates[f'{prefix}_n']:,}"

    return {
        "Rate": MEASURES[rates["measure"]],
        "Player": text("own"),
        "Cohort": text("cohort"),
        "Percentile": shown(100 * rates["percentile"], ".0f"),
    }
