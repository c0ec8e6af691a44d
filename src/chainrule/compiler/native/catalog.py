"""The kernels the ops ask for by name, and the modules they are written in."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ...ops.formulas import FORMULAS

if TYPE_CHECKING:
    from .language.words import Inlined, Kernel

HOMES: dict[str, str] = {
    "losses": "cross_entropy_mean cross_entropy_rows cross_entropy_mean_gradient picked_loss "
    "picked_shares",
    "halves": "widen_pairs round_pairs",
    "channels": "batch_norm batch_norm_gradient group_norm group_norm_gradient column_norm "
    "column_norm_gradient",
    "optimizers": "steps_are_single steps_are_double",
    "sums": "add_arrays add_to_rows sum_all sum_parts row_sums column_sums channel_sums "
    "wide_column_sums middle_sums",
    "running_sums": "running_sums running_products products",
    "alignments": "ctc_alpha ctc_slopes",
    "cells": "gru_step gru_step_pull lstm_cell_step lstm_cell_pull lstm_state lstm_state_pull",
    "thin_products": "thin_dots",
    "table_rows": "rows_by_number sum_by_number",
    "order_keys": "order_keys",
    "points": "points_of_image points_of_image_gradient",
    "places": "gathered scattered joint_numbers",
    "pooling": "max_pool2d max_pool_halves max_pool_halves_gradient max_pool2d_gradient "
    "avg_pool2d avg_pool2d_gradient avg_pool_halves avg_pool_halves_gradient",
    "windows": "window_sums window_weights window_images turned_kernels points_seen put_points "
    "swap_blocks",
    "winograd_kernels": "kernel_numbers kernels_of_numbers",
    "attention_scores": "attention_exponentials attention_again attention_pull attention_divide "
    "attention_softmax attention_pull_at_once",
    "random_numbers": "fill_singles fill_doubles fill_mask fill_normals",
}
# Compiled even for a single call: soon done, and NumPy takes ten times as long.
QUICK = frozenset(
    [*(name for name, formula in FORMULAS.items() if formula.quick), *HOMES["halves"].split()]
)

# Functions of a piece of work, which machine code calls, not Python.
JOBS: dict[str, str] = {
    "attention_jobs": "attend attend_back attend_keeping pull_keeping",
    "recurrent_jobs": "recur recur_back",
    "winograd_jobs": "convolve convolve_back",
}
NAMES = frozenset([*FORMULAS, *(name for names in HOMES.values() for name in names.split())])


def kernel(name: str) -> Kernel | Inlined:
    """The kernel or job of this name; those of formulas and optimizers' steps are written here."""
    if name in FORMULAS:
        from .kernels.formulas import formula_kernel

        return formula_kernel(name)
    if name.startswith("step_"):
        from .kernels.optimizers import step_kernel

        return step_kernel(name)
    for home, names in (*HOMES.items(), *JOBS.items()):
        if name in names.split():
            return getattr(importlib.import_module(f".kernels.{home}", __package__), name)
    raise KeyError(f"there is no native kernel {name!r}")
