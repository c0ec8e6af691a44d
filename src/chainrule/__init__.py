"""chainrule: automatic differentiation and training in pure Python, with PyTorch's API.

>>> import chainrule as torch
>>> x = torch.tensor(3.0, requires_grad=True)
>>> (x * x).backward()
>>> x.grad
tensor(6.)
"""

from __future__ import annotations

import sys
from typing import Any

from ._collector import resting as _resting

with _resting():  # the tables: many objects, none of them garbage
    from . import ops as _ops
    from . import tensor as _tensor_layer

from .autograd.modes import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .ops import allocation as _allocation
from .ops import dtypes as _dtypes
from .ops import kernels as _kernels
from .ops.dtypes import dtype, get_default_dtype, set_default_dtype
from .standins import finder as _standins
from .tensor import Parameter, Size, Tensor, return_types
from .tensor import namespaces as _namespaces
from .tensor.creation import (
    as_tensor,
    empty,
    empty_permuted,
    empty_strided,
    eye,
    full,
    ones,
    scalar_tensor,
    tensor,
    zeros,
)
from .tensor.creation_like import empty_like, full_like, ones_like, zeros_like
from .tensor.device import device, get_default_device, set_default_device
from .tensor.info import (
    can_cast,
    detach,
    finfo,
    get_device,
    iinfo,
    is_complex,
    is_conj,
    is_floating_point,
    is_inference,
    is_neg,
    is_nonzero,
    is_same_size,
    is_signed,
    is_storage,
    is_tensor,
    is_vulkan_available,
    numel,
    promote_types,
    result_type,
    typename,
)
from .tensor.interop import from_dlpack, from_file, from_numpy, frombuffer, to_dlpack
from .tensor.layouts import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    jagged,
    layout,
    legacy_contiguous_format,
    memory_format,
    preserve_format,
    sparse_bsc,
    sparse_bsr,
    sparse_coo,
    sparse_csc,
    sparse_csr,
    strided,
)
from .tensor.legacy import LEGACY_TYPES as _legacy_types
from .tensor.legacy import set_default_tensor_type
from .tensor.overriding import DisableTorchFunction, DisableTorchFunctionSubclass
from .tensor.random import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from .tensor.ranges import arange, linspace, logspace
from .tensor.ranges import range_ as range  # noqa: A004 - PyTorch's name
from .tensor.spellings import in_place_function as _in_place_function
from .tensor.storage import TYPED_KINDS as _typed_storages
from .tensor.storage import StorageBase as StorageBase
from .tensor.storage import TypedStorage, UntypedStorage

__version__ = "0.1.0"

inf = float("inf")
nan = float("nan")
pi = 3.141592653589793
e = 2.718281828459045
newaxis = None

globals().update({d.name: d for d in (*_dtypes.ALL, *_dtypes.STORED, *_dtypes.NAMED)})
globals().update(_dtypes.ALIASES)
globals().update(_legacy_types)
globals().update(_typed_storages)
globals()["Storage"] = _typed_storages["FloatStorage"]
_tensor_layer.overridable.own_package_functions(globals())

# Imported when first asked for: `import chainrule` stays close to `import numpy`.
_SUBMODULES = {
    "_C", "__future__", "_dynamo", "accelerator", "amp", "autograd", "backends", "checking",
    "compiler", "cpu", "cuda", "derivatives", "distributed", "distributions", "doctor",
    "explanation", "flow", "func", "fx", "hub", "jit", "memory", "mps", "multiprocessing", "onnx",
    "optim", "profiler", "random", "reading", "run", "sensitivity", "serialization", "sparse",
    "studio", "testing", "types", "utils", "version", "xpu",
    "_custom_ops", "_inductor", "classes", "_jit_internal", "export", "library",
}  # fmt: skip
_SUBMODULES |= {
    "_VF", "__config__", "_functorch", "_guards", "_higher_order_ops", "_lowrank", "_six",
    "_subclasses", "_tensor_str", "_utils",
    "_vmap_internals", "ao", "array_api", "fft", "functional", "futures", "interop", "linalg",
    "masked", "monitor", "nested", "nn", "overrides", "quasirandom", "signal", "special",
}  # fmt: skip
_LAZY = {
    "audit_activation": "checking",
    "autocast": "amp",
    "compare_derivatives": "derivatives",
    "chain_rule": "explanation",
    "compile": "compiler",
    "explain": "explanation",
    "graph": "explanation",
    "OutOfMemoryError": "cuda",
    "DispatchKey": "_C",
    "DispatchKeySet": "_C",
    "ScriptFunction": "jit",
    "ScriptModule": "jit",
    "Future": "futures",
    "GradScaler": "amp",
    "get_device_module": "accelerator",
    "finite_difference": "derivatives",
    "gradcheck_points": "checking",
    "gradient_flow": "flow",
    "is_anomaly_check_nan_enabled": "autograd",
    "is_anomaly_enabled": "autograd",
    "set_anomaly_enabled": "autograd",
    "load": "serialization",
    "save": "serialization",
    "dsmm": "sparse",
    "smm": "sparse",
    "sparse_bsc_tensor": "sparse",
    "sparse_bsr_tensor": "sparse",
    "sparse_compressed_tensor": "sparse",
    "sparse_coo_tensor": "sparse",
    "sparse_csc_tensor": "sparse",
    "sparse_csr_tensor": "sparse",
    "spmm": "sparse",
    "summary": "model_summary",
    "symbolic": "derivatives",
    "vmap": "func",
    "asarray": "tensor.as_array",
    "cond": "tensor.control_flow",
    "get_printoptions": "tensor.printing",
    "printoptions": "tensor.printing",
    "set_printoptions": "tensor.printing",
}
_SETTINGS = (
    "are_deterministic_algorithms_enabled", "get_deterministic_debug_mode",
    "get_float32_matmul_precision", "get_num_interop_threads", "get_num_threads",
    "is_deterministic_algorithms_warn_only_enabled", "is_warn_always_enabled",
    "set_deterministic_debug_mode", "set_float32_matmul_precision", "set_flush_denormal",
    "set_num_interop_threads", "set_num_threads", "set_warn_always", "use_deterministic_algorithms",
)  # fmt: skip
_LAZY.update(dict.fromkeys(_SETTINGS, "tensor.settings"))


_FORMATS = (
    "per_channel_affine", "per_channel_affine_float_qparams", "per_channel_symmetric",
    "per_tensor_affine", "per_tensor_symmetric", "qint32", "qint8", "qscheme", "quint2x4",
    "quint4x2", "quint8",
)  # fmt: skip
_LAZY.update(dict.fromkeys(_FORMATS, "ao.quantization.formats"))
_FAKE_QUANTIZE = ("fake_quantize_per_channel_affine", "fake_quantize_per_tensor_affine")
_LAZY.update(dict.fromkeys(_FAKE_QUANTIZE, "ao.quantization.fake_quantize"))
_AUTOCAST_STATE = (
    "autocast_decrement_nesting", "autocast_increment_nesting", "clear_autocast_cache",
    "get_autocast_cpu_dtype", "get_autocast_dtype", "get_autocast_gpu_dtype",
    "is_autocast_cache_enabled", "is_autocast_cpu_enabled", "is_autocast_enabled",
    "set_autocast_cache_enabled", "set_autocast_cpu_dtype", "set_autocast_cpu_enabled",
    "set_autocast_dtype", "set_autocast_enabled", "set_autocast_gpu_dtype",
)  # fmt: skip
_LAZY.update(dict.fromkeys(_AUTOCAST_STATE, "amp"))


_ASSERTIONS = (
    "_assert", "_assert_async", "_check", "_check_index", "_check_is_size",
    "_check_not_implemented", "_check_tensor_all", "_check_tensor_all_with", "_check_type",
    "_check_value", "_check_with",
)  # fmt: skip
_LAZY.update(dict.fromkeys(_ASSERTIONS, "tensor.assertions"))


_RAW = (
    "_conj", "_conj_physical", "_int_mm", "_neg_view", "_sample_dirichlet", "_shape_as_tensor",
    "_softmax_backward_data", "affine_grid_generator", "batch_norm", "batch_norm_update_stats",
    "convolution", "cosine_embedding_loss", "embedding_bag", "embedding_renorm_", "frobenius_norm",
    "grid_sampler",
    "hinge_embedding_loss", "instance_norm", "kl_div", "margin_ranking_loss",
    "native_channel_shuffle", "native_dropout", "native_norm", "nuclear_norm", "poisson_nll_loss",
    "sym_constrain_range", "sym_constrain_range_for_size", "sym_float", "sym_fresh_size",
    "sym_int", "sym_ite", "sym_max", "sym_min", "sym_not", "sym_sqrt", "sym_sum",
    "triplet_margin_loss",
)  # fmt: skip
_LAZY.update(dict.fromkeys(_RAW, "_raw"))
_SPARSE = (
    "ccol_indices_copy", "col_indices_copy", "crow_indices_copy", "hsmm", "hspmm", "indices_copy",
    "resize_as_sparse_", "row_indices_copy", "saddmm", "sspaddmm", "values_copy",
)  # fmt: skip
_LAZY.update(dict.fromkeys(_SPARSE, "sparse.products"))
_LAZY["_scaled_mm"] = "nn.grouped"


_BELOW = (
    "_adaptive_avg_pool2d", "_adaptive_avg_pool3d", "_aminmax",
    "_amp_foreach_non_finite_check_and_unscale_", "_amp_update_scale_", "_cast_Byte", "_cast_Char",
    "_cast_Double", "_cast_Float", "_cast_Half", "_cast_Int", "_cast_Long", "_cast_Short",
    "_compute_linear_combination", "_conj_copy", "_convert_indices_from_coo_to_csr",
    "_convert_indices_from_csr_to_coo", "_convolution", "_convolution_mode",
    "_debug_has_internal_overlap", "_dim_arange", "_euclidean_dist", "_fft_c2c", "_fft_c2r",
    "_fft_r2c", "_fused_rms_norm", "_has_compatible_shallow_copy_type", "_index_put_impl_",
    "_indices_copy", "_is_all_true", "_is_any_true", "_is_zerotensor", "_linalg_eigh",
    "_linalg_svd", "_log_softmax", "_logcumsumexp", "_lu_with_info",
    "_neg_view_copy", "_nnpack_available", "_pack_padded_sequence", "_pad_packed_sequence",
    "_prelu_kernel", "_reshape_from_tensor", "_safe_softmax", "_softmax", "_stack",
    "_standard_gamma", "_trilinear", "_unique", "_unique2", "_unsafe_index", "_unsafe_index_put",
    "_values_copy", "_weight_norm", "_weight_norm_interface",
)  # fmt: skip
_LAZY.update(dict.fromkeys(_BELOW, "_below"))
_OF_LAYERS = (
    "_convert_weight_to_int4pack_for_cpu", "_nested_tensor_from_mask",
    "_nested_tensor_from_mask_left_aligned", "_transformer_encoder_layer_fwd",
    "_weight_int4pack_mm_for_cpu", "_weight_int8pack_mm",
)  # fmt: skip
_LAZY.update(dict.fromkeys(_OF_LAYERS, "_below_layers"))


_functions: dict[str, Any] = {}  # the records of the public table, once somebody asks


def __getattr__(name: str) -> Any:
    if not _functions:
        _functions.update(_tensor_layer.records_of(""))
    record = _functions.get(name)
    if record is not None:
        found = globals()[name] = _tensor_layer.function_form(record, "", name)
        return found
    if name.endswith("_") and not name.startswith("_") and hasattr(Tensor, name):
        found = globals()[name] = _in_place_function(name, getattr(Tensor, name))
        _tensor_layer.name_as_found(found, "", name)
        return found
    home = name if name in _SUBMODULES else _LAZY.get(name)
    if name == "torch":
        found = globals()[name] = sys.modules[__package__]  # pyright: ignore[reportArgumentType]
        return found
    if home is None:
        return _foreach_function(name) or _standin(name, sys._getframe(1))
    import importlib

    try:
        module = importlib.import_module(f".{home}", __package__)
    except ModuleNotFoundError as problem:
        if problem.name != f"{__package__}.{home}":
            raise
        raise AttributeError(f"module 'chainrule' has no attribute {name!r}") from None
    found = module if home == name else getattr(module, name)
    globals()[name] = found
    return found


def _standin(name: str, frame: Any) -> Any:
    try:
        return _standins.member("", name)
    except AttributeError:
        raise _namespaces.missing("chainrule", name, frame) from None


def _foreach_function(name: str) -> Any:
    if not name.startswith("_foreach_"):
        return None
    from . import _foreach

    found = _foreach.function_named(name.removeprefix("_foreach_"))
    if found is not None:
        globals()[name] = found
    return found


def _load_fast_product() -> Any:
    import importlib

    return importlib.import_module(".compiler.products.offered", __package__).shared()


def _load_native_kernel(name: str, compiles: bool) -> Any:
    import importlib

    return importlib.import_module(".compiler.native.library", __package__).load(name, compiles)


def _limit_products(threads: int) -> None:
    import importlib

    importlib.import_module(".compiler.machine.blas", __package__).limit_threads(threads)


def _place_arrays() -> bool:
    import importlib

    return importlib.import_module(".compiler.machine.alignment", __package__).begin_at_lines()


_standins.install()


def _load_operators() -> Any:
    import importlib

    return importlib.import_module(".library.calls", __package__)


_ops.LIBRARY.append(_load_operators)
_allocation.provide(_place_arrays)
_kernels.install(_load_fast_product)
_kernels.limit_by(_limit_products)
_kernels.provide(_load_native_kernel)


def __dir__() -> list[str]:
    return sorted({*globals(), *_SUBMODULES, *_LAZY, *_tensor_layer.records_of("")})


# `vars(torch)` has the names that are made on demand, too.
sys.modules[__name__].__class__ = _namespaces.LoadedWhenUsed  # pyright: ignore[reportAttributeAccessIssue]


# Some are made when they are first asked for.
# pyright: reportUnsupportedDunderAll=false
__all__ = [
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "Generator",
    "Parameter",
    "Size",
    "Tensor",
    "TypedStorage",
    "UntypedStorage",
    "arange",
    "are_deterministic_algorithms_enabled",
    "as_tensor",
    "asarray",
    "can_cast",
    "channels_last",
    "channels_last_3d",
    "cond",
    "contiguous_format",
    "default_generator",
    "detach",
    "device",
    "dtype",
    "e",
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "enable_grad",
    "eye",
    "fft",
    "finfo",
    "from_dlpack",
    "from_file",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "get_default_device",
    "get_default_dtype",
    "get_deterministic_debug_mode",
    "get_device",
    "get_float32_matmul_precision",
    "get_num_interop_threads",
    "get_num_threads",
    "get_printoptions",
    "get_rng_state",
    "iinfo",
    "inf",
    "inference_mode",
    "initial_seed",
    "is_complex",
    "is_conj",
    "is_deterministic_algorithms_warn_only_enabled",
    "is_floating_point",
    "is_grad_enabled",
    "is_inference",
    "is_inference_mode_enabled",
    "is_neg",
    "is_nonzero",
    "is_same_size",
    "is_signed",
    "is_storage",
    "is_tensor",
    "is_vulkan_available",
    "is_warn_always_enabled",
    "jagged",
    "layout",
    "legacy_contiguous_format",
    "linalg",
    "linspace",
    "logspace",
    "manual_seed",
    "memory_format",
    "nan",
    "newaxis",
    "nn",
    "no_grad",
    "numel",
    "ones",
    "ones_like",
    "pi",
    "preserve_format",
    "printoptions",
    "promote_types",
    "range",
    "result_type",
    "return_types",
    "scalar_tensor",
    "seed",
    "set_default_device",
    "set_default_dtype",
    "set_default_tensor_type",
    "set_deterministic_debug_mode",
    "set_float32_matmul_precision",
    "set_flush_denormal",
    "set_grad_enabled",
    "set_num_interop_threads",
    "set_num_threads",
    "set_printoptions",
    "set_rng_state",
    "set_warn_always",
    "signal",
    "sparse_bsc",
    "sparse_bsr",
    "sparse_coo",
    "sparse_csc",
    "sparse_csr",
    "special",
    "strided",
    "tensor",
    "to_dlpack",
    "typename",
    "use_deterministic_algorithms",
    "zeros",
    "zeros_like",
]  # fmt: skip
