"""Tools around PyTorch's internals: mobile and packaged models, TorchScript's logs, data pipes."""

from __future__ import annotations

from ..kinds import CPP, PROCESSES, TOOLS
from .say import answer, empty, refused, rows, same

ROWS = [
    *rows(TOOLS, """
autograd.profiler_legacy: profile
contrib:
nn.attention: activate_flash_attention_impl current_flash_attention_impl
    list_flash_attention_impls register_flash_attention_impl restore_flash_attention_impl
nn.attention.experimental:
nn.backends:
nn.backends.thnn:
nn.cpp: ModuleWrapper OrderedDictWrapper
nn.modules.linear_cross_entropy:
package = package.file_structure_representation:
package = package.package_exporter: EmptyMatchError PackageExporter PackagingError
package = package.glob_group:
package = package.importer:
package = package.package_importer:
package.file_structure_representation: Directory
package.find_file_dependencies: find_files_source_depends_on
package.glob_group: GlobGroup
package.importer: Importer ObjMismatchError ObjNotFoundError OrderedImporter
package.package_exporter: EmptyMatchError PackageExporter PackagingError PackagingErrorReason
package.package_importer: PackageImporter
sparse = sparse.semi_structured:
sparse: as_sparse_gradcheck
sparse.semi_structured: SparseSemiStructuredTensor SparseSemiStructuredTensorCUSPARSELT
    SparseSemiStructuredTensorCUTLASS to_sparse_semi_structured
utils = utils.backend_registration:
utils = utils.cpp_backtrace:
utils.backend_registration: generate_methods_for_privateuse1_backend rename_privateuse1_backend
utils.bundled_inputs: InflatableArg augment_many_model_functions_with_bundled_inputs
    augment_model_with_bundled_inputs bundle_inputs bundle_large_tensor bundle_randn
    wrap_cpp_module
utils.cpp_backtrace: get_cpp_backtrace
utils.cpp_extension: SyclExtension check_compiler_is_gcc check_compiler_ok_for_platform
    get_compiler_abi_compatibility_and_version get_cxx_compiler get_default_build_root
    library_paths remove_extension_h_precompiler_headers verify_ninja_availability
utils.data.backward_compatibility: worker_init_fn
utils.data.graph: traverse traverse_dps
utils.data.graph_settings: apply_random_seed apply_sharding apply_shuffle_seed
    apply_shuffle_settings get_all_graph_pipes
utils.debug_log: debug_grad_log
utils.mkldnn: MkldnnBatchNorm MkldnnConv1d MkldnnConv2d MkldnnConv3d MkldnnLinear MkldnnPrelu
    to_mkldnn
utils.mobile_optimizer: LintCode MobileOptimizerType generate_mobile_module_lints
    optimize_for_mobile
utils.model_dump: burn_in_info get_info_and_burn_skeleton get_inline_skeleton get_model_info
    get_storage_info hierarchical_pickle
utils.show_pickle: DumpUnpickler FakeClass FakeObject main
"""),
    *rows(PROCESSES, """
multiprocessing.reductions: SharedCache StorageWeakRef fd_id rebuild_cuda_tensor rebuild_event
    rebuild_meta_tensor rebuild_nested_tensor rebuild_sparse_compressed_tensor
    rebuild_sparse_coo_tensor rebuild_storage_empty rebuild_storage_fd rebuild_storage_filename
    rebuild_tensor rebuild_typed_storage rebuild_typed_storage_child reduce_event
    reduce_nested_tensor reduce_sparse_tensor reduce_storage reduce_typed_storage
    reduce_typed_storage_child storage_from_cache
multiprocessing.queue: ConnectionWrapper
multiprocessing.pool: clean_worker
"""),
    same("multiprocessing.queue", "multiprocessing", "Queue SimpleQueue"),
    same("multiprocessing.pool", "multiprocessing", "Pool SimpleQueue"),
    same("masked.maskedtensor.creation", "masked.maskedtensor", "as_masked_tensor masked_tensor"),
    *map(empty, (
        "masked.maskedtensor.binary", "masked.maskedtensor.passthrough",
        "masked.maskedtensor.reductions", "masked.maskedtensor.unary",
    )),
    same("profiler.profiler", "profiler"),
    empty("profiler.python_tracer"),
    answer("profiler.itt", False, "is_available", "whether Intel's ITT is there: no"),
    refused("profiler.itt", CPP, "mark range range_pop range_push"),
]  # fmt: skip
