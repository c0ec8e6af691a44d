"""Spectral normalisation by hooks: weight / its largest singular value, by power iteration."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from ...autograd.accidents import explain_module
from ...autograd.modes import no_grad
from ...tensor import Parameter, Tensor
from ..functional import normalize
from ..modules.lazy_tensors import is_lazy

__all__ = ["SpectralNorm", "remove_spectral_norm", "spectral_norm"]

_TRANSPOSED = ("ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d")


MOST_ITERATIONS = 10_000  # of the power method, each time the weight is used


def output_dim(module: Any) -> int:
    """The dimension of a weight that counts outputs."""
    from ..modules import conv

    transposed = tuple(getattr(conv, name) for name in _TRANSPOSED)
    return 1 if isinstance(module, transposed) else 0


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """The weight with one row for each output."""
    if dim != 0:
        others = [d for d in range(weight.dim()) if d != dim]
        weight = weight.permute(dim, *others)
    return weight.reshape(weight.size(0), -1)


def refuse_lazy(weight: Any, who: str, what: str) -> None:
    """A weight without a shape cannot be normalised."""
    if is_lazy(weight):
        raise ValueError(
            f"The module passed to `{who}` can't have uninitialized parameters.\n  Fix: call "
            f"module(batch) once before applying {what} normalization."
        )


class SpectralNorm:
    """The hook that computes the weight before each call."""

    _version = 1

    def __init__(
        self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        if not 0 < n_power_iterations <= MOST_ITERATIONS:
            raise ValueError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.name, self.dim = name, dim
        self.n_power_iterations, self.eps = n_power_iterations, eps

    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """The weight with one row for each output."""
        return as_matrix(weight, self.dim)

    def compute_weight(self, module: Any, do_power_iteration: bool) -> Tensor:
        """The weight over its largest singular value, which the vectors u and v approach."""
        weight = getattr(module, self.name + "_orig")
        u, v = getattr(module, self.name + "_u"), getattr(module, self.name + "_v")
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(normalize(torch.mv(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(normalize(torch.mv(matrix, v), dim=0, eps=self.eps))
                # Backward needs the vectors of this call, the next call changes them in place.
                u, v = u.clone(), v.clone()
        return weight / torch.dot(u, torch.mv(matrix, v))

    def remove(self, module: Any) -> None:
        """Make the weight a parameter again."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for name in (self.name, self.name + "_u", self.name + "_v", self.name + "_orig"):
            delattr(module, name)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Any, inputs: Any) -> None:
        weight = self.compute_weight(module, do_power_iteration=module.training)
        setattr(module, self.name, weight)

    @staticmethod
    def apply(
        module: Any, name: str, n_power_iterations: int, dim: int, eps: float
    ) -> SpectralNorm:
        """Put the hook on a module."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == name:
                raise RuntimeError(
                    f"Cannot register two spectral_norm hooks on the same parameter {name}"
                )
        made = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        refuse_lazy(weight, "SpectralNorm", "spectral")
        with no_grad():
            rows, columns = as_matrix(weight, dim).size()
            u = normalize(weight.new_empty(rows).normal_(0, 1), dim=0, eps=eps)
            v = normalize(weight.new_empty(columns).normal_(0, 1), dim=0, eps=eps)
        delattr(module, name)
        module.register_parameter(name + "_orig", weight)
        # A plain attribute until the first call replaces it: not a second parameter.
        setattr(module, name, weight.data)
        module.register_buffer(name + "_u", u)
        module.register_buffer(name + "_v", v)
        module.register_forward_pre_hook(made)
        module._register_state_dict_hook(SpectralNormStateDictHook(made))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(made))
        return made


class SpectralNormStateDictHook:
    """Marks in saved states that they hold u and v of this form."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, module: Any, state_dict: Any, prefix: str, local_metadata: Any) -> None:
        marks = local_metadata.setdefault("spectral_norm", {})
        key = self.fn.name + ".version"
        if key in marks:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        marks[key] = self.fn._version


class SpectralNormLoadStateDictPreHook:
    """Lets states of the old form be loaded: they hold the divided weight, and no v.

    The divided weight tells the singular value that the weight was divided by; v is such that u
    and v give this value again.
    """

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        marks = local_metadata.get("spectral_norm", {})
        version = marks.get(self.fn.name + ".version") if isinstance(marks, dict) else marks
        if not isinstance(version, int | None):
            error_msgs.append(f"the version of the spectral norm in {prefix!r} is no whole number.")
            return
        start = prefix + self.fn.name
        has_all = all(start + end in state_dict for end in ("_orig", "_u", "_v"))
        if (version is not None and version >= 1) or has_all:
            return
        missing = [start + end for end in ("_orig", "", "_u") if start + end not in state_dict]
        if missing:
            if strict:
                missing_keys.extend(missing)
            return
        with no_grad():
            weight = state_dict[start + "_orig"]
            sigma = (weight / state_dict.pop(start)).mean()
            matrix, u = as_matrix(weight, self.fn.dim), state_dict[start + "_u"]
            v = torch.linalg.pinv(matrix) @ u
            state_dict[start + "_v"] = v * (sigma / torch.dot(u, torch.mv(matrix, v)))


def spectral_norm(
    module: Any,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Any:
    """Divide a weight by its largest singular value at each call.

    >>> import chainrule as torch
    >>> layer = torch.nn.utils.spectral_norm(torch.nn.Linear(3, 2))
    >>> sorted(layer.state_dict())
    ['bias', 'weight_orig', 'weight_u', 'weight_v']
    """
    dim = output_dim(module) if dim is None else dim
    SpectralNorm.apply(module, name, n_power_iterations, dim, eps)
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """Undo `spectral_norm`: the weight is a parameter again."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            break
    else:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    for hooks, kind in (
        (module._state_dict_hooks, SpectralNormStateDictHook),
        (module._load_state_dict_pre_hooks, SpectralNormLoadStateDictPreHook),
    ):
        for key, hook in list(hooks.items()):
            found = getattr(hook, "hook", hook)
            if isinstance(found, kind) and found.fn.name == name:
                del hooks[key]
    return module


explain_module(globals(), "spectral_norm", "remove_spectral_norm")
