"""The kernels the ops ask for by name, and the modules they are written in."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .language import Inlined, Kernel

HOMES: dict[str, str] = {
    "loss_kernels": "cross_entropy_mean cross_entropy_rows cross_entropy_mean_gradient "
    "squared_error squared_error_gradient logit_error logit_error_gradient picked_loss "
    "picked_shares",
    "softmax_kernels": "softmax softmax_pull log_softmax log_softmax_pull",
    "norm_kernels": "layer_norm layer_norm_gradient rms_norm rms_norm_gradient",
    "relu_kernels": "relu relu_gradient",
    "activation_kernels": "gelu gelu_gradient tanh_gelu tanh_gelu_gradient silu silu_gradient "
    "sigmoid_forward sigmoid_gradient tanh_gradient",
    "channel_kernels": "batch_norm batch_norm_gradient group_norm group_norm_gradient column_norm "
    "column_norm_gradient",
    "optimizer_kernels": "steps_are_single steps_are_double",
    "sum_kernels": "add_arrays add_to_rows sum_all sum_parts row_sums column_sums channel_sums "
    "wide_column_sums middle_sums",
    "scan_kernels": "running_sums running_products products",
    "thin_kernels": "thin_dots",
    "table_kernels": "sum_by_number",
    "pool_kernels": "max_pool2d max_pool_halves max_pool_halves_gradient max_pool2d_gradient "
    "avg_pool2d avg_pool2d_gradient avg_pool_halves avg_pool_halves_gradient",
    "attention_kernels": "attention_exponentials attention_again attention_pull attention_divide "
    "attention_softmax attention_pull_at_once",
    "random_kernels": "fill_singles fill_doubles fill_mask fill_normals",
}
# Compiled even for a single call: soon done, and NumPy takes ten times as long.
QUICK = frozenset(
    name
    for home in ("activation_kernels", "norm_kernels", "relu_kernels")
    for name in HOMES[home].split()
)

# Functions of a piece of work, which machine code calls, not Python.
JOBS: dict[str, str] = {
    "attention_jobs": "attend attend_back attend_keeping pull_keeping",
    "recurrent_jobs": "recur recur_back",
}
NAMES = frozenset(name for names in HOMES.values() for name in names.split())


def kernel(name: str) -> Kernel | Inlined:
    """The kernel or job of this name; those of optimizers' steps are written from their rules."""
    if name.startswith("step_"):
        from .optimizer_kernels import step_kernel

        return step_kernel(name)
    for home, names in (*HOMES.items(), *JOBS.items()):
        if name in names.split():
            return getattr(importlib.import_module(f".{home}", __package__), name)
    raise KeyError(f"there is no native kernel {name!r}")
