"""nn.functional: distances, similarities and the losses made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...autograd import refusal
from ...autograd.expected import expect_within
from ...autograd.modes import no_grad
from ...autograd.state import STATE
from ...autograd.value import PLAIN, bottom
from ...ops import dtypes
from ..api import public
from ..legacy import WORDS
from .arranging import broadcast_tensors
from .common import P, axes_of, axis_of
from .nn_common import check_reduction, named, reduced, reduction_of
from .reductions import as_type

if TYPE_CHECKING:
    from ..annotations import Tensor


@public(namespace="nn.functional", out=False, aliases=(".cosine_similarity",))
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along `dim`."""
    common = dtypes.promote_types(x1.dtype, x2.dtype)
    if common.category != dtypes.FLOAT:
        raise refusal.runtime(
            f"expected common dtype to be floating point, yet common dtype is {common!r}"
        )
    if eps < 0:
        raise refusal.runtime(f"eps must be non-negative, got: {eps}")
    one, two = as_type(x1, common), as_type(x2, common)
    if one.shape != two.shape:
        one, two = broadcast_tensors(one, two)
    axis = axis_of(dim, one.ndim)
    return (one / _length(one, axis, eps) * (two / _length(two, axis, eps))).sum(axis)


def _length(x: Any, axis: int, eps: float) -> Any:
    """The norm along an axis, at least eps."""
    norm = P.reduce_norm(x, axis=axes_of(axis, x.ndim), keepdims=True, order=2.0)
    if STATE.w < 2 and norm.__class__ in PLAIN and norm._a.size and norm._a.min() >= eps:
        return norm  # as nearly always
    # Only the value has a floor: the slope below it stays the norm's in backward, as in PyTorch.
    if not any(level.kind == "dual" for level in STATE.levels):
        return P.where(norm < eps, norm - norm.detach() + eps, norm)
    # In forward mode it is 0 there. Compiled gradients through a write have no second derivative,
    # so that only this mode takes one.
    raised = norm.clone()
    with no_grad():
        raised.clamp_min_(eps)
    return raised


@public(namespace="nn.functional", out=False, aliases=(".pairwise_distance",))
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last dimension."""
    return (x1 - x2 + eps).norm(p, -1, keepdim=keepdim)


@public(namespace="nn.functional", out=False, aliases=(".pdist",))
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The p-norm distance of every pair of rows, in the order (0,1), (0,2), ..."""
    if input.ndim != 2:
        raise refusal.runtime(f"pdist only supports 2D tensors, got: {input.ndim}D")
    if p < 0:
        raise refusal.runtime(f"pdist only supports non-negative p values, got {p}")
    n = input.shape[0]
    import numpy as np

    from ...autograd.value import make

    first, second = np.triu_indices(n, 1)
    one, two = (P.index_get(input, make(rows), dims=(0,)).unsqueeze(1) for rows in (first, second))
    distances = P.cdist(one, two, p=float(p))
    return named(P.unsafe_view(distances, shape=(len(first),)), "PdistBackward0")


@public(namespace="nn.functional", out=False, autocast="float32")
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """1 - cos for targets 1, the cosine above the margin for targets -1."""
    reduction = reduction_of(size_average, reduce, reduction)
    if target.ndim not in (0, 1):
        raise refusal.runtime("0D or 1D target tensor expected, multi-target not supported")
    if target.ndim + 1 != input1.ndim or target.ndim + 1 != input2.ndim:
        raise refusal.runtime(
            f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors, but found "
            f"inputs with sizes {list(input1.shape)} and {list(input2.shape)}."
        )
    # The additive epsilon keeps the root's slope finite for vectors of zeros.
    tiny = 1e-12
    product = (input1 * input2).sum(-1)
    one = (input1 * input1).sum(-1) + tiny
    two = (input2 * input2).sum(-1) + tiny
    cos = product / (one * two).sqrt()
    near = P.where(target == 1, 1 - cos, 0.0)
    far = P.where(target == -1, (cos - margin).clamp_min(0), 0.0)
    return reduced(near + far, reduction)


@public(namespace="nn.functional", out=False, autocast="float32")
def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The input for targets 1, max(0, margin - input) for targets -1."""
    reduction = reduction_of(size_average, reduce, reduction)
    if input.dtype.category < dtypes.FLOAT:
        margin = int(margin)
    near = P.where(target == -1, 0, input)
    far = P.where(target == 1, 0, (margin - input).clamp_min(0))
    return reduced(near + far, reduction)


@public(namespace="nn.functional", out=False, autocast="float32")
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, -target * (input1 - input2) + margin)."""
    reduction = reduction_of(size_average, reduce, reduction)
    if input1.ndim != input2.ndim or input1.ndim != target.ndim:
        raise refusal.runtime(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {list(input1.shape)}, input2: {list(input2.shape)}, target: "
            f"{list(target.shape)}"
        )
    return reduced((-target * (input1 - input2) + float(margin)).clamp_min(0), reduction)


@public(namespace="nn.functional", out=False, autocast="float32")
def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2,
    eps: float = 1e-6, swap: bool = False, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, distance to the positive - distance to the negative + margin)."""
    reduction = reduction_of(size_average, reduce, reduction)
    if margin <= 0:
        raise refusal.value(f"margin must be greater than 0, got {margin}")

    def distance(a: Any, b: Any) -> Any:
        return pairwise_distance(a, b, p, eps)

    return _triplet(anchor, positive, negative, distance, margin, swap, reduction)


@public(namespace="nn.functional", out=False)
def triplet_margin_with_distance_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None, margin: float = 1.0,
    swap: bool = False, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """triplet_margin_loss with any distance."""
    check_reduction(reduction)
    if margin <= 0:
        raise refusal.value(f"margin must be greater than 0, got {margin}")
    distance = distance_function or pairwise_distance
    return _triplet(anchor, positive, negative, distance, margin, swap, reduction)


def _triplet(
    anchor: Any, positive: Any, negative: Any, distance: Any, margin: float, swap: bool,
    reduction: str,
) -> Any:  # fmt: skip
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise refusal.runtime(
            "The anchor, positive, and negative tensors are expected to have the same number of "
            f"dimensions, but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative "
            f"{negative.ndim}D inputs"
        )
    near = distance(anchor, positive)
    far = distance(anchor, negative)
    if swap:
        far = P.minimum(far, distance(positive, negative))
    return reduced((margin + near - far).clamp_min(0), reduction)


# ---- several classes -----------------------------------------------------------------------------


def _own_score(x: Any, target: Any) -> Any:
    """The score of each row's target class, as a column."""
    hits = P.class_hits(target, classes=x.shape[1], axis=1)
    return P.where(hits, x, 0.0).sum(1, keepdim=True), hits


@public(namespace="nn.functional", out=False, autocast="float32")
def multi_margin_loss(
    input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The mean over the other classes of max(0, margin - own score + other score) ** p."""
    reduction = reduction_of(size_average, reduce, reduction)
    if p not in (1, 2):
        raise refusal.value(f"only p == 1 and p == 2 supported, got {p}")
    _check_rows("multi_margin_loss", input)
    single = input.ndim < 2
    x = input.reshape(1, -1) if single else input
    classes = x.shape[1]
    if target.dtype is not dtypes.int64:
        raise refusal.runtime(
            f"expected scalar type Long but found {WORDS[target.dtype.name]}",
            "the target of multi_margin_loss",
            fix="target.long().",
        )
    if target.ndim > 1 or target.numel() != x.shape[0]:
        raise refusal.runtime(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input "
            f"samples (batch size). Expected target size [{x.shape[0]}], but got "
            f"{list(target.shape)}. Input has shape {list(input.shape)}."
        )
    if weight is not None and weight.ndim != 1:
        raise refusal.value(
            f"weight must be one-dimensional, but it has {weight.ndim} dimensions",
            "multi_margin_loss",
        )
    if weight is not None and tuple(weight.shape) != (classes,):
        raise refusal.runtime(
            f"inconsistent weight size, expected {classes} but got {list(weight.shape)}"
        )
    t = target.reshape(-1)
    _check_targets(t, classes)
    own, hits = _own_score(x, t)
    gap = (margin - own + x).clamp_min(0)
    terms = gap if p == 1 else gap * gap
    if weight is not None:
        terms = terms * weight[t].unsqueeze(1)
    loss = P.where(hits, 0.0, terms).sum(1) / classes
    loss = P.unsafe_view(loss, shape=()) if single and not target.ndim else loss
    return named(reduced(loss, reduction), "MultiMarginLossBackward0")


def _check_rows(name: str, x: Any) -> None:
    """Scores are a vector or a matrix, and there is at least one class."""
    if x.ndim > 2 or (x.ndim and not x.shape[-1]):
        raise refusal.runtime(
            "Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
            f"{list(x.shape)}",
            f"{name}",
        )


def _check_targets(target: Any, classes: int) -> None:
    target = bottom(target)
    if target._level is None and target.numel():
        expect_within(target, 0, classes - 1)
        low, high = int(target._a.min()), int(target._a.max())
        if low < 0 or high >= classes:
            raise refusal.runtime(
                f"target out of range: {low if low < 0 else high} is no class of 0..{classes - 1}"
            )


def _check_listed(target: Any, classes: int) -> None:
    if target._level is None and target.numel():
        expect_within(target, -1, classes - 1)
        low, high = int(target._a.min()), int(target._a.max())
        if low < -1 or high >= classes:
            raise refusal.runtime(
                f"argument #2 'target' is out of range: {low if low < -1 else high} is no class of "
                f"0..{classes - 1}, nor -1"
            )


@public(namespace="nn.functional", out=False, autocast="float32")
def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Every class against every target class: max(0, 1 - target score + other score).

    A row of `target` lists class numbers and ends at the first negative one.
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if tuple(target.shape) != tuple(input.shape):
        raise refusal.runtime(
            f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}"
        )
    _check_rows("multilabel_margin_loss", input)
    if target.dtype is not dtypes.int64:
        raise refusal.runtime(
            f"expected scalar type Long but found {WORDS[target.dtype.name]}",
            "the target of multilabel_margin_loss",
            fix="target.long().",
        )
    x = input.reshape(1, -1) if input.ndim < 2 else input
    t = target.reshape(x.shape)
    classes = x.shape[1]
    _check_listed(t, classes)
    listed = (t < 0).cumsum(1) == 0
    safe = P.where(listed, t, 0)
    hits = P.class_hits(safe, classes=classes, axis=2) & listed.unsqueeze(2)
    is_target = hits.any(1)
    own = P.where(hits, x.unsqueeze(1), 0.0).sum(2)  # (n, position, ): the listed class's score
    gap = (1 - own.unsqueeze(2) + x.unsqueeze(1)).clamp_min(0)
    counts = listed.unsqueeze(2) & (is_target == 0).unsqueeze(1)
    loss = P.where(counts, gap, 0.0).sum((1, 2)) / classes
    loss = P.unsafe_view(loss, shape=()) if input.ndim < 2 else loss
    return named(reduced(loss, reduction), "MultilabelMarginLossBackward0")


@public(namespace="nn.functional", out=False)
def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The mean over classes of the two-class cross entropy of logits."""
    reduction = reduction_of(size_average, reduce, reduction)
    loss = -(target * P.logsigmoid(input) + (1 - target) * P.logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    return reduced(loss.sum(input.ndim - 1) / input.shape[-1], reduction)
