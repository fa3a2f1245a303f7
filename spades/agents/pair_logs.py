"""The rounds behind a pair of games: what was counted, as a log that can be replayed."""

from __future__ import annotations

from dataclasses import replace

from spades.agents.batches import play_games
from spades.agents.pairs import Duel, nil_only_seed
from spades.agents.play import play_game
from spades.agents.seating import Seating
from spades.core.logs import Log, concatenate


def pair_log(duel: Duel, seed: int, pair: int) -> Log:
    """Both games of a pair, round by round: the first seating's first.

    The very rounds that ``play_pairs`` counts, for a nil-only round the
    deal that was kept. Games are named seed-pair-1 and seed-pair-2.
    """
    games = [_game_log(duel, seating, seed, pair) for seating in duel.seatings]
    return concatenate(
        [replace(log, games=(f"{seed}-{pair}-{i + 1}",)) for i, log in enumerate(games)]
    )


def _game_log(duel: Duel, seating: Seating, seed: int, game: int) -> Log:
    if duel.is_compiled:
        return play_games(
            seating, seed, game, game + 1, keep_rounds=True, nil_only=duel.nil_only
        ).log()
    if duel.nil_only:
        return play_game(seating, seed, game, seed_of=nil_only_seed)
    return play_game(seating, seed, game)
