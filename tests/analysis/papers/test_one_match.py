"""A match has one number, in whatever tables and figures it stands."""

from collections import defaultdict

from analysis.papers.results import LISTS, shipped_documents

PLAIN = "ismcts:iterations=2500"


def match_of(row):
    """Who meets whom by what rules; None where a row isn't of one match."""
    if "match" in row:
        return {name: row["match"][name] for name in row["match"] if name not in ("games", "seed")}
    agent, _, opponent = row.get("settings", "").partition(" against ")
    if not agent.startswith(("ismcts:", "direct:")):
        return None
    return {"ns": agent, "ew": opponent or PLAIN, "target": 500}  # of a sweep: against the plain


def test_a_match_has_one_number_everywhere():
    found = defaultdict(set)
    for document in shipped_documents().values():
        for row in (row for key in LISTS for row in document.get(key, [])):
            match = match_of(row)
            if match and row.get("unit") == "share of games":
                found[tuple(sorted(match.items()))].add((row["ours"], row["n"]))
    assert len(found) > 100
    assert {match: numbers for match, numbers in found.items() if len(numbers) > 1} == {}
