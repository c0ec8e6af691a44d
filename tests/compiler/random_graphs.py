"""Random graphs over the ops that have loops, to compare machine code with the interpreter."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from chainrule.compiler.graph.program import Graph, Value
from chainrule.compiler.graph.types import emit

_SIZES = (1, 2, 3, 5, 8, 17, 33)
_UNARY = ("neg", "exp", "tanh", "sigmoid", "relu", "sin", "clone")
_BINARY = ("add", "sub", "mul", "maximum")
_COMPARE = ("lt", "le", "gt", "ge", "eq", "ne")


class RandomGraph:
    """Grows a graph by random instructions; every choice comes from one seed."""

    def __init__(self, seed: int, length: int, indexed: bool = False) -> None:
        self.random = random.Random(seed)
        self.graph = Graph()
        self.bounds: dict[Value, int] = {}  # of inputs that number rows
        self.dtype = self.random.choice(["f4", "f4", "f8"])
        self.values: list[Value] = [self._input() for _ in range(self.random.randint(1, 3))]
        rules = [
            self._unary, self._binary, self._binary, self._select, self._reduce, self._reduce,
            self._move, self._move, self._matmul, self._softmax,
        ]  # fmt: skip
        if indexed:
            rules += [self._gather, self._scatter, self._scatter, self._share]
        for _ in range(length):
            made = self.random.choice(rules)()
            if made is not None and made.size <= 5000:
                self.values.append(made)
        self._finish()

    def _input(self) -> Value:
        shape = tuple(self.random.choice(_SIZES) for _ in range(self.random.randint(0, 3)))
        return self.graph.input(shape, self.dtype)

    def _pick(self) -> Value:
        return self.random.choice(self.values[-6:])

    def _unary(self) -> Value:
        op = self.random.choice(_UNARY)
        x = self._pick()
        if op == "exp":  # keep values in range
            x = emit(self.graph, "tanh", x)
        return emit(self.graph, op, x)

    def _partner(self, x: Value) -> Any:
        """Something that broadcasts with x: a number, a value of the table, or a part of x."""
        fitting = [v for v in self.values if _broadcasts(v.shape, x.shape)] or [1.5]
        choice = self.random.random()
        if choice < 0.25:
            return self.random.choice([0, 1, 2.5, -0.5])
        if choice < 0.5 and x.ndim:
            axis = (self.random.randrange(x.ndim),)
            return emit(self.graph, "reduce_max", x, axis=axis, keepdims=True)
        return self.random.choice(fitting)

    def _binary(self) -> Value:
        x = self._pick()
        pair = [x, self._partner(x)]
        self.random.shuffle(pair)
        return emit(self.graph, self.random.choice(_BINARY), *pair)

    def _select(self) -> Value:
        x = self._pick()
        # Compared with a number no result hits exactly: a tie would turn on the last bit.
        test = emit(self.graph, self.random.choice(_COMPARE), x, 0.13717)
        return emit(self.graph, "where", test, x, 0.0)

    def _reduce(self) -> Value | None:
        x = self._pick()
        if not x.ndim:
            return None
        count = self.random.randint(1, x.ndim)
        axis = tuple(sorted(self.random.sample(range(x.ndim), count)))
        op = self.random.choice(["reduce_sum", "reduce_sum", "reduce_max"])
        y = emit(self.graph, op, x, axis=axis, keepdims=self.random.random() < 0.5)
        return emit(self.graph, "mul", y, 0.1) if op == "reduce_sum" else y

    def _move(self) -> Value | None:
        x = self._pick()
        kind = self.random.choice(["transpose", "reshape", "broadcast_to", "slice_view"])
        if kind == "transpose":
            perm = list(range(x.ndim))
            self.random.shuffle(perm)
            return emit(self.graph, kind, x, perm=tuple(perm))
        if kind == "reshape":
            return emit(self.graph, kind, x, shape=self._other_shape(x))
        if kind == "broadcast_to":
            lead = (self.random.choice([1, 2, 3]),)
            return emit(self.graph, kind, x, shape=lead + x.shape) if x.ndim < 3 else None
        if not x.ndim or x.shape[0] < 2:
            return None
        start = self.random.randrange(x.shape[0] - 1)
        step = self.random.choice([1, 2])
        return emit(self.graph, kind, x, index=(slice(start, None, step),))

    def _other_shape(self, x: Value) -> tuple[int, ...]:
        choice = self.random.random()
        if choice < 0.4:
            return (x.size,)
        if choice < 0.7:
            return (1, *x.shape) if x.ndim < 3 else x.shape
        return (*x.shape, 1) if x.ndim < 3 else (x.shape[0], -1 * -x.shape[1] * x.shape[2])

    def _matmul(self) -> Value | None:
        x = self._pick()
        if x.ndim < 2:
            return None
        perm = (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)
        other = emit(self.graph, "transpose", x, perm=perm)
        pair = [x, other] if self.random.random() < 0.5 else [other, x]
        return emit(self.graph, "mul", emit(self.graph, "matmul", *pair), 1 / x.size)

    def _softmax(self) -> Value | None:
        x = self._pick()
        if not x.ndim:
            return None
        op = self.random.choice(["softmax", "log_softmax"])
        return self._append(op, [x], {"axis": self.random.randrange(x.ndim)}, x.shape)

    def _append(self, op: str, inputs: list[Value], params: dict[str, Any], shape: Any) -> Value:
        out = Value(shape, inputs[0].dtype)
        self.graph.append(op, inputs, params, [out])
        return out

    def _numbers(self, count: int, bound: int) -> Value:
        """Numbers of rows: an input, often one that is there already."""
        known = [v for v, b in self.bounds.items() if v.shape == (count,) and b == bound]
        if known and self.random.random() < 0.6:
            return self.random.choice(known)
        made = self.graph.input((count,), "i8")
        self.bounds[made] = bound
        return made

    def _gather(self) -> Value | None:
        x = self._pick()
        if not x.ndim:
            return None
        axis = self.random.choice([0, 0, self.random.randrange(x.ndim)])
        index = self._numbers(self.random.choice(_SIZES), x.shape[axis])
        shape = (*x.shape[:axis], *index.shape, *x.shape[axis + 1 :])
        return self._append("index_select", [x, index], {"axis": axis}, shape)

    def _scatter(self) -> Value | None:
        x = self._pick()
        if not x.ndim:
            return None
        rows = self.random.choice(_SIZES)
        index, shape = self._numbers(x.shape[0], rows), (rows, *x.shape[1:])
        made = self._append("index_axis_sum", [x, index], {"axis": 0, "shape": shape}, shape)
        return emit(self.graph, "mul", made, 0.3)

    def _share(self) -> Value | None:
        """A sum over the last axis, which is used again beside what was summed."""
        x = self._pick()
        if x.ndim < 2:
            return None
        total = emit(self.graph, "reduce_sum", x, axis=(x.ndim - 1,), keepdims=False)
        total = emit(self.graph, "tanh", total)
        self.values.append(total)
        return self._scatter()

    def _finish(self) -> None:
        for target in self.graph.inputs:
            if target in self.bounds:
                continue
            same = [v for v in self.values if v.shape == target.shape and v is not target]
            if same and self.random.random() < 0.6:
                self.graph.write(self.random.choice(same), target)
        count = self.random.randint(1, 3)
        self.graph.outputs = [self._pick() for _ in range(count)]

    def arrays(self, seed: int) -> list[np.ndarray]:
        """Fresh random inputs."""
        rng = np.random.default_rng(seed)
        return [
            rng.integers(-self.bounds[v], self.bounds[v], v.shape)
            if v in self.bounds
            else rng.standard_normal(v.shape).astype(v.dtype)
            for v in self.graph.inputs
        ]


def _broadcasts(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    try:
        shape = np.broadcast_shapes(a, b)
    except ValueError:
        return False
    return int(np.prod(shape)) <= 5000
