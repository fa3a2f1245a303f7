"""Changes of formulas of other kinds: ties, bounds, normalisation, who is meant, and when.

Made from the papers and the code, not from what the tests are known to hold.
"""

from tests.paper_mutations import (
    ABSTRACT,
    BIS,
    CARDS,
    CORPUS,
    EXPERIENCE,
    FEATURES,
    FLAT,
    FLAT_UCB,
    HANDS,
    MOVES,
    RELEVANCE,
    RIVALS,
    SELECT,
    SKEW,
    TEST_BIS,
    TEST_HANDS,
    TEST_RIVALS,
    TWIN,
    Mutation,
)

SCORING, TEST_SCORING = "spades/core/scoring.py", "tests/core/test_scoring.py"
INFERENCE, BELIEFS = "spades/belief/inference.py", "tests/belief/test_beliefs.py"
BIASED = "spades/belief/determinizations/biased.py"
ISMCTS, RESULT = "spades/search/ismcts.py", "spades/search/result.py"
LOG_LINEAR, FIT = "spades/human/loglinear.py", "tests/human/test_loglinear_fit.py"
COMPARE, TEST_COMPARE = "analysis/style/compare.py", "tests/analysis/style/test_compare.py"
FORWARD, TEST_FORWARD = "spades/human/networks/forward.py", "tests/human/networks/test_forward.py"
PIKL, TEST_PIKL = "spades/search/techniques/pikl.py", "tests/search/test_pikl.py"
PUCT, TEST_PUCT = "spades/search/techniques/puct.py", "tests/search/test_puct.py"
AUCTION, TEST_AUCTION = "spades/bidding/auction.py", "tests/bidding/test_auction.py"
CURVES, TEST_CURVES = "spades/bidding/curves.py", "tests/bidding/test_curves.py"
SIGHT, KNOWN = "spades/rule_based/sight.py", "tests/rule_based/test_what_is_known.py"
UCT, TEST_UCT = "spades/agents/players/uct.py", "tests/agents/test_uct.py"

FORMULAS_BY_PAPER = {
    "Whitehouse et al. 2013": (
        Mutation(
            "scoring: a failed contract costs 10 a missing trick",
            SCORING,
            "rules.failed_contract * contract",
            "rules.failed_contract * (contract - counting)",
            f"{TEST_SCORING}::test_standard_rules",
        ),
        Mutation(
            "scoring: ten bags clear the whole count",
            SCORING,
            "bags - times * rules.bag_limit",
            "0 if times else bags",
            f"{TEST_SCORING}::test_every_tenth_bag_costs_100_points",
        ),
        Mutation(
            "scoring: North/South win a tie at the target",
            SCORING,
            "if not is_over or score[0] == score[1]:",
            "if not is_over:",
            f"{TEST_SCORING}::test_the_game_ends_at_the_target",
        ),
        Mutation(
            "determinization: every iteration in the first deal",
            ISMCTS,
            "lay_out(position, deals[i], scratch)",
            "lay_out(position, deals[0], scratch)",
            f"{TWIN}[standard]",
        ),
        Mutation(
            "the move: the best mean, not the most visits",
            RESULT,
            "key=lambda row: (row.visits, row.mean_value, -row.card.code)",
            "key=lambda row: (row.mean_value, row.visits, -row.card.code)",
            "tests/search/test_search.py"
            "::test_the_card_visited_most_is_played_then_the_higher_mean_then_the_lower_card",
        ),
        Mutation(
            "skew: rewards beyond the scale aren't cut",
            SKEW,
            "min(max(points / skew.reward_scale + 0.5, 0.0), 1.0)",
            "points / skew.reward_scale + 0.5",
            "tests/search/test_skew.py::test_what_the_skew_backs_up",
        ),
        Mutation(
            "biased deals: low spades aren't dealt by the bids",
            BIASED,
            "return _is_spade(card) or height(card, deck) >= 0.3",
            "return height(card, deck) >= 0.3",
            f"{BELIEFS}::test_biased_deals_are_drawn_as_their_words_say",
        ),
        Mutation(
            "biased deals: no room is kept for cards that few hands may hold",
            BIASED,
            "spare[lane] += _MUST_TAKE[np.uintp(owners)]",
            "spare[lane] += 0",
            f"{BELIEFS}::test_every_deal_agrees_with_what_was_seen",
        ),
        Mutation(
            "inference: hands aren't scaled to their sizes",
            INFERENCE,
            "rows[i, card] *= sizes[i] / held",
            "rows[i, card] *= 1.0 / held",
            f"{BELIEFS}::test_the_inference_table_adds_up_and_follows_its_rules",
        ),
        Mutation(
            "inference: a blind nil tells of low cards",
            INFERENCE,
            "if table.is_nil(seat) and not table.blind[seat]:",
            "if table.is_nil(seat):",
            f"{BELIEFS}::test_a_blind_nil_tells_nothing_of_the_cards",
        ),
        Mutation(
            "KB: the bid is raised with three bags left, not before",
            RIVALS,
            "rules.bag_limit - bags <= KB_NEAR_LIMIT",
            "rules.bag_limit - bags < KB_NEAR_LIMIT",
            f"{TEST_RIVALS}::test_kb_personality_and_bags_move_the_bid",
        ),
    ),
    "Devlin et al. 2016": (
        Mutation(
            "features: a lead from one of two shortest suits isn't from the smallest",
            FEATURES,
            "if 0 < n < size:",
            "if 0 < n <= size and suit != card >> 4:",
            f"tests/human/features/{CARDS}::test_worked_case",
        ),
        Mutation(
            "features: a ten isn't small",
            FEATURES,
            "- card >= _ABOVE_TEN",
            "- card > _ABOVE_TEN",
            f"tests/human/features/{CARDS}::test_a_ten_is_small_and_a_jack_is_not_in_every_deck",
        ),
        Mutation(
            "features: a nil that took a trick still makes tricks unwanted",
            FEATURES,
            "bid == NIL_BID and tricks == 0)",
            "bid == NIL_BID)",
            f"tests/human/features/{CARDS}::test_worked_case",
        ),
        Mutation(
            "abstract moves: the highest beside the boss is another card",
            ABSTRACT,
            "rest = group & ~bosses & ~bit",
            "rest = group & ~bit",
            f"tests/human/features/{MOVES}::test_worked_case",
        ),
        Mutation(
            "abstract moves: bosses of the whole deck",
            ABSTRACT,
            "boss_mask(view[DECK] & ~view[PLAYED])",
            "boss_mask(view[DECK])",
            f"tests/human/features/{MOVES}::test_worked_case",
        ),
        Mutation(
            "gradient descent: a batch's sum, not its mean",
            LOG_LINEAR,
            "weights -= rate / len(members) * gradient",
            "weights -= rate * gradient",
            f"{FIT}::test_a_step_of_descent_by_hand",
        ),
        Mutation(
            "early stopping: the last weights are kept, not the best",
            LOG_LINEAR,
            "if validation_loss < self.best_loss - _MIN_GAIN:\n            self.weights[1]",
            "self.weights[1] = self.weights[0]\n"
            "        if validation_loss < self.best_loss - _MIN_GAIN:\n            self.weights[1]",
            f"{FIT}::test_the_weights_of_the_lowest_validation_loss_are_kept",
        ),
        Mutation(
            "KL: a move that one group never made isn't smoothed",
            COMPARE,
            "raised = counts + ALPHA\n    return np.asarray(raised / raised.sum(axis=-1",
            "raised = counts + 1e-12\n    return np.asarray(raised / raised.sum(axis=-1",
            f"{TEST_COMPARE}::test_divergences_by_hand",
        ),
        Mutation(
            "KL: the chance level of two halves, not of two groups",
            COMPARE,
            "halves_divergence(sample.moves, classes) / 4 for",
            "halves_divergence(sample.moves, classes) / 2 for",
            f"{TEST_COMPARE}::test_the_chance_level_of_a_pair_is_that_of_chi_square",
        ),
    ),
    "Baier et al. 2018": (
        Mutation(
            "equivalent experience: P counts as points, not as rewards",
            EXPERIENCE,
            "np.float32(self.w * reward_scale)",
            "np.float32(self.w)",
            f"{TWIN}[experience]",
        ),
        Mutation(
            "knowledge and experience: forced cards ask the model too",
            ISMCTS,
            "may_query = depth <= np.uintp(bias.deepest) and legal & (legal - 1) != 0",
            "may_query = depth <= np.uintp(bias.deepest)",
            f"{TWIN}[knowledge]",
        ),
        Mutation(
            "calls of the network: a call for every card",
            SELECT,
            "tree.used[2] += 1",
            "tree.used[2] += n",
            "tests/search/test_bias.py::test_the_model_is_called_as_often_as_the_delay_says",
        ),
        Mutation(
            "a node's P is asked anew for cards that have theirs",
            SELECT,
            "if tree.known[slot] & left & -left == 0:",
            "if n:",
            f"{TWIN}[knowledge]",
        ),
        Mutation(
            "abstract network: each card of a move has the move's whole probability",
            FORWARD,
            "out[i] = logit - math.log(n_alike)",
            "out[i] = logit",
            f"{TEST_FORWARD}::test_the_compiled_forward_pass_equals_pytorch",
        ),
        Mutation(
            "convolution: kernels of three cards",
            FORWARD,
            "for step in range(KERNEL_SIZE):",
            "for step in range(KERNEL_SIZE - 1):",
            f"{TEST_FORWARD}::test_the_compiled_forward_pass_equals_pytorch",
        ),
        Mutation(
            "illegal moves: only cards that are legal compete",
            FORWARD,
            "return bool(card_slots(view[LEGAL], view[DECK]) >> best & 1)",
            "return bool(n > 0)",
            f"{TEST_FORWARD}::test_the_compiled_forward_pass_equals_pytorch",
        ),
    ),
    "Dobre and Lascarides 2015": (
        Mutation(
            "Flat-UCB: seeded cards too are tried once before any bound",
            FLAT,
            "if n_i == 0:\n            return i",
            "if arms.visits[i] == 0:\n            return i",
            f"{FLAT_UCB}::test_the_arm_tried_is_the_unseeded_one_then_the_highest_bound",
        ),
        Mutation(
            "Flat-UCB: the last of equal bounds",
            FLAT,
            "if bound > highest_bound:",
            "if bound >= highest_bound:",
            f"{FLAT_UCB}::test_of_equal_bounds_the_lowest_card_is_tried",
        ),
        Mutation(
            "heuristic seeds: the best card's value is always 1",
            FLAT,
            "scores[best] / BEST_SCORE",
            "scores[best] / scores.max()",
            f"{FLAT_UCB}::test_the_five_best_cards_by_the_rules_are_seeded",
        ),
        Mutation(
            "corpus: a long state vector counts more",
            CORPUS,
            "alike = dot(states[p], state) * norms[0] * pair_norms[0, p]",
            "alike = dot(states[p], state) * norms[0]",
            f"{RELEVANCE}::test_relevance_is_the_mean_of_two_cosines",
        ),
        Mutation(
            "corpus: an action is the state that it leads to, not the change",
            CORPUS,
            "action[k] -= state[k]",
            "action[k] -= 0",
            "tests/human/test_corpus_files.py::test_pairs_are_the_unforced_plays_of_these_seats",
        ),
        Mutation(
            "rules of thumb: own cards count among the unseen",
            "spades/search/playouts/heuristic.py",
            "unseen = (hands[0] | hands[1] | hands[2] | hands[3]) ^ hand",
            "unseen = hands[0] | hands[1] | hands[2] | hands[3]",
            "tests/search/test_heuristic.py::test_playouts_are_those_of_the_rules_engine",
        ),
    ),
    "Cohensius et al. 2020": (
        Mutation(
            "nil value: a void partner can't cut",
            HANDS,
            "first = (is_spades or total >= 1) and",
            "first =",
            f"{TEST_HANDS}::test_nil_table_is_the_sum_over_all_lies",
        ),
        Mutation(
            "nil value: a fourth spade is allowed",
            HANDS,
            "n_held >= NIL_SPADES_DENIED",
            "n_held > NIL_SPADES_DENIED",
            f"{TEST_HANDS}::test_examples_of_the_paper",
        ),
        Mutation(
            "regular bid: the highest spades cut",
            HANDS,
            "spades &= spades - 1\n        n_cutting",
            "spades ^= np.int64(1) << highest(spades)\n        n_cutting",
            f"{TEST_HANDS}::test_no_other_use_of_the_spades_is_worth_more",
        ),
        Mutation(
            "regular bid: a nil bidder may cut",
            BIS,
            "n_dangerous = 2 - n_opponent_nils(auction, context.rules)",
            "n_dangerous = 2",
            f"{TEST_BIS}::test_an_opponents_nil_leaves_one_to_cut",
        ),
        Mutation(
            "success curves: the bids in the other order",
            AUCTION,
            "code = code * N_BIDS + bid",
            "code += bid * N_BIDS ** (n - 1)",
            f"{TEST_AUCTION}::test_kernels_read_the_previous_bids",
        ),
        Mutation(
            "success curves: the last bidder's nil is taken for the partner's",
            CURVES,
            "if bids[-2:-1] == (NIL_BID,):",
            "if bids[-1:] == (NIL_BID,):",
            f"{TEST_CURVES}::test_what_was_heard",
        ),
        Mutation(
            "regular bid: halves round down",
            AUCTION,
            "math.floor(tricks + 0.5)",
            "math.ceil(tricks - 0.5)",
            f"{TEST_AUCTION}::test_least_bid_and_contract",
        ),
        Mutation(
            "end of game: level opponents aren't winning",
            BIS,
            "theirs >= rules.target and theirs >= our_outlook",
            "theirs >= rules.target and theirs > our_outlook",
            f"{TEST_BIS}::test_raised_by_up_to_two_tricks_for_a_gap_below_20",
        ),
        Mutation(
            "end of game: the risky nil at a gap of 20 too",
            BIS,
            "options.risky_nil and gap > SMALL_GAP",
            "options.risky_nil and gap >= SMALL_GAP",
            f"{TEST_BIS}::test_risky_nil_for_a_gap_above_20",
        ),
        Mutation(
            "Big 5: a void doesn't cover",
            BIS,
            "if cards and highest(cards) <",
            "if highest(cards) <",
            f"{TEST_BIS}::test_covering_hands",
        ),
        Mutation(
            "blind nil: contracts that sum to 11 are easy",
            BIS,
            "sum_previous(auction) < EASY_SUM",
            "sum_previous(auction) <= EASY_SUM",
            f"{TEST_BIS}::test_blind_nil_when_desperate",
        ),
        Mutation(
            "bid-sensitive threshold: the partner's bid beside a nil is left out",
            BIS,
            "both - partners * (2.0 * p_made_beside_nil - 1.0)",
            "both",
            f"{TEST_BIS}::test_bid_sensitive_threshold",
        ),
        Mutation(
            "MS: a single spade costs nothing",
            RIVALS,
            "if n_spades <= 1:",
            "if n_spades < 1:",
            f"{TEST_RIVALS}::test_ms_tricks",
        ),
        Mutation(
            "IO: nil only after a partner's five",
            RIVALS,
            "partner_bid(auction) < IO_NIL_PARTNER",
            "partner_bid(auction) <= IO_NIL_PARTNER",
            f"{TEST_RIVALS}::test_io_nil",
        ),
        Mutation(
            "sure takes: the opponent throws its highest card under a winner",
            SIGHT,
            "            out &= out - 1\n    return takes",
            "            out ^= np.int64(1) << highest(out) if out else 0\n    return takes",
            f"{KNOWN}::test_sure_takes_are_those_of_one_suit_whist",
        ),
        Mutation(
            "doubletons: low before high is the signal",
            SIGHT,
            "if first >= 0 and card < first:",
            "if first >= 0 and card > first:",
            "tests/rule_based/test_strong.py::test_a_high_low_doubleton_is_read_from_the_cards",
        ),
        Mutation(
            "UCT for play: points of the other side",
            UCT,
            "arms.values[i] += sign * play_out",
            "arms.values[i] -= sign * play_out",
            f"{TEST_UCT}::test_values_of_the_last_trick_are_what_it_comes_to",
        ),
    ),
}
"""By the paper that prints the formula."""

OF_OTHERS = (
    Mutation(
        "piKL: a card never tried is worth 0 points, not the mean of the others",
        PIKL,
        "fallback = known.mean() if len(known) else 0.0",
        "fallback = 0.0",
        f"{TEST_PIKL}::test_the_policy_is_that_worked_by_hand",
    ),
    Mutation(
        "piKL: the model's P left out",
        PIKL,
        "weights = logs + (",
        "weights = 0.0 * logs + (",
        f"{TEST_PIKL}::test_the_policy_is_that_worked_by_hand",
    ),
    Mutation(
        "piKL: what P adds isn't in points",
        PIKL,
        "lambda_ * logs + 0.0",
        "logs + 0.0",
        f"{TEST_PIKL}::test_the_policy_is_that_worked_by_hand",
    ),
    Mutation(
        "PUCT: n_i in place of 1 + n_i",
        PUCT,
        "np.float32(1 + n)",
        "np.float32(max(n, 1))",
        f"{TEST_PUCT}::test_a_score_by_hand",
    ),
)
"""piKL (Jacob et al. 2022) and PUCT (Rosin 2011)."""
