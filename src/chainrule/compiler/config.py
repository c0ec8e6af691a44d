"""`torch.compiler.config`: settings that programs write; they change nothing here."""

from __future__ import annotations

from .settings import patch_of

job_id = None
dynamic_sources = ""
force_disable_caches = False
recompile_limit, accumulated_recompile_limit = 8, 256
assume_static_by_default = automatic_dynamic_shapes = dynamic_shapes = True
allow_unspec_int_on_nn_module = capture_dynamic_output_shape_ops = capture_scalar_outputs = False
enable_cpp_symbolic_shape_guards = fail_on_recompile_limit_hit = verbose = wrap_top_frame = False
skip_tensor_guards_with_matching_dict_tags = True
log_file_name: str | None = None
reorderable_logging_functions: set[object] = set()
cache_key_tag = ""
patch = patch_of(globals())
