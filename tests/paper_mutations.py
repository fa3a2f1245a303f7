"""More changes of formulas that a fast test must catch, by the paper that prints them."""

from typing import NamedTuple


class Mutation(NamedTuple):
    """``before`` in ``file`` becomes ``after``, which ``tests`` must notice."""

    what: str
    file: str
    before: str
    after: str
    tests: str


TWIN = "tests/search/test_twin.py::test_the_search_finds_what_its_twin_finds"
SELECT, SKEW = "spades/search/select.py", "spades/search/skew.py"
TECHNIQUE = "spades/search/techniques/technique.py"
KNOWLEDGE = "spades/search/techniques/knowledge.py"
EXPERIENCE = "spades/search/techniques/experience.py"
ABSTRACT, MOVES = "spades/human/features/abstract_moves.py", "test_abstract_moves.py"
FEATURES, CARDS = "spades/human/features/card_features.py", "test_card_features.py"
FLAT, FLAT_UCB = "spades/search/flat.py", "tests/search/test_flat_ucb.py"
CORPUS, RELEVANCE = "spades/human/corpus.py", "tests/human/test_corpus_relevance.py"
HANDS, BIS, RIVALS = (f"spades/bidding/{name}.py" for name in ("hands", "bis", "rivals"))
TEST_HANDS, TEST_BIS, TEST_RIVALS = (
    f"tests/bidding/test_{name}.py" for name in ("hands", "bis", "rivals")
)

BY_PAPER = {
    "Whitehouse et al. 2013": (
        Mutation(
            "expansion: the lowest card not tried yet, not a random one",
            "spades/search/ismcts.py",
            "code = lowest(nth_bit(untried, below(bits, popcount(untried))))",
            "code = lowest(untried)",
            f"{TWIN}[standard]",
        ),
        Mutation(
            "skew: from 1/2 to 1",
            SKEW,
            "0.5 + score / BEST_SCORE",
            "0.5 + 0.5 * score / BEST_SCORE",
            "tests/search/test_skew.py::test_skews_are_half_to_one_and_a_half_by_the_score",
        ),
        Mutation(
            "skew: rewards around 0, where inflating a bad one makes it worse",
            SKEW,
            "points / skew.reward_scale + 0.5",
            "points / skew.reward_scale",
            "tests/search/test_skew.py::test_what_the_skew_backs_up",
        ),
        Mutation(
            "skew: a sum of rewards beside means",
            SELECT,
            "skew.excess[code] * skew.sums[code] / visits",
            "skew.excess[code] * skew.sums[code]",
            f"{TWIN}[skew]",
        ),
        Mutation(
            "playouts: a nil bidder sheds a low loser, not its highest",
            "spades/search/playouts/random_cards.py",
            "if lowest(card) & 15 > strength:",
            "if strength < 0:",
            "tests/search/test_playouts.py::test_safest_loser_is_the_highest_card_that_loses",
        ),
        Mutation(
            "flat Monte Carlo: the second-best card gets the best one's bonus",
            FLAT,
            "bonus[others[0]] = settings.second_bonus",
            "bonus[others[0]] = settings.best_bonus",
            "tests/search/test_flat.py::test_bonuses_by_hand",
        ),
        Mutation(
            "biased deals: tricks taken still lacking in a bid",
            "spades/belief/determinizations/biased.py",
            "max(_MIN_NEED, bid - table.tricks_taken[seat])",
            "max(_MIN_NEED, bid)",
            "tests/belief/test_beliefs.py::test_biased_deals_are_drawn_as_their_words_say",
        ),
        Mutation(
            "inference: who didn't beat the best card lacks the lower ones as well",
            "spades/belief/inference.py",
            "odds[play.seat, play.best + 1 : end_of_suit]",
            "odds[play.seat, play.card + 1 : end_of_suit]",
            "tests/belief/test_beliefs.py::test_a_rule_of_plays_speaks_of_these_cards",
        ),
        Mutation(
            "KB: an aggressive player asks more of a nil",
            RIVALS,
            "KB_NIL_VALUE - KB_NIL_PERSONALITY * options.personality",
            "KB_NIL_VALUE + KB_NIL_PERSONALITY * options.personality",
            f"{TEST_RIVALS}::test_kb_asks_a_nil_value_by_its_personality",
        ),
    ),
    "Devlin et al. 2016": (
        Mutation(
            "knowledge bias: it fades with the card's visits, not the node's",
            KNOWLEDGE,
            "self.strengths[np.uintp(visits)]",
            "self.strengths[np.uintp(tree.nodes[child, 1])]",
            f"{TWIN}[knowledge]",
        ),
        Mutation(
            "knowledge bias: sqrt(n / (n + K)) in what a card is told to gain",
            KNOWLEDGE,
            "math.sqrt(self.k / (n + self.k))",
            "math.sqrt(n / (n + self.k))",
            "tests/search/test_bias.py::test_the_bias_term_is_the_published_formula_in_points",
        ),
        Mutation(
            "abstract moves: no spade steals from a side suit",
            ABSTRACT,
            "return above if suit == SPADES else above | SPADES_MASK",
            "return above",
            f"tests/human/features/{MOVES}::test_worked_case",
        ),
        Mutation(
            "abstract moves: highest and other exchanged",
            ABSTRACT,
            "return HIGHEST if bit > rest else OTHER",
            "return OTHER if bit > rest else HIGHEST",
            f"tests/human/features/{MOVES}::test_worked_case",
        ),
        Mutation(
            "features: a contract without the partner's bid",
            FEATURES,
            "return decision.own_bid + decision.partner_bid - counted",
            "return decision.own_bid - counted",
            f"tests/human/features/{CARDS}::test_worked_case",
        ),
        Mutation(
            "features: the third to play counts as the last",
            FEATURES,
            "if decision.turn_in_trick == N_SEATS - 1:",
            "if decision.turn_in_trick >= N_SEATS - 2:",
            f"tests/human/features/{CARDS}::test_worked_case",
        ),
        Mutation(
            "features: a potential boss has no higher card left",
            FEATURES,
            "return popcount(higher) <= 1",
            "return popcount(higher) == 0",
            f"tests/human/features/{CARDS}::test_worked_case",
        ),
        Mutation(
            "the model: exp(E / 2) in place of exp(E)",
            FEATURES,
            "math.exp(out[i] - top)",
            "math.exp((out[i] - top) / 2)",
            "tests/human/test_loglinear_model.py::test_hand_worked_probabilities",
        ),
    ),
    "Baier et al. 2018": (
        Mutation(
            "equivalent experience: a mean around 0, not 1/2",
            EXPERIENCE,
            "(tree.priors[child, PRIOR] - _HALF)",
            "tree.priors[child, PRIOR]",
            f"{TWIN}[experience]",
        ),
        Mutation(
            "equivalent experience: a mean, but no visits",
            EXPERIENCE,
            "np.int64(tree.nodes[child, VISITS]) + w",
            "np.int64(tree.nodes[child, VISITS])",
            f"{TWIN}[experience]",
        ),
        Mutation(
            "equivalent experience: m counts the other legal cards alone",
            SELECT,
            "tree.nodes[child, N_CHOICES] = n\n",
            "tree.nodes[child, N_CHOICES] = n - 1\n",
            f"{TWIN}[experience]",
        ),
        Mutation(
            "equivalent experience: what a card is told to gain, of its own visits alone",
            EXPERIENCE,
            "(mean / reward_scale + 0.5)) / (visits + w)",
            "(mean / reward_scale + 0.5)) / visits",
            "tests/search/test_bias.py::test_the_bias_term_is_the_published_formula_in_points",
        ),
        Mutation(
            "asked at the first card: knowledge bias scores cards not tried yet",
            TECHNIQUE,
            "lends=int(self.asks_first and self.visits_before > 0)",
            "lends=int(self.asks_first)",
            f"{TWIN}[knowledge, asked first]",
        ),
        Mutation(
            "asked at the first card: visits lent to none before it is tried",
            TECHNIQUE,
            "lends=int(self.asks_first and self.visits_before > 0)",
            "lends=0",
            f"{TWIN}[experience]",
        ),
        Mutation(
            "asked at the first card: a card counts as available before it was",
            SELECT,
            "tree.nodes[child, AVAILABILITY] = 0",
            "tree.nodes[child, AVAILABILITY] = 1",
            f"{TWIN}[experience]",
        ),
        Mutation(
            "at the root only: the model is called below it too",
            TECHNIQUE,
            "deepest=0 if is_at_root or prior.is_for_root_only else MAX_DEPTH",
            "deepest=MAX_DEPTH",
            f"{TWIN}[knowledge at the root]",
        ),
    ),
    "Dobre and Lascarides 2015": (
        Mutation(
            "Flat-UCB: rewards of playouts around 0, seeds from 0 to 1",
            FLAT,
            "arms.sums[i] / scale + 0.5 * arms.visits[i]",
            "arms.sums[i] / scale",
            f"{FLAT_UCB}::test_every_iteration_is_that_of_the_formula",
        ),
        Mutation(
            "Flat-UCB: n without the seeds' visits",
            FLAT,
            "n = arms.visits.sum() + arms.seeded.sum()",
            "n = arms.visits.sum() + 1",
            f"{FLAT_UCB}::test_every_iteration_is_that_of_the_formula",
        ),
        Mutation(
            "Flat-UCB: the card tried most is played",
            FLAT,
            "key=lambda row: (row.value, -row.card.code)",
            "key=lambda row: (row.visits, -row.card.code)",
            f"{FLAT_UCB}::test_the_card_of_the_highest_value_is_played_not_the_one_tried_most",
        ),
        Mutation(
            "heuristic seeds: four cards in place of five",
            FLAT,
            "N_HEURISTIC_SEEDS = 5",
            "N_HEURISTIC_SEEDS = 4",
            f"{FLAT_UCB}::test_the_five_best_cards_by_the_rules_are_seeded",
        ),
        Mutation(
            "rules of thumb: random in all but epsilon of the cards",
            "spades/search/playouts/heuristic.py",
            "& _LOW_16) < self.epsilon",
            "& _LOW_16) >= self.epsilon",
            "tests/search/test_heuristic.py::test_epsilon_is_the_share_of_random_cards",
        ),
        Mutation(
            "corpus: the actions' cosine alone",
            CORPUS,
            "(alike + best * pair_norms[1, p]) / 2",
            "best * pair_norms[1, p]",
            f"{RELEVANCE}::test_relevance_is_the_mean_of_two_cosines",
        ),
        Mutation(
            "corpus: a pair counts for the option it fits worst",
            CORPUS,
            "            if cosine > best:\n",
            "            if cosine < best or j == 0:\n",
            f"{RELEVANCE}::test_each_pair_speaks_once_for_the_option_it_fits_best",
        ),
        Mutation(
            "corpus: Q as a sum, not a mean, over pairs",
            CORPUS,
            "sums / np.maximum(counts, 1)",
            "sums",
            f"{RELEVANCE}::test_each_pair_speaks_once_for_the_option_it_fits_best",
        ),
    ),
    "Cohensius et al. 2020": (
        Mutation(
            "nil value: a void is worth nothing",
            HANDS,
            "return min(1.0, value * VOID_FACTOR) if has_void else value",
            "return value",
            f"{TEST_HANDS}::test_a_void_is_worth_15_percent_once",
        ),
        Mutation(
            "nil value: the partner covers the second card by one between the first two",
            HANDS,
            "total >= 2) and a2 + a3 < 2",
            "total >= 2) and a1 + a2 + a3 < 2",
            f"{TEST_HANDS}::test_nil_table_is_the_sum_over_all_lies",
        ),
        Mutation(
            "regular bid: the fourth spade is long",
            HANDS,
            "max(0, length - FREE_SPADES)",
            "max(0, length - FREE_SPADES + 1)",
            f"{TEST_HANDS}::test_tricks_of_hands",
        ),
        Mutation(
            "regular bid: spades that cut leave the others worth nothing",
            HANDS,
            "total = cut_tricks + spade_tricks(spades, top)",
            "total = cut_tricks",
            f"{TEST_HANDS}::test_no_other_use_of_the_spades_is_worth_more",
        ),
        Mutation(
            "regular bid: the sum of the previous bids left out",
            BIS,
            "return constant + slope * sum_previous(auction)",
            "return constant",
            f"{TEST_BIS}::test_term_in_the_sum_of_the_previous_bids",
        ),
        Mutation(
            "end of game: raised only as far as the opponents",
            BIS,
            "gap // POINTS_PER_TRICK + 1",
            "gap // POINTS_PER_TRICK",
            f"{TEST_BIS}::test_raised_by_up_to_two_tricks_for_a_gap_below_20",
        ),
        Mutation(
            "end of game: completed to 14 from a sum of 12",
            BIS,
            "others + regular < FULL_SUM",
            "others + regular <= FULL_SUM",
            f"{TEST_BIS}::test_completes_to_14_when_the_sum_is_11_or_more",
        ),
        Mutation(
            "end of game: one less where its bags may cost 100 points",
            BIS,
            "auction.bags + SAFE_BAGS < rules.bag_limit",
            "auction.bags < rules.bag_limit",
            f"{TEST_BIS}::test_one_less_in_the_last_position_when_it_still_wins",
        ),
        Mutation(
            "end of game: half a trick for an opponent's nil left out",
            BIS,
            "contract_bid(tricks - 0.5, auction, rules)",
            "contract_bid(tricks, auction, rules)",
            f"{TEST_BIS}::test_an_opponents_nil_costs_half_a_trick_when_they_win",
        ),
        Mutation(
            "IO: a single king is guarded",
            RIVALS,
            "elif has_king and popcount(cards) > 1:",
            "elif has_king:",
            f"{TEST_RIVALS}::test_io_tricks",
        ),
        Mutation(
            "RB: low spades count once",
            RIVALS,
            "tricks += n_low * RB_LOW_SPADE[column]",
            "tricks += RB_LOW_SPADE[column]",
            f"{TEST_RIVALS}::test_rb_tricks",
        ),
    ),
}
"""At least six of each paper: its formulas beside those that ``tests.mutations`` has."""
