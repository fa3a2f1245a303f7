"""Arena: agents against agents on common deals, the league of matches, ``best``, and judges."""

from analysis.matches.match import MATCH
from analysis.runs.store import ResultStore
from ui.arena import best, judges, league, match
from ui.arena.match import page
from ui.shared.jobs import show_jobs

SHOW = {"league": league.show, "match": match.show, "best": best.show, "judges": judges.show}

if __name__ == "__main__":
    with page.open("Arena"):
        view = page.view("View", "view")
        show_jobs("arena", made=lambda: ResultStore().stamp(MATCH))
        SHOW[view]()
        page.write(match.SHOWN[page.get("view")])
