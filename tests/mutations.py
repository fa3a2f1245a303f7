"""Changes of formulas, each of which a fast test must catch: ``python -m tests.mutations``.

Each is made in a copy of the code; the tests named for it must then fail, in plain Python
(``NUMBA_DISABLE_JIT=1``: nothing is compiled). Numbers choose some of them.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Self

from tests.formula_mutations import FORMULAS_BY_PAPER, OF_OTHERS
from tests.paper_mutations import BY_PAPER, Mutation

ROOT = Path(__file__).parents[1]
COPIED = "spades", "analysis", "tests"


TWIN = "tests/search/test_twin.py::test_the_search_finds_what_its_twin_finds"
BANDIT, SELECT = "spades/search/bandit.py", "spades/search/select.py"
KNOWLEDGE = "spades/search/techniques/knowledge.py"
EXPERIENCE = "spades/search/techniques/experience.py"
FLAT_UCB, SKEW = "tests/search/test_flat_ucb.py", "spades/search/skew.py"
UCT, TEST_UCT = "spades/agents/players/uct.py", "tests/agents/test_uct.py"
HANDS, BIS, RIVALS = (f"spades/bidding/{name}.py" for name in ("hands", "bis", "rivals"))
SCORING, TEST_SCORING = "spades/core/scoring.py", "tests/core/test_scoring.py"
PERSON, TEST_PERSON = "spades/human/person.py", "tests/human/test_person.py"
CORPUS, OWNERS = "spades/human/corpus.py", "spades/belief/owners.py"
DEALING = "spades/belief/determinizations/biased.py"

MUTATIONS = (
    # ISMCTS
    Mutation(
        "UCB1: C ln n in place of C sqrt(ln n)",
        BANDIT,
        "exploration * np.sqrt(np.log(n))",
        "exploration * np.log(n)",
        f"{TWIN}[standard]",
    ),
    Mutation(
        "a suite: wrong cards pass too",
        "analysis/suites/run.py",
        "for name in PASSING)",
        "for name in LISTS)",
        "tests/analysis/suites/test_run.py::test_a_wrong_card_does_not_pass",
    ),
    Mutation(
        "UCB1: 1 / n in place of 1 / sqrt(n)",
        BANDIT,
        "1 / np.sqrt(n)]",
        "1 / n]",
        f"{TWIN}[standard]",
    ),
    Mutation(
        "rewards: the scale halved",
        BANDIT,
        "[1 / (reward_scale * n)",
        "[2 / (reward_scale * n)",
        f"{TWIN}[standard]",
    ),
    Mutation(
        "selection: availability not counted",
        SELECT,
        "available = tree.nodes[child, AVAILABILITY] + 1\n",
        "available = tree.nodes[child, AVAILABILITY]\n",
        f"{TWIN}[standard]",
    ),
    Mutation(
        "selection: C sqrt(ln n) of the card's own visits",
        BANDIT,
        "mean + scales[1, np.uintp(available)] *",
        "mean + scales[1, np.uintp(visits)] *",
        f"{TWIN}[standard]",
    ),
    Mutation(
        "backpropagation: rewards of the other side",
        "spades/search/tree.py",
        "+= -reward if nodes[node, TEAM] else reward",
        "+= reward if nodes[node, TEAM] else -reward",
        f"{TWIN}[standard]",
    ),
    Mutation(
        "backpropagation: the last node left out",
        "spades/search/tree.py",
        "for i in range(np.int64(depth) + 1):",
        "for i in range(np.int64(depth)):",
        f"{TWIN}[standard]",
    ),
    # biases and skew
    Mutation(
        "knowledge bias: K / (n + K) without the root",
        KNOWLEDGE,
        "(c_bt * np.sqrt(k / (np.arange(room + 2) + k)))",
        "(c_bt * (k / (np.arange(room + 2) + k)))",
        f"{TWIN}[knowledge]",
    ),
    Mutation(
        "knowledge bias: one visit late",
        KNOWLEDGE,
        "self.strengths[np.uintp(visits)]",
        "self.strengths[np.uintp(visits + 1)]",
        f"{TWIN}[knowledge]",
    ),
    Mutation(
        "equivalent experience: w visits, but no mean",
        EXPERIENCE,
        "points += (tree.priors[child, PRIOR] - _HALF) * self.points\n",
        "pass\n",
        f"{TWIN}[experience]",
    ),
    Mutation(
        "equivalent experience: availability grows by w, not by m w",
        EXPERIENCE,
        "available + tree.nodes[child, N_CHOICES] * w",
        "available + w",
        f"{TWIN}[experience]",
    ),
    Mutation(
        "delay: one visit late",
        "spades/search/ismcts.py",
        "tree.nodes[node, VISITS] >= bias.delay",
        "tree.nodes[node, VISITS] > bias.delay",
        f"{TWIN}[knowledge, delayed]",
    ),
    Mutation(
        "skew: t / (k + t) in place of k / (k + t)",
        SKEW,
        "skew.k / (skew.k + t) * scaled",
        "t / (skew.k + t) * scaled",
        f"{TWIN}[skew]",
    ),
    Mutation(
        "piKL: exp(Q lambda) in place of exp(Q / lambda)",
        "spades/search/techniques/pikl.py",
        "(behind / lambda_ if lambda_",
        "(behind * lambda_ if lambda_",
        "tests/search/test_pikl.py::test_the_policy_is_that_worked_by_hand",
    ),
    # Flat-UCB and the corpus
    Mutation(
        "Flat-UCB: ln n in place of 2 ln n",
        "spades/search/flat.py",
        "math.sqrt(2.0 * math.log(n) / n_i)",
        "math.sqrt(math.log(n) / n_i)",
        f"{FLAT_UCB}::test_every_iteration_is_that_of_the_formula",
    ),
    Mutation(
        "Flat-UCB: seeds that aren't counted as playouts",
        "spades/search/flat.py",
        "return Arms(cards, seeded, seeded * np.nan_to_num(values)",
        "return Arms(cards, seeded, np.nan_to_num(values)",
        f"{FLAT_UCB}::test_a_seed_is_ten_visits_at_its_value",
    ),
    Mutation(
        "UCT for play: sqrt(2 ln n / n_i) in place of sqrt(ln n / n_i)",
        UCT,
        "math.sqrt(math.log(n) / arms.visits[i])",
        "math.sqrt(2 * math.log(n) / arms.visits[i])",
        f"{TEST_UCT}::test_a_bound_is_the_mean_and_c_times_the_root_of_ln_n_by_visits",
    ),
    Mutation(
        "a model at a temperature: P^T in place of P^(1/T)",
        "spades/agents/players/tempered.py",
        "(logs - logs.max()) / temperature",
        "(logs - logs.max()) * temperature",
        "tests/agents/test_tempered.py::test_probabilities_at_a_temperature",
    ),
    Mutation(
        "thoughtful: cards are worth what they are alone, not with their class",
        "spades/agents/players/thoughtful.py",
        "total += np.exp(logits[i] - top)",
        "total = np.exp(logits[i] - top)",
        "tests/agents/test_thoughtful.py::test_a_card_is_worth_what_its_class_has_in_all",
    ),
    Mutation(
        "thoughtful: the lowest of a class gets no more than it has",
        "spades/agents/players/thoughtful.py",
        "p[classes[i]] += moved",
        "p[i] += moved",
        "tests/agents/test_thoughtful.py::test_the_lowest_of_a_class_gets_a_share_of_the_others",
    ),
    Mutation(
        "corpus: relevance as the sum of both cosines",
        CORPUS,
        "(alike + best * pair_norms[1, p]) / 2",
        "(alike + best * pair_norms[1, p])",
        "tests/human/test_corpus_relevance.py::test_relevance_is_the_mean_of_two_cosines",
    ),
    # beliefs
    Mutation(
        "uniform deals: splits weighed alike",
        "spades/belief/determinize.py",
        "        total += deals\n                rows",
        "        total += 1.0\n                rows",
        "tests/belief/test_determinize.py::test_deals_are_uniform[one void]",
    ),
    Mutation(
        "the network's deals: the second hand's chance without the first's",
        OWNERS,
        "np.int64(to_first_or_second / total * DRAW_RANGE)",
        "np.int64(to_second / total * DRAW_RANGE)",
        "tests/belief/test_owners.py::test_shares_are_those_of_all_deals",
    ),
    Mutation(
        "the network's deals: a deal's chance by the owners one seat before",
        OWNERS,
        "second = deals[i, (seat + 2) & 3]\n        third = deals[i, (seat + 3) & 3]",
        "second = deals[i, (seat + 1) & 3]\n        third = deals[i, (seat + 2) & 3]",
        "tests/belief/test_owners.py::test_the_chance_of_a_deal_is_known",
    ),
    Mutation(
        "the network's deals: their total chance with two owners swapped",
        OWNERS,
        "more[1:] += first * ways[:-1]",
        "more[1:] += second * ways[:-1]",
        "tests/belief/test_owners.py::test_the_chance_of_a_deal_is_known",
    ),
    Mutation(
        "the posterior: strengths of hands with and without a boss taken for one",
        "spades/belief/likelihood.py",
        "has_boss = np.int64(hand & bosses != 0)",
        "has_boss = np.int64(hand & bosses == hand)",
        "tests/belief/test_likelihood.py::test_plays_are_weighed_as_one_by_one",
    ),
    Mutation(
        "every deal: who leads the first spade may hold other cards",
        "spades/core/rules.py",
        "self.bare[seat] = True",
        "self.bare[seat] = False",
        "tests/belief/test_beliefs.py::test_every_deal_agrees_with_what_was_seen",
    ),
    Mutation(
        "biased deals: a bid still lacks what its hand was dealt",
        DEALING,
        "missing[lane, np.uintp(relative)] -= cards.values[card]",
        "missing[lane, np.uintp(relative)] -= 0.0",
        "tests/belief/test_beliefs.py::test_biased_deals_are_drawn_as_their_words_say",
    ),
    Mutation(
        "biased deals: the first card by the table is dealt by the bids",
        DEALING,
        "if j < np.uintp(n_by_bids):",
        "if j <= np.uintp(n_by_bids):",
        "tests/belief/test_beliefs.py::test_biased_deals_are_drawn_as_their_words_say",
    ),
    Mutation(
        "the posterior told: the rules' card is any but the one played",
        "spades/belief/players.py",
        "strong_card(hand, public) == card",
        "strong_card(hand, public) != card",
        "tests/belief/test_players.py::test_strong_rules_play_what_they_play",
    ),
    Mutation(
        "the posterior told: noise around a bid one higher",
        "spades/belief/players.py",
        "normal_below.py_func(bid + 0.5 - bis)",
        "normal_below.py_func(bid - 0.5 - bis)",
        "tests/belief/test_players.py::"
        "test_bids_are_those_of_bis_and_noise_is_that_of_the_noisy_bidder[3]",
    ),
    # bidders
    Mutation(
        "BIS: nil worth its chance, not twice the chance less one",
        BIS,
        "points = rules.nil * (2.0 * p_nil - 1.0)",
        "points = rules.nil * p_nil",
        "tests/bidding/test_bis.py::test_nil_where_its_points_pass_the_threshold",
    ),
    Mutation(
        "BIS: the curve's slope upside down",
        BIS,
        "math.exp(-(intercept + slope * nil_logit(value)))",
        "math.exp(-(intercept - slope * nil_logit(value)))",
        "tests/bidding/test_bis.py::test_success_curve",
    ),
    Mutation(
        "nil curves: as sure of the shape as of a logit",
        "spades/bidding/curves.py",
        "(slope * x_error) ** 2",
        "0.0 * x_error",
        "tests/bidding/test_curves.py::test_a_shape_stands_for_the_logit",
    ),
    Mutation(
        "chance of a nil: what cards add is as sure as the chance",
        "analysis/nil/chance.py",
        "math.hypot(self.chance - low, curve_high - self.of_value)",
        "self.chance - low",
        "tests/analysis/nil/test_chance.py::test_the_parts_sum_to_the_chance",
    ),
    Mutation(
        "nil value: an opponent with one card fewer ducks",
        HANDS,
        "second = total < 2 or a0 + a1 >= 2",
        "second = total < 2 or a0 + a1 >= 1",
        "tests/bidding/test_hands.py::test_nil_table_is_the_sum_over_all_lies",
    ),
    Mutation(
        "nil value: two cards above the third cover it as printed",
        HANDS,
        '"printed": 1,',
        '"printed": 2,',
        "tests/bidding/test_hands.py::test_readings_of_the_third_card",
    ),
    Mutation(
        "table 1: at least j cards in place of more than j",
        HANDS,
        "_ways(k, c, j + 1, hands)",
        "_ways(k, c, j, hands)",
        "tests/bidding/test_hands.py::test_printed_tables_agree",
    ),
    Mutation(
        "MS: a single king counts",
        RIVALS,
        "if popcount(cards) > 1:\n            tricks += cards >> (top - KING) & 1",
        "if popcount(cards) > 0:\n            tricks += cards >> (top - KING) & 1",
        "tests/bidding/test_rivals.py::test_ms_tricks",
    ),
    Mutation(
        "RB and MS: naive nil up to 6, 8, T",
        RIVALS,
        "NAIVE_PLACES = np.array([9, 6, 4])",
        "NAIVE_PLACES = np.array([8, 6, 4])",
        "tests/bidding/test_rivals.py::test_naive_nil",
    ),
    # scoring
    Mutation(
        "bags: the penalty at eleven",
        SCORING,
        "times = bags // rules.bag_limit if",
        "times = (bags - 1) // rules.bag_limit if",
        f"{TEST_SCORING}::test_every_tenth_bag_costs_100_points",
    ),
    Mutation(
        "a contract made by more tricks only",
        SCORING,
        "if counting >= contract:",
        "if counting > contract:",
        f"{TEST_SCORING}::test_standard_rules",
    ),
    Mutation(
        "evaluation: bags of the other side forgotten",
        SCORING,
        "rules.bag_cost * (our_bags - their_bags)",
        "rules.bag_cost * our_bags",
        f"{TEST_SCORING}::test_evaluation_of_a_round_by_hand",
    ),
    # human models and style
    Mutation(
        "KL the other way round",
        "analysis/style/compare.py",
        "(p * np.log(p / q)).sum",
        "(q * np.log(q / p)).sum",
        "tests/analysis/style/test_compare.py::test_divergences_by_hand",
    ),
    Mutation(
        "the nearest setting: chance left in the difference",
        "analysis/sweeps/nearest.py",
        "neighbour.kl - neighbour.chance - (nearest.kl - nearest.chance)",
        "neighbour.kl - nearest.kl",
        "tests/analysis/sweeps/test_nearest.py"
        "::test_settings_are_told_apart_where_they_differ_by_more_than_chance",
    ),
    Mutation(
        "the ladder: a toss-up only where wins are equal",
        "analysis/intervals.py",
        "interval is not None and interval[0] > 0.5",
        "more > fewer",
        "tests/analysis/decisions/test_ladder.py"
        "::test_a_choice_counts_searches_and_is_a_toss_up_below_their_interval",
    ),
    # Persons
    Mutation(
        "rates: ranked by their distance alone",
        "analysis/people/rates.py",
        '(table["distance"].abs() * sureness)',
        'table["distance"].abs()',
        "tests/analysis/people/test_rates.py::test_the_largest_and_surest_difference_comes_first",
    ),
    Mutation(
        "who played: trust left out",
        "analysis/people/identify.py",
        "np.log(odds) + trust * log_likelihoods",
        "np.log(odds) + log_likelihoods",
        "tests/analysis/people/test_identify.py::test_posterior_by_hand",
    ),
    Mutation(
        "shares of visits: their power left out",
        "analysis/people/predictions.py",
        "power * np.log(shares + floor)",
        "np.log(shares + floor)",
        "tests/analysis/people/test_predictions.py::test_shares_to_a_power_by_hand",
    ),
    Mutation(
        "a person's evidence: the determinant left out",
        PERSON,
        "-loss - 0.5 * log_determinant",
        "-loss",
        f"{TEST_PERSON}::test_evidence_and_errors_are_those_of_the_posterior_of_one_weight",
    ),
    Mutation(
        "a person's errors: the prior left out",
        PERSON,
        "[1] + np.diag(precision)",
        "[1] + np.eye(precision.size)",
        f"{TEST_PERSON}::test_evidence_and_errors_are_those_of_the_posterior_of_one_weight",
    ),
    Mutation(
        "gain of a person's model: its sign",
        "analysis/people/held_out.py",
        "other[0] - answers[0]",
        "answers[0] - other[0]",
        "tests/analysis/people/test_held_out.py::test_a_loss_row_is_worked_by_hand",
    ),
    # Programs
    Mutation(
        "programs: who was at fault wins",
        "spades/agents/pairs.py",
        "np.where(first_lost, 1, np.where(second_lost, 0, winners))",
        "np.where(first_lost, 0, np.where(second_lost, 1, winners))",
        "tests/agents/test_external.py::test_the_winner_is_who_was_not_at_fault_whatever_the_score",
    ),
    Mutation(
        "programs: the deal's seed is told",
        "spades/programs/messages.py",
        'return int.from_bytes(digest[:8], "big") >> (64 - _EXACT_BITS)',
        "return seed",
        "tests/programs/test_session.py::test_no_hidden_card_and_no_seed_reaches_a_program",
    ),
    Mutation(
        "programs: any legal-looking card counts",
        "spades/programs/session.py",
        "if answer not in legal:",
        "if answer is None:",
        "tests/programs/test_session.py::test_an_illegal_card_is_named_with_the_line_and_the_legal_ones",
    ),
    *(mutation for of_paper in BY_PAPER.values() for mutation in of_paper),
    *(mutation for of_paper in FORMULAS_BY_PAPER.values() for mutation in of_paper),
    *OF_OTHERS,
)


class MutableCode:
    """A copy of the code in which formulas are changed, and a process that runs its tests."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for name in COPIED:
            shutil.copytree(ROOT / name, folder / name)
        for path in ROOT.iterdir():
            if path.name not in COPIED and not path.name.startswith("."):
                (folder / path.name).symlink_to(path)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "tests/forked.py"],
            cwd=folder,
            env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.communicate()  # no more tests: it ends

    def run_tests(self, *tests: str) -> tuple[int, str]:
        """Exit status and output of tests in plain Python, up to the first that fails. NumPy warns
        of what kernels let pass, pytest of libraries that are there before it."""
        quiet = ["-q", "-x", "-n0", "-p", "no:cacheprovider", "-m", "not slow"]
        for warning in ("RuntimeWarning", "pytest.PytestAssertRewriteWarning"):
            quiet += ["-W", f"ignore::{warning}"]
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([*quiet, *tests]), file=self._process.stdin, flush=True)
        status, output = json.loads(self._process.stdout.readline())
        return status, output

    def caught(self, mutation: Mutation) -> str:
        """How the tests take a mutation: "" where they don't notice."""
        path = self._folder / mutation.file
        text, written = path.read_text("utf-8"), path.stat().st_mtime_ns
        assert text.count(mutation.before) == 1, f"{mutation.what}: not once in {mutation.file}"
        path.write_text(text.replace(mutation.before, mutation.after), "utf-8")
        status, output = self.run_tests(mutation.tests)
        path.write_text(text, "utf-8")
        os.utime(path, ns=(written, written))  # so that its bytecode fits again
        failed = [line for line in output.splitlines() if line.startswith("FAILED")]
        return failed[0] if status == 1 and failed else ""


def main() -> None:
    chosen = [MUTATIONS[int(number) - 1] for number in sys.argv[1:]] or MUTATIONS
    missed = 0
    with tempfile.TemporaryDirectory() as name, MutableCode(Path(name)) as code:
        for mutation in chosen:
            started = time.monotonic()
            found = code.caught(mutation)
            missed += not found
            number, took = MUTATIONS.index(mutation) + 1, time.monotonic() - started
            print(f"{number:2} {mutation.what}: {found or 'NOT CAUGHT'} ({took:.0f} s)", flush=True)
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
