"""Random numbers on NumPy arrays, bit for bit those of PyTorch 2.13's CPU generator.

A `Generator` is a Mersenne Twister (MT19937). Every draw takes words from it in a fixed way, so
the same seed and the same sequence of draws give the same numbers as PyTorch, and the two
libraries can load each other's saved states. The first argument of each draw is the generator;
None means `default_generator`. Results are new C-contiguous arrays.

How draws use the stream (a word is 32 bits; a 64-bit word is two of them, upper half first):

- uniforms: the low 24 bits of one word, or for float64 the low 53 bits of a 64-bit word;
- normals: from 16 values on, Box-Muller on blocks of 16 uniforms, and when the size is no
  multiple of 16 the last 16 values are made anew from fresh uniforms; below 16, pairs of 53-bit
  uniforms, of which the second half may wait for the next such draw;
- integers: one word modulo the width, or a 64-bit word from a width of 2**28 on;
- bernoulli with one probability, and so dropout: a 53-bit uniform each, like bernoulli of a
  float64 array. A PyTorch that hands these draws or exponentials to Intel's MKL draws otherwise;
- everything else: 53-bit uniforms.

No draw depends on the number of threads.
"""

import importlib
from typing import Any

from ._generator import DEFAULT_SEED as DEFAULT_SEED
from ._generator import STATE_BYTES as STATE_BYTES
from ._generator import Generator as Generator
from ._generator import default_generator as default_generator
from ._generator import wrap_seed as wrap_seed

# Which module makes which draws; it is loaded for the first of them.
_DRAWS = {
    "_choices": ("bernoulli", "bernoulli_array", "dropout_mask", "geometric", "multinomial"),
    "_continuous": ("cauchy", "exponential", "rrelu_noise"),
    "_integers": ("randint", "random_full", "randperm"),
    "_normal": ("log_normal", "normal", "normal_like"),
    "_rejection": ("binomial", "dirichlet", "poisson", "standard_gamma"),
    "_uniform": ("uniform",),
}
_HOMES = {draw: home for home, draws in _DRAWS.items() for draw in draws}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = importlib.import_module(f".{_HOMES[name]}", __name__)
    found = globals()[name] = getattr(home, name)
    return found
