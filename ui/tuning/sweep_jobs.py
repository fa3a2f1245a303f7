"""Sweeps run beside the pages: queued once each, stopped and resumed."""

from __future__ import annotations

from analysis.runs.jobs import Job
from analysis.sweeps.run import run_sweep
from analysis.sweeps.sweep import SweepPlan
from ui.shared.jobs import WORKERS, job_book


def start_sweep(plan: SweepPlan) -> None:
    def work(job: Job) -> None:
        run_sweep(plan, workers=WORKERS, tell=job.tell, is_cancelled=lambda: job.is_stopping)

    title = f"{plan.title or plan.name}, {len(plan.settings)} settings"
    job_book().start(title, work, subject=plan.key)


def is_under_way(plan: SweepPlan) -> bool:
    return job_book().under_way(plan.key) is not None
