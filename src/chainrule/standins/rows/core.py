"""Names of `torch` itself and of its compiled core."""

from __future__ import annotations

from ...ops import dtypes
from ..kinds import CPP, CUDA, QUANTIZED, REMOVED, SCRIPT, TOOLS
from .say import answer, constant, empty, first_argument, nothing, refused, rows, same

_SCRIPT_TYPES = """
    AliasDb AnyType Argument ArgumentSpec AwaitType Block BoolType BufferDict CallStack Capsule
    ClassType Code CompleteArgumentSpec ComplexType ConcreteModuleType ConcreteModuleTypeBuilder
    DeepCopyMemoTable DeviceObjType DictType EnumType ErrorReport ExecutionPlan FileCheck FloatType
    FunctionSchema FutureType Gradient Graph GraphExecutorState IODescriptor InferredType IntType
    InterfaceType JITException ListType LiteScriptModule LockingLogger ModuleDict Node NoneType
    NoopLogger NumberType OperatorInfo OptionalType ParameterDict PyObjectType RRefType
    ScriptClass ScriptClassFunction ScriptDict ScriptDictIterator ScriptDictKeyIterator ScriptList
    ScriptListIterator ScriptMethod ScriptModuleSerializer ScriptObject
    ScriptObjectProperty StaticModule StreamObjType StringType SymBoolType SymIntType TensorType
    TracingState TupleType Type UnionType Use Value import_ir_module import_ir_module_from_buffer
    merge_type_from_type_comment parse_ir parse_schema parse_type_comment unify_type_list
"""
_INTERNALS = """
    BenchmarkConfig BenchmarkExecutionStats DeserializationStorageContext
    ExcludeDispatchKeyGuard FatalError AcceleratorError
    PyTorchFileReader PyTorchFileWriter SerializationStorageContext SymBool SymFloat SymInt
    ThroughputBenchmark Event Stream
"""
_OTHER_LIBRARIES = """
    cudnn_affine_grid_generator cudnn_batch_norm cudnn_convolution cudnn_convolution_add_relu
    cudnn_convolution_relu cudnn_convolution_transpose cudnn_grid_sampler
    fbgemm_linear_fp16_weight fbgemm_linear_fp16_weight_fp32_activation fbgemm_linear_int8_weight
    fbgemm_linear_int8_weight_fp32_activation fbgemm_linear_quantize_weight
    fbgemm_pack_gemm_matrix_fp16 fbgemm_pack_quantized_matrix miopen_batch_norm miopen_convolution
    miopen_convolution_add_relu miopen_convolution_relu miopen_convolution_transpose
    miopen_ctc_loss miopen_depthwise_convolution miopen_rnn mkldnn_adaptive_avg_pool2d
    mkldnn_convolution mkldnn_linear_backward_weights mkldnn_max_pool2d mkldnn_max_pool3d
    mkldnn_rnn_layer
"""
_QUANTIZED = """
    choose_qparams_optimized empty_quantized quantized_batch_norm quantized_gru_cell
    quantized_lstm_cell quantized_max_pool1d quantized_max_pool2d quantized_max_pool3d
    quantized_rnn_relu_cell quantized_rnn_tanh_cell
"""
_SYNCHRONIZED = """
    batch_norm_backward_elemt batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats
    batch_norm_gather_stats_with_counts batch_norm_stats
"""
_JIT_SWITCHES = """
    _jit_set_profiling_executor _jit_set_profiling_mode _jit_set_nvfuser_enabled
    _jit_set_nvfuser_guard_mode _jit_set_texpr_fuser_enabled _jit_override_can_fuse_on_cpu
    _jit_override_can_fuse_on_gpu _jit_set_inline_everything_mode _jit_set_te_must_use_llvm_cpu
    _debug_set_fusion_group_inlining _jit_set_bailout_depth
"""

ROWS = [
    refused("", SCRIPT, _SCRIPT_TYPES),
    refused("", TOOLS, _INTERNALS),
    refused("", CPP, _OTHER_LIBRARIES),
    refused("", QUANTIZED, _QUANTIZED),
    same("", "ao.quantization.tensors", """
        dequantize int_repr q_per_channel_axis q_per_channel_scales q_per_channel_zero_points
        q_scale q_zero_point quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic
    """),
    *constant("", "constants of reductions between devices", SUM="SUM", AVG="AVG"),
    first_argument("", "_disable_dynamo", "marks functions that are not captured by PyTorch"),
    nothing("", "init_num_threads", "threads are started when they are needed"),
    answer("", False, "cudnn_is_acceptable", "whether cuDNN can be used: no"),
    answer("", False, "is_distributed", "whether a tensor lies in several processes: never"),
    refused("", REMOVED, "eig lstsq matrix_rank solve symeig"),
    refused("", TOOLS, "slice_inverse"),
    same("", "jit", "fork wait"),
    refused("", SCRIPT, "CompilationUnit"),
    refused("", CUDA, _SYNCHRONIZED),
    empty("cpp"),
    same("", "random", "thread_safe_generator"),
    answer("random", None, "thread_safe_generator", "the generator of a loader's thread: workers "
           "are processes here, each with its own"),
    refused("", QUANTIZED, "fused_moving_avg_obs_fake_quant"),
    answer("", dtypes.bfloat16, "get_autocast_ipu_dtype get_autocast_xla_dtype",
           "the type of autocast on a device that is not here: PyTorch's default"),
    nothing("", "set_autocast_ipu_dtype set_autocast_ipu_enabled set_autocast_xla_dtype "
            "set_autocast_xla_enabled", "there is no such device"),
    *constant("", "what this build has", has_lapack=True, has_mkl=False, has_openmp=False,
              has_spectral=True),
    answer("", False, "is_autocast_ipu_enabled is_autocast_xla_enabled", "no such device"),
    # ---- the compiled core ----
    answer("_C", False, "_is_tracing", "whether TorchScript traces: never"),
    refused("_C", SCRIPT, "ScriptMethod"),
    refused("_C", SCRIPT, "Graph Node Value Block Argument FunctionSchema ScriptModule "
            "ScriptFunction ScriptObject CompilationUnit TensorType IntType FloatType BoolType "
            "StringType ListType OptionalType TupleType NoneType AnyType JITException"),
    refused("_C", TOOLS, "PyTorchFileReader PyTorchFileWriter "
            "_AutoDispatchBelowAutograd SymInt SymFloat SymBool"),
    nothing("_C", "_log_api_usage_once", "statistics that are not kept"),
    nothing("_C", "_cuda_clearCublasWorkspaces _cuda_emptyCache", "memory of GPUs: none is used"),
    nothing("_C", "_set_math_sdp_allow_fp16_bf16_reduction", "a switch of GPU kernels"),
    answer("_C", False, "_cuda_isInBadFork _jit_can_fuse_on_cpu _jit_can_fuse_on_gpu "
           "_are_functorch_transforms_active", "no"),
    answer("_C", "privateuseone", "_get_privateuse1_backend_name", "as PyTorch names it"),
    answer("_C", False, "_get_cudnn_enabled _get_cudnn_benchmark _get_cudnn_deterministic", (
        "a switch of cuDNN, which is not used"
    )),
    answer("_C", True, "_get_nnpack_enabled _get_mkldnn_enabled", "as PyTorch answers"),
    nothing("_C", _JIT_SWITCHES, "a switch of TorchScript, which is not used"),
    answer("_C", 0, "_cuda_getDeviceCount _xpu_getDeviceCount", "how many there are: none"),
    *constant("_C", "what this build has", _has_cuda=False, _has_xpu=False, _has_mps=False,
              has_openmp=False, has_mkl=False, has_lapack=True, _has_mkldnn=False),
    *rows(SCRIPT, """
_C._jit_tree_views: Apply Assign Attribute BinOp ClassDef Const Decl Def EmptyTypeAnnotation For
"""),
    *rows(TOOLS, """
_C._distributed_c10d: Logger Reducer _DistributedBackendOptions
_C._distributed_rpc: _cleanup_python_rpc_handler _is_current_rpc_agent_set
_C._functorch: is_batchedtensor is_gradtrackingtensor get_unwrapped maybe_get_bdim
    _add_batch_dim _remove_batch_dim _vmap_increment_nesting _vmap_decrement_nesting
    is_functorch_wrapped_tensor maybe_current_level current_level
_C._dynamo: guards eval_frame compiled_autograd
_C._autograd: ProfilerConfig ProfilerState _ProfilerResult
_C._autograd = autograd: DeviceType
_C._autograd = profiler: ProfilerActivity
_C._profiler = profiler: ProfilerActivity
_C._onnx = onnx: OperatorExportTypes TensorProtoDataType TrainingMode
"""),
]  # fmt: skip
