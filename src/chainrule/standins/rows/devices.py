"""Devices other than the CPU, and switches of libraries that other devices use."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from ..kinds import ACCELERATOR, CPP, CUDA, MPS, MTIA, XPU, Inert, refuse
from .say import answer, constant, context, empty, nothing, refused, same

_NO_STATES = "no device has a random state"
_NO_MEMORY = "no memory of a device is in use"
_STORAGES = (
    "BFloat16Storage BoolStorage ByteStorage CharStorage ComplexDoubleStorage ComplexFloatStorage "
    "DoubleStorage FloatStorage HalfStorage IntStorage LongStorage ShortStorage"
)
_CUDA_MEMORY = (
    "CUDAPluggableAllocator MemPool caching_allocator_alloc caching_allocator_delete "
    "caching_allocator_disabled caching_allocator_enable change_current_allocator "
    "get_allocator_backend get_per_process_memory_fraction list_gpu_processes memory_snapshot "
    "reset_accumulated_host_memory_stats reset_peak_host_memory_stats "
    "set_per_process_memory_fraction use_mem_pool"
)
_HOST_STATS = "host_memory_stats host_memory_stats_as_nested_dict"
_CUDA_GRAPHS = "graph graph_pool_handle make_graphed_callables"
_RNG = (
    "get_rng_state get_rng_state_all initial_seed manual_seed manual_seed_all seed seed_all "
    "set_rng_state set_rng_state_all"
)
_XPU_MEMORY = (
    "MemPool XPUPluggableAllocator change_current_allocator get_per_process_memory_fraction "
    "mem_get_info set_per_process_memory_fraction use_mem_pool"
)
_COUNTS = "max_memory_allocated max_memory_reserved memory_allocated memory_reserved"
_RESETS = "reset_accumulated_memory_stats reset_peak_memory_stats"
_ACCELERATOR_MEMORY = (
    "empty_cache empty_host_cache get_memory_info max_memory_allocated max_memory_reserved "
    "memory_allocated memory_reserved memory_stats reset_accumulated_memory_stats "
    "reset_peak_memory_stats"
)
_SPARSE = (
    "BFloat16Tensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor "
    "LongTensor ShortTensor"
)


@contextlib.contextmanager
def _range_of_nvtx(msg: str, *args: object, **kwargs: object) -> Iterator[None]:
    refuse("torch.cuda.nvtx.range", CUDA)
    yield


ROWS = [
    # ---- CUDA ----
    refused("cuda", CUDA, (
        f"{_STORAGES} CudaError StreamContext check_error clock_rate cudaStatus cudart "
        "current_blas_handle current_solver_handle device_memory_used device_of "
        "get_stream_from_external get_sync_debug_mode memory_usage power_draw set_stream "
        "set_sync_debug_mode ExternalStream"
    )),
    same("cuda", "cuda.memory", f"{_CUDA_MEMORY} {_HOST_STATS} memory_stats_as_nested_dict"),
    same("cuda", "cuda.graphs", _CUDA_GRAPHS),
    same("cuda", "cuda.green_contexts", "GreenContext"),
    answer("cuda", False, "is_tf32_supported", "whether a GPU has TF32: there is none"),
    answer("cuda", list, "get_arch_list", "architectures of this build: none"),
    answer("cuda", "", "get_gencode_flags", "compiler flags of this build: none"),
    *constant("cuda", "answers about GPUs", default_generators=(), has_half=True, has_magma=False),
    nothing("cuda", "_lazy_call", "would be called once a GPU is used"),
    answer("cuda", False, "_is_in_bad_fork", "whether a GPU was used before a fork: never"),
    refused("cuda.memory", CUDA, _CUDA_MEMORY),
    answer("cuda.memory", dict, f"{_HOST_STATS} memory_stats_as_nested_dict", _NO_MEMORY),
    same("cuda.streams", "cuda", "Event ExternalStream Stream"),
    refused("cuda.graphs", CUDA, _CUDA_GRAPHS),
    same("cuda.graphs", "cuda", "CUDAGraph is_current_stream_capturing"),
    same("cuda.random", "cuda", _RNG),
    same("cuda.amp.autocast_mode", "cuda.amp", "autocast custom_bwd custom_fwd"),
    same("cuda.amp.grad_scaler", "cuda.amp", "GradScaler"),
    same("cpu.amp.autocast_mode", "cpu.amp", "autocast"),
    same("cpu.amp.grad_scaler", "cpu.amp", "GradScaler"),
    same("cuda.amp", "cuda.amp.common", "amp_definitely_not_available"),
    answer("cuda.amp.common", True, "amp_definitely_not_available", "whether there is no GPU: so"),
    same("cuda.comm", "nn.parallel.comm", (
        "broadcast broadcast_coalesced gather reduce_add reduce_add_coalesced scatter"
    )),
    refused("nn.parallel.comm", CUDA, (
        "broadcast broadcast_coalesced gather reduce_add reduce_add_coalesced scatter"
    )),
    refused("nn.parallel.scatter_gather", CUDA, "gather scatter scatter_kwargs is_namedtuple"),
    refused("nn.parallel.parallel_apply", CUDA, "parallel_apply get_a_var"),
    refused("nn.parallel.replicate", CUDA, "replicate"),
    refused("nn.parallel._functions", CUDA, "Broadcast Gather ReduceAddCoalesced Scatter"),
    same("nn.parallel._functions", "autograd", "Function"),
    refused("cuda.gds", CUDA, "GdsFile gds_deregister_buffer gds_register_buffer"),
    refused("cuda.green_contexts", CUDA, "GreenContext"),
    refused("cuda.jiterator", CUDA, "_create_jit_fn _create_multi_output_jit_fn"),
    refused("cuda.nccl", CUDA, "all_gather all_reduce broadcast reduce reduce_scatter"),
    answer("cuda.nccl", False, "is_available", "whether tensors could be sent by NCCL: no"),
    refused("cuda.nccl", CUDA, "version unique_id"),
    Inert("cuda.nvtx", ("range",), "a block or decorator that may be made; entered, it raises",
          _range_of_nvtx),
    refused("cuda.nvtx", CUDA, "mark range_end range_pop range_push range_start"),
    refused("cuda.profiler", CUDA, "profile start stop init"),
    refused("cuda.sparse", CUDA, _SPARSE),
    refused("cuda.tunable", CUDA, (
        "enable get_filename get_max_tuning_duration get_max_tuning_iterations get_results "
        "get_rotating_buffer_size get_validators mgpu_tune_gemm_in_file read_file "
        "record_untuned_enable set_filename set_max_tuning_duration set_max_tuning_iterations "
        "set_numerical_check_tolerances set_rotating_buffer_size tune_gemm_in_file tuning_enable"
    )),
    answer("cuda.tunable", False, "is_enabled record_untuned_is_enabled tuning_is_enabled", (
        "whether GPU products are tuned: no"
    )),
    # ---- XPU ----
    refused("xpu", XPU, (
        "StreamContext can_device_access_peer clock_rate current_device current_stream device "
        "device_memory_used device_of get_device_capability get_device_name "
        "get_device_properties get_stream_from_external init memory_usage power_draw set_device "
        "set_stream stream temperature utilization"
    )),
    refused("xpu", XPU, _SPARSE),
    answer("xpu", False, "is_bf16_supported is_initialized is_tf32_supported", "no such device"),
    answer("xpu", list, "get_arch_list", "architectures of this build: none"),
    answer("xpu", "", "get_gencode_flags", "compiler flags of this build: none"),
    *constant("xpu", "generators of the devices: none", default_generators=()),
    same("xpu", "xpu.streams", "Event Stream"),
    same("xpu", "xpu.memory", (
        f"{_XPU_MEMORY} {_COUNTS} {_RESETS} memory_snapshot memory_stats "
        "memory_stats_as_nested_dict"
    )),
    same("xpu", "xpu.graphs", f"XPUGraph {_CUDA_GRAPHS} is_current_stream_capturing"),
    same("xpu", "xpu.random", (
        "get_rng_state get_rng_state_all initial_seed manual_seed_all seed seed_all "
        "set_rng_state set_rng_state_all"
    )),
    refused("xpu.graphs", XPU, f"XPUGraph {_CUDA_GRAPHS}"),
    answer("xpu.graphs", False, "is_current_stream_capturing", "whether work is captured: never"),
    refused("xpu.memory", XPU, _XPU_MEMORY),
    answer("xpu.memory", 0, _COUNTS, _NO_MEMORY),
    answer("xpu.memory", dict, "memory_stats memory_stats_as_nested_dict", _NO_MEMORY),
    answer("xpu.memory", list, "memory_snapshot", _NO_MEMORY),
    nothing("xpu.memory", f"empty_cache {_RESETS}", _NO_MEMORY),
    refused("xpu.random", XPU, "get_rng_state initial_seed set_rng_state"),
    nothing("xpu.random", "manual_seed manual_seed_all seed seed_all", _NO_STATES),
    nothing("xpu.random", "set_rng_state_all", _NO_STATES),
    answer("xpu.random", list, "get_rng_state_all", _NO_STATES),
    refused("xpu.streams", XPU, "Event Stream"),
    # ---- Apple ----
    refused("mps", MPS, (
        "compile_shader current_allocated_memory driver_allocated_memory get_rng_state "
        "load_metallib recommended_max_memory seed set_per_process_memory_fraction set_rng_state"
    )),
    same("mps", "mps.event", "Event"),
    refused("mps.event", MPS, "Event"),
    refused("mps.profiler", MPS, "metal_capture profile start stop"),
    answer("mps.profiler", False, "is_capturing_metal is_metal_capture_enabled", "never"),
    # ---- MTIA ----
    refused("mtia", MTIA, (
        "attach_out_of_memory_observer current_device current_stream default_stream device "
        "empty_cache get_device_capability get_device_properties get_rng_state init initial_seed "
        "set_device set_rng_state set_stream snapshot stream synchronize"
    )),
    answer("mtia", False, "is_available is_initialized is_bf16_supported", "no such device"),
    answer("mtia", 0, "device_count", "how many there are: none"),
    answer("mtia", list, "get_rng_state_all", _NO_STATES),
    nothing("mtia", "manual_seed manual_seed_all seed seed_all set_rng_state_all", _NO_STATES),
    nothing("mtia", "record_memory_history", _NO_MEMORY),
    same("mtia", "mtia.mtia_graph", "MTIAGraph graph graph_pool_handle"),
    same("mtia", "mtia.memory", (
        "max_memory_allocated memory_allocated memory_stats reset_peak_memory_stats"
    )),
    answer("mtia.memory", 0, "max_memory_allocated memory_allocated", _NO_MEMORY),
    answer("mtia.memory", dict, "memory_stats", _NO_MEMORY),
    nothing("mtia.memory", "reset_peak_memory_stats", _NO_MEMORY),
    refused("mtia.mtia_graph", MTIA, "MTIAGraph graph graph_pool_handle"),
    *constant("cuda", "CUDA is never initialised", _initialized=False),
    refused("cuda", CUDA, "_sleep"),
    # ---- any accelerator ----
    refused("accelerator", ACCELERATOR, "device_index get_device_capability"),
    same("accelerator", "accelerator.graphs", "Graph"),
    same("accelerator", "accelerator.memory", _ACCELERATOR_MEMORY),
    refused("accelerator.graphs", ACCELERATOR, "Graph"),
    refused("accelerator.memory", ACCELERATOR, _ACCELERATOR_MEMORY),
    # ---- switches ----
    refused("backends.cuda", CUDA, (
        "blas_workspace_size cuFFTPlanCache cuFFTPlanCacheAttrContextProp "
        "cuFFTPlanCacheManager cublas_workspace_size cublaslt_workspace_size "
        "preferred_blas_library preferred_linalg_library preferred_rocm_fa_library"
    )),
    answer("backends.cuda", False, (
        "can_use_cudnn_attention can_use_efficient_attention can_use_flash_attention "
        "is_ck_sdpa_available is_flash_attention_available fp16_bf16_reduction_math_sdp_allowed"
    ), "whether a GPU's kernel can be used: no"),
    nothing("backends.cuda", "allow_fp16_bf16_reduction_math_sdp", "a switch of GPU kernels"),
    context("backends.cuda", "sdp_kernel", "chooses among GPU kernels: there are none"),
    empty("backends.cudnn.rnn"),
    answer("backends.cusparselt", None, "get_max_alg_id version", "of cuSPARSELt: not there"),
    answer("backends.cusparselt", False, "is_available", "whether cuSPARSELt is there: no"),
    answer("backends.kleidiai", False, "is_available", "whether KleidiAI is there: no"),
    context("backends.mkl", "verbose", "prints calls of MKL: none are made"),
    refused("backends.mps", MPS, "get_core_count get_name"),
    answer("backends.mps", False, "is_macos13_or_newer is_macos_or_newer", "no Apple GPU is used"),
    context("backends.nnpack", "flags", "a switch of NNPACK, which is not used"),
    answer("backends.nnpack", False, "is_available", "whether NNPACK is there: no"),
    answer("backends.nnpack", (False,), "set_flags", "a switch of NNPACK, which is not used"),
    *constant("backends.quantized", "no engine computes with quantized integers",
              engine="none", supported_engines=["none"]),
    refused("backends.xeon.run_cpu", CPP, "create_args main"),
    *constant("backends.xnnpack", "XNNPACK is not used", enabled=False),
]  # fmt: skip
