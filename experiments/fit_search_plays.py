"""Fit how ISMCTS plays: ``python -m experiments.fit_search_plays``.

The searches that the belief network learned from play rounds of other seeds (they stay in
``--rounds FOLDER``); the log-linear model of human play, 45 features, is fitted to all four seats.
Writes ``data/beliefs/search-plays.safetensors``, which ``spades.belief.players`` weighs deals by,
in some six minutes on one core."""

from analysis.runs.command import say
from experiments.command import number
from experiments.train_beliefs import SOURCES, log_of, read_options
from spades.belief.players import FILE, SEARCH
from spades.core.logs import concatenate
from spades.human.features.logs import ALL_SEATS, examples_of_log
from spades.human.loglinear import FitOptions, LogLinearModel

N_ROUNDS = 6_000
OTHER_SEEDS = 1_000
OPTIONS = FitOptions(has_nil=True, passes=10, repeats=1, polish=True)


def main() -> None:
    options = read_options(__doc__, FILE, number("--n", N_ROUNDS, "rounds of each search"))
    searches = [source for source in SOURCES if source.kind == SEARCH]
    logs = []
    for search in searches:
        others = search._replace(rounds=options.n, seed=search.seed + OTHER_SEEDS)
        logs.append(log_of(others, options.rounds, options.workers))
    examples = examples_of_log(concatenate(logs), ALL_SEATS)
    model = LogLinearModel(FILE.stem, options=OPTIONS)
    model.fit(examples, tell=lambda progress: say(progress.text()))
    model.save(options.out)


if __name__ == "__main__":
    main()
