"""Models of how humans play: abstract moves, features, log-linear models, simulated humans."""

from spades.human.features.abstract_moves import abstract_move_ids, abstract_move_names
from spades.human.model import HumanModel
from spades.human.registry import load_model, load_prior, model_names
from spades.human.simulated import human_bid, human_card, simulate_humans

__all__ = [
    "HumanModel",
    "abstract_move_ids",
    "abstract_move_names",
    "human_bid",
    "human_card",
    "load_model",
    "load_prior",
    "model_names",
    "simulate_humans",
]
