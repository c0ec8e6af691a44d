"""What an op is: one record with its computation and every rule derived from it.

    @op(partials={"x": lambda out: (1 - out) * (1 + out)}, lower=ir.tanh)
    def tanh(x):
        '''Hyperbolic tangent, element by element.'''
        return np.tanh(x)

The function sees arrays only: arrays positional, static parameters keyword-only. Rules speak only
ops, helpers declared with `@helper`, and operators, so that one rule runs on arrays, on Tensors
(then it is differentiable itself) and on tracers. A rule is keyed by the input it differentiates
and **its own parameter names say what is saved**:

    g           the incoming gradient (a tuple of them, one per output, for several outputs)
    t           in a jvp rule: the tangent of the keyed input
    x           an input's value            x_shape, x_dtype, x_ndim, x_fortran   its metadata
    out, out0.. a result's value            out_shape, out_dtype       its metadata
    axis, ...   a static parameter by name
    mask        in a joint rule: which inputs need a gradient

`worlds.py` binds a rule's op names to one of the worlds; nothing is dispatched inside a rule.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from .flops import Work
from .halves import rounding_once

Rule = Callable[..., Any]

TABLE: dict[str, Op] = {}
HELPERS: dict[str, Callable[..., Any]] = {}

# What a decomposition (`lower=ir.compose`) may call beyond ops and helpers, with its parameters:
# the compiler has these, nobody else. Some say None where only NumPy can do it.
ONLY_IN_LOOPS: dict[str, tuple[str, ...]] = {
    "position": ("like", "axis"),  # of each element along an axis
    "picked": ("x", "indices", "dims"),  # x[indices]
    "numbered_rows": ("w", "index"),  # rows by number, where a negative one is wrong
    "placed": ("g", "indices", "dims", "shape"),  # zeros with g added at the indices
    "first_place": ("extreme", "x", "axis", "keepdims"),  # where the largest or smallest is
    "picked_once": ("x", "index", "axis", "keepdims"),  # one element of each line along an axis
    "placed_once": ("g", "index", "axis", "shape"),  # zeros with one g along an axis
    "hits_along": ("target", "classes", "axis"),  # whether a position is the target's class
    "checked_classes": ("target", "classes", "ignore"),  # an error at run time for others
}

_OWN_FILES = __file__.rpartition("ops")[0]
_META_SUFFIXES = ("_shape", "_dtype", "_ndim", "_fortran")


class Op:
    """One row of the table. Built by `@op`; read by autograd, transforms, compiler and docs."""

    __slots__ = (
        "arrays",
        "aten",
        "batch",
        "bias_first",
        "broadcasts",
        "cache",
        "dead",
        "doc",
        "fixed",
        "flat",
        "forward",
        "frees_numbers",
        "function",
        "half_products",
        "in_range",
        "inline",
        "inputs",
        "joint",
        "jvps",
        "keeps_zero",
        "linear",
        "lower",
        "materialise",
        "n_out",
        "name",
        "node_name",
        "nondiff",
        "nondiff_out",
        "numbers",
        "overwritable",
        "params",
        "partials",
        "plain_joint",
        "promote",
        "public",
        "random",
        "refuses",
        "refuses_operands",
        "refuses_values",
        "shaped_by_values",
        "source",
        "types",
        "variadic",
        "view",
        "vjps",
        "work",
    )

    def __init__(self, forward: Callable[..., Any], spec: dict[str, Any]) -> None:
        code = forward.__code__
        self.function = forward  # as declared: what rules and entries of wide types call
        self.name: str = spec.pop("name", None) or forward.__name__
        self.doc = (forward.__doc__ or "").strip()
        self.source = (code.co_filename, code.co_firstlineno)
        self.inline: str | None = spec.pop("inline", None)
        names = code.co_varnames
        count = code.co_argcount
        self.inputs = names[:count]
        self.params = names[count : count + code.co_kwonlyargcount]
        self.variadic = bool(code.co_flags & 0x04)
        self.fixed = count  # inputs before the variadic one
        if self.variadic:
            self.inputs = (*self.inputs, names[count + code.co_kwonlyargcount])
        self.partials: dict[str, Rule] = spec.pop("partials", None) or {}
        self.vjps: dict[str, Rule] = spec.pop("vjp", None) or {}
        self.arrays: dict[str, Rule] = spec.pop("arrays", None) or {}
        self.joint: Rule | None = spec.pop("joint", None)
        self.plain_joint: Rule | None = spec.pop("plain_joint", None)
        self.jvps: Any = spec.pop("jvp", None) or {}
        if self.jvps == "same":
            self.jvps = {name: _of_tangent(rule) for name, rule in self.vjps.items()}
        self.linear = spec.pop("linear_in", ())
        self.nondiff = tuple(spec.pop("nondiff", ()))
        self.n_out: int | None = spec.pop("n_out", 1)  # None: as many as forward returns
        self.nondiff_out = tuple(spec.pop("nondiff_out", ()))
        self.materialise: bool = spec.pop("materialise", True)
        self.flat = tuple(spec.pop("flat", ()))
        self.dead = tuple(spec.pop("dead", ()))
        self.frees_numbers: bool = spec.pop("frees_numbers", False)
        self.in_range = tuple(spec.pop("in_range", ()))
        self.overwritable = tuple(spec.pop("overwritable", ()))
        self.bias_first: bool = spec.pop("bias_first", False)
        self.broadcasts = spec.pop("broadcasts", bool(self.partials))
        self.promote: str = spec.pop("promote", "same" if self.broadcasts else "none")
        halves: str = spec.pop("halves", "own" if self.promote == "none" else "single")
        self.half_products = halves == "products"
        # For arrays of every type.
        self.forward = rounding_once(forward) if halves == "single" else forward
        self.numbers: str = spec.pop("numbers", "rounded")
        self.view: bool = spec.pop("view", False)
        self.batch: Any = spec.pop("batch", "elementwise" if self.broadcasts else None)
        self.lower: Any = spec.pop("lower", None)
        self.random: bool = spec.pop("random", False)
        self.refuses: dict[str, str] = _by_kind(spec.pop("refuses", None) or {})
        self.refuses_operands = _by_kind(spec.pop("refuses_operands", None) or {})
        self.refuses_values: str = spec.pop("refuses_values", "")
        self.node_name: str = spec.pop("node", None) or camel(self.name) + "Backward0"
        self.aten: tuple[str, ...] = spec.pop("aten", None) or (self.name.removeprefix("reduce_"),)
        self.public: dict[str, Any] | None = spec.pop("public", None)
        self.keeps_zero: bool = spec.pop("keeps_zero", False)
        self.shaped_by_values: bool = spec.pop("shaped_by_values", False)
        self.types: Callable[..., Any] | None = spec.pop("types", None)
        self.work: Work | None = spec.pop("work", None)
        self.cache: dict[Any, Any] = {}
        if spec:
            raise TypeError(f"op {self.name}: unknown declaration {sorted(spec)}")
        if not code.co_filename.startswith(_OWN_FILES):  # a test checks ours, not every import
            self.check()

    @property
    def differentiable(self) -> bool:
        """Whether any input can receive a gradient."""
        return bool(self.partials or self.vjps or self.joint)

    def input_name(self, position: int) -> str:
        """The name of the input at a position; a variadic one has many positions."""
        return self.inputs[min(position, self.fixed)] if self.variadic else self.inputs[position]

    def check(self) -> None:
        """Raise where rules name what the op does not have, or an input has no rule."""
        known = set(self.partials) | set(self.vjps) | set(self.nondiff)
        if self.joint:
            known = set(self.inputs)
        if unknown := known - set(self.inputs):
            raise TypeError(f"op {self.name}: rules for {sorted(unknown)}, which are no inputs")
        if missing := set(self.inputs) - known:
            raise TypeError(
                f"op {self.name}: no rule for {sorted(missing)}; give one or list it in nondiff="
            )
        rules = [*self.partials.values(), *self.vjps.values()]
        rules += [r for r in (self.joint, self.plain_joint) if r]
        for rule in rules:
            self._check_names(rule, {"g", "mask"})
        for name, rule in self.arrays.items():
            if not hasattr(rule, "__code__"):
                continue  # a formula names what its rule names
            spoken = self.vjps[name] if name in self.vjps else self.partials[name]
            if unsaved := set(rule_names(rule)) - {"g", *rule_names(spoken)}:
                raise TypeError(f"op {self.name}: {sorted(unsaved)} is not saved for {name}")
        if isinstance(self.jvps, dict):
            for rule in self.jvps.values():  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
                self._check_names(rule, {"t"})  # pyright: ignore[reportUnknownArgumentType]

    def _check_names(self, rule: Rule, extra: set[str]) -> None:
        for name in rule_names(rule):
            if name in extra or self.classify(name)[0] != "?":
                continue
            if name.startswith("t_") and name[2:] in self.inputs:
                continue
            raise TypeError(
                f"op {self.name}: the rule at line {rule.__code__.co_firstlineno} asks for "
                f"{name!r}, which is neither an input, an output nor a parameter"
            )

    def classify(self, name: str) -> tuple[str, Any]:
        """What a rule's parameter name means: (kind, detail)."""
        if name in self.inputs:
            return "in", self.inputs.index(name)
        if name in self.params:
            return "param", name
        if name == "out":
            return "out", 0
        if name.startswith("out") and name[3:].isdigit():
            return "out", int(name[3:])
        for suffix in _META_SUFFIXES:
            if name.endswith(suffix):
                stem, what = name[: -len(suffix)], suffix[1:]
                if stem in self.inputs:
                    return "in_" + what, self.inputs.index(stem)
                if stem == "out":
                    return "out_" + what, 0
                if stem.startswith("out") and stem[3:].isdigit():
                    return "out_" + what, int(stem[3:])
        return "?", None

    def __repr__(self) -> str:
        return f"<op {self.name}({', '.join(self.inputs)})>"

    def __reduce__(self) -> Any:
        return _lookup, (self.name,)


class Refused(ValueError):
    """Raised by a forward function to give the user an error of another type; see `kind`."""

    def __init__(self, kind: type[Exception], text: str) -> None:
        super().__init__(text)
        self.kind = kind


def _of_tangent(rule: Rule) -> Rule:
    """A rule of the gradient g as a rule of the tangent t."""
    code = rule.__code__
    renamed = tuple("t" if name == "g" else name for name in code.co_varnames)
    cells = tuple("t" if name == "g" else name for name in code.co_cellvars)
    code = code.replace(co_varnames=renamed, co_cellvars=cells)
    return FunctionType(code, rule.__globals__, code.co_name, rule.__defaults__, rule.__closure__)


def _by_kind(refuses: dict[str, str]) -> dict[str, str]:
    return {kind: phrase for kinds, phrase in refuses.items() for kind in kinds}


def _lookup(name: str) -> Op:
    return TABLE[name]


def op(**spec: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the decorated array function as an op; see the module's docstring.

    partials   {input: rule} diagonal Jacobian: gives VJP and JVP, implies broadcasting
    vjp        {input: rule(g, ...)}; `joint` one rule(g, mask, ...) returning all gradients
    arrays     {input: function(g, ...)} the gradient by vjp or partials on float32 or float64
               arrays, faster; it names what the rule names: a `Formula` is made of the rule itself
    plain_joint  the differentiable form of a fused, array-only `joint`
    jvp        {input: rule(t, ...)} (contributions are summed), or one rule(t_x, t_y, ...), or
               "same": the vjp rules are their own transposes and take a tangent as they take g
    linear_in  inputs in which the op is linear: the JVP is the op itself; "all" = jointly linear
    nondiff    inputs without gradient; nondiff_out: outputs without gradient
    n_out      number of outputs (None: as many as forward returns)
    materialise  whether outputs nobody used have a gradient of zeros in `g` (default) or None
    flat       inputs in which their own gradient is piecewise constant: under create_graph it
               still belongs to them, and its gradient by them is zeros
    dead       inputs whose gradient requires grad under create_graph if those of others are wanted,
               though no gradient comes of it (a bias beside a weight)
    bias_first    the last input's gradient is handed on first (default False)
    frees_numbers  whether a number that a rule names is given up after backward as a tensor is, so
               that a second pass is an error (PyTorch's products and quotients)
    overwritable  results (out, out0...) that the joint rule can do without: it gets None for one
               that was modified in place since; every other saved value is an error then
    in_range   inputs for which a number must lie in the range of the integers it is combined with;
               for others it wraps around as in C
    promote    "none", "same", "float" (ints become the default float), "bool_ok"
    halves     "single": half precision is widened before the function and its result rounded
               (default for ops that promote); "own": the function does that itself; "products":
               so does its gradient, whose rules are one product each
    numbers    what becomes of a number beside half precision. "wide": it is not rounded to it first
               as in PyTorch's products and quotients; "rounded" (default); "fitting": the same, and
               refused if it is too large
    refuses    {"fc": phrase}: types (NumPy kinds) that promotion may not arrive at, and what the
               error says ("" for PyTorch's general phrase)
    refuses_operands  the same for types that an operand may not have beside other types
    inline     the forward as an expression of x_<input> and parameters: spares a hot op a call
    batch      how it vmaps: "elementwise", "loop", or an object of `batching`
    lower      how it becomes loops, in the words of `ir`; without it the function itself is called
    node       the name of its node on the tape, where PyTorch's is not <Name>Backward0
    aten       PyTorch's names as a profiler shows them, outermost first, where they are not `name`;
               {} stands for the number of spatial dimensions
    public     {} for an op that users call as it is, with what `tensor.api.expose` takes: aliases,
               namespace, which operands may be numbers, whether there are in-place and out= forms
    keeps_zero whether 0 gives 0: a sparse argument keeps its places
    shaped_by_values  whether the shape of the result depends on values, which a trace has not
    types      function(*arrays, **parameters) -> [(shape, dtype)] of its results, for ops whose
               work is worth avoiding where nobody wants values (`result_types`)
    work       floating-point operations of it and of its gradients (`flops`); default: none
    view       whether the result shares the argument's memory
    random     whether it draws numbers: never merged, moved or left out
    refuses_values  NumPy's kinds of operands of which some values are an error ("biu" of divisions,
               "fc" of matrices that have no inverse): never left out where it has such operands
    """

    def register(forward: Callable[..., Any]) -> Callable[..., Any]:
        record = Op(forward, spec)
        if record.name in TABLE:
            raise TypeError(f"op {record.name} is declared twice")
        TABLE[record.name] = record
        return forward

    return register


def helper(function: Callable[..., Any]) -> Callable[..., Any]:
    """Declare a function written in ops that rules of every world may call."""
    known = HELPERS.get(function.__name__)
    if known is not None:
        raise TypeError(
            f"the helper {function.__name__} is declared twice: rules of {known.__module__} would "
            f"call the one of {function.__module__}.\n  Fix: give it another name."
        )
    HELPERS[function.__name__] = function
    return function


def rule_names(rule: Rule) -> tuple[str, ...]:
    """The parameter names of a rule, which say what it needs."""
    code = getattr(rule, "__code__", None)
    if code is None:
        return rule.names  # a `Formula`, which has them from the rule it was made of  # pyright: ignore[reportFunctionMemberAccess]
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def aten_names(op: Op, ndim: int = 0, written: str = "") -> tuple[str, ...]:
    """PyTorch's names of an op, outermost first: `aten::linear`, inside `aten::addmm`.

    `ndim` is that of its first argument; `written` is the name of an in-place form.
    """
    if written:
        return (f"aten::{written}", *(f"aten::{name}" for name in op.aten[1:]))
    return tuple(f"aten::{name.format(max(ndim - 2, 1))}" for name in op.aten)


def camel(name: str) -> str:
    """add -> Add, log_softmax -> LogSoftmax: the stem of PyTorch's node names."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
