"""Functions of `torch` whose names begin with an underscore, as libraries call them.

PyTorch's Python code goes through these to its kernels; libraries that imitate it do the same. Each
is put together of public functions, so gradients and other transforms pass through it.
"""

from __future__ import annotations

from typing import Any

import chainrule as torch
from chainrule.autograd.dispatch import P
from chainrule.nn import functional as F

_FFT_NORMS = ("none", "ortho", "full")  # what 0, 1 and 2 divide by: nothing, sqrt(n), n


# ---- random numbers ------------------------------------------------------------------------------


def _standard_gamma(self: Any, generator: Any = None) -> Any:
    """Draws of gamma distributions of rate one, which move with their concentrations."""
    return P.gamma_draw(self, generator=generator)


# ---- casts ---------------------------------------------------------------------------------------


def _cast_to(dtype: Any) -> Any:
    def cast(input: Any, non_blocking: bool = False) -> Any:  # noqa: A002
        return input.to(dtype)

    return cast


_cast_Byte = _cast_to(torch.uint8)
_cast_Char = _cast_to(torch.int8)
_cast_Double = _cast_to(torch.float64)
_cast_Float = _cast_to(torch.float32)
_cast_Half = _cast_to(torch.float16)
_cast_Int = _cast_to(torch.int32)
_cast_Long = _cast_to(torch.int64)
_cast_Short = _cast_to(torch.int16)


# ---- shapes and indices --------------------------------------------------------------------------


def _stack(tensors: Any, dim: int = 0) -> Any:
    return torch.stack(tuple(tensors), dim)


def _dim_arange(like: Any, dim: int) -> Any:
    return torch.arange(like.shape[dim])


def _reshape_from_tensor(self: Any, shape: Any) -> Any:
    return self.reshape(shape.tolist())


def _conj_copy(self: Any) -> Any:
    return self.conj().resolve_conj().clone()


def _neg_view_copy(self: Any) -> Any:
    return -self


def _values_copy(self: Any) -> Any:
    return self._values().clone()


def _indices_copy(self: Any) -> Any:
    return self._indices().clone()


def _unsafe_index(self: Any, indices: Any) -> Any:
    return self[tuple(slice(None) if k is None else k for k in indices)]


def _unsafe_index_put(self: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    return torch.index_put(self, tuple(indices), values, accumulate)


def _index_put_impl_(
    self: Any, indices: Any, values: Any, accumulate: bool = False, unsafe: bool = False
) -> Any:
    return self.index_put_(tuple(indices), values, accumulate)


def _unique(self: Any, sorted: bool = True, return_inverse: bool = False) -> Any:  # noqa: A002
    values, inverse, _ = _unique2(self, sorted, return_inverse)
    return values, inverse


def _unique2(
    self: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False  # noqa: A002
) -> Any:  # fmt: skip
    """Three tensors; those that are not asked for are empty."""
    values, inverse, counts = torch.unique(
        self, sorted=sorted, return_inverse=True, return_counts=True
    )
    nothing = torch.empty(0, dtype=torch.int64)
    return values, inverse if return_inverse else nothing, counts if return_counts else nothing


def _convert_indices_from_coo_to_csr(self: Any, size: int, *, out_int32: bool = False) -> Any:
    """Where each of `size` rows begins, of the rows of the stored values."""
    ends = torch.bincount(self, minlength=size).cumsum(0)
    found = torch.cat([ends.new_zeros(1), ends])
    return found.to(torch.int32) if out_int32 else found


def _convert_indices_from_csr_to_coo(
    crow_indices: Any, col_indices: Any, *, out_int32: bool = False, transpose: bool = False
) -> Any:
    rows = torch.repeat_interleave(
        torch.arange(len(crow_indices) - 1), crow_indices.diff().to(torch.int64)
    )
    kind = torch.int32 if out_int32 else crow_indices.dtype
    pair = [rows.to(kind), col_indices.to(kind)]
    return torch.stack(pair[::-1] if transpose else pair)


def _pack_padded_sequence(input: Any, lengths: Any, batch_first: bool) -> Any:  # noqa: A002
    packed = torch.nn.utils.rnn.pack_padded_sequence(input, lengths, batch_first)
    return packed.data, packed.batch_sizes


def _pad_packed_sequence(
    data: Any, batch_sizes: Any, batch_first: bool, padding_value: float, total_length: int
) -> Any:
    """`total_length` of 0 or less stands for the longest."""
    packed = torch.nn.utils.rnn.PackedSequence(data, batch_sizes)
    return torch.nn.utils.rnn.pad_packed_sequence(
        packed, batch_first, padding_value, total_length if total_length > 0 else None
    )


# ---- questions -----------------------------------------------------------------------------------


def _is_all_true(self: Any) -> Any:
    return self.all()


def _is_any_true(self: Any) -> Any:
    return self.any()


def _is_zerotensor(self: Any) -> bool:
    return False


def _nnpack_available() -> bool:
    return False


def _has_compatible_shallow_copy_type(self: Any, from_: Any) -> bool:
    """Whether `self.data = from_` keeps the kind of tensor."""
    return self.layout is from_.layout


def _debug_has_internal_overlap(self: Any) -> int:
    """0: every element has its own memory; 1: some share; 2: not decided."""
    steps = sorted((s, n) for s, n in zip(self.stride(), self.shape, strict=True) if n > 1)
    if any(step == 0 for step, _ in steps):
        return 1
    filled = 1
    for step, size in steps:
        if step != filled:
            return 2
        filled *= size
    return 0


# ---- arithmetic ----------------------------------------------------------------------------------


def _aminmax(self: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    return torch.aminmax(self, dim=dim, keepdim=keepdim)


def _logcumsumexp(self: Any, dim: int) -> Any:
    return torch.logcumsumexp(self, dim)


def _euclidean_dist(x1: Any, x2: Any) -> Any:
    return torch.cdist(x1, x2, compute_mode="use_mm_for_euclid_dist")


def _compute_linear_combination(input: Any, coefficients: Any) -> Any:  # noqa: A002
    return torch.tensordot(coefficients, input, dims=([1], [0]))


def _trilinear(
    i1: Any, i2: Any, i3: Any, expand1: Any, expand2: Any, expand3: Any, sumdim: Any,
    unroll_dim: int = 1,
) -> Any:  # fmt: skip
    """The product of three tensors, each with new dimensions where `expand` says, summed."""
    for dim in expand1:
        i1 = i1.unsqueeze(dim)
    for dim in expand2:
        i2 = i2.unsqueeze(dim)
    for dim in expand3:
        i3 = i3.unsqueeze(dim)
    product = i1 * i2 * i3
    return product.sum(list(sumdim)) if sumdim else product


def _weight_norm(v: Any, g: Any, dim: int = 0) -> Any:
    """v, with the lengths g along every dimension but one."""
    return v * (g / torch.norm_except_dim(v, 2, dim))


def _weight_norm_interface(v: Any, g: Any, dim: int = 0) -> Any:
    norm = torch.norm_except_dim(v, 2, dim)
    return v * (g / norm), norm


def _prelu_kernel(self: Any, weight: Any) -> Any:
    return torch.where(self > 0, self, self * weight)


def _softmax(self: Any, dim: int, half_to_float: bool) -> Any:
    _refuse_half_to_float(half_to_float)
    return torch.softmax(self, dim)


def _log_softmax(self: Any, dim: int, half_to_float: bool) -> Any:
    _refuse_half_to_float(half_to_float)
    return torch.log_softmax(self, dim)


def _refuse_half_to_float(asked: bool) -> None:
    if asked:
        raise RuntimeError("softmax with half to float conversion is not supported on CPU")


def _safe_softmax(self: Any, dim: int, dtype: Any = None) -> Any:
    """Zeros where every score is minus infinity."""
    scores = self if dtype is None else self.to(dtype)
    nothing = (scores == float("-inf")).all(dim, keepdim=True)
    return torch.softmax(scores.masked_fill(nothing, 0.0), dim).masked_fill(nothing, 0.0)


def _adaptive_avg_pool2d(self: Any, output_size: Any) -> Any:
    return F.adaptive_avg_pool2d(self, output_size)


def _adaptive_avg_pool3d(self: Any, output_size: Any) -> Any:
    return F.adaptive_avg_pool3d(self, output_size)


def _convolution(
    input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any,  # noqa: A002
    transposed: bool, output_padding: Any, groups: int, benchmark: bool, deterministic: bool,
    cudnn_enabled: bool, allow_tf32: bool = False,
) -> Any:  # fmt: skip
    """The last four choose between kernels of GPUs."""
    return torch.convolution(
        input, weight, bias, stride, padding, dilation, transposed, output_padding, groups
    )


def _convolution_mode(
    input: Any, weight: Any, bias: Any, stride: Any, padding: str, dilation: Any, groups: int  # noqa: A002
) -> Any:  # fmt: skip
    form = (F.conv1d, F.conv2d, F.conv3d)[input.dim() - 3]
    return form(input, weight, bias, stride, padding, dilation, groups)


def _fused_rms_norm(input: Any, normalized_shape: Any, weight: Any, eps: float | None) -> Any:  # noqa: A002
    dims = list(range(input.dim() - len(normalized_shape), input.dim()))
    small = torch.finfo(input.dtype).eps if eps is None else eps
    scale = torch.rsqrt(input.square().mean(dims, keepdim=True) + small)
    result = input * scale
    return (result if weight is None else result * weight), scale


# ---- linear algebra and Fourier transforms -------------------------------------------------------


def _lu_with_info(self: Any, pivot: bool = True, check_errors: bool = True) -> Any:
    if check_errors:
        torch.linalg.lu_factor(self, pivot=pivot)  # names the matrix that is singular
    return torch.linalg.lu_factor_ex(self, pivot=pivot)


def _linalg_eigh(A: Any, UPLO: str = "L", compute_v: bool = True) -> Any:
    if compute_v:
        return torch.linalg.eigh(A, UPLO)
    return torch.linalg.eigvalsh(A, UPLO), A.new_empty(0)


def _linalg_svd(
    A: Any, full_matrices: bool = False, compute_uv: bool = True, *, driver: str | None = None
) -> Any:  # fmt: skip
    if compute_uv:
        return torch.linalg.svd(A, full_matrices)
    return A.new_empty(0), torch.linalg.svdvals(A), A.new_empty(0)


def _fft_c2c(self: Any, dim: Any, normalization: int, forward: bool) -> Any:
    transform = torch.fft.fftn if forward else torch.fft.ifftn
    return transform(self, dim=list(dim), norm=_fft_norm(normalization, forward))


def _fft_r2c(self: Any, dim: Any, normalization: int, onesided: bool) -> Any:
    transform = torch.fft.rfftn if onesided else torch.fft.fftn
    return transform(self, dim=list(dim), norm=_fft_norm(normalization, True))


def _fft_c2r(self: Any, dim: Any, normalization: int, last_dim_size: int) -> Any:
    sizes = [self.shape[d] for d in dim[:-1]] + [last_dim_size]
    return torch.fft.irfftn(self, sizes, list(dim), norm=_fft_norm(normalization, False))


def _fft_norm(normalization: int, forward: bool) -> str:
    divides_by = _FFT_NORMS[normalization]
    if divides_by == "ortho":
        return "ortho"
    return "forward" if (divides_by == "full") == forward else "backward"


# ---- scaled gradients ----------------------------------------------------------------------------


def _amp_foreach_non_finite_check_and_unscale_(self: Any, found_inf: Any, inv_scale: Any) -> None:
    """Multiply each tensor by `inv_scale`; `found_inf` becomes 1 where one is not finite."""
    for gradient in self:
        if not torch.isfinite(gradient).all():
            found_inf.fill_(1.0)
        gradient.mul_(inv_scale.to(gradient.dtype))


def _amp_update_scale_(
    self: Any, growth_tracker: Any, found_inf: Any, scale_growth_factor: float,
    scale_backoff_factor: float, growth_interval: int,
) -> Any:  # fmt: skip
    """A smaller scale after a step with an infinity, a larger one after many without."""
    if float(found_inf):
        self.mul_(scale_backoff_factor)
        growth_tracker.fill_(0)
        return self
    growth_tracker.add_(1)
    if int(growth_tracker) == growth_interval:
        grown = self * scale_growth_factor
        if torch.isfinite(grown).all():
            self.copy_(grown)
        growth_tracker.fill_(0)
    return self
