"""Backward hooks of modules: identity nodes around the module through which gradients pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...autograd.function import Function
from ...autograd.modes import is_grad_enabled
from ...autograd.source import warn_user
from ...tensor import Tensor

Hook = Callable[..., Any]


def zeros(shape: Any, dtype: Any) -> Tensor:
    """A tensor of zeros."""
    from ...tensor.creation import zeros as make_zeros

    return make_zeros(shape, dtype=dtype)


class BackwardHookFunction(Function):
    """The identity: the node whose hooks see a module's gradients."""

    generate_vmap_rule = True

    @staticmethod
    def forward(*args: Any) -> Any:  # type: ignore[override]
        return args

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        needed = zip(ctx.needs_input_grad, output, strict=True)
        ctx.mark_non_differentiable(*[o for wanted, o in needed if not wanted])

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        return tuple(t if t is None else t.view_as(t) for t in tangents)


class BackwardHook:
    """The hooks around one call of a module.

    Tensors that need a gradient pass an identity node on their way in, and one on their way out.
    When the outer node runs, the gradients of the outputs are known; when the inner one has run,
    those of the inputs are, and the hooks are called.
    """

    def __init__(self, module: Any, user_hooks: list[Hook], user_pre_hooks: list[Hook]) -> None:
        self.module, self.user_hooks, self.user_pre_hooks = module, user_hooks, user_pre_hooks
        self.grad_outputs: tuple[Any, ...] | None = None
        self.n_outputs = -1
        self.output_tensors_index: list[int] | None = None
        self.n_inputs = -1
        self.input_tensors_index: list[int] | None = None
        # Shape and type of the inputs without gradient, which hooks see as zeros.
        self.constants: dict[int, tuple[Any, Any]] = {}

    def setup_input_hook(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments of forward, those that need a gradient behind an identity node."""
        made, self.input_tensors_index = self._behind_identity(args, self._hook_inputs)
        self.n_inputs = len(args)
        for i in self.input_tensors_index or ():
            if not args[i].requires_grad:
                self.constants[i] = (args[i].shape, args[i].dtype)
        return made

    def setup_output_hook(self, result: Any) -> Any:
        """The result of forward, behind an identity node."""
        single = not isinstance(result, tuple)
        args = (result,) if single else result
        made, self.output_tensors_index = self._behind_identity(args, self._hook_outputs)
        self.n_outputs = len(args)
        return made[0] if single else made

    def _behind_identity(
        self, args: tuple[Any, ...], add_hooks: Callable[[Any], None]
    ) -> tuple[tuple[Any, ...], list[int] | None]:
        index = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        tensors = [args[i] for i in index]
        if not is_grad_enabled() or not any(t.requires_grad for t in tensors):
            return args, None
        passed = BackwardHookFunction.apply(*tensors)
        node = next((t.grad_fn for t in passed if t.grad_fn is not None), None)
        if node is None:
            raise RuntimeError(
                "Error while setting up backward hooks: no tensor requires a gradient"
            )
        add_hooks(node)
        made = list(args)
        for i, t in zip(index, passed, strict=True):
            made[i] = t
        kept = tuple(made)
        if hasattr(args, "_fields"):  # a named tuple stays one
            kept = type(args)(*made)
        return kept, index

    # ---- called by the engine ------------------------------------------------------------------

    def _hook_outputs(self, node: Any) -> None:
        node.register_prehook(self._outputs_known)

    def _hook_inputs(self, node: Any) -> None:
        node.register_hook(self._inputs_known)

    def _outputs_known(self, grads: tuple[Any, ...]) -> Any:
        index = self.output_tensors_index or []
        known = self._spread(index, grads, self.n_outputs)
        replaced = False
        for hook in self.user_pre_hooks:
            made = hook(self.module, known)
            if made is None:
                continue
            made = made if isinstance(made, tuple) else (made,)
            self._check_count(made, known, "grad_output")
            known, replaced = made, True
        self.grad_outputs = known
        if self.input_tensors_index is None:
            # No input needs a gradient: the hooks are called now, or never.
            self._no_input_hooks(known)
        return tuple(known[i] for i in index) if replaced else None

    def _no_input_hooks(self, grad_outputs: tuple[Any, ...]) -> None:
        nothing = tuple(None for _ in range(self.n_inputs))
        if self.user_hooks:
            warn_user(
                "Full backward hook is firing when gradients are computed with respect to module "
                "outputs since no inputs require gradients. Give an input that requires a gradient "
                "to see gradients of inputs.",
            )
        for hook in self.user_hooks:
            made = hook(self.module, nothing, grad_outputs)
            if made is not None and not (
                isinstance(made, tuple) and all(value is None for value in made)
            ):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always "
                    f"return None or None for all gradients.\n  {type(self.module).__name__}'s "
                    f"hook returned {type(made).__name__}"
                )
        self.grad_outputs = None

    def _inputs_known(self, grad_inputs: tuple[Any, ...], _: Any) -> Any:
        if self.grad_outputs is None:
            # The gradient came here past the module's outputs: through a container that is no
            # tuple, or in a second backward pass. There is nothing to show.
            return None
        index = self.input_tensors_index or []
        known = self._spread(index, grad_inputs, self.n_inputs)
        if self.constants:
            known = tuple(
                zeros(*self.constants[i]) if g is None and i in self.constants else g
                for i, g in enumerate(known)
            )
        for hook in self.user_hooks:
            made = hook(self.module, known, self.grad_outputs)
            if made is None:
                continue
            made = made if isinstance(made, tuple) else (made,)
            self._check_count(made, known, "grad_input")
            known = made
        self.grad_outputs = None
        # Zeros that hooks were shown in the place of no gradient go nowhere.
        return tuple(
            None if g is None else known[i] for i, g in zip(index, grad_inputs, strict=True)
        )

    @staticmethod
    def _check_count(made: tuple[Any, ...], known: tuple[Any, ...], what: str) -> None:
        if len(made) != len(known):
            raise RuntimeError(
                f"Backward hook returned an invalid number of {what}, got {len(made)}, but "
                f"expected {len(known)}"
            )

    @staticmethod
    def _spread(index: list[int], grads: tuple[Any, ...], count: int) -> tuple[Any, ...]:
        """Gradients of the tensors at their places among all arguments; None elsewhere."""
        made: list[Any] = [None] * count
        for i, g in zip(index, grads, strict=True):
            made[i] = g
        return tuple(made)


# ---- the old kind ------------------------------------------------------------------------------


def hook_old_style(module: Any, hooks: list[Hook], args: Any, result: Any) -> None:
    """Put old-style hooks on the node that made the (first) output."""
    found = result
    while not isinstance(found, Tensor):
        if isinstance(found, dict):
            found = next(v for v in found.values() if isinstance(v, Tensor))
        else:
            found = found[0]
    node = found.grad_fn
    if node is None:
        return
    for hook in hooks:
        node.register_hook(lambda gi, go, hook=hook: hook(module, gi, go))
    _warn_if_misleading(args, result, node)


def _warn_if_misleading(args: Any, result: Any, node: Any) -> None:
    """Old-style hooks see one node; say so where that is not the whole module."""
    when, lost = None, "grad_output"
    if not isinstance(result, Tensor) and not _all_tensors(result):
        when = "hooks on a Module that does not return a single Tensor or a tuple of Tensors"
    elif not _all_tensors(args):
        when = "hooks on a Module that does not take as input a single Tensor or a tuple of Tensors"
        lost = "grad_input"
    elif isinstance(result, tuple) and len({id(r.grad_fn) for r in result}) != 1:
        when = "hook when outputs are generated by different autograd Nodes"
    else:
        before = {id(a.grad_fn) for a in args if a.grad_fn is not None}
        if before != {id(parent) for parent, _ in node.next_functions}:
            when, lost = "hook when the forward contains multiple autograd Nodes", "grad_input"
    if when is not None:
        warn_user(
            f"Using {'a ' if when.startswith('hook ') else ''}non-full backward {when} is "
            f"deprecated and will be removed in future versions. This hook will be missing some "
            f"{lost}. Please use register_full_backward_hook to get the documented behavior.",
            FutureWarning,
        )


def _all_tensors(values: Any) -> bool:
    return isinstance(values, tuple) and all(isinstance(v, Tensor) for v in values)
