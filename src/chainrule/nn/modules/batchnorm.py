"""Norms over the batch, with running statistics for evaluation."""

from __future__ import annotations

import importlib
import sys
from typing import Any, ClassVar, Self

from ... import Tensor, empty, long, ones, tensor, zeros
from ...autograd import refusal
from ...tensor import Parameter
from ...tensor.functions.nn_batch_norm import count_batch
from .. import functional as F
from .. import init
from ..parameter import UninitializedBuffer, UninitializedParameter
from .layer_common import PROBLEMS, add_layer
from .lazy import LazyModuleMixin
from .module import Module

__all__ = [
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LazyBatchNorm1d", "LazyBatchNorm2d",
    "LazyBatchNorm3d", "SyncBatchNorm",
]  # fmt: skip


class _NormBase(Module):
    """What batch and instance norms share: parameters, running statistics, their loading."""

    __constants__: ClassVar[list[str]] = [
        "track_running_stats",
        "momentum",
        "eps",
        "num_features",
        "affine",
    ]
    _version = 2  # 1: saved without num_batches_tracked

    # The ranks of input that are accepted; empty for any from 2 on.
    _ranks: tuple[int, ...] = ()

    weight: Parameter | None
    bias: Parameter | None
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1,
        affine: bool = True, track_running_stats: bool = True, device: Any = None,
        dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        kind = {"device": device, "dtype": dtype}
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(
                name, Parameter(empty(num_features, **kind)) if wanted else None
            )
        if track_running_stats:
            self.register_buffer("running_mean", zeros(num_features, **kind))
            self.register_buffer("running_var", ones(num_features, **kind))
            self.register_buffer("num_batches_tracked", tensor(0, dtype=long, device=device))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget the statistics seen so far."""
        for name, start in (("running_mean", 0), ("running_var", 1), ("num_batches_tracked", 0)):
            known = self._buffers[name]
            if known is not None:
                known.fill_(start)

    def reset_parameters(self) -> None:
        """Weight 1, bias 0, no statistics."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _channel_dim(self, input: Tensor) -> int:
        return 1

    def _check_input_dim(self, input: Tensor) -> None:
        if input.ndim not in self._ranks:
            wanted = " or ".join(f"{rank}D" for rank in self._ranks)
            raise refusal.value(
                f"expected {wanted} input (got {input.ndim}D input)",
                f"of shape {list(input.shape)}, in {self!r}",
            )

    def extra_repr(self) -> str:
        """The number of features and the options."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, local_metadata: dict[str, Any],
        strict: bool, missing_keys: list[str], unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        version = local_metadata.get("version")
        if not isinstance(version, int | None):
            error_msgs.append(f"the version of {prefix[:-1] or 'the layer'} is no whole number.")
            version = None
        counter = prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats:
            if counter not in state_dict:
                known = self.num_batches_tracked
                state_dict[counter] = tensor(0, dtype=long) if known is None else known
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


_NO_STATISTICS: dict[str, Any] = {"running_mean": None, "running_var": None}


class _BatchNorm(_NormBase):
    def _factor(self, buffers: dict[str, Any]) -> float:
        """The weight of this batch in the running statistics; counts the batch."""
        counter = buffers["num_batches_tracked"]
        if counter is not None:
            count_batch(counter, buffers["running_mean"], buffers["running_var"])
            if self.momentum is None:  # all batches weigh the same
                return 1.0 / float(counter)
        return 0.0 if self.momentum is None else self.momentum

    def forward(self, input: Tensor) -> Tensor:
        """Each channel to mean 0 and variance 1, times weight plus bias."""
        self._check_input_dim(input)
        buffers: dict[str, Any] = self._buffers
        by_batch, factor = True, 0.0
        if not self.training:
            by_batch = buffers.get("running_mean") is None and buffers.get("running_var") is None
        elif self.track_running_stats:
            factor = self._factor(buffers)
        else:
            buffers = _NO_STATISTICS
        mean, var = buffers["running_mean"], buffers["running_var"]
        held: dict[str, Any] = self._parameters
        try:
            return F.batch_norm(
                input, mean, var, held["weight"], held["bias"], by_batch, factor, self.eps
            )
        except KeyError:  # computed from others, by a parametrization
            return F.batch_norm(
                input, mean, var, self.weight, self.bias, by_batch, factor, self.eps
            )
        except PROBLEMS as problem:
            add_layer(problem, self)


class BatchNorm1d(_BatchNorm):
    """Each channel of (N, C) or (N, C, L) to mean 0 and variance 1 over the batch.

    >>> import chainrule as torch
    >>> norm = torch.nn.BatchNorm1d(1)
    >>> norm(torch.tensor([[0.], [2.], [4.]])).flatten()
    tensor([-1.2247,  0.0000,  1.2247], grad_fn=<ViewBackward0>)
    >>> norm.running_mean
    tensor([0.2000])
    """

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Each channel of (N, C, H, W) to mean 0 and variance 1 over the batch."""

    _ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Each channel of (N, C, D, H, W) to mean 0 and variance 1 over the batch."""

    _ranks = (5,)


class SyncBatchNorm(_BatchNorm):
    """Batch norm for inputs of any rank, with the statistics of the batches of all processes."""

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1,
        affine: bool = True, track_running_stats: bool = True, process_group: Any = None,
        device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.ndim < 2:
            raise refusal.value(f"expected at least 2D input (got {input.ndim}D input)")
        if input.shape[1] == 0:
            raise refusal.value(
                "SyncBatchNorm number of input channels should be non-zero, input "
                f"{list(input.shape)}"
            )

    def forward(self, input: Tensor) -> Tensor:
        """Normalise by statistics over the processes of the group while training."""
        uses_batch = self.training or (self.running_mean is None and self.running_var is None)
        # By its full name: it lies above this layer. Without it there is no group to ask.
        package = sys.modules.get("chainrule" + ".distributed")
        if not uses_batch or package is None or not package.is_initialized():
            return super().forward(input)
        if package.get_world_size(self.process_group) == 1:
            return super().forward(input)
        self._check_input_dim(input)
        shared = importlib.import_module("chainrule" + ".distributed.shared_norm")
        return shared.normalised(self, input)

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """The module with every batch norm in it replaced by a SyncBatchNorm of its state."""
        converted = module
        if isinstance(module, _BatchNorm):
            converted = cls._of(module, process_group)
        for name, child in module.named_children():
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted

    @classmethod
    def _of(cls, norm: _BatchNorm, process_group: Any) -> Self:
        made = cls(
            norm.num_features, norm.eps, norm.momentum, norm.affine, norm.track_running_stats,
            process_group, bias=norm.bias is not None,
        )  # fmt: skip
        made._parameters["weight"] = norm.weight
        made._parameters["bias"] = norm.bias
        made._buffers.update(norm._buffers)
        made.training = norm.training
        return made


# ---- lazy ----------------------------------------------------------------------------------------


class _LazyNormBase(LazyModuleMixin):
    """The number of features taken from the first input."""

    def __init__(
        self, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: Any = None, *,
        bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(0, eps, momentum, False, False, device, dtype)
        kind = {"device": device, "dtype": dtype}
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(**kind)
            if bias:
                self.bias = UninitializedParameter(**kind)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(**kind)
            self.running_var = UninitializedBuffer(**kind)
            self.num_batches_tracked = tensor(0, dtype=long, device=device)

    def reset_parameters(self) -> None:
        """Weight 1, bias 0, no statistics, once the shapes are known."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Tensor) -> None:
        """Give parameters and buffers as many features as this input has."""
        if not self.has_uninitialized_params():  # loaded before the first call
            known = self.weight if self.weight is not None else self.running_mean
            self.num_features = self.num_features if known is None else known.shape[0]
            return
        self.num_features = input.shape[self._channel_dim(input)]  # type: ignore[attr-defined]
        for name in ("weight", "bias", "running_mean", "running_var"):
            waiting = getattr(self, name)
            if waiting is not None:
                waiting.materialize((self.num_features,))
        self.reset_parameters()


class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    """A BatchNorm1d that takes num_features from its first input."""

    cls_to_become = BatchNorm1d
    _ranks = BatchNorm1d._ranks


class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    """A BatchNorm2d that takes num_features from its first input."""

    cls_to_become = BatchNorm2d
    _ranks = BatchNorm2d._ranks


class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    """A BatchNorm3d that takes num_features from its first input."""

    cls_to_become = BatchNorm3d
    _ranks = BatchNorm3d._ranks
