"""One op on small tensors: forward with recording, and backward, each on its own clock.

At these sizes the arithmetic is nothing; what is compared is the cost of being an op.
"""

from collections.abc import Callable, Iterator
from typing import Any

from ..case import Case, Prepared, Repeated, Workload, as_arrays, digest, eager_goal, sample

ELEMENTS = (1, 10, 100, 1000)
# rows, columns of the left matrix; the right one has the transposed shape
MATRICES = {1: (1, 1), 10: (2, 5), 100: (10, 10), 1000: (25, 40)}

# A forward function without arguments, and the leaves it reads.
Built = tuple[Callable[[], Any], tuple[Any, ...]]


def leaf(torch: Any, seed: int, *shape: int) -> Any:
    return torch.tensor(sample(seed, *shape), requires_grad=True)


def add(torch: Any, n: int) -> Built:
    a, b = leaf(torch, 1, n), leaf(torch, 2, n)
    return lambda: a + b, (a, b)


def mul(torch: Any, n: int) -> Built:
    a, b = leaf(torch, 1, n), leaf(torch, 2, n)
    return lambda: a * b, (a, b)


def tanh(torch: Any, n: int) -> Built:
    a = leaf(torch, 1, n)
    return lambda: a.tanh(), (a,)


def matmul(torch: Any, n: int) -> Built:
    rows, columns = MATRICES[n]
    a, b = leaf(torch, 1, rows, columns), leaf(torch, 2, columns, rows)
    return lambda: a @ b, (a, b)


def total(torch: Any, n: int) -> Built:
    a = leaf(torch, 1, n)
    return lambda: a.sum(), (a,)


def index_slice(torch: Any, n: int) -> Built:
    a = leaf(torch, 1, n)
    if n == 1:
        return lambda: a[0:1], (a,)
    return lambda: a[1:3], (a,)


def index_integer(torch: Any, n: int) -> Built:
    a = leaf(torch, 1, n)
    return lambda: a[0], (a,)


def index_tensor(torch: Any, n: int) -> Built:
    a = leaf(torch, 1, n)
    # Every second element, the first one twice: repeated positions must add up.
    index = torch.tensor([0, *range(0, n, 2)])
    return lambda: a[index], (a,)


def view(torch: Any, n: int) -> Built:
    a = leaf(torch, 1, n)
    return lambda: a.view(n, 1), (a,)


OPS: dict[str, Callable[[Any, int], Built]] = {
    "add": add,
    "mul": mul,
    "tanh": tanh,
    "matmul": matmul,
    "sum": total,
    "x[1:3]": index_slice,
    "x[0]": index_integer,
    "x[tensor]": index_tensor,
    "view": view,
}


def forward_case(torch: Any, op: str, n: int) -> Case:
    forward, _ = OPS[op](torch, n)
    return Repeated(forward, lambda: digest(as_arrays([forward()])))


def backward_case(torch: Any, op: str, n: int) -> Case:
    """The gradient is given and the leaves start from None, as in a training step."""
    forward, leaves = OPS[op](torch, n)
    out = forward()
    gradient = torch.tensor(sample(3, *out.shape))

    def backward(y: Any) -> None:
        y.backward(gradient)
        for x in leaves:
            x.grad = None

    def gradients() -> list[float]:
        forward().backward(gradient)
        numbers = digest(as_arrays([x.grad for x in leaves]))
        for x in leaves:
            x.grad = None
        return numbers

    return Prepared(forward, backward, gradients)


def workloads() -> Iterator[Workload]:
    for op in OPS:
        for n in ELEMENTS:
            for part, case in (("forward", forward_case), ("backward", backward_case)):
                yield Workload(
                    f"op/{op}/{n}/{part}",
                    "op",
                    lambda torch, style, case=case, op=op, n=n: case(torch, op, n),
                    "op",
                    {"op": op, "elements": n, "part": part},
                    goals=(eager_goal(1.0),),
                )
