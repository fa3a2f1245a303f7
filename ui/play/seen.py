"""What a seat at a table is sent: all that it may see, and nothing else."""

from dataclasses import replace
from typing import Any

from analysis.decisions.round_view import seen_round, sorted_hand
from spades.core.cards import SEATS, partnership_of
from spades.core.observation import Observation
from spades.core.score_sheet import sheet_rows
from spades.tables import Game
from spades.tables.game import AUCTION, PROGRAM


def seat_view(game: Game, seat: int) -> dict[str, Any]:
    """The table for one seat, JSON.

    ``n``: how many moves have been made; ``turn``: the seat to move, None between rounds;
    ``legal``: this seat's bids or cards, if it is to move; ``round`` as in
    ``analysis.decisions.round_view``, unknown cards as ``?``; ``results``: points of the finished
    rounds, N/S and E/W; ``sheet``: of
    each round, for each side, the points that it added to the score and their parts, each
    (text, points); ``score`` and ``bags`` after them; ``away``: people for whom an agent plays;
    ``players``: by seat, whether an agent, a person or a program sits there, and its name;
    ``may_look``: whether the hand is hidden while a blind nil may be bid; ``help`` that may be
    asked for now; ``commitment``: the SHA-256 of the key that all is dealt from, and ``deal_key``
    that key, once the game is over. A seat of a study's table is told neither an agent's name nor
    the key."""
    seen = game.seen(seat)
    setup = game.setup
    is_hidden = game.hides_hand(seat)
    shown = replace(seen, hand_mask=0) if is_hidden else seen
    scores = [record.score() for record in game.records]
    results = [list(score.points) for score in scores if score]
    return {
        "n": len(game.moves),
        "phase": game.phase,
        "seat": seat,
        "turn": game.turn,
        "legal": _legal(game, seen),
        "away": sorted(game.away),
        "players": _players(game),
        "may_look": is_hidden,
        "help": _help(game, seat),
        "round": {
            **seen_round(shown, game.shown_names, game.shown_kinds),
            "points": results[-1] if seen.table.is_over else None,
        },
        "number": len(game.records) + (not seen.table.is_over),
        "results": results,
        "sheet": [sheet_rows(record) for record in game.records],
        "score": list(game.score.score),
        "bags": list(game.score.bags),
        "target": None if setup.rounds else setup.rules.target,
        "won": _won(game, seat),
        "commitment": game.commitment,
        "deal_key": None if setup.is_sealed else game.deal_key,
    }


def _players(game: Game) -> list[dict[str, str]]:
    """Who sits in each seat, as the seats have said: a study's table names no agent."""
    named = zip(SEATS, game.sitters, game.setup.players, game.shown_names, strict=True)
    players = []
    for letter, sitter, own, shown in named:
        name = own if sitter == PROGRAM else shown
        players.append({"seat": letter, "kind": sitter, "name": name})
    return players


def _help(game: Game, seat: int) -> list[str]:
    if not game.setup.help:
        return []
    return ["hint", "explain", "undo"] if game.may_take_back(seat) else ["hint", "explain"]


def _legal(game: Game, seen: Observation) -> list[Any]:
    if game.turn != seen.seat:
        return []
    if game.phase == AUCTION:
        return seen.table.legal_bids(seen.seat)
    return sorted_hand(seen.rules, seen.legal_mask)


def _won(game: Game, seat: int) -> bool | None:
    """Whether the seat's side is ahead at the end; None before it, and where both are level."""
    side = partnership_of(seat)
    own = game.score.score[side]
    theirs = game.score.score[1 - side]
    if not game.is_over or own == theirs:
        return None
    return own > theirs
