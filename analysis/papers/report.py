"""Put the results of the papers into the shipped table and the docs:
``python -m analysis.papers.report``.

Takes from the store what was made there at a larger scale than what is shipped. Writes
``data/tables/papers.json`` and ``docs/papers.md``; every figure of the latter is read from results;
and ``data/tables/paper_parts.jsonl.xz``, the parts that took long: a larger scale goes on from
them.
"""

import argparse
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from analysis.markdown import markdown_table
from analysis.papers import reproduce
from analysis.papers.belief_scores import FLOORS, POSTERIOR_TOLD, TOLD, load_scores
from analysis.papers.claims import texts_of
from analysis.papers.counting import totals_text
from analysis.papers.lab import COMMAND, SHIPPED, Lab, StoppedError
from analysis.runs.command import say, write_table
from analysis.runs.store import Question, ResultStore, pack, packed, version_of
from analysis.sweeps.sweep import behaviour_of_sweeps
from analysis.text_tables import shown
from spades.core.documents import read_json
from spades.core.paths import DATA, replacing

DOCS = DATA.parent / "docs" / "papers.md"
INTRODUCTION = """\
# Every published number beside ours

Written by `python -m analysis.papers.report` from stored results; the *Papers* page draws them.
All people are **simulated humans** (`devlin2016-nil`, bids calibrated to published figures):
there is no public log of human Spades.

*Agrees*: the 95% interval of ours lies within the published value widened by the margin of its
row (two one-sided tests); *differs*: outside; *can't tell*: neither, at this n. Win rates have a
margin of 4%, accuracies 1%, KL 0.01, points a round 2. Beside games won stand the points a round
by which their side is ahead.

A row counts as a published *number*, as a *direction* that a paper states without one, or as a
*table* of exact chances; *not again* where another row counts the same published number, for the
reason that stands below the rows. The number counted is that of the reading that the text
supports; other readings, listed apart, are not counted.

Sources: Whitehouse, Cowling, Powley, Rollason 2013: ISMCTS for Spades, the round evaluation.
Cowling, Powley, Whitehouse 2012: information set Monte Carlo tree search. Devlin, Anspoka,
Sephton, Cowling, Rollason 2016: the log-linear human model and its weights. Cohensius, Meir,
Oved, Stern 2020: BIS, nil value and success curves, the rival bidders, the rule-based players.
Dobre, Lascarides 2015: Flat-UCB seeded by a corpus. Baier, Sattaur, Powley, Devlin, Rollason,
Cowling 2018: networks of human play, the biased search. The papers name the abstract moves and
print no definitions: ours are a reconstruction, and the *Models* page shows every reading."""


def parts() -> list[tuple[str, Question]]:
    """Kind and question of what the figures are made of, at the scale that is shipped and at full
    scale."""
    shares, used = {one["share"] for one in reproduce.stored().values()}, []
    for share in sorted({*shares, 1.0}):
        for study in dict.fromkeys(figure.study for figure in reproduce.FIGURES):
            lab = Lab(share, is_cancelled=lambda: True)  # nothing is computed here
            with suppress(StoppedError):
                study.make(lab)
            used += lab.used
    return used


def is_asked(question: Question) -> bool:
    """Whether today's code asks for a shipped part: a figure that lacks a part lists none after it.
    What depends on no agent, or doesn't say on which, is kept."""
    if "baseline" in question:  # a sweep's
        return question["code"] == behaviour_of_sweeps()
    agents = question.get("agents", ())
    return not agents or version_of(*agents).items() <= question.items()


def text() -> str:
    """``docs/papers.md``."""
    known, found = reproduce.stored(), [INTRODUCTION]
    found.append(totals_text(known, len(reproduce.FIGURES)))
    source = ""
    for figure in reproduce.FIGURES:
        if document := known.get(figure.id):
            paper = figure.source.partition(",")[0]
            found += [f"## {paper}"] if paper != source else []
            source = paper
            found += _figure(figure, document)
    for section in (_beliefs, _pikl):
        found += section()
    return "\n\n".join(found) + "\n"


def _figure(figure: reproduce.Figure, document: Mapping[str, Any]) -> list[str]:
    title = figure.source.partition(", ")[2]
    scale = reproduce.scale_text(document["share"])
    why = dict.fromkeys(one["explanation"] for one in document["rows"] if one["explanation"])
    return [
        f"### {title[:1].upper()}{title[1:]}: {figure.title}",
        f"`{figure.command}`; scale of these: {scale}.",
        _claims(document["rows"]),
        *_not_again(document["rows"]),
        *why,
        *(["Other readings:", _readings(document["readings"])] if document["readings"] else []),
    ]


def _claims(rows: Sequence[dict[str, Any]]) -> str:
    lines = [("claim", "published", "ours", "n", "verdict", "counts as")]
    lines += [(*_cells(one), one["counts_as"]) for one in rows]
    return markdown_table(lines)


def _readings(rows: Sequence[dict[str, Any]]) -> str:
    lines = [("claim", "published", "ours", "n", "verdict"), *map(_cells, rows)]
    return markdown_table(lines)


def _cells(one: dict[str, Any]) -> tuple[str, str, str, str, str]:
    texts = texts_of(one)
    ours = f"{texts['ours']} [{texts['interval']}]"
    if texts["points"]:
        ours += f"; {texts['points']} points"
    return texts["claim"], texts["published"], ours, texts["n"], texts["verdict"]


def _not_again(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Why some rows are not counted."""
    reasons = dict.fromkeys(one["why_not_again"] for one in rows if one["why_not_again"])
    return [f"Not counted again: {' '.join(reasons)}"] if reasons else []


def _estimate(found: Mapping[str, Any], name: str, form: str) -> str:
    ends = found["interval"]
    return f"{shown(found[name], form)}" + (
        f" [{ends[0]:{form}}, {ends[1]:{form}}]" if ends else ""
    )


def _beliefs() -> list[str]:
    found = load_scores()
    if found is None:
        return []
    methods = ("uniform", "biased", *FLOORS, "posterior", "network", TOLD, POSTERIOR_TOLD)
    rows = [("", *methods)]
    for name, group in found["groups"].items():
        scores = group["parts"]["all"]["scores"]
        rows.append((name, *(_estimate(scores[one], "value", ".3f") for one in methods)))
    return [
        "## Beliefs about hidden cards",
        f"Nats a card on {found['rounds']} held-out rounds of each group (`{found['command']}`). "
        "The posterior knows the simulated humans' true model; told who plays, the rules' as well.",
        markdown_table(rows),
    ]


def _pikl() -> list[str]:
    found = read_json(DATA / "sweeps" / "pikl.json")
    rows = [("setting", "cards", "log-loss", "calibration error", "KL", "games won")]
    for one in found["settings"]:
        predicted, match = one["probabilities"], one["match"]
        won = "" if match is None else _estimate(match, "win_rate", ".1%")
        cards, kl = _estimate(one["accuracy"], "share", ".1%"), _estimate(one["kl"], "value", ".3f")
        losses = _estimate(predicted["log_loss"], "value", ".3f")
        rows.append((one["label"], cards, losses, f"{predicted['ece']:.1%}", kl, won))
    return [
        "## piKL (Jacob et al. 2022)",
        "Towards the model that the simulated humans of the log play by, which therefore no λ can "
        "foretell better than the model does. KL in nats, to the simulated humans.",
        markdown_table(rows),
    ]


def main() -> None:
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args()
    figures = dict(sorted(reproduce.documents().items()))
    write_table({"made_by": reproduce.COMMAND, "figures": figures}, reproduce.TABLE, indent=1)
    with replacing(DOCS) as temporary:
        temporary.write_text(text(), encoding="utf-8")
    kept = [(kind, asked) for kind, asked, _ in packed(SHIPPED, COMMAND) if is_asked(asked)]
    n = pack([*parts(), *kept], ResultStore(), SHIPPED)
    say(f"{reproduce.TABLE.name}, {SHIPPED.name} ({n:,} parts) and {DOCS.name} are written")


if __name__ == "__main__":
    main()
