"""Chains of elementwise operations, and a graph of a thousand scalar operations.

The functions take the namespace of elementwise functions as an argument (`torch`, `jax.numpy`,
`autograd.numpy`), hence every engine runs the same ones.
"""

from collections.abc import Callable, Iterator
from typing import Any

from ..case import Case, Goal, Repeated, Style, Workload, as_arrays, digest, sample

ELEMENTS = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
SCALAR_ROUNDS = 250
SCALARS = (0.5, 0.7, 0.3, 0.999)


def chain(np: Any, x: Any) -> Any:
    """Thirteen operations; computed one by one, each of them reads and writes memory."""
    y = np.tanh(x * 1.1 + 0.1)
    z = np.exp(y * x * -0.5)
    return np.sin(z * y) * x + z / (y * y + 1.5)


def scalar_graph(np: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Four operations a round; it contracts, so that rounding does not grow on the way."""
    for _ in range(SCALAR_ROUNDS):
        a = np.tanh(a * b + c)
        c = c * d
    return a


def forward_case(torch: Any, n: int, style: Style) -> Case:
    x = torch.tensor(sample(1, n))
    run = style.wrap(lambda x: chain(torch, x))
    return Repeated(lambda: run(x), lambda: settled(lambda: digest(as_arrays([run(x)]))))


def gradient_case(torch: Any, n: int, style: Style) -> Case:
    leaves = [torch.tensor(sample(1, n), requires_grad=True)]
    return gradients(torch, lambda x: chain(torch, x).sum(), leaves, style)


def scalar_case(torch: Any, style: Style) -> Case:
    leaves = [torch.tensor(value, requires_grad=True) for value in SCALARS]
    return gradients(torch, lambda *scalars: scalar_graph(torch, *scalars), leaves, style)


def gradients(torch: Any, function: Callable, leaves: list[Any], style: Style) -> Case:
    """Forward and backward of a function that returns a number."""
    value_of = function if style.whole else style.wrap(function)

    def step(*leaves: Any) -> Any:
        for leaf in leaves:
            leaf.grad = None
        value = value_of(*leaves)
        value.backward()
        return value

    run = style.wrap(step) if style.whole else step

    def values() -> list[float]:
        value = run(*leaves)
        return digest(as_arrays([value, *(leaf.grad for leaf in leaves)]))

    return Repeated(lambda: run(*leaves), lambda: settled(values))


def settled(values: Callable[[], list[float]]) -> list[float]:
    """Of a later call: some engines compile during the first ones."""
    for _ in range(4):
        found = values()
    return found


def workloads() -> Iterator[Workload]:
    for n in ELEMENTS:
        for part, case in (("forward", forward_case), ("gradient", gradient_case)):
            yield Workload(
                f"chain/{n:.0e}/{part}".replace("e+0", "e"),
                "chain",
                lambda torch, style, case=case, n=n: case(torch, n, style),
                "chain",
                {"elements": n, "part": part},
                goals=(Goal(1.3),),
                threaded=True,
            )
    yield Workload(
        f"scalar/{4 * SCALAR_ROUNDS}",
        "scalar",
        scalar_case,
        "scalar",
        goals=(Goal(2.0),),
        threaded=True,
    )
