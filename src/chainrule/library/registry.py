"""What is known of each operator, and what a call of it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._C.dispatch_keys import DispatchKey, is_excluded
from ..amp.state import is_autocast_enabled
from ..autograd.function import Function
from ..autograd.modes import no_grad
from ..ops.overloads import OpOverload, namespace
from ..tensor import Tensor
from .schema import FunctionSchema

# Keys under which a function computes for the CPU, the first found first.
_COMPUTES = (
    "CPU",
    "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
    "Default",
)
_WITH_AUTOGRAD = ("Autograd", "AutogradCPU", "CompositeImplicitAutograd")
_FAKE = ("Meta", "Fake")
OPERATORS: dict[str, Operator] = {}


def several_tags(given: Any) -> tuple[Any, ...]:
    """The tags of an operator: one, several or none."""
    if given is None:
        return ()
    return tuple(given) if isinstance(given, tuple | list | set) else (given,)


class Operator:
    """One overload: its schema, and the functions registered for it."""

    def __init__(self, schema: FunctionSchema, *, checks_aliases: bool = False) -> None:
        self.schema = schema
        self.checks_aliases = checks_aliases
        self.kernels: dict[str, Callable[..., Any]] = {}
        self.backward: Callable[..., Any] | None = None
        self.setup_context: Callable[..., Any] | None = None
        self.vmap: Callable[..., Any] | None = None
        self.autocast: Any = None
        self.tags: tuple[Any, ...] = ()
        self.sealed = False  # its formulas are ours
        self._function: Any = None

    @property
    def overload(self) -> OpOverload:
        """The object under `torch.ops`."""
        space, _, name = self.schema.name.partition("::")
        return getattr(getattr(namespace(space), name), self.schema.overload_name or "default")

    # ---- a call ---------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        values = self.schema.bind(args, kwargs)
        tensors = tensors_of(values.values())
        for t in tensors:
            if type(t) is not Tensor and hasattr(t, "node") and hasattr(t, "tracer"):
                return t.tracer.create_proxy("call_function", self.overload, args, kwargs)
        if is_autocast_enabled("cpu"):
            if "AutocastCPU" in self.kernels and not is_excluded(DispatchKey.AutocastCPU):
                return self.kernels["AutocastCPU"](*args, **kwargs)
            if self.autocast is not None:
                values = {k: _cast(v, self.autocast) for k, v in values.items()}
        if any(t.is_meta for t in tensors):
            return self.fake()(*self._given(values)[0], **self._given(values)[1])
        whole = self._kernel(_WITH_AUTOGRAD)
        if whole is not None and self.backward is None:
            given, named = self._given(values)
            return whole(*given, **named)
        if self.schema.is_mutable:
            return self._write(values)
        if self._is_recorded(tensors):
            return self._apply(values)
        return self.compute(values)

    def _given(self, values: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        named = {a.name for a in self.schema.arguments if a.kwarg_only}
        return (
            [v for k, v in values.items() if k not in named],
            {k: v for k, v in values.items() if k in named},
        )

    def _kernel(self, keys: tuple[str, ...]) -> Callable[..., Any] | None:
        return next((self.kernels[key] for key in keys if key in self.kernels), None)

    def fake(self) -> Callable[..., Any]:
        """The function that gives results without values."""
        found = self._kernel(_FAKE) or self._kernel(_WITH_AUTOGRAD)
        if found is None:
            raise RuntimeError(
                f"There was no fake impl registered for {self.schema.name}. This is necessary for "
                "tensors on the meta device.\n  Fix: @torch.library.register_fake"
                f'("{self.schema.name}").'
            )
        return found

    def compute(self, values: dict[str, Any]) -> Any:
        """The result on the CPU, not recorded."""
        kernel = self._kernel(_COMPUTES) or self._kernel(_WITH_AUTOGRAD)
        if kernel is None:
            raise NotImplementedError(
                f"Could not run '{self.schema.name}' with arguments from the 'CPU' backend: no "
                f"function is registered for it.\n  Registered: {sorted(self.kernels) or 'nothing'}"
                f'\n  Fix: torch.library.impl("{self.schema.name}", "cpu", function).'
            )
        given, named = self._given(values)
        result = kernel(*given, **named)
        if self.checks_aliases:
            self._check_aliases(tensors_of(values.values()), result)
        return result

    def _is_recorded(self, tensors: list[Any]) -> bool:
        from ..autograd.modes import is_grad_enabled

        wanted = is_grad_enabled() and any(t.requires_grad for t in tensors)
        return wanted or any(t._level is not None for t in tensors)

    def _write(self, values: dict[str, Any]) -> Any:
        """Run an operator that writes into its arguments, which have no history."""
        for a in self.schema.arguments:
            held = values[a.name]
            if a.is_write and isinstance(held, Tensor) and held.requires_grad:
                from ..autograd.modes import is_grad_enabled

                if is_grad_enabled():
                    raise RuntimeError(
                        f"{self.schema.name} writes into '{a.name}', which requires grad: an "
                        "operator that mutates has no autograd formula.\n  Fix: call it under "
                        "torch.no_grad(), or give it x.detach()."
                    )
        with no_grad():
            return self.compute(values)

    def _check_aliases(self, inputs: list[Any], result: Any) -> None:
        memory = {t.untyped_storage().data_ptr() for t in inputs if t._level is None and t.numel()}
        for out in tensors_of([result]):
            shares = (
                out._level is None and out.numel() and (out.untyped_storage().data_ptr() in memory)
            )
            if any(out is t for t in inputs) or shares:
                raise RuntimeError(
                    f"{self.schema.name}: The output of this custom operator (1) must not also be "
                    "an input to this custom operator and (2) may not alias any inputs to this "
                    "custom operator or other returns. The most common way to trigger this error "
                    "is if we have y = custom_op(x) and y and x are the same Tensor. Please "
                    "instead return a clone of the offending output tensor(s) (e.g. return "
                    "x.clone()) or refactor the custom operator to not return y."
                )

    # ---- derivatives ----------------------------------------------------------------------------

    def _apply(self, values: dict[str, Any]) -> Any:
        """A recorded call: tensors in lists are inputs of their own to the tape."""
        flat, rebuild = _flattened(values)
        if self._function is None:
            self._function = _function_of(self)
        return self._function.apply(rebuild, *flat)


def _cast(value: Any, dtype: Any) -> Any:
    if isinstance(value, Tensor) and value.is_floating_point():
        return value.to(dtype)
    if isinstance(value, list | tuple):
        return type(value)(_cast(v, dtype) for v in value)
    return value


def tensors_of(values: Any) -> list[Any]:
    """The tensors among values and in lists of them."""
    found = []
    for v in values:
        if isinstance(v, Tensor) or (hasattr(v, "tracer") and hasattr(v, "node")):
            found.append(v)
        elif isinstance(v, list | tuple):
            found += tensors_of(v)
    return found


class _Rebuild:
    """How the flat arguments of the tape become those of the operator again."""

    def __init__(self, names: list[str], counts: list[int | None], kinds: list[Any]) -> None:
        self.names, self.counts, self.kinds = names, counts, kinds

    def __call__(self, flat: tuple[Any, ...]) -> dict[str, Any]:
        found, rest = {}, list(flat)
        for name, count, kind in zip(self.names, self.counts, self.kinds, strict=True):
            if count is None:
                found[name] = rest.pop(0)
            else:
                found[name] = kind(rest[:count])
                rest = rest[count:]
        return found

    def flat_gradients(self, gradients: list[Any]) -> list[Any]:
        """Gradients by argument, those of lists one by one."""
        flat: list[Any] = []
        for g, count in zip(gradients, self.counts, strict=True):
            if count is None:
                flat.append(g)
            else:
                flat += [None] * count if g is None else list(g)
        return flat


def _flattened(values: dict[str, Any]) -> tuple[list[Any], _Rebuild]:
    flat: list[Any] = []
    counts: list[int | None] = []
    kinds: list[Any] = []
    for v in values.values():
        if isinstance(v, list | tuple) and any(isinstance(t, Tensor) for t in v):
            counts.append(len(v))
            kinds.append(type(v))
            flat += v
        else:
            counts.append(None)
            kinds.append(None)
            flat.append(v)
    return flat, _Rebuild(list(values), counts, kinds)


class _Context:
    """The `ctx` that formulas see: `needs_input_grad` is of the operator's own arguments."""

    def __init__(self, ctx: Any, rebuild: _Rebuild) -> None:
        self.__dict__["_ctx"] = ctx
        self.__dict__["_rebuild"] = rebuild

    def __getattr__(self, name: str) -> Any:
        if name == "needs_input_grad":
            needs = self._rebuild(self._ctx.needs_input_grad[1:])
            return tuple(list(v) if isinstance(v, list | tuple) else v for v in needs.values())
        return getattr(self._ctx, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._ctx, name, value)


def _function_of(op: Operator) -> Any:
    """The autograd function of an operator."""

    def forward(rebuild: _Rebuild, *flat: Any) -> Any:
        return op.compute(rebuild(flat))

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx._rebuild_arguments = rebuild = inputs[0]
        values = rebuild(inputs[1:])
        given, named = op._given(values)
        if op.setup_context is not None:
            more = {"keyword_only_inputs": named} if named else {}
            op.setup_context(_Context(ctx, rebuild), inputs=tuple(given), output=output, **more)

    def backward(ctx: Any, *grads: Any) -> Any:
        if op.backward is None:
            raise RuntimeError(
                f"Trying to backward through {op.overload} but no autograd formula was registered. "
                "Please use register_autograd to add one."
            )
        rebuild = ctx._rebuild_arguments
        returns = op.schema.returns
        if len(returns) == 1 and returns[0].type == "Tensor[]":
            grads = (list(grads),)
        found = op.backward(_Context(ctx, rebuild), *grads)
        found = list(found) if isinstance(found, tuple | list) else [found]
        own = len([a for a in op.schema.arguments if not a.kwarg_only])
        if len(found) != own:
            raise RuntimeError(
                f"Expected the backward of {op.schema.name} to return {own} gradients, one for "
                f"each argument that is not keyword-only, and it returned {len(found)}"
            )
        found += [None] * (len(rebuild.names) - own)
        return (None, *rebuild.flat_gradients(found))

    def vmap(info: Any, in_dims: Any, rebuild: _Rebuild, *flat: Any) -> Any:
        values, dims = rebuild(flat), rebuild(in_dims[1:])
        given, named = op._given(values)
        if op.vmap is not None:
            return op.vmap(info, tuple(op._given(dims)[0]), *given, **named)
        return _one_by_one(op, info, in_dims[1:], rebuild, flat)

    name = f"GeneratedBackwardFor_{str(op.overload).replace('.', '_')}"
    methods = {
        "forward": forward,
        "setup_context": setup_context,
        "backward": backward,
        "vmap": vmap,
    }
    return type(name, (Function,), {k: staticmethod(v) for k, v in methods.items()})


def _one_by_one(op: Operator, info: Any, dims: Any, rebuild: _Rebuild, flat: Any) -> Any:
    """A batch as a loop over its examples."""
    from .. import stack

    results = []
    for k in range(info.batch_size):
        one = [v if d is None else v.select(d, k) for v, d in zip(flat, dims, strict=True)]
        results.append(op(**rebuild(tuple(one))))
    if isinstance(results[0], tuple | list):
        columns = [stack(list(column)) for column in zip(*results, strict=True)]
        return type(results[0])(columns), type(results[0])(0 for _ in columns)
    return stack(results), 0


def find(name: Any) -> Operator:
    """The operator of a name, an overload, a packet or a custom op."""
    made = getattr(name, "_operator", None)
    if made is not None:
        return made
    text = name.name() if isinstance(name, OpOverload) else str(name)
    if "::" not in text:
        text = text.replace(".", "::", 1)
    text = text.removesuffix(".default")
    if text not in OPERATORS:
        raise RuntimeError(
            f"Tried to use an operator {text} that does not exist.\n  Fix: define it with "
            "torch.library.custom_op or torch.library.define first."
        )
    return OPERATORS[text]


def define(schema: FunctionSchema, **options: Any) -> Operator:
    """Make an operator known."""
    key = f"{schema.name}.{schema.overload_name}" if schema.overload_name else schema.name
    made = OPERATORS[key] = Operator(schema, **options)
    space, _, name = schema.name.partition("::")
    packet = getattr(namespace(space), name)
    packet.__dict__.pop(schema.overload_name or "default", None)
    return made


def forget(key: str) -> None:
    """Remove an operator, as when a library is destroyed."""
    OPERATORS.pop(key, None)


def overloads_of(space: str, name: str) -> list[str]:
    """The overloads of an operator, by name."""
    start = f"{space}::{name}"
    return [
        key.removeprefix(start).lstrip(".") or "default"
        for key in OPERATORS
        if key == start or key.startswith(f"{start}.")
    ]
