"""Review of the whole hand: points given away, the costliest plays, contracts and nils."""

from functools import partial

import pandas as pd
import streamlit as st

from analysis.bidding.judged import BIDDER, HINT
from analysis.bidding.judged import PLAYER as BID_PLAYER
from analysis.decisions.conclusion import estimate_text
from analysis.decisions.evidence import BUDGET_SECONDS
from analysis.decisions.hindsight import PLAYER as HINDSIGHT_PLAYER
from analysis.decisions.hindsight import ROUNDS
from analysis.decisions.judge import PLAYER, judge_settings
from analysis.decisions.settings import AnalysisSettings
from analysis.plots.decisions import plot_chances
from analysis.records import frame_of, is_missing
from analysis.review.plays import TALLY_COLUMNS
from analysis.review.round import Review, RoundEvidence, chance_sentence, score_sentence
from analysis.runs.jobs import Job
from spades.look.words import pretty
from ui.replay import state
from ui.replay.judging import conclusions_so_far, review_jobs, review_key
from ui.replay.panel import POLL_SECONDS, Here, show_cancellable
from ui.replay.state import page
from ui.shared.cards import with_red
from ui.shared.options import model_label
from ui.shared.page import draw_again, literal, poll_seconds
from ui.shared.panel import Panel
from ui.shared.states import show_empty
from ui.shared.tables import columns_of
from ui.shared.widgets import show_button


def show_review(here: Here) -> None:
    if reason := _why_hidden(here):
        st.caption(reason)
        return
    settings = judge_settings(state.settings())
    key = review_key(here.record, state.settings())
    make = partial(RoundEvidence, here.record, settings)
    job = review_jobs().start(key, make, restart=False)
    if job.work.found is None:
        _show_progress(key, job)
    else:
        conclusions = conclusions_so_far(here.record, state.settings(), page.get("budget"))
        _show_found(job.work.review_by([found for found, _ in conclusions]), settings)


def _why_hidden(here: Here) -> str:
    """Why the reader may not see a review of every play; empty if nothing forbids it."""
    if not here.record.plays:
        return "No play is recorded."
    if here.is_spoiler:
        return "Hidden in spoiler mode until you look (M): it shows every play."
    if here.hands == "own" and not here.is_over:
        return "The other hands are hidden, and the review names their cards: step to the end."
    return ""


def _show_progress(key: str, job: Job[RoundEvidence]) -> None:
    work = job.work
    total = len(work.record.plays)
    if job.error is not None:
        show_empty(literal(f"Not reviewed: {job.reason}"), icon="search_off")
        return
    if job.is_finished:
        st.caption(f"Reviewed to ply {work.n_done} of {total}; what is done is stored.")
        start = partial(review_jobs().start, key, lambda: work)
        show_button("Go on", "play_arrow", page.key("review_start"), start)
        return

    @st.fragment(run_every=poll_seconds(POLL_SECONDS))
    def progress() -> None:
        text = f"Reviewed to ply {work.n_done} of {total}"
        show_cancellable(job, "review_cancel", work.n_done / total, text)
        if job.is_finished:
            draw_again()

    progress()


def _show_found(found: Review, settings: AnalysisSettings) -> None:
    unjudged = f" {found.unjudged} plays were not judged in time." if found.unjudged else ""
    note = (
        "Points that a play's class of cards is behind the best one, 0 where it is as good, by "
        f"rounds that four of `{PLAYER}` play on, up to {BUDGET_SECONDS:g} s of a core a decision; "
        "in the last tricks by solving all possible deals. SE: holds the judge's own errors. "
        f"As the cards lay: from the true deal, which four of `{HINDSIGHT_PLAYER}` play on "
        f"{ROUNDS} times, each shown its own hand; luck is what was given away less that. Humans: "
        f"{model_label(settings.models[0])}.{unjudged}"
    )
    Panel("review").table(tally_table(found), columns_of(TALLY_COLUMNS), note)
    _show_costliest(found)
    _show_bids(found)
    if found.chances:
        Panel("chances").figure(
            plot_chances(found),
            "From the rounds played on: the mean of the four seats' latest, each from its own "
            "hand; 0 or 1 once tricks decide. Triangles: the costliest play of "
            "the side itself, compared with the best card there.",
        )
    sentences = [chance_sentence(found, chance) for chance in found.chances]
    if found.score is not None:
        sentences.append(score_sentence(found))
    st.markdown("\n".join(f"- {sentence}" for sentence in sentences))


def _show_bids(found: Review) -> None:
    """Each bid with the conclusion on it."""
    if not found.bids:
        return
    lines = ["**The bids**", *(f"- {bid.text()}" for bid in found.bids)]
    st.markdown("\n".join(lines))
    st.caption(
        f"Each bid is tried on the same deals, in which `{BIDDER}` makes the bids before and after "
        f"it; four of `{BID_PLAYER}`, each shown its own hand, play them. Points of the round for "
        f"the bidder's side, up to {BUDGET_SECONDS:g} s a bid.",
        help=HINT,
    )


def tally_table(found: Review) -> pd.DataFrame:
    """What each seat and partnership gave away, to show and to download."""
    return frame_of((*found.seats, *found.partnerships), TALLY_COLUMNS)


def _show_costliest(found: Review) -> None:
    if not found.costliest:
        st.markdown("No play gave away a point.")
        return
    st.markdown("**The costliest plays**; a click leads there:")
    for play in found.costliest:
        best = " or ".join(map(pretty, play.best))
        given_away = estimate_text(play.given_away, play.se)
        label = f"{found.play_text(play.ply)}: {given_away}, best {best}"
        if not play.is_settled:
            label += ", not settled"
        if not is_missing(play.hindsight):
            label += f"; as the cards lay {estimate_text(play.hindsight, play.hindsight_se)}"
        key = page.key(f"review_ply_{play.ply}")
        show_button(with_red(label), "arrow_forward", key, state.go_to, play.ply, type="tertiary")
