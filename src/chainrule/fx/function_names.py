"""PyTorch's names of functions, which graphs show and generated code calls.

A function of the public table has one home here and may have another in PyTorch: `gelu` of
`torch.nn.functional` is `torch._C._nn.gelu` there. The rest is found by module and name.
"""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable
from typing import Any

from ..tensor.namespaces import names_so_far

_PACKAGE = __name__.partition(".")[0]
_PYTHON_FUNCTIONAL = frozenset(
    "adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d "
    "adaptive_max_pool3d affine_grid alpha_dropout batch_norm binary_cross_entropy "
    "binary_cross_entropy_with_logits celu cosine_embedding_loss cross_entropy ctc_loss dropout "
    "dropout1d dropout2d dropout3d elu embedding embedding_bag feature_alpha_dropout fold "
    "fractional_max_pool2d fractional_max_pool3d gaussian_nll_loss glu grid_sample group_norm "
    "gumbel_softmax hardsigmoid hardswish hardtanh hinge_embedding_loss huber_loss instance_norm "
    "interpolate kl_div l1_loss layer_norm leaky_relu linear_cross_entropy local_response_norm "
    "log_softmax lp_pool1d lp_pool2d lp_pool3d margin_ranking_loss max_pool1d max_pool2d "
    "max_pool3d max_unpool1d max_unpool2d max_unpool3d mish mse_loss multi_head_attention_forward "
    "multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss nll_loss normalize pad "
    "poisson_nll_loss relu relu6 rms_norm rrelu selu silu smooth_l1_loss soft_margin_loss softmax "
    "softmin softsign tanhshrink threshold triplet_margin_loss triplet_margin_with_distance_loss "
    "unfold upsample upsample_bilinear upsample_nearest".split()
)
_C_FUNCTIONAL = frozenset(
    "avg_pool2d avg_pool3d elu_ gelu hardtanh_ leaky_relu_ linear one_hot softplus softshrink "
    "scaled_dot_product_attention logsigmoid".split()
)
_TORCH_FUNCTIONAL = frozenset(
    "atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod "
    "cdist chain_matmul einsum lu meshgrid norm split stft tensordot unique unique_consecutive "
    "unravel_index".split()
)
_LOWRANK = {"pca_lowrank": "_lowrank", "svd_lowrank": "_lowrank", "lobpcg": "_lobpcg"}
_RENAMED = {"logsigmoid": "log_sigmoid", "threshold": "_threshold"}
_SPACES = ("", "nn.functional", "linalg", "fft", "special")


def _named(space: str, name: str) -> str:
    """PyTorch's full name of a function that users find at `space.name`."""
    if space in ("linalg", "fft", "special"):
        return f"torch._C._{space}.{space}_{name}"
    if space == "nn.functional":
        if name in _C_FUNCTIONAL:
            return f"torch._C._nn.{_RENAMED.get(name, name)}"
        if name in _PYTHON_FUNCTIONAL:
            return f"torch.nn.functional.{_RENAMED.get(name, name)}"
        return f"torch.{name}"
    if name in _TORCH_FUNCTIONAL:
        return f"torch.functional.{name}"
    return f"torch.{_LOWRANK[name]}.{name}" if name in _LOWRANK else f"torch.{name}"


@functools.cache
def _index() -> dict[int, tuple[str, Any]]:
    """The public functions by identity, each with its name; they live as long as the process."""
    from ..tensor.api import records_of

    found: dict[int, tuple[str, Any]] = {}
    from importlib import import_module

    for space in _SPACES:
        module = import_module(f"{_PACKAGE}.{space}" if space else _PACKAGE)
        for name in records_of(space):
            function = getattr(module, name, None)
            if function is not None:
                full = _named(space, name)
                found.setdefault(id(function), (full, function))
    return found


@functools.cache
def public_functions() -> list[tuple[dict[str, Any], str, Any]]:
    """Every name of a public function: (names of the module, name, function)."""
    from importlib import import_module

    from ..tensor.api import records_of

    names = sys.modules[_PACKAGE].__all__
    found, bare = [], {}
    for space in _SPACES:
        module = import_module(f"{_PACKAGE}.{space}" if space else _PACKAGE)
        records = records_of(space)
        for name in [*records, *(names if not space else ())]:
            function = getattr(module, name, None)
            if callable(function) and not isinstance(function, type):
                found.append((names_so_far(module), name, function))
                if name in records:
                    bare[id(records[name].function)] = bare[id(function)] = function
    # Our layers call functions by names of their own, also those behind the checks; traced into,
    # these are recorded as well.
    for path, module in list(sys.modules.items()):
        if path.startswith(f"{_PACKAGE}.nn.modules."):
            found += [
                (names_so_far(module), name, bare[id(value)])
                for name, value in vars(module).items()
                if id(value) in bare
            ]
    return found


@functools.cache
def _others() -> dict[int, tuple[str, Any]]:
    """Functions of the package that are not in the public table: creation, settings."""
    from ..tensor import assertions

    space = names_so_far(sys.modules[_PACKAGE])
    found = {
        id(space[name]): (f"torch.{name}", space[name])
        for name in space["__all__"]
        if callable(space.get(name))
    }
    for name, function in vars(assertions).items():
        if getattr(function, "__module__", None) == assertions.__name__:
            found[id(function)] = (f"torch.{name}", function)
    return found


def own_name(function: Any) -> str | None:
    """PyTorch's full name of one of our public functions; None of anything else."""
    for index in (_index, _others):
        known = index().get(id(function))
        if known is not None and known[1] is function:
            return known[0]
    return None


def normalises_arguments(full_name: str) -> bool:
    """Whether PyTorch hands the function's arguments on by name: those written in Python do."""
    return full_name.startswith(("torch.nn.functional.", "torch.nn.init."))


def short_name(function: Callable[..., Any]) -> str:
    """What a node of this function is named after."""
    known = own_name(function)
    return known.rpartition(".")[2] if known else function.__name__


def qualified_name(function: Any) -> str:
    """The full name of a function, as graphs show it.

    >>> import chainrule as torch
    >>> qualified_name(torch.nn.functional.gelu), qualified_name(torch.relu)
    ('torch._C._nn.gelu', 'torch.relu')
    """
    import builtins

    name = getattr(function, "__name__", None)
    if name is not None and getattr(builtins, name, None) is function:
        return f"builtins.{name}"
    known = own_name(function)
    if known is not None:
        return known
    if name is None or getattr(function, "overloadpacket", None) is not None:
        return f"torch.ops.{function}" if hasattr(function, "overloadpacket") else repr(function)
    if getattr(function, "namespace", None) is not None and hasattr(function, "overloads"):
        return f"torch.ops.{function}"
    if getattr(operator, name, None) is function:
        return f"operator.{name}"
    module = public_module(getattr(function, "__module__", None) or _owner(function))
    path = name if "<locals>" in getattr(function, "__qualname__", name) else function.__qualname__
    return f"{module}.{'_lambda_' if name == '<lambda>' else path}"


def _owner(function: Any) -> str:
    owner = getattr(function, "__objclass__", None) or getattr(function, "__self__", None)
    kind = owner if isinstance(owner, type) else type(owner)
    return f"{kind.__module__}.{kind.__qualname__}" if owner is not None else "builtins"


def public_module(name: str) -> str:
    """`torch.nn` for our `chainrule.nn`."""
    head, _, rest = name.partition(".")
    if head == "_operator":
        return "operator"
    if head != _PACKAGE:
        return name
    return f"torch.{rest}" if rest else "torch"
