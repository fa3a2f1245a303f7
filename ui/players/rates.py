"""One player's rates of points, sets, nils and bags, against a cohort's."""

import pandas as pd
import streamlit as st

from analysis.people.rates import MEASURES, SHARES, compare_rates, trials_of
from spades.core.errors import SpadesError
from spades.core.records import BOT, KINDS
from spades.notation.log_store import content_hash
from ui.players.state import page, pick_player
from ui.shared.records import opened
from ui.shared.tables import show_frame
from ui.shared.widgets import row, show_error, show_info, show_note


def show() -> None:
    try:
        log, player = pick_player()
        with row():
            hint = "The people of this log, simulated ones too, are whom the player is compared to."
            cohort = page.select("Cohort", "cohort", width=260, help=hint)
        if not player:
            show_info("This log names no players.", "person")
            return
        table = _compared((log, content_hash(log)), player, (cohort, content_hash(cohort)))
    except SpadesError as error:
        show_error(error)
        return
    n = int(table["cohort_n"].max())
    if not n:
        show_info("The cohort's log has no whole round of people, simulated or not.", "group")
        return
    show_frame(pd.DataFrame([_texts(one) for one in table.to_dict("records")]))
    show_note(
        f"{player} in {log} against the people of {cohort}, simulated ones too, {n:,} rounds of a "
        "seat. In brackets 95% intervals. The percentile: the share of samples of the cohort, as "
        "large as the player's, that lie below; by chance alone it is anywhere from 0 to 100."
    )


@st.cache_data(max_entries=32, show_spinner="Counting ...")
def _compared(of: tuple[str, str], player: str, cohort: tuple[str, str]) -> pd.DataFrame:
    own, others = opened(of[0]), opened(cohort[0])
    seats = own.player_code == own.players.index(player)
    people = others.kind != KINDS.index(BOT)
    return compare_rates(trials_of(own, seats), trials_of(others, people))


def _texts(one: dict) -> dict[str, str]:
    """A row of the comparison as it is read."""
    form = "{:.1%}" if one["measure"] in SHARES else "{:.2f}"

    def text(who: str) -> str:
        if not one[f"{who}_n"]:
            return "–"
        ends = [one[f"{who}_low"], one[f"{who}_high"]]
        within = " to ".join(map(form.format, ends)) if ends[0] == ends[0] else "unknown"
        return f"{form.format(one[who])} ({within}), n = {one[f'{who}_n']:,}"

    place = one["percentile"]
    return {
        "Rate": MEASURES[one["measure"]],
        "Player": text("own"),
        "Cohort": text("cohort"),
        "Percentile": "–" if place != place else f"{100 * place:.0f}",
    }
