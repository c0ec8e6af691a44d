"""How an op becomes loops: the handful of shapes a lowering can have, as plain data.

A line of the op table says `lower=ir.tanh`, `lower=ir.pointwise(lambda x, y: ...)`,
`lower=ir.reduce("add")`, `lower=ir.contract`, `lower=ir.move("transpose")`,
`lower=ir.compose(...)`, or nothing at all (then the op's NumPy forward runs as an extern step).
Bodies are built on first use, so a table of hundreds of ops costs nothing at import.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .scalar import Expr, Number, apply, arg


class Lowering:
    """Base of all lowerings; `tag` is what the compiler switches on."""

    __slots__ = ()
    tag = "extern"

    def __repr__(self) -> str:
        return f"ir.{self.tag}"


class Pointwise(Lowering):
    """Each output element is a scalar expression of the broadcast input elements.

    The function takes one expression per array and static parameters by keyword.  Arithmetic is
    done in the dtype of the op's result (for a bool result: in the common dtype of the inputs)
    and the value is converted to the result's dtype at the end.
    """

    __slots__ = ("function",)
    tag = "pointwise"

    def __init__(self, function: Callable[..., Expr]) -> None:
        self.function = function

    def of(self, operands: Sequence[Expr | Number], params: Mapping[str, Any]) -> Expr:
        """The expression for these elements under these static parameters."""
        code = self.function.__code__
        first = code.co_argcount
        wanted = code.co_varnames[first : first + code.co_kwonlyargcount]
        return self.function(*operands, **{name: params[name] for name in wanted})

    def body(self, arity: int, params: Mapping[str, Any]) -> Expr:
        """The expression for `arity` arrays under these static parameters."""
        return self.of([*map(arg, range(arity))], params)


class Function(Pointwise):
    """A named scalar function: a lowering by itself, and callable inside other bodies."""

    __slots__ = ("arity", "name")

    def __init__(self, name: str, arity: int) -> None:
        self.name = name
        self.arity = arity

    def __call__(self, *args: Expr | Number) -> Expr:
        return apply(self.name, *args)

    def of(self, operands: Sequence[Expr | Number], params: Mapping[str, Any]) -> Expr:
        """This function of the op's elements."""
        if len(operands) != self.arity:
            raise TypeError(f"ir.{self.name} takes {self.arity} arrays, the op has {len(operands)}")
        return apply(self.name, *operands)

    def __repr__(self) -> str:
        return f"ir.{self.name}"


class Reduce(Lowering):
    """Fold the axes named by the op's `axis` parameter with one associative function."""

    __slots__ = ("kind",)
    tag = "reduce"
    kinds = ("add", "mul", "max", "min", "and", "or")

    def __init__(self, kind: str) -> None:
        if kind not in self.kinds:
            raise ValueError(f"ir.reduce: unknown kind {kind!r}, expected one of {self.kinds}")
        self.kind = kind

    def __repr__(self) -> str:
        return f"ir.reduce({self.kind!r})"


class Contract(Lowering):
    """Matrix product of the last two axes, broadcasting over the leading ones."""

    __slots__ = ()
    tag = "contract"


class Move(Lowering):
    """The same elements in another arrangement: no arithmetic, often no copy either."""

    __slots__ = ("kind",)
    tag = "move"
    kinds = ("broadcast", "expand_dims", "flip", "permute", "reshape", "slice", "squeeze")

    def __init__(self, kind: str) -> None:
        if kind not in self.kinds:
            raise ValueError(f"ir.move: unknown kind {kind!r}, expected one of {self.kinds}")
        self.kind = kind

    def __repr__(self) -> str:
        return f"ir.move({self.kind!r})"


class Compose(Lowering):
    """The op written in other ops of the table, so that its pieces fuse with their neighbours.

    The function is written like any rule of the table: one argument per array, static parameters
    by keyword, op names and operators inside; the compiler binds the names to its own world.
    `ir.compose(lambda x, *, axis: exp(log_softmax(x, axis=axis)))`.
    """

    __slots__ = ("function",)
    tag = "compose"

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def params(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Those of the op's static parameters that the function asks for."""
        code = self.function.__code__
        first = code.co_argcount
        wanted = code.co_varnames[first : first + code.co_kwonlyargcount]
        return {name: given[name] for name in wanted}


class Index(Lowering):
    """The position of each element along the op's `axis`: how masks and one-hot rows are made."""

    __slots__ = ()
    tag = "index"


class Take(Lowering):
    """Elements at computed places: the first array indexed by the others along its first axes."""

    __slots__ = ()
    tag = "take"


class Scatter(Lowering):
    """Zeros of a given shape with the first array added at the places the others name."""

    __slots__ = ()
    tag = "scatter"


class Join(Lowering):
    """The arrays one after the other along the op's `axis`."""

    __slots__ = ()
    tag = "join"


class Extern(Lowering):
    """No loops: the op's NumPy forward is called inside the plan; `why` there can be none."""

    __slots__ = ("why",)

    def __init__(self, why: str = "") -> None:
        self.why = why


pointwise = Pointwise
reduce = Reduce
move = Move
compose = Compose
contract = Contract()
join = Join()
extern = Extern()
