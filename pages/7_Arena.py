"""Arena: agent against agent on common deals, the league of all matches stored, and ``best``."""

from analysis.matches.match import MATCH
from analysis.runs.store import ResultStore
from ui.arena import best, league, match
from ui.arena.match import page
from ui.shared.jobs import show_jobs

SHOW = {"league": league.show, "match": match.show, "best": best.show}

if __name__ == "__main__":
    with page.open("Arena"):
        view = page.view("View", "view")
        show_jobs("arena", made=lambda: ResultStore().stamp(MATCH))
        SHOW[view]()
        page.write(match.SHOWN[page.get("view")])
