"""Products in groups and products of scaled numbers: `F.grouped_mm`, `F.scaled_mm`."""

from __future__ import annotations

import enum
from typing import Any

import chainrule as torch

from ..autograd import refusal


class ScalingType(enum.Enum):
    """Which elements share a factor."""

    TensorWise = 0
    RowWise = 1
    BlockWise1x16 = 2
    BlockWise1x32 = 3
    BlockWise1x128 = 4
    BlockWise128x128 = 5


class SwizzleType(enum.Enum):
    """In which order the factors lie."""

    NO_SWIZZLE = 0
    SWIZZLE_32_4_4 = 1


def grouped_mm(
    mat_a: Any, mat_b: Any, *, offs: Any = None, bias: Any = None, out_dtype: Any = None
) -> Any:
    """Products of groups of rows, columns or summands; `offs` says where each group ends.

    >>> import chainrule as torch
    >>> a, b = torch.ones(3, 2), torch.tensor([[[1.0], [1.0]], [[2.0], [2.0]]])
    >>> torch.nn.functional.grouped_mm(a, b, offs=torch.tensor([1, 3], dtype=torch.int32))
    tensor([[2.],
            [4.],
            [4.]])
    """
    if bias is not None:
        raise refusal.runtime("grouped_mm: Bias not supported yet", fix="add it to the result.")
    dims = mat_a.ndim, mat_b.ndim
    if dims == (3, 3):
        out = torch.bmm(mat_a, mat_b)
    elif offs is None or dims not in ((2, 3), (3, 2), (2, 2)):
        raise refusal.value(
            f"grouped_mm of {list(mat_a.shape)} and {list(mat_b.shape)}"
            + ("" if offs is not None else " without offs"),
            fix="give matrices or batches of them; a matrix among them needs offs, where its "
            "groups end.",
        )
    else:
        ends = [int(end) for end in offs]
        spans = list(zip([0, *ends[:-1]], ends, strict=True))
        if dims == (2, 3):
            out = torch.cat([mat_a[i:j] @ mat_b[k] for k, (i, j) in enumerate(spans)])
        elif dims == (3, 2):
            out = torch.cat([mat_a[k] @ mat_b[:, i:j] for k, (i, j) in enumerate(spans)], 1)
        else:
            out = torch.stack([mat_a[:, i:j] @ mat_b[i:j] for i, j in spans])
    return out if out_dtype is None else out.to(out_dtype)


def scaled_mm(
    mat_a: Any, mat_b: Any, scale_a: Any, scale_recipe_a: Any, scale_b: Any, scale_recipe_b: Any,
    swizzle_a: Any = None, swizzle_b: Any = None, bias: Any = None,
    output_dtype: Any = torch.bfloat16, contraction_dim: Any = (), use_fast_accum: bool = False,
) -> Any:  # fmt: skip
    """`(scale_a * mat_a) @ (scale_b * mat_b)`, summed in float32; for float8 matrices."""
    for recipe in (_only(scale_recipe_a), _only(scale_recipe_b)):
        if recipe not in (ScalingType.TensorWise, ScalingType.RowWise):
            raise refusal.not_implemented(
                f"scaled_mm with {recipe}", "factors belong to a whole matrix or to its rows here",
                fix="multiply the blocks by their factors in float32, then use @.",
            )  # fmt: skip
    for swizzle in (_only(swizzle_a), _only(swizzle_b)):
        if swizzle not in (None, SwizzleType.NO_SWIZZLE):
            raise refusal.not_implemented("scaled_mm with factors in another order")
    return _scaled(mat_a, mat_b, _only(scale_a), _only(scale_b), bias, output_dtype)


def _only(given: Any) -> Any:
    """PyTorch takes lists of factors, for recipes with several."""
    if not isinstance(given, list | tuple):
        return given
    if len(given) > 1:
        raise refusal.not_implemented("scaled_mm with several factors for one matrix")
    return given[0] if given else None


def _scaled(a: Any, b: Any, scale_a: Any, scale_b: Any, bias: Any, dtype: Any) -> Any:
    left = _factor(scale_a, (-1, 1)) * a.to(torch.float32)
    out = left @ (_factor(scale_b, (1, -1)) * b.to(torch.float32))
    if bias is not None:
        out = out + bias.to(torch.float32)
    return out.to(dtype or a.dtype)


def _factor(scale: Any, across: tuple[int, int]) -> Any:
    return scale if scale.numel() == 1 else scale.reshape(across)


def _scaled_mm(
    self: Any, mat2: Any, scale_a: Any, scale_b: Any, bias: Any = None, scale_result: Any = None,
    out_dtype: Any = None, use_fast_accum: bool = False,
) -> Any:  # fmt: skip
    """`scaled_mm` under its inner name: one factor, or one for every row and column."""
    out = _scaled(self, mat2, scale_a, scale_b, bias, out_dtype)
    if scale_result is not None and out.dtype.itemsize == 1:
        return (out.to(torch.float32) * scale_result).to(out.dtype)
    return out


def _grouped_mm(
    self: Any, mat2: Any, offs: Any = None, bias: Any = None, out_dtype: Any = None
) -> Any:
    """`grouped_mm` under its inner name."""
    return grouped_mm(self, mat2, offs=offs, bias=bias, out_dtype=out_dtype)
