"""Names that PyTorch does not document and well-known libraries import."""

from __future__ import annotations

import importlib
import types

from ..kinds import ACCELERATOR, PROCESSES, QUANTIZED, SCRIPT, TOOLS
from .say import answer, constant, empty, first_argument, nothing, refused, rows, same


class _Imports:
    """What PyTorch's object answers about modules, and no more."""

    import_module = staticmethod(importlib.import_module)

    def __repr__(self) -> str:
        return "sys_importer"


ROWS = [
    # ---- several processes ----
    *rows(PROCESSES, """
distributed: _all_gather_base _broadcast_coalesced _reduce_scatter_base
distributed.autograd: DistAutogradContext backward get_gradients
distributed.checkpoint._consolidate_hf_safetensors: consolidate_safetensors_files
distributed.checkpoint.format_utils: _EmptyStateDictLoadPlanner _load_state_dict
distributed.checkpoint.state_dict_loader: _load_state_dict
distributed.distributed_c10d: _new_process_group_helper _resolve_process_group
distributed.checkpoint.utils: CheckpointException
distributed.distributed_c10d: _unpickler _world
distributed.fsdp._common_utils: _FSDPState _get_module_fsdp_state clean_tensor_name
distributed.fsdp._flat_param: FlatParameter FlatParamHandle
distributed.fsdp._init_utils: _init_intra_and_inter_node_groups
distributed.fsdp._runtime_utils: _post_backward_final_callback _root_pre_forward
distributed.fsdp._traversal_utils: _get_fsdp_states _get_fsdp_handles
distributed.fsdp.fully_sharded_data_parallel: LocalOptimStateDictConfig OptimStateDictConfig
    ShardedOptimStateDictConfig StateDictConfig
distributed.rpc: RpcBackendOptions
distributed.rpc.api: _all_gather _barrier
distributed.tensor._utils: compute_global_tensor_info compute_local_shape_and_global_offset
distributed.tensor.experimental._attention: set_rotate_method
distributed.utils: _sync_module_states
numa.binding: NumaOptions
distributed._composable_state: _State _insert_module_state
distributed._shard.sharded_tensor: ShardMetadata ShardedTensorBase ShardedTensorMetadata
    TensorProperties init_from_local_shards
distributed._shard.sharded_tensor.metadata: ShardedTensorMetadata TensorProperties
distributed._shard.sharding_spec: ChunkShardingSpec DevicePlacementSpec EnumerableShardingSpec
    PlacementSpec ShardMetadata ShardingSpec
distributed._shard.sharding_spec._internals: _check_shard_metadata_pair_overlap
    check_tensor validate_non_overlapping_shards_metadata
distributed._shard.metadata: ShardMetadata
"""),
    *constant("distributed.rpc.api", "PyTorch's mark for no limit of its own",
              UNSET_RPC_TIMEOUT=-1.0),
    refused("distributed.tensor.placement_types", PROCESSES, "_StridedShard"),
    first_argument("distributed.rpc.api", "_require_initialized",
                   "marks functions that need a group of processes"),
    # ---- PyTorch's own tracing and compiling ----
    *rows(TOOLS, """
_decomp: core_aten_decompositions decomposition_table get_decompositions
    register_decomposition remove_decompositions
_dynamo.backends.debugging: ExplainOutput ExplainWithBackend aot_eager
_functorch._aot_autograd.functional_utils: from_fun to_fun
_functorch._aot_autograd.subclass_utils: wrap_tensor_subclasses
_functorch.eager_transforms: _wrap_tensor_for_grad
_inductor.codecache: PyCodeCache FxGraphCache
_inductor.cpp_builder: get_cpp_compiler
_inductor.cpu_vec_isa: pick_vec_isa
_inductor.exc: CppCompileError InductorError InvalidCxxCompiler LoweringException
_inductor.inductor_prims: inductor_random inductor_seed inductor_seeds
_inductor.runtime.cache_dir_utils: cache_dir
_inductor.utils: do_bench fresh_inductor_cache print_performance run_and_get_code
_subclasses.functional_tensor: FunctionalTensor FunctionalTensorMode disable_functional_mode
_subclasses.meta_utils: MetaConverter
_weights_only_unpickler: Unpickler
export._trace: _export
fx.experimental.proxy_tensor: _ProxyTensor _SymNodeDict fetch_object_proxy fetch_sym_proxy
    get_proxy_slot track_tensor_tree
fx.experimental.symbolic_shapes: ShapeEnv
fx.passes.split_utils: getattr_recursive setattr_recursive split_by_tags
nested._internal.ops: extract_kwargs
nn.utils._per_sample_grad: call_for_per_sample_grads
onnx.symbolic_helper: _get_const scalar_type_to_onnx scalar_type_to_pytorch_type
onnx.symbolic_opset9: gelu masked_fill softmax sub
onnx.utils: _export _model_to_graph export export_to_pretty_string register_custom_op_symbolic
    select_model_mode_for_export unregister_custom_op_symbolic
profiler._memory_profiler: MemoryProfile MemoryProfileTimeline
onnx.symbolic_opset12: dropout
serialization: _legacy_load _load _open_zipfile_reader
utils._sympy.numbers: IntInfinity
utils._sympy.value_ranges: ValueRanges
utils.tensorboard._pytorch_graph: graph
"""),
    *constant("package.importer", "Python's own imports", sys_importer=_Imports()),
    *constant("package", "Python's own imports", sys_importer=_Imports()),
    empty("_functorch.config"),
    *constant("_functorch.config", "a switch of PyTorch's compiler", donated_buffer=False,
              functionalize_rng_ops=False, activation_memory_budget=1.0),
    *constant("fx.experimental._config", "a switch of PyTorch's tracer", use_duck_shape=True,
              backed_size_oblivious=False),
    answer("_C._functorch", False, "is_legacy_batchedtensor", "no tensor is of that kind"),
    nothing("_C", "_debug_only_display_vmap_fallback_warnings _jit_clear_class_registry "
            "_set_tracing_state", "a switch of PyTorch's core"),
    answer("utils._triton", False, "has_triton has_triton_package has_triton_tma",
           "whether Triton can be used: it compiles for GPUs"),
    answer("autograd", True, "_is_checkpoint_valid",
           "whether blocks may be computed again in this backward pass: always"),
    answer("distributed._composable_state", None, "_get_module_state",
           "the state of PyTorch's wrappers of a module: there is none"),
    same("_functorch.autograd_function", "autograd.function", "VmapInfo"),
    first_argument("_inductor.decomposition", "register_decomposition",
                   "says how PyTorch's compiler takes an operator apart"),
    same("_library", "library", "infer_schema opcheck custom_op"),
    same("_library.infer_schema", "library", "infer_schema"),
    same("_library.custom_ops", "library", "CustomOpDef custom_op"),
    nothing("_logging", "set_logs hide_warnings", "chooses what PyTorch's compiler writes"),
    answer("_C._cpu", False, "_init_amx", "whether matrix units are switched on: none are used"),
    # ---- TorchScript ----
    refused("_C", SCRIPT, "_jit_get_operation"),
    answer("_C", False, "_jit_set_autocast_mode", "whether TorchScript cast before: never"),
    same("jit.annotations", "_jit_internal", "BroadcastingList1 BroadcastingList2 "
         "BroadcastingList3"),
    refused("jit._recursive", SCRIPT, "ConcreteTypeStore create_script_module wrap_cpp_module"),
    answer("jit._builtins", None, "_find_builtin", "a function's name in TorchScript: none"),
    nothing("jit._builtins", "_register_builtin", "gives a function a name in TorchScript"),
    *constant("jit._state", "TorchScript's switch, which marks nothing here, and its classes",
              _enabled=types.SimpleNamespace(enabled=True), _script_classes={}),
    *constant("jit._recursive", "TorchScript's types: none are made",
              concrete_type_store=types.SimpleNamespace(type_store={})),
    # ---- the rest ----
    *constant("", "as PyTorch's builds without a GPU", has_cuda=False, has_mps=False,
              has_cudnn=False),
    refused("nn.quantized.functional", QUANTIZED, "conv1d conv2d conv3d linear"),
    *rows(ACCELERATOR, """
_higher_order_ops.inline_asm_elementwise: inline_asm_elementwise
sparse._triton_ops: broadcast_batch_dims bsr_dense_addmm bsr_dense_mm bsr_scatter_mm launch_kernel
    prepare_inputs ptr_stride_extractor tile_to_blocksize
sparse._triton_ops_meta: get_meta minimize optimize_bsr_dense_addmm update
"""),
    refused("cuda.tunable", ACCELERATOR, "tuning_enable"),
    refused("cuda.memory", ACCELERATOR, "_snapshot _record_memory_history _dump_snapshot"),
    refused("cuda._memory_viz", ACCELERATOR, "memory segment_plot segments trace_plot"),
    refused("", ACCELERATOR, "_convert_weight_to_int4pack _weight_int4pack_mm"),
    nothing("", "set_vital", "notes a vital sign, which nobody reads"),
    refused("_subclasses.fake_tensor", TOOLS, "_is_tensor_constructor"),
    same("", "_higher_order_ops", "while_loop"),
    same("", "nn.grouped", "_grouped_mm"),
    same("_custom_ops", "library", "get_ctx"),
    *rows(TOOLS, """
onnx.operators = onnx.shapes: reshape_from_tensor_shape shape_as_tensor
nn.quantized = nn.quantized.functional:
"""),
]  # fmt: skip
