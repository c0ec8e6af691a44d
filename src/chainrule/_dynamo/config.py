"""Settings of PyTorch's tracer that programs write; what they would change does not exist here."""

from __future__ import annotations

from typing import Any

from ..compiler.settings import patch_of

cache_size_limit = recompile_limit = 8
accumulated_cache_size_limit = accumulated_recompile_limit = 256
suppress_errors = verbose = error_on_recompile = False
dynamic_shapes = assume_static_by_default = automatic_dynamic_shapes = True
capture_scalar_outputs = capture_dynamic_output_shape_ops = False
optimize_ddp: Any = True
log_level: Any = None
guard_nn_modules = inline_inbuilt_nn_modules = True
specialize_int = specialize_float = False
skip_nnmodule_hook_guards = True
allow_unspec_int_on_nn_module = False
force_parameter_static_shapes = True
compiled_autograd = False
disable = False
skip_fwd_side_effects_in_bwd_under_checkpoint = trace_autograd_ops = False
reorderable_logging_functions: set[Any] = set()
patch = patch_of(globals())
