"""One player's rates of points, sets, nils and bags, against a cohort's."""

import pandas as pd
import streamlit as st

from analysis.people.players import seats_of_player
from analysis.people.rates import MEASURES, SHARES, compare_rates, trials_of
from analysis.text_tables import shown, span
from spades.core.records import BOT, KINDS
from spades.notation.log_store import content_hash
from ui.players.state import page, pick_player
from ui.shared.records import opened, readable_logs
from ui.shared.tables import show_frame
from ui.shared.widgets import row, show_info, show_note


def show() -> None:
    log, player = pick_player()
    with row():
        hint = "The people of this log, simulated ones too, are whom the player is compared to."
        cohort = page.select("Cohort", "cohort", list(readable_logs()), width=260, help=hint)
    table = _compared((log, content_hash(log)), player, (cohort, content_hash(cohort)))
    n = int(table["cohort_n"].max())
    if not n:
        show_info("The cohort's log has no whole round of people, simulated or not.", "group")
        return
    show_frame(pd.DataFrame([_texts(one) for one in table.to_dict("records")]))
    show_note(
        f"{player} in {log} against {n:,} rounds of the people of {cohort}. In brackets: 95%. "
        "Percentile: the share of samples of the cohort, as large as the player's, that lie below; "
        "by chance alone it is anywhere from 0 to 100."
    )


@st.cache_data(max_entries=32, show_spinner="Counting ...")
def _compared(of: tuple[str, str], player: str, cohort: tuple[str, str]) -> pd.DataFrame:
    own, others = opened(of[0]), opened(cohort[0])
    mine, people = seats_of_player(own, player), others.kind != KINDS.index(BOT)
    return compare_rates(trials_of(own, mine), trials_of(others, people))


def _texts(one: dict) -> dict[str, str]:
    """A row of the comparison as it is read."""
    form = ".1%" if one["measure"] in SHARES else ".2f"

    def text(who: str) -> str:
        value, within = shown(one[who], form), span((one[f"{who}_low"], one[f"{who}_high"]), form)
        return f"{value} ({within}), n = {one[f'{who}_n']:,}"

    return {
        "Rate": MEASURES[one["measure"]],
        "Player": text("own"),
        "Cohort": text("cohort"),
        "Percentile": shown(100 * one["percentile"], ".0f"),
    }
