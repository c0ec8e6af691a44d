"""Seeds and states of the random numbers, under PyTorch's name."""

from .standins.finder import rest_of as _rest_of
from .tensor.random import (
    default_generator,
    fork_rng,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)

__all__ = [
    "default_generator",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]

__getattr__ = _rest_of(__name__)
