"""PyTorch's names of the ops, as its profiler shows them: `aten::linear`, inside `aten::addmm`."""

from __future__ import annotations

# From the outermost name to the innermost; {} is the number of spatial dimensions.
_NAMES: dict[str, tuple[str, ...]] = {
    "attention": (
        "scaled_dot_product_attention", "_scaled_dot_product_flash_attention_for_cpu",
    ),
    "avg_pool1d": ("avg_pool1d",),
    "batch_norm": ("batch_norm", "native_batch_norm"),
    "bce_with_logits": ("binary_cross_entropy_with_logits",),
    "bernoulli_draw": ("bernoulli",),
    "blank": ("zeros_like",),
    "broadcast_to": ("expand",),
    "cast": ("to", "_to_copy"),
    "clone_contiguous": ("contiguous", "clone"),
    "clone_ordered": ("clone",),
    "constant_pad": ("constant_pad_nd",),
    "conv_input": ("conv_transpose{}d", "convolution"),
    "convolution": ("conv{}d", "convolution"),
    "convolution_no_bias": ("conv{}d", "convolution"),
    "copy_value": ("copy_",),
    "cross_entropy": ("cross_entropy_loss",),
    "draw_integers": ("randint",),
    "draw_mask": ("bernoulli_",),
    "draw_normal": ("randn",),
    "draw_permutation": ("randperm",),
    "draw_uniform": ("rand",),
    "fill_number": ("fill_",),
    "group_norm": ("group_norm", "native_group_norm"),
    "gru_layer": ("gru",),
    "index_axis": ("index",),
    "index_get": ("index",),
    "layer_norm": ("layer_norm", "native_layer_norm"),
    "linear2d": ("linear", "addmm"),
    "linear2d_no_bias": ("linear", "mm"),
    "log_softmax": ("log_softmax", "_log_softmax"),
    "lstm_layer": ("lstm",),
    "masked_fill_number": ("masked_fill",),
    "masked_get": ("index",),
    "matmul": ("matmul", "bmm"),
    "max_at": ("max",),
    "max_of_all": ("max",),
    "max_pool2d": ("max_pool2d", "max_pool2d_with_indices"),
    "max_pool3d": ("max_pool3d", "max_pool3d_with_indices"),
    "min_at": ("min",),
    "min_of_all": ("min",),
    "reduce_max": ("amax",),
    "reduce_min": ("amin",),
    "reduce_norm": ("linalg_vector_norm",),
    "relu": ("relu", "clamp_min"),
    "rms_norm": ("rms_norm",),
    "rnn_layer": ("rnn_tanh",),
    "select_view": ("select",),
    "slice_axis": ("slice",),
    "slice_view": ("slice",),
    "softmax": ("softmax", "_softmax"),
    "sort_at": ("sort",),
    "square": ("pow",),
    "squeeze_axis": ("squeeze",),
    "squeeze_axes": ("squeeze",),
    "squeeze_all": ("squeeze",),
    "swap_axes": ("transpose",),
    "topk_at": ("topk",),
    "transpose": ("permute",),
    "unsafe_view": ("_unsafe_view",),
}  # fmt: skip


def aten_names(name: str, ndim: int = 0, written: str = "") -> tuple[str, ...]:
    """The names of an op, outermost first; `ndim` of its input, `written` if it is in place."""
    if written:
        known = _NAMES.get(name, (name,))
        return (f"aten::{written}", *(f"aten::{n}" for n in known[1:]))
    known = _NAMES.get(name) or (name.removeprefix("reduce_"),)
    return tuple(f"aten::{n.format(max(ndim - 2, 1))}" for n in known)
