"""nn.functional: convolutions, transposed convolutions, unfold and fold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...autograd import refusal
from ...ops.dtypes import F32
from ..api import in_dims, public
from .common import P
from .half_types import half_type, rounded
from .nn_common import as_tuple, named

if TYPE_CHECKING:
    from ..annotations import Ints, Tensor

_WORDS = {
    "float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16",
    "int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte",
    "bool": "Bool", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip


def _check_types(x: Any, w: Any, b: Any) -> None:
    for name, t in (("weight", w), ("bias", b)):
        if t is not None and t.dtype is not x.dtype:
            have, want = _WORDS.get(x.dtype.name), _WORDS.get(t.dtype.name)
            raise refusal.runtime(
                f"Input type (torch.{have}Tensor) and {name} type (torch.{want}Tensor) should be "
                "the same",
                fix=f"input.to({name}.dtype).",
            )


def _check_rank(x: Any, w: Any, nd: int, name: str) -> None:
    if x.ndim not in (nd + 1, nd + 2):
        raise refusal.runtime(
            f"Expected {nd + 1}D (unbatched) or {nd + 2}D (batched) input to {name}, but got "
            f"input of size: {list(x.shape)}",
            fix=f"the input is (batch, channels, {', '.join('DHW'[3 - nd :])}); add a missing "
            "dimension with unsqueeze, or flatten those that are too many.",
        )
    if w.ndim != nd + 2:
        raise refusal.runtime(
            f"{name} expects a weight of {nd + 2} dimensions (out, in / groups, kernel), got "
            f"{list(w.shape)}"
        )


def _check_steps(stride: Any, padding: Any, dilation: Any, groups: int) -> None:
    problems = (
        (any(s <= 0 for s in stride), "non-positive stride is not supported"),
        (any(p < 0 for p in padding), "negative padding is not supported"),
        (any(d <= 0 for d in dilation), "dilation should be greater than zero"),
        (groups <= 0, "non-positive groups is not supported"),
    )
    for wrong, phrase in problems:
        if wrong:
            raise refusal.runtime(
                f"{phrase}: stride={list(stride)}, padding={list(padding)}, "
                f"dilation={list(dilation)}, groups={groups}"
            )


def _check_channels(x: Any, w: Any, b: Any, groups: int) -> None:
    shape, wanted = list(w.shape), w.shape[1] * groups
    if w.shape[0] % groups:
        raise refusal.runtime(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, "
            f"but got weight of size [{shape}] instead"
        )
    if x.shape[1] != wanted:
        raise refusal.runtime(
            f"Given groups={groups}, weight of size {shape}, expected input{list(x.shape)} to "
            f"have {wanted} channels, but got {x.shape[1]} channels instead",
            why="The weight is (out, in / groups, kernel).",
            fix=f"in_channels={x.shape[1]}, or permute the input to (batch, channels, ...).",
        )
    if b is not None and tuple(b.shape) != (w.shape[0],):
        raise refusal.runtime(
            f"Given weight of size {shape}, expected bias to be 1-dimensional with {w.shape[0]} "
            f"elements, but got bias of size {list(b.shape)} instead"
        )


def _check_weight(w: Any, groups: int) -> None:
    """A convolution needs at least one kernel in each group, and one element in each kernel."""
    if w.shape[0] < groups:
        raise refusal.runtime(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but "
            f"got weight of size {list(w.shape)} instead"
        )
    if 0 in w.shape[2:]:
        raise refusal.runtime(
            f"kernel size should be greater than zero, but got {list(w.shape[2:])}"
        )


def _check_kernel(x: Any, w: Any, padding: Any, dilation: Any) -> None:
    padded = [n + 2 * p for n, p in zip(x.shape[2:], padding, strict=True)]
    kernel = [d * (k - 1) + 1 for k, d in zip(w.shape[2:], dilation, strict=True)]
    if any(n < k for n, k in zip(padded, kernel, strict=True)):
        raise refusal.runtime(
            f"Calculated padded input size per channel: ({' x '.join(map(str, padded))}). Kernel "
            f"size: ({' x '.join(map(str, kernel))}). Kernel size can't be greater than actual "
            "input size"
        )


def _same_padding(x: Any, w: Any, stride: Any, dilation: Any) -> tuple[Any, tuple[int, ...]]:
    """(x, padded where left and right differ; the padding left for the op)."""
    if any(s != 1 for s in stride):
        raise refusal.runtime(
            f"padding='same' is not supported for strided convolutions (stride={list(stride)})"
        )
    totals = [d * (k - 1) for k, d in zip(w.shape[2:], dilation, strict=True)]
    if any(t % 2 for t in totals):
        from .nn_vision import pad

        x = pad(x, [p for t in reversed(totals) for p in (0, t % 2)])
    return x, tuple(t // 2 for t in totals)


def _conv(
    x: Any, w: Any, b: Any, stride: Any, padding: Any, dilation: Any, groups: int, nd: int
) -> Any:
    name = f"conv{nd}d"
    _check_rank(x, w, nd, name)
    _check_types(x, w, b)
    single = x.ndim == nd + 1
    if single:
        x = x.unsqueeze(0)
    stride, dilation = as_tuple(stride, nd, "stride"), as_tuple(dilation, nd, "dilation")
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise refusal.runtime(f"Invalid padding string: '{padding}'")
        pads = (0,) * nd
        if padding == "same":
            x, pads = _same_padding(x, w, stride, dilation)
    else:
        pads = as_tuple(padding, nd, "padding")
    _check_steps(stride, pads, dilation, groups)
    _check_weight(w, groups)
    _check_channels(x, w, b, groups)
    _check_kernel(x, w, pads, dilation)
    geometry = {"stride": stride, "padding": pads, "dilation": dilation, "groups": groups}
    if b is None:
        out = P.convolution_no_bias(x, w, **geometry)
    else:
        out = P.convolution(x, w, b, **geometry)
    if not x.shape[1]:  # without inputs there are no outputs either: what PyTorch returns
        out = out[:, :0]
    return out.squeeze(0) if single else out


_KINDS = ("sequences (N, C, L)", "images (N, C, H, W)", "volumes (N, C, D, H, W)")


@in_dims(1, 2, 3, namespace="nn.functional", out=False, aliases=(".conv{}d",), autocast="lower")
def conv(nd: int) -> Any:
    def convolve(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1,
        padding: Ints | str = 0, dilation: Ints = 1, groups: int = 1,
    ) -> Tensor:  # fmt: skip
        return _conv(input, weight, bias, stride, padding, dilation, groups, nd)

    kernels = f"(O, C / groups, {('K', 'KH, KW', 'KD, KH, KW')[nd - 1]})"
    convolve.__doc__ = f"The cross-correlation of {_KINDS[nd - 1]} with kernels {kernels}."
    return convolve


@public(
    namespace="nn.functional", out=False, aliases=(".conv_tbc",), method=False, autocast="lower"
)
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """conv1d of (time, batch, channels) sequences with a (kernel, in, out) weight."""
    x, w = input.permute(1, 2, 0), weight.permute(2, 1, 0)
    return _conv(x, w, bias, 1, pad, 1, 1, 1).permute(2, 0, 1)


# ---- transposed ----------------------------------------------------------------------------------


def _check_transposed(x: Any, w: Any, b: Any, groups: int) -> None:
    shape = list(w.shape)
    if x.shape[1] != w.shape[0]:
        raise refusal.runtime(
            f"Given transposed=1, weight of size {shape}, expected input{list(x.shape)} to have "
            f"{w.shape[0]} channels, but got {x.shape[1]} channels instead",
            why="The weight is (in, out / groups, kernel).",
        )
    if w.shape[0] % groups:
        raise refusal.runtime(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, "
            f"but got weight of size [{shape}] instead"
        )
    outputs = w.shape[1] * groups
    if b is not None and tuple(b.shape) != (outputs,):
        raise refusal.runtime(
            f"Given transposed=1, weight of size {shape}, expected bias to be 1-dimensional with "
            f"{outputs} elements, but got bias of size {list(b.shape)} instead"
        )


def _check_output_padding(extra: Any, stride: Any, dilation: Any) -> None:
    if any(e >= s and e >= d for e, s, d in zip(extra, stride, dilation, strict=True)):
        raise refusal.runtime(
            "output padding must be smaller than either stride or dilation, but got "
            f"output_padding={list(extra)}, stride={list(stride)}, dilation={list(dilation)}"
        )


def _conv_transposed(
    x: Any, w: Any, b: Any, stride: Any, padding: Any, extra: Any, groups: int, dilation: Any,
    nd: int,
) -> Any:  # fmt: skip
    _check_rank(x, w, nd, f"conv_transpose{nd}d")
    _check_types(x, w, b)
    single = x.ndim == nd + 1
    if single:
        x = x.unsqueeze(0)
    stride, dilation = as_tuple(stride, nd, "stride"), as_tuple(dilation, nd, "dilation")
    padding, extra = as_tuple(padding, nd, "padding"), as_tuple(extra, nd, "output_padding")
    _check_steps(stride, padding, dilation, groups)
    _check_weight(w, groups)
    _check_transposed(x, w, b, groups)
    _check_output_padding(extra, stride, dilation)
    size = tuple(
        (n - 1) * s - 2 * p + d * (k - 1) + e + 1
        for n, s, p, d, k, e in zip(
            x.shape[2:], stride, padding, dilation, w.shape[2:], extra, strict=True
        )
    )
    if any(n <= 0 for n in size):
        raise refusal.runtime(
            f"Given input size per channel: {list(x.shape[2:])}. Calculated output size per "
            f"channel: {list(size)}. Output size is too small"
        )
    half = None if b is None else half_type(x)
    if half is not None:
        x, w, b = (P.cast(t, dtype=F32) for t in (x, w, b))
    out = P.conv_input(
        x, w, spatial=size, stride=stride, padding=padding, dilation=dilation, groups=groups
    )
    if b is not None:
        out = rounded(out + b.reshape((-1,) + (1,) * nd), half)
        out = named(out, "ConvolutionBackward0", dead=True)
    return out.squeeze(0) if single else out


@in_dims(
    1, 2, 3, namespace="nn.functional", out=False, aliases=(".conv_transpose{}d",), autocast="lower"
)
def conv_transpose(nd: int) -> Any:
    def transposed(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Ints = 1,
        padding: Ints | str = 0, output_padding: Ints = 0, groups: int = 1, dilation: Ints = 1,
    ) -> Tensor:  # fmt: skip
        """The transpose of conv{}d: something whose convolution has the input's size."""
        return _conv_transposed(
            input, weight, bias, stride, padding, output_padding, groups, dilation, nd
        )

    return transposed


# ---- windows as columns --------------------------------------------------------------------------


@public(namespace="nn.functional", out=False)
def unfold(
    input: Tensor, kernel_size: Ints, dilation: Ints = 1, padding: Ints | str = 0, stride: Ints = 1
) -> Tensor:
    """The windows of an image as columns: (N, C * KH * KW, positions)."""
    if input.ndim not in (3, 4):
        raise refusal.runtime(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {list(input.shape)}"
        )
    single = input.ndim == 3
    x = input.unsqueeze(0) if single else input
    kernel = as_tuple(kernel_size, 2, "kernel_size")
    steps = {
        "dilation": as_tuple(dilation, 2, "dilation"),
        "padding": as_tuple(padding, 2, "padding"),
        "stride": as_tuple(stride, 2, "stride"),
    }
    _check_windows(kernel, **steps)
    if 0 in x.shape[1:]:
        raise refusal.runtime(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {list(input.shape)}"
        )
    _check_blocks("input with spatial size", tuple(x.shape[2:]), kernel, **steps)
    out = P.im2col(x, kernel=kernel, **steps)
    return out.squeeze(0) if single else out


@public(namespace="nn.functional", out=False)
def fold(
    input: Tensor, output_size: Ints, kernel_size: Ints, dilation: Ints = 1,
    padding: Ints | str = 0, stride: Ints = 1,
) -> Tensor:  # fmt: skip
    """The sum of columns put back where `unfold` took them from: (N, C, H, W)."""
    if input.ndim not in (2, 3):
        raise refusal.runtime(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and "
            f"non-zero dimensions for input, but got: {list(input.shape)}"
        )
    single = input.ndim == 2
    x = input.unsqueeze(0) if single else input
    size = as_tuple(output_size, 2, "output_size")
    kernel = as_tuple(kernel_size, 2, "kernel_size")
    steps = {
        "dilation": as_tuple(dilation, 2, "dilation"),
        "padding": as_tuple(padding, 2, "padding"),
        "stride": as_tuple(stride, 2, "stride"),
    }
    _check_fold(x, size, kernel, **steps)
    out = P.col2im(x, size=size, kernel=kernel, **steps)
    return out.squeeze(0) if single else out


def _check_windows(kernel: Any, dilation: Any, padding: Any, stride: Any) -> None:
    for what, values, least in (
        ("kernel size", kernel, 1),
        ("dilation", dilation, 1),
        ("padding", padding, 0),
        ("stride", stride, 1),
    ):
        if min(values) < least:
            wanted = "greater than zero" if least else "non-negative"
            raise refusal.runtime(f"{what} should be {wanted}, but got {list(values)}")


def _check_blocks(
    given: str, size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any
) -> list[int]:
    """How many windows there are along both dimensions: at least one."""
    blocks = [
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, p, d, k, s in zip(size, padding, dilation, kernel, stride, strict=True)
    ]
    if min(blocks) < 1:
        raise refusal.runtime(
            f"Given {given}={list(size)}, kernel_size={list(kernel)}, dilation={list(dilation)}, "
            f"padding={list(padding)}, stride={list(stride)}, calculated shape of the array of "
            f"sliding blocks as {tuple(blocks)}, but its components must be at least one."
        )
    return blocks


def _check_fold(x: Any, size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> None:
    _check_windows(kernel, dilation, padding, stride)
    area = kernel[0] * kernel[1]
    if area > 2**63 - 1:
        raise refusal.runtime(
            f"the product of kernel_width and kernel_height overflowed: {list(kernel)}"
        )
    if x.shape[1] % area:
        raise refusal.runtime(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, "
            f"but got input.size(1)={x.shape[1]} and kernel_size={list(kernel)}."
        )
    blocks = _check_blocks("output_size", size, kernel, dilation, padding, stride)
    if blocks[0] * blocks[1] != x.shape[2]:
        raise refusal.runtime(
            f"Given output_size={list(size)}, kernel_size={list(kernel)}, "
            f"dilation={list(dilation)}, padding={list(padding)}, stride={list(stride)}, expected "
            "size of input's dimension 2 to match the calculated number of sliding blocks "
            f"{blocks[0]} * {blocks[1]} = {blocks[0] * blocks[1]}, but got "
            f"input.size(2)={x.shape[2]}."
        )
