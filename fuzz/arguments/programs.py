"""Valid lines of programs (`lines.txt`); every call in them is tried with nonsense.

A line is an expression. `T(2, 3)` is a tensor of that shape, `P(...)` a parameter, `G()` a
parameter with a gradient, `N()` is `nn.Linear(3, 4)`, and `S(...)` and `O(...)` make a schedule and
an optimizer and step them. The rest of the short names are in `_space`.
"""

from __future__ import annotations

import ast
import functools
import io
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import chainrule as torch

_LINES = Path(__file__).with_name("lines.txt")


def all_programs() -> Iterator[str]:
    """Every line."""
    for line in _LINES.read_text().splitlines():
        if line and not line.startswith("#"):
            yield line
    yield from _distributions()


def _distributions() -> Iterator[str]:
    from distributions.cases import CASES

    seen: set[tuple[str, ...]] = set()
    for name, parameters, value in CASES:
        if (name, *parameters) in seen:
            continue
        seen.add((name, *parameters))
        given = ", ".join(
            f"{k}=V({v})" if isinstance(v, list) else f"{k}={v}" for k, v in parameters.items()
        )
        made = f"dist.{name}({given})"
        yield f"ALL({made}, V({value}))"
        yield f"{made}.sample((2,))"
        yield f"{made}.log_prob(V({value}))"


# ---- running them --------------------------------------------------------------------------------


def _space() -> dict[str, Any]:
    def grown(*shape: int) -> Any:
        return torch.linspace(-1.3, 1.7, max(int(np.prod(shape)), 1)).reshape(shape)

    def leaf(*shape: int) -> Any:
        return torch.nn.Parameter(grown(*shape))

    def with_gradient() -> Any:
        made = leaf(3, 4)
        made.grad = grown(3, 4)
        return made

    def scheduled(name: str, *args: Any, **kwargs: Any) -> Any:
        optimizer = torch.optim.SGD([leaf(3)], 0.1, 0.5)
        made = getattr(torch.optim.lr_scheduler, name)(optimizer, *args, **kwargs)
        for _ in range(4):
            optimizer.step()
            made.step(*([1.0] if name == "ReduceLROnPlateau" else []))
        return made.get_last_lr()

    def optimised(name: str, *args: Any, **kwargs: Any) -> Any:
        made = getattr(torch.optim, name)(*args, **kwargs)
        for _ in range(2):
            made.step(*([lambda: torch.tensor(1.0)] if name == "LBFGS" else []))

    def all_of(d: Any, value: Any) -> None:
        for ask in (
            lambda: d.mean, lambda: d.variance, lambda: d.mode, lambda: d.entropy(),
            lambda: d.sample((2,)), lambda: d.log_prob(value), lambda: d.cdf(value),
        ):  # fmt: skip
            try:
                ask()
            except NotImplementedError:
                continue

    def saved() -> Any:
        file = io.BytesIO()
        torch.save(grown(3), file)
        file.seek(0)
        return file

    return {
        "torch": torch, "nn": torch.nn, "optim": torch.optim, "data": torch.utils.data,
        "dist": torch.distributions, "T": grown, "P": leaf, "G": with_gradient,
        "R": lambda n: torch.linspace(0.2, 1.7, n),
        "I": lambda *s: torch.ones(s, dtype=torch.int64),
        "D": lambda *s: grown(*s).double().requires_grad_(), "E": lambda n: torch.eye(n),
        "L": lambda *s: grown(*s).log_softmax(-1), "A": lambda *s: np.ones(s), "V": torch.tensor,
        "N": lambda: torch.nn.Linear(3, 4), "S": scheduled, "O": optimised, "ALL": all_of,
        "SUM": lambda x: (x * x).sum(), "FILE": io.BytesIO, "SAVED": saved,
        "MAPPED": _mapped().name,
    }  # fmt: skip


@functools.cache
def _mapped() -> Any:
    """A file that calls may map, also for writing; it goes when this process ends."""
    file = tempfile.NamedTemporaryFile()
    file.write(bytes(64))
    file.flush()
    return file


_HELPERS = frozenset("TPGRIDELAVN") | {
    "FILE", "SAVED", "SUM", "list", "next", "iter", "bytearray", "ALL",
}  # fmt: skip


def parts_of(
    line: str,
) -> Iterator[tuple[str, tuple[Any, ...], dict[str, Any], Any, Callable[[Any], Any]]]:
    """(name, arguments, keywords, function, run) of every call in a line."""
    tree = ast.parse(line, mode="eval")
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and not _is_helper(n)]
    for number in range(len(calls)):
        code = _through(line, number)
        found: list[Any] = []

        def note(function: Any, *args: Any, _found: list[Any] = found, **kwargs: Any) -> Any:
            _found[:] = [function, args, kwargs]
            return function(*args, **kwargs)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                eval(code, {**_space(), "CALL": note})
            except Exception as problem:
                raise RuntimeError(f"{line}: {type(problem).__name__}: {problem}") from problem
        function, args, kwargs = found
        yield f"{line}#{number}", args, kwargs, _with_signature(function, args), _runner(code)


def _with_signature(function: Any, args: tuple[Any, ...]) -> Any:
    """Whose parameters a call has."""
    space = {"optimised": torch.optim, "scheduled": torch.optim.lr_scheduler}
    name = getattr(function, "__name__", "")
    return getattr(space[name], args[0]) if name in space else function


def _runner(code: Any) -> Callable[[Any], Any]:
    def run(change: Any) -> Any:
        def call(function: Any, *args: Any, **kwargs: Any) -> Any:
            args, kwargs = change(args, kwargs)
            return function(*args, **kwargs)

        return eval(code, {**_space(), "CALL": call})

    return run


def _is_helper(node: ast.Call) -> bool:
    function = node.func
    return isinstance(function, ast.Name) and function.id in _HELPERS


def _through(line: str, number: int) -> Any:
    """The line, with call number `number` made by CALL(function, ...)."""
    tree = ast.parse(line, mode="eval")
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and not _is_helper(n)]
    node = calls[number]
    node.args.insert(0, node.func)
    node.func = ast.copy_location(ast.Name("CALL", ast.Load()), node)
    return compile(ast.fix_missing_locations(tree), "<line>", "eval")
