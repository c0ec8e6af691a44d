"""Settings of PyTorch's code generator that programs write; they change nothing here."""

from __future__ import annotations

from types import SimpleNamespace

from ..compiler.settings import patch_of

debug = freezing = coordinate_descent_tuning = max_autotune = fx_graph_cache = False
epilogue_fusion = True
conv_1x1_as_mm = shape_padding = force_fuse_int_mm_with_mul = use_mixed_mm = False
coordinate_descent_check_all_directions = False
compile_threads = 1
triton = SimpleNamespace(
    unique_kernel_names=False,
    cudagraphs=False,
    cudagraph_trees=True,
    cudagraph_skip_dynamic_graphs=False,
)
cpp = SimpleNamespace(threads=-1, simdlen=None, enable_kernel_profile=False, weight_prepack=True)
patch = patch_of(globals())
