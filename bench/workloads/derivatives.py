"""Derivatives other than one gradient: Hessian-vector products and Jacobians."""

from collections.abc import Callable, Iterator
from typing import Any

from ..case import Case, Goal, Repeated, Style, Workload, as_arrays, digest, fastest, sample
from .elementwise import settled
from .mlp import example_batch, initial_parameters, squared_error

SIZES, BATCH = (64, 128, 128, 10), 64
FEW, MANY = 2, 1000


def directions() -> list[Any]:
    """The vector of the product, one array per parameter."""
    return [sample(50 + k, *array.shape) for k, array in enumerate(initial_parameters(SIZES))]


def forward_over_reverse(torch: Any, loss: Callable) -> Callable:
    jvp, grad = torch.func.jvp, torch.func.grad
    return lambda parameters, vector: jvp(grad(loss), (parameters,), (vector,))[1]


def double_backward(torch: Any, loss: Callable) -> Callable:
    grad = torch.autograd.grad

    def product(parameters: tuple, vector: tuple) -> Any:
        first = grad(loss(parameters), parameters, create_graph=True)
        return grad(first, parameters, vector)

    return product


def hvp_case(torch: Any, style: Style) -> Case:
    """The faster of two ways to write it, found before the clock starts."""
    inputs, targets, _ = example_batch(SIZES, BATCH)
    x, y = torch.tensor(inputs), torch.tensor(targets)
    loss_of = squared_error(torch)
    vector = tuple(torch.tensor(array) for array in directions())
    ways: dict[str, Callable] = {}
    failed: list[Exception] = []
    for way, leaves in ((forward_over_reverse, False), (double_backward, True)):
        parameters = tuple(
            torch.tensor(array, requires_grad=leaves) for array in initial_parameters(SIZES)
        )
        run = style.wrap(way(torch, lambda parameters: loss_of(x, y, *parameters)))
        step = lambda run=run, parameters=parameters: run(parameters, vector)  # noqa: E731
        try:
            settled(lambda step=step: digest(as_arrays(step())))
        except Exception as error:  # compilers take one of them and not the other
            failed.append(error)
        else:
            ways[way.__name__.replace("_", " ")] = step
    if not ways:
        raise failed[0]
    name = fastest(ways)
    return Repeated(ways[name], lambda: digest(as_arrays(ways[name]())), name)


def few_to_many() -> tuple[Any, Any]:
    return sample(61, MANY, FEW), sample(62, FEW)


def many_to_few() -> tuple[Any, Any]:
    return sample(63, FEW, MANY, scale=0.05), sample(64, MANY)


def jacobian_case(torch: Any, mode: str, data: Callable, style: Style) -> Case:
    matrix, point = (torch.tensor(array) for array in data())
    jacobian = getattr(torch.func, mode)(lambda x: torch.tanh(matrix @ x) ** 2)
    run = style.wrap(lambda x: jacobian(x))
    return Repeated(lambda: run(point), lambda: settled(lambda: digest(as_arrays([run(point)]))))


JACOBIANS = {
    f"R{FEW}-R{MANY}/forward": ("jacfwd", few_to_many),
    f"R{MANY}-R{FEW}/reverse": ("jacrev", many_to_few),
}


def workloads() -> Iterator[Workload]:
    yield Workload(
        f"hvp/mlp/{'-'.join(map(str, SIZES))}/b{BATCH}",
        "hvp",
        hvp_case,
        "hvp",
        goals=(Goal(1.0),),
        threaded=True,
    )
    for name, (mode, data) in JACOBIANS.items():
        yield Workload(
            f"jacobian/{name}",
            "jacobian",
            lambda torch, style, mode=mode, data=data: jacobian_case(torch, mode, data, style),
            "jacobian",
            {"mode": mode, "data": data},
            goals=(Goal(1.0),),
            threaded=True,
        )
