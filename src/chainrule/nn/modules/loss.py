"""Losses: how far predictions are from targets."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

from ... import Tensor
from ...autograd import refusal
from .. import functional as F
from .distance import PairwiseDistance
from .function_layer import FunctionLayer
from .layer_common import warn_user

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss", "CrossEntropyLoss",
    "GaussianNLLLoss", "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss", "L1Loss",
    "LinearCrossEntropyLoss", "MSELoss",
    "MarginRankingLoss", "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss",
    "NLLLoss", "NLLLoss2d", "PoissonNLLLoss", "SmoothL1Loss", "SoftMarginLoss",
    "TripletMarginLoss", "TripletMarginWithDistanceLoss",
]  # fmt: skip


def _legacy_reduction(size_average: bool | None, reduce: bool | None) -> str:
    """The reduction that the two old flags mean."""
    if isinstance(size_average, Tensor):
        raise refusal.runtime(
            "Boolean value of Tensor with more than one value is ambiguous: the loss got a tensor "
            f"of shape {list(size_average.shape)} as size_average",
            why="The class takes options, its object the tensors.",
            fix="nn.MSELoss()(input, target).",
        )
    if reduce is False:
        meant = "none"
    else:
        meant = "sum" if size_average is False else "mean"
    warn_user(
        f"size_average and reduce args will be deprecated, please use reduction='{meant}' instead.",
    )
    return meant


class _Loss(FunctionLayer):
    """A loss with a reduction: 'mean', 'sum' or 'none'."""

    reduction: str

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        self._keep(locals())

    def _keep(self, given: dict[str, Any]) -> None:
        """The two old flags mean a reduction; weights are buffers."""
        size_average, reduce = given.pop("size_average", None), given.pop("reduce", None)
        weights = {name: given.pop(name) for name in ("weight", "pos_weight") if name in given}
        if size_average is not None or reduce is not None:
            given["reduction"] = _legacy_reduction(size_average, reduce)
        super()._keep(given)
        for name, value in weights.items():
            self.register_buffer(name, value)


class _WeightedLoss(_Loss):
    """A loss with a weight per class or element, kept as a buffer."""

    weight: Tensor | None

    def __init__(
        self, weight: Tensor | None = None, size_average: bool | None = None,
        reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        self._keep(locals())


# ---- numbers against numbers ---------------------------------------------------------------------


class L1Loss(_Loss):
    """The mean (or sum) of |input - target|."""

    __constants__: ClassVar[list[str]] = ["reduction"]
    _call = "F.l1_loss(input, target, None, None, reduction)"


class MSELoss(_Loss):
    """The mean (or sum) of (input - target) ** 2.

    >>> import chainrule as torch
    >>> torch.nn.MSELoss()(torch.tensor([1., 3.]), torch.tensor([1., 1.]))
    tensor(2.)
    """

    __constants__: ClassVar[list[str]] = ["reduction"]
    _call = "F.mse_loss(input, target, None, None, reduction)"


class SmoothL1Loss(_Loss):
    """Quadratic for differences below beta, linear above."""

    __constants__: ClassVar[list[str]] = ["reduction"]
    _call = "F.smooth_l1_loss(input, target, None, None, reduction, beta)"

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None,
        reduction: str = "mean", beta: float = 1.0,
    ) -> None:  # fmt: skip
        self._keep(locals())


class HuberLoss(_Loss):
    """Half the square for differences below delta, linear above."""

    __constants__: ClassVar[list[str]] = ["reduction", "delta"]
    _call = "F.huber_loss(input, target, reduction, delta)"

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        self._keep(locals())
        if not isinstance(delta, float | int):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")


class PoissonNLLLoss(_Loss):
    """The negative log likelihood of counts under Poisson distributions."""

    __constants__: ClassVar[list[str]] = ["log_input", "full", "eps", "reduction"]

    def __init__(
        self, log_input: bool = True, full: bool = False, size_average: bool | None = None,
        eps: float = 1e-8, reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        self._keep(locals())

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.poisson_nll_loss(
            log_input, target, self.log_input, self.full, None, self.eps, None, self.reduction
        )


class GaussianNLLLoss(_Loss):
    """The negative log likelihood of numbers under normal distributions of given variances."""

    __constants__: ClassVar[list[str]] = ["full", "eps", "reduction"]
    _call = "F.gaussian_nll_loss(input, target, var, full, eps, reduction)"

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        self._keep(locals())


class KLDivLoss(_Loss):
    """The Kullback-Leibler divergence of log probabilities from target probabilities."""

    __constants__: ClassVar[list[str]] = ["reduction"]

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None,
        reduction: str = "mean", log_target: bool = False,
    ) -> None:  # fmt: skip
        self._keep(locals())

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        if self.reduction == "mean":
            warn_user(
                "reduction: 'mean' divides the total loss by both the batch size and the support "
                "size. 'batchmean' divides only by the batch size, and aligns with the KL div "
                "math definition.",
            )
        return F.kl_div(input, target, None, None, self.reduction, self.log_target)


# ---- yes or no -----------------------------------------------------------------------------------


class BCELoss(_WeightedLoss):
    """The binary cross entropy of probabilities and targets in [0, 1]."""

    __constants__: ClassVar[list[str]] = ["reduction"]
    _call = "F.binary_cross_entropy(input, target, weight, None, None, reduction)"


class BCEWithLogitsLoss(_Loss):
    """The binary cross entropy of logits and targets in [0, 1], stable.

    >>> import chainrule as torch
    >>> torch.nn.BCEWithLogitsLoss()(torch.tensor([0., 1e4]), torch.tensor([1., 1.]))
    tensor(0.3466)
    """

    _call = (
        "F.binary_cross_entropy_with_logits(input, target, weight, None, None, reduction, "
        "pos_weight)"
    )

    weight: Tensor | None
    pos_weight: Tensor | None

    def __init__(
        self, weight: Tensor | None = None, size_average: bool | None = None,
        reduce: bool | None = None, reduction: str = "mean", pos_weight: Tensor | None = None,
    ) -> None:  # fmt: skip
        self._keep(locals())


class SoftMarginLoss(_Loss):
    """log(1 + exp(-target * input)) for targets 1 and -1."""

    __constants__: ClassVar[list[str]] = ["reduction"]
    _call = "F.soft_margin_loss(input, target, None, None, reduction)"


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """The mean over classes of the binary cross entropy of logits."""

    __constants__: ClassVar[list[str]] = ["reduction"]
    _call = "F.multilabel_soft_margin_loss(input, target, weight, None, None, reduction)"


# ---- classes -------------------------------------------------------------------------------------


class CrossEntropyLoss(_WeightedLoss):
    """The cross entropy of logits and class numbers, or class probabilities of the input's shape.

    >>> import chainrule as torch
    >>> loss = torch.nn.CrossEntropyLoss(label_smoothing=0.1)
    >>> loss(torch.tensor([[2., 0.], [0., 3.]]), torch.tensor([0, 1]))
    tensor(0.2128)
    """

    __constants__: ClassVar[list[str]] = ["ignore_index", "reduction", "label_smoothing"]

    def __init__(
        self, weight: Tensor | None = None, size_average: bool | None = None,
        ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:  # fmt: skip
        self._keep(locals())

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.cross_entropy(
            input, target, self._buffers["weight"], None, self.ignore_index, None, self.reduction,
            self.label_smoothing,
        )  # fmt: skip


class LinearCrossEntropyLoss(_WeightedLoss):
    """The cross entropy of a linear layer's scores: the head of a classifier with its loss.

    >>> import chainrule as torch
    >>> loss = torch.nn.LinearCrossEntropyLoss(5, 10, out_features=(4, 3))
    >>> loss(torch.randn(2, 5), torch.zeros(2, 4, 3, dtype=torch.long)).shape
    torch.Size([])
    """

    __constants__: ClassVar[list[str]] = [
        "num_classes",
        "out_features",
        "reduction",
        "ignore_index",
        "label_smoothing",
    ]

    def __init__(
        self, in_features: int, num_classes: int, *, out_features: tuple[int, ...] = (),
        bias: bool = False, device: Any = None, dtype: Any = None, reduction: str = "mean",
        weight: Tensor | None = None, ignore_index: int | None = None,
        label_smoothing: float = 0.0, options: Any = None,
    ) -> None:  # fmt: skip
        from .linear import Linear

        super().__init__(weight, reduction=reduction)
        self.num_classes = num_classes
        self.out_features = tuple(out_features)
        self.ignore_index = ignore_index
        if not 0.0 <= label_smoothing <= 1.0:
            raise RuntimeError(
                f"expected label_smoothing to be in range [0, 1], got {label_smoothing}"
            )
        self.label_smoothing = label_smoothing
        self.options = options
        if weight is not None and tuple(weight.shape) != (num_classes,):
            raise RuntimeError(
                f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}"
            )
        scores = num_classes * math.prod(self.out_features)
        self.linear = Linear(in_features, scores, bias=bias, device=device, dtype=dtype)

    def extra_repr(self) -> str:
        """The sizes and options."""
        linear = self.linear
        return (
            f"in_features={linear.in_features}, num_classes={self.num_classes}, "
            f"out_features={self.out_features}, bias={linear.bias is not None}, "
            f"reduction={self.reduction}, ignore_index={self.ignore_index}, "
            f"label_smoothing={self.label_smoothing}, options={self.options}"
        )

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        sizes, linear = (self.num_classes, *self.out_features), self.linear
        return F.linear_cross_entropy(
            input, linear.weight.reshape(*sizes, linear.in_features), target,
            linear_bias=None if linear.bias is None else linear.bias.reshape(sizes),
            weight=self.weight, reduction=self.reduction, ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing, options=self.options,
        )  # fmt: skip


class NLLLoss(_WeightedLoss):
    """The negative log likelihood of class numbers, given log probabilities.

    >>> import chainrule as torch
    >>> torch.nn.NLLLoss()(torch.tensor([[-1., -2.], [-3., -4.]]), torch.tensor([0, 1]))
    tensor(2.5000)
    """

    __constants__: ClassVar[list[str]] = ["ignore_index", "reduction"]
    _call = "F.nll_loss(input, target, weight, None, ignore_index, None, reduction)"

    def __init__(
        self, weight: Tensor | None = None, size_average: bool | None = None,
        ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        self._keep(locals())


class NLLLoss2d(NLLLoss):
    """The old name of `NLLLoss` for images."""

    def __init__(
        self, weight: Tensor | None = None, size_average: bool | None = None,
        ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        warn_user(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in "
            "replacement.",
            FutureWarning,
        )
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class MultiMarginLoss(_WeightedLoss):
    """By how much other classes come within the margin of the right one."""

    __constants__: ClassVar[list[str]] = ["p", "margin", "reduction"]
    _call = "F.multi_margin_loss(input, target, p, margin, weight, None, None, reduction)"

    def __init__(
        self, p: int = 1, margin: float = 1.0, weight: Tensor | None = None,
        size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        self._keep(locals())
        if p not in (1, 2):
            raise refusal.value(f"only p == 1 and p == 2 supported, got {p}")
        if weight is not None and weight.dim() != 1:
            raise refusal.value(
                f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D "
                "instead"
            )


class MultiLabelMarginLoss(_Loss):
    """By how much classes that are not targets come within a margin of those that are."""

    __constants__: ClassVar[list[str]] = ["reduction"]
    _call = "F.multilabel_margin_loss(input, target, None, None, reduction)"


class CTCLoss(_Loss):
    """The negative log likelihood of label sequences, summed over their alignments in time."""

    __constants__: ClassVar[list[str]] = ["blank", "reduction"]
    _call = (
        "F.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, "
        "zero_infinity)"
    )

    def __init__(
        self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False
    ) -> None:
        self._keep(locals())


# ---- pairs and triplets --------------------------------------------------------------------------


class _MarginLoss(_Loss):
    def __init__(
        self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        self._keep(locals())


class HingeEmbeddingLoss(_MarginLoss):
    """The input where the target is 1, max(0, margin - input) where it is -1."""

    __constants__: ClassVar[list[str]] = ["margin", "reduction"]
    _call = "F.hinge_embedding_loss(input, target, margin, None, None, reduction)"

    def __init__(
        self, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:  # fmt: skip
        self._keep(locals())


class CosineEmbeddingLoss(_MarginLoss):
    """1 - cosine for pairs with target 1, max(0, cosine - margin) for those with -1."""

    __constants__: ClassVar[list[str]] = ["margin", "reduction"]
    _call = "F.cosine_embedding_loss(input1, input2, target, margin, None, None, reduction)"


class MarginRankingLoss(_MarginLoss):
    """max(0, margin - target * (input1 - input2)): target 1 wants input1 larger."""

    __constants__: ClassVar[list[str]] = ["margin", "reduction"]
    _call = "F.margin_ranking_loss(input1, input2, target, margin, None, None, reduction)"


def _check_margin(margin: float, name: str) -> None:
    if margin <= 0:
        raise refusal.value(f"{name}: expected margin to be greater than 0, got {margin} instead")


class TripletMarginLoss(_Loss):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), with p-norm distances."""

    __constants__: ClassVar[list[str]] = ["margin", "p", "eps", "swap", "reduction"]
    _call = (
        "F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, None, None, "
        "reduction)"
    )

    def __init__(
        self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False,
        size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
    ) -> None:  # fmt: skip
        self._keep(locals())
        _check_margin(margin, "TripletMarginLoss")


class TripletMarginWithDistanceLoss(_Loss):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), with any distance."""

    __constants__: ClassVar[list[str]] = ["margin", "swap", "reduction"]
    _call = (
        "F.triplet_margin_with_distance_loss(anchor, positive, negative, "
        "distance_function=distance_function, margin=margin, swap=swap, reduction=reduction)"
    )

    def __init__(
        self, *, distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0, swap: bool = False, reduction: str = "mean",
    ) -> None:  # fmt: skip
        _check_margin(margin, "TripletMarginWithDistanceLoss")
        if distance_function is None:
            distance_function = PairwiseDistance()
        self._keep(locals())
