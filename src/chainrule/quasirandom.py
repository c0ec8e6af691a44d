"""Sobol sequences: points that fill the unit cube more evenly than random ones."""

from __future__ import annotations

from typing import Any

import numpy as np

import chainrule as torch

from .autograd import refusal
from .autograd.accidents import explain_module
from .ops import interrupts


class SobolEngine:
    """Points of a Sobol sequence, the same as PyTorch's, scrambled ones included.

    >>> import chainrule as torch
    >>> engine = torch.quasirandom.SobolEngine(dimension=2)
    >>> engine.draw(4)
    tensor([[0.0000, 0.0000],
            [0.5000, 0.5000],
            [0.7500, 0.2500],
            [0.2500, 0.7500]])
    """

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if dimension > self.MAXDIM or dimension < 1:
            raise refusal.value(
                f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}], got "
                f"{dimension}"
            )
        self.seed = seed
        self.scramble = scramble
        self.dimension = dimension
        self.sobolstate = torch.from_numpy(_directions(dimension, self.MAXBIT))
        if scramble:
            self._scramble()
        else:
            self.shift = torch.zeros(dimension, dtype=torch.long)
        self.quasi = self.shift.clone()
        self._first_point = (self.quasi / 2**self.MAXBIT).reshape(1, -1)
        self.num_generated = 0

    def draw(self, n: int = 1, out: Any = None, dtype: Any = None) -> Any:
        """The next n points, as an (n, dimension) tensor."""
        kind = torch.get_default_dtype() if dtype is None else dtype
        parts = []
        if self.num_generated == 0 and n > 0:
            parts.append(self._first_point.to(kind))
        later = n - len(parts)
        if later > 0:
            counts = np.arange(later) + max(self.num_generated - 1, 0)
            steps = self._states()[:, _lowest_zero_bits(counts)]
            steps[:, 0] ^= self.quasi.numpy()
            values = np.bitwise_xor.accumulate(steps, axis=1).T
            self.quasi.copy_(torch.from_numpy(values[-1].copy()))
            points = torch.from_numpy(np.ascontiguousarray(values)).to(kind)
            parts.append(points * 2.0**-self.MAXBIT)
        self.num_generated += n
        empty = torch.empty(0, self.dimension, dtype=kind)
        result = torch.cat(parts) if parts else empty
        if out is None:
            return result
        out.resize_(result.shape).copy_(result)
        return out

    def draw_base2(self, m: int, out: Any = None, dtype: Any = None) -> Any:
        """The next 2**m points; refused where it would break the balance of the sequence."""
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1) != 0:
            raise ValueError(
                "The balance properties of Sobol' points require n to be a power of 2. "
                f"{self.num_generated} points have been previously generated, then: "
                f"n={self.num_generated}+2**{m}={total}. If you still want to do this, please use "
                "'SobolEngine.draw()' instead."
            )
        return self.draw(n=n, out=out, dtype=dtype)

    def reset(self) -> SobolEngine:
        """Begin the sequence again."""
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Skip n points."""
        later = n - (self.num_generated == 0)
        if later > 0:
            counts = np.arange(later) + max(self.num_generated - 1, 0)
            # A direction that is met an even number of times cancels.
            odd = np.bincount(_lowest_zero_bits(counts), minlength=self.MAXBIT) % 2 == 1
            skipped = np.bitwise_xor.reduce(self._states()[:, odd], axis=1)
            self.quasi.copy_(torch.from_numpy(self.quasi.numpy() ^ skipped))
        self.num_generated += n
        return self

    def _states(self) -> np.ndarray:
        return self.sobolstate.numpy()

    def _scramble(self) -> None:
        """A random linear map of the digits and a random shift, drawn as PyTorch draws them."""
        generator = torch.Generator()
        if self.seed is None:
            generator.seed()
        else:
            generator.manual_seed(self.seed)
        bits, d = self.MAXBIT, self.dimension
        powers = 2 ** np.arange(bits, dtype=np.int64)
        shifts = torch.randint(2, (d, bits), generator=generator).numpy()
        self.shift = torch.from_numpy(shifts @ powers)
        matrix = torch.randint(2, (d, bits, bits), generator=generator).tril().numpy()
        matrix = np.ascontiguousarray(matrix)
        matrix[:, np.arange(bits), np.arange(bits)] = 1
        # Digits from the most significant: row i of the map gives digit i of the new number.
        digits = (self._states()[:, :, None] >> np.arange(bits - 1, -1, -1)) & 1
        mapped = np.einsum("dij,dkj->dki", matrix, digits) % 2
        self.sobolstate = torch.from_numpy(mapped @ powers[::-1])

    def __repr__(self) -> str:
        parts = [f"dimension={self.dimension}"]
        if self.scramble:
            parts.append("scramble=True")
        if self.seed is not None:
            parts.append(f"seed={self.seed}")
        return f"{type(self).__name__}({', '.join(parts)})"


def _lowest_zero_bits(counts: np.ndarray) -> np.ndarray:
    """The place of the lowest zero bit of each number."""
    lowest = ~counts & (counts + 1)
    return np.log2(lowest.astype(np.float64)).astype(np.int64)


def _directions(dimension: int, bits: int) -> np.ndarray:
    """The direction numbers of Joe and Kuo, which SciPy carries as a table."""
    interrupts.load("scipy.stats")
    from scipy.stats import qmc

    engine: Any = qmc.Sobol(d=dimension, scramble=False, bits=bits)
    return np.ascontiguousarray(engine._sv.astype(np.int64))


explain_module(globals())

__all__ = ["SobolEngine"]
