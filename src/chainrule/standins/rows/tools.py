"""Tools around PyTorch's internals: mobile and packaged models, TorchScript's logs, data pipes."""

from __future__ import annotations

from ..kinds import CPP, PROCESSES, TOOLS
from .say import answer, constant, context, empty, nothing, refused, rows, same

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
autograd: NestedIOFunction
autograd.function: NestedIOFunction
autograd.profiler: EnforceUnique KinetoStepTracker MemRecordsAcc parse_nvprof_trace
autograd.profiler_util: EventMetadata Kernel MemRecordsAcc StringTable
backends.cuda: cuBLASModule
compiler: load_compiled_function
export.custom_obj: ScriptObjectMeta
export.custom_ops:
export.dynamic_shapes: refine_dynamic_shapes_from_suggested_fixes
export.pt2_archive: PT2ArchiveReader PT2ArchiveWriter
export.pt2_archive.constants:
export.unflatten: FlatArgsAdapter InterpreterModule InterpreterModuleDispatcher
nn.attention.flex_attention: FlexKernelOptions
nn.functional: scaled_grouped_mm
profiler: ExecutionTraceObserver
serialization: SourceChangeWarning get_default_mmap_options set_default_mmap_options skip_data
    register_package
utils.benchmark = utils.benchmark.utils.valgrind_wrapper.timer_interface:
utils.benchmark.utils:
utils.benchmark.utils.compile:
utils.benchmark.utils.cpp_jit: CallgrindModuleType TimeitModuleType compile_callgrind_template
    compile_timeit_template get_compat_bindings
utils.benchmark.utils.valgrind_wrapper:
utils.benchmark.utils.valgrind_wrapper.timer_interface: CallgrindStats CopyIfCallgrind
    FunctionCount FunctionCounts
utils.checkpoint: GraphExecGroup
utils.hooks: BackwardHook
utils.throughput_benchmark: ExecutionStats ThroughputBenchmark format_time
utils = utils.throughput_benchmark: ThroughputBenchmark
utils.debug_log: debug_grad_log
utils.mkldnn: MkldnnBatchNorm MkldnnConv1d MkldnnConv2d MkldnnConv3d MkldnnLinear MkldnnPrelu
    to_mkldnn
utils.mobile_optimizer: generate_mobile_module_lints
    optimize_for_mobile
utils.model_dump: burn_in_info get_info_and_burn_skeleton get_inline_skeleton get_model_info
    get_storage_info hierarchical_pickle
backends.xeon.run_cpu: start_processes
backends.xeon.run_cpu = distributed.elastic.multiprocessing.api: Std
utils.backcompat: Warning
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
    same("masked.maskedtensor.creation", "masked.maskedtensor", "as_masked_tensor masked_tensor"),
    *map(empty, (
        "masked.maskedtensor.binary", "masked.maskedtensor.passthrough",
        "masked.maskedtensor.reductions", "masked.maskedtensor.unary",
    )),
    *rows(TOOLS, """
utils.benchmark.utils.common = utils.benchmark: Measurement TaskSpec ordered_unique select_unit
    set_torch_threads trim_sigfig unit_to_english
utils.benchmark.utils.compare = utils.benchmark: Colorize Compare
utils.benchmark.utils.fuzzer = utils.benchmark: FuzzedParameter FuzzedTensor Fuzzer ParameterAlias
utils.benchmark.utils.sparse_fuzzer = utils.benchmark: FuzzedSparseTensor FuzzedTensor
utils.benchmark.utils.timer = utils.benchmark: Language Timer timer
serialization = serialization.packages: check_module_version_greater_or_equal
    default_restore_location location_tag normalize_storage_type storage_to_tensor_type
    validate_cuda_device validate_hpu_device
utils.collect_env = utils.environment: SystemEnv check_release_file get_cachingallocator_config
    get_clang_version get_cmake_version get_conda_packages get_cpu_info
    get_cuda_module_loading_config get_cudnn_version get_gcc_version get_gpu_info
    get_intel_gpu_detected get_intel_gpu_driver_version get_intel_gpu_onboard get_libc_version
    get_linux_pkg_version get_lsb_version get_mac_version get_nvidia_driver_version
    get_nvidia_smi get_os get_pip_packages get_platform get_python_platform
    get_running_cuda_version get_windows_version is_xnnpack_available pretty_str run
    run_and_parse_first_match run_and_read_all run_and_return_first_line
utils.data = utils.data.dataloader: _DatasetKind
utils.data = utils.data.pipe_names: DFIterDataPipe argument_validation
    guaranteed_datapipes_determinism non_deterministic runtime_validation
    runtime_validation_disabled
export.decomp_utils = export: CustomDecompTable
export.dynamic_shapes = export: AdditionalInputs Constraint
export.unflatten = export: UnflattenedModule unflatten
signal.windows.windows = signal.windows: bartlett blackman cosine exponential gaussian
    general_cosine general_hamming hamming hann kaiser nuttall
nn.common_types = tensor: Tensor
"""),
    answer("export.pt2_archive", False, "is_pt2_package", "files here are archives of tensors"),
    *constant("backends.cuda", "plans of cuFFT, which is not used", cufft_plan_cache=()),
    nothing("autograd.graph", "set_override_stale_capture_stream", "a switch of CUDA graphs"),
    context("autograd.graph", "region_activation_memory_budget", "a hint to PyTorch's compiler, "
            "which decides what to compute again; here docs/checkpointing.md says how"),
    same("autograd.gradcheck", "checking.old_names", """
        get_analytical_jacobian get_numerical_jacobian get_numerical_jacobian_wrt_specific_input
    """),
    same("profiler.profiler", "profiler", """
        ProfilerAction ProfilerActivity ExecutionTraceObserver profile record_function schedule
        supported_activities tensorboard_trace_handler
    """),
    same("profiler.profiler", "profiler.profile", "_default_schedule_fn"),
    empty("profiler.python_tracer"),
    answer("profiler.itt", False, "is_available", "whether Intel's ITT is there: no"),
    refused("profiler.itt", CPP, "mark range range_pop range_push"),
]  # fmt: skip
