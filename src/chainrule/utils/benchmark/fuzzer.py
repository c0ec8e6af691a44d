"""Random sizes and tensors to time statements with: `Fuzzer`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import chainrule as torch

from ...autograd.accidents import explain_module

MOST_TRIES = 1000


class ParameterAlias:
    """A value that is another parameter's, by name."""

    def __init__(self, alias_to: str) -> None:
        self.alias_to = alias_to

    def __repr__(self) -> str:
        return f"ParameterAlias[alias_to: {self.alias_to}]"


class FuzzedParameter:
    """A number drawn from an interval ("uniform", "loguniform") or from weighted choices."""

    def __init__(
        self, name: str, minval: float | None = None, maxval: float | None = None,
        distribution: str | dict[Any, float] | None = None, strict: bool = False,
    ) -> None:  # fmt: skip
        self._name = name
        self.strict = strict
        self._least, self._most = minval, maxval
        if distribution is None:
            raise ValueError("FuzzedParameter: give a distribution: uniform, loguniform or a dict")
        self._distribution = distribution
        if not isinstance(distribution, dict) and (minval is None or maxval is None):
            raise ValueError(f"FuzzedParameter {name!r}: {distribution} needs minval and maxval")

    @property
    def name(self) -> str:
        """What tensors call it."""
        return self._name

    def sample(self, state: np.random.RandomState) -> Any:
        """A value."""
        if isinstance(self._distribution, dict):
            choices = list(self._distribution)
            weights = np.array(list(self._distribution.values()), dtype=float)
            return choices[int(state.choice(len(choices), p=weights / weights.sum()))]
        least, most = self._least, self._most
        assert least is not None and most is not None
        whole = isinstance(least, int) and isinstance(most, int)
        if self._distribution == "loguniform":
            value = 2 ** state.uniform(math.log2(least), math.log2(most))
            return min(max(round(value), least), most) if whole else value
        if self._distribution != "uniform":
            raise NotImplementedError(f"Unknown distribution: {self._distribution}")
        return int(state.randint(least, most + 1)) if whole else state.uniform(least, most)  # type: ignore[arg-type]


class FuzzedTensor:
    """A tensor of a size in parameters; some are not contiguous, some are seen in steps."""

    def __init__(
        self, name: str, size: tuple[Any, ...], steps: tuple[Any, ...] | None = None,
        probability_contiguous: float = 0.5, min_elements: int | None = None,
        max_elements: int | None = None, max_allocation_bytes: int | None = None,
        dim_parameter: str | None = None, roll_parameter: str | None = None,
        dtype: Any = torch.float32, cuda: bool = False,
        tensor_constructor: Callable[..., Any] | None = None,
    ) -> None:  # fmt: skip
        self._name = name
        self._size, self._steps = size, steps
        self._contiguous = probability_contiguous
        self._limits = (min_elements or 0, math.inf if max_elements is None else max_elements)
        self._bytes = math.inf if max_allocation_bytes is None else max_allocation_bytes
        self._dims, self._dtype, self._make = dim_parameter, dtype, tensor_constructor
        if cuda:
            raise RuntimeError("FuzzedTensor(cuda=True): there is no CUDA device")

    @property
    def name(self) -> str:
        """What statements call it."""
        return self._name

    @staticmethod
    def default_tensor_constructor(size: Any, dtype: Any, **kwargs: Any) -> Any:
        """Normal numbers, or whole ones up to 127."""
        if dtype.is_floating_point or dtype.is_complex:
            return torch.rand(size, dtype=dtype)
        return torch.randint(1, 127, size=size, dtype=dtype)

    def _make_tensor(self, params: dict[str, Any], state: np.random.RandomState) -> Any:
        size, steps, whole = self._get_size_and_steps(params)
        make = self._make or self.default_tensor_constructor
        raw = make(size=whole, dtype=self._dtype, **params)
        order = np.arange(raw.dim())
        if raw.dim() > 1 and state.rand() > self._contiguous:
            order = state.permutation(raw.dim())
            raw = raw.permute(order.tolist()).contiguous().permute(np.argsort(order).tolist())
        found = raw[tuple(slice(0, n * s, s) for n, s in zip(size, steps, strict=True))]
        about = {
            "numel": int(found.numel()), "order": order, "steps": steps, "dtype": self._dtype,
            "is_contiguous": found.is_contiguous(), "device": "cpu",
        }  # fmt: skip
        return found, about

    def _get_size_and_steps(self, params: dict[str, Any]) -> Any:
        dims = params[self._dims] if self._dims is not None else len(self._size)

        def numbers(values: Any) -> tuple[int, ...]:
            values = [params.get(v, v) if isinstance(v, str) else v for v in values or ()]
            return tuple(int(v) for v in [*values, *[1] * dims][:dims])

        size, steps = numbers(self._size), numbers(self._steps)
        return size, steps, tuple(n * s for n, s in zip(size, steps, strict=True))

    def satisfies_constraints(self, params: dict[str, Any]) -> bool:
        """Whether a tensor of these parameters is neither too small nor too large."""
        size, _, whole = self._get_size_and_steps(params)
        count, held = math.prod(size), math.prod(whole) * self._dtype.itemsize
        return self._limits[0] <= count <= self._limits[1] and held <= self._bytes


class FuzzedSparseTensor(FuzzedTensor):
    """A sparse tensor of a size in parameters."""

    def __init__(
        self, name: str, size: tuple[Any, ...], min_elements: int | None = None,
        max_elements: int | None = None, dim_parameter: str | None = None,
        sparse_dim: str | None = None, nnz: str | None = None, density: str | None = None,
        coalesced: str | None = None, dtype: Any = torch.float32, cuda: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(
            name, size, min_elements=min_elements, max_elements=max_elements,
            dim_parameter=dim_parameter, dtype=dtype, cuda=cuda,
        )  # fmt: skip
        self._sparse_dim, self._nnz = sparse_dim, nnz
        self._density, self._coalesced = density, coalesced

    def _make_tensor(self, params: dict[str, Any], state: np.random.RandomState) -> Any:
        size = self._get_size_and_steps(params)[0]
        dims = min(int(params.get(self._sparse_dim or "", len(size))), len(size))
        share = float(params.get(self._density or "", 0.1))
        count = int(params.get(self._nnz or "", max(1, math.ceil(math.prod(size[:dims]) * share))))
        places = torch.stack([torch.randint(0, n, (count,)) for n in size[:dims]])
        values = self.default_tensor_constructor((count, *size[dims:]), self._dtype)
        made = torch.sparse_coo_tensor(places, values, size)
        if params.get(self._coalesced or "", False):
            made = made.coalesce()
        about = {
            "numel": int(made.numel()), "shape": made.shape, "sparse_dim": dims,
            "nnz": int(made._nnz()), "is_coalesced": made.is_coalesced(),
            "density": made._nnz() / max(1, math.prod(size[:dims])),
            "dtype": self._dtype, "device": "cpu",
        }  # fmt: skip
        return made, about


class Fuzzer:
    """Draws parameters and makes tensors of them, again and again.

    >>> from chainrule.utils.benchmark import FuzzedParameter, FuzzedTensor, Fuzzer
    >>> sizes = FuzzedParameter("n", 2, 8, distribution="uniform")
    >>> fuzzer = Fuzzer([sizes], [FuzzedTensor("x", ("n", "n"))], seed=1)
    >>> for tensors, about, params in fuzzer.take(1):
    ...     print(tensors["x"].shape == (params["n"], params["n"]))
    True
    """

    def __init__(
        self, parameters: list[Any], tensors: list[Any], constraints: list[Any] | None = None,
        seed: int | None = None,
    ) -> None:  # fmt: skip
        self._seed = int(np.random.RandomState().randint(0, 2**32 - 1)) if seed is None else seed
        flat: list[Any] = []
        for one in parameters:
            flat += one if isinstance(one, list | tuple) else [one]
        self._parameters = flat
        self._tensors, self._constraints = tensors, constraints or []
        self._tried = self._taken = 0

    def take(self, n: int) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
        """`n` times: the tensors, what is known of them, and the parameters."""
        state = np.random.RandomState(self._seed)
        torch.manual_seed(int(state.randint(0, 2**63, dtype=np.int64)))
        for _ in range(n):
            params = self._generate(state)
            made = {t.name: t._make_tensor(params, state) for t in self._tensors}
            tensors = {name: pair[0] for name, pair in made.items()}
            yield tensors, {name: pair[1] for name, pair in made.items()}, params

    @property
    def rejection_rate(self) -> float:
        """The share of draws that broke a constraint."""
        return (self._tried - self._taken) / self._tried if self._tried else 0.0

    def _generate(self, state: np.random.RandomState) -> dict[str, Any]:
        for _ in range(MOST_TRIES):
            self._tried += 1
            params = {p.name: p.sample(state) for p in self._parameters}
            strict = {p.name for p in self._parameters if p.strict}
            resolved = {k: _resolved(v, params) for k, v in params.items() if k not in strict}
            params |= resolved
            if all(t.satisfies_constraints(params) for t in self._tensors) and all(
                fits(**params) for fits in self._constraints
            ):
                self._taken += 1
                return params
        raise ValueError(f"Failed to generate a set of valid parameters in {MOST_TRIES} tries.")


def _resolved(value: Any, params: dict[str, Any]) -> Any:
    while isinstance(value, ParameterAlias):
        value = params[value.alias_to]
    return value


def ordered_unique(elements: Any) -> list[Any]:
    """Each element once, in the order of its first place."""
    return list(dict.fromkeys(elements))


def trim_sigfig(x: float, n: int) -> float:
    """A number with `n` significant digits."""
    if n != int(n) or n < 1:
        raise ValueError(f"n must be a positive whole number, got {n}")
    magnitude = math.ceil(math.log10(abs(x))) if x else 0
    scale = 10 ** (magnitude - n)
    return float(round(x / scale) * scale)


explain_module(globals())
