"""Long work of the Arena page: matches, round robins, games played again for Replay."""

from __future__ import annotations

from typing import Any

from analysis.matches.logs import log_name, store_first_games
from analysis.matches.match import MatchPlan, play_match
from analysis.matches.round_robin import RoundRobin, play_round_robin
from analysis.runs.jobs import Job
from ui.shared.jobs import WORKERS, job_book


def start_match(plan: MatchPlan) -> None:
    def work(job: Job) -> None:
        play_match(plan, workers=WORKERS, tell=job.tell, is_cancelled=lambda: job.is_stopping)

    title = f"{plan.ns} against {plan.ew}, {plan.games:,} games"
    job_book().start(title, work, subject=plan.key)


def start_round_robin(robin: RoundRobin) -> None:
    def work(job: Job) -> None:
        play_round_robin(
            robin, workers=WORKERS, tell=job.tell, is_cancelled=lambda: job.is_stopping
        )

    title = f"Round robin of {len(robin.agents)} agents, {len(robin.plans)} matches"
    job_book().start(title, work, subject=robin.key)


def start_log(plan: MatchPlan, document: dict[str, Any]) -> None:
    def work(job: Job) -> None:
        store_first_games(plan, document, tell=job.tell, is_cancelled=lambda: job.is_stopping)

    title = f"Games of {plan.ns} against {plan.ew} for Replay"
    job_book().start(title, work, subject=log_name(plan.key))
