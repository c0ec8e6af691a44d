"""The blocked product as jobs call it: its arguments written in their order."""

from __future__ import annotations

from ..language.words import inlined, invoke, stack


@inlined
def call_product(
    function, workspace, a, a_row, a_column, b, b_row, b_column, c, c_row, m, n, k,
    block_rows, depth, bias, bias_step, zeros, adds,
):  # fmt: skip
    """c = a @ b + bias, or c + a @ b: the ARGUMENTS of `gemm_text.py`, without a bias of rows."""
    call = stack("i64", 18)
    call[0] = a
    call[1] = a_row
    call[2] = a_column
    call[3] = b
    call[4] = b_row
    call[5] = b_column
    call[6] = c
    call[7] = c_row
    call[8] = m
    call[9] = n
    call[10] = k
    call[11] = block_rows
    call[12] = depth
    call[13] = bias
    call[14] = bias_step
    call[15] = zeros
    call[16] = 0
    call[17] = adds
    invoke(function, call, workspace)
