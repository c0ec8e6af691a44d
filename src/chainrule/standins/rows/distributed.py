"""Work of several processes: everything that one process alone cannot do."""

from __future__ import annotations

from typing import Any, TypeVar

from ..kinds import PROCESSES
from .say import answer, constant, first_argument, rows, same

ROWS = [
    answer("distributed.autograd", False, "is_available", "whether gradients cross processes: no"),
    answer("distributed.rpc", False, "is_available", "whether functions of other processes can be "
           "called: no"),
    same("distributed._functional_collectives", "utils._pytree", "tree_map_only"),
    answer("distributed._functional_collectives", False, "is_torchdynamo_compiling", "no"),
    answer("distributed._functional_collectives", None, "get_proxy_mode", "none is in use"),
    same("distributed.algorithms.ddp_comm_hooks.mixed_precision_hooks", "autograd", "Variable"),
    same("distributed.fsdp.sharded_grad_scaler", "amp", "GradScaler"),
    same("distributed.fsdp.sharded_grad_scaler", "amp.grad_scaler", "OptState"),
    same("distributed.fsdp.sharded_grad_scaler", "distributed", "ProcessGroup"),
    same("distributed.rpc.rref_proxy", "futures", "Future"),
    same("distributed.rpc.rref_proxy", "distributed.rpc", "rpc_async"),
    *constant("distributed.elastic.agent.server.local_elastic_agent", "names of PyTorch's",
              TORCHELASTIC_ENABLE_FILE_TIMER="TORCHELASTIC_ENABLE_FILE_TIMER",
              TORCHELASTIC_HEALTH_CHECK_PORT="TORCHELASTIC_HEALTH_CHECK_PORT",
              TORCHELASTIC_TIMER_FILE="TORCHELASTIC_TIMER_FILE",
              TORCHELASTIC_UNINTERRUPTIBLE_STATE_TIMEOUT=
              "TORCHELASTIC_UNINTERRUPTIBLE_STATE_TIMEOUT"),
    *constant("distributed.checkpoint.state_dict", "for annotations", DictValueType=Any,
              FQNS_T=set[str], ListDictValueType=Any, OptimizerStateType=Any, PrimitiveType=Any,
              ValueType=Any),
    *constant("distributed.checkpoint.stateful", "for annotations", StatefulT=TypeVar("StatefulT")),
    *rows(PROCESSES, """
distributed._functional_collectives: all_gather_into_tensor_backward
    all_gather_into_tensor_coalesced_backward all_gather_into_tensor_coalesced_setup_context
    all_gather_into_tensor_setup_context all_gather_single_coalesced all_gather_tensor_inplace
    all_reduce_backward all_reduce_coalesced_backward all_reduce_coalesced_setup_context
    all_reduce_setup_context all_to_all_single_backward all_to_all_single_setup_context
    allow_inflight_collective_as_graph_input_ctx backend_impl batch_p2p_ops_inplace irecv_inplace
    isend_inplace legacy_all_gather legacy_all_gather_base legacy_all_to_all_single
    legacy_allgather legacy_allgather_single legacy_allreduce legacy_batch_p2p_ops legacy_irecv
    legacy_isend legacy_reduce_scatter_base legacy_reducescatter legacy_reducescatter_single
    reduce_scatter_single_coalesced reduce_scatter_tensor_backward
    reduce_scatter_tensor_coalesced_backward reduce_scatter_tensor_coalesced_setup_context
    reduce_scatter_tensor_inplace reduce_scatter_tensor_setup_context wait_tensor_backward
    wait_tensor_setup_context
distributed.algorithms.ddp_comm_hooks: DDPCommHookType register_ddp_comm_hook
distributed.algorithms.ddp_comm_hooks.ddp_zero_hook: hook_with_zero_step
    hook_with_zero_step_interleaved
distributed.algorithms.ddp_comm_hooks.optimizer_overlap_hooks:
distributed.algorithms.ddp_comm_hooks.post_localSGD_hook: PostLocalSGDState post_localSGD_hook
distributed.algorithms.ddp_comm_hooks.powerSGD_hook: batched_powerSGD_hook
distributed.algorithms.ddp_comm_hooks.quantization_hooks: quantization_perchannel_hook
    quantization_pertensor_hook
distributed.algorithms.model_averaging:
distributed.algorithms.model_averaging.averagers: ModelAverager PeriodicModelAverager
distributed.algorithms.model_averaging.hierarchical_model_averager: HierarchicalModelAverager
distributed.algorithms.model_averaging.utils: average_parameters
    average_parameters_or_parameter_groups get_params_to_average
distributed.argparse_util: check_env env
distributed.autograd: context
distributed.c10d_logger:
distributed.checkpoint.default_planner: DefaultLoadPlanner DefaultSavePlanner
    create_default_global_load_plan create_default_global_save_plan
    create_default_local_load_plan create_default_local_save_plan
distributed.checkpoint.filesystem: FileSystem FileSystemBase
distributed.checkpoint.filesystem = distributed.checkpoints: FileSystemReader FileSystemWriter
distributed.checkpoint.format_utils: BroadcastingTorchSaveReader DynamicMetaLoadPlanner
distributed.checkpoint.format_utils = distributed.checkpoints: dcp_to_torch_save
    torch_save_to_dcp
distributed.checkpoint.hf_storage: HuggingFaceStorageReader HuggingFaceStorageWriter
distributed.checkpoint.logger:
distributed.checkpoint.logging_handlers:
distributed.checkpoint.metadata: BytesStorageMetadata ChunkStorageMetadata Metadata
    MetadataIndex StorageMeta TensorProperties TensorStorageMetadata
distributed.checkpoint.optimizer: load_sharded_optimizer_state_dict
distributed.checkpoint.planner: BytesIOWriteData LoadPlan LoadPlanner ReadItem
    SavePlan SavePlanner TensorWriteData WriteItem
distributed.checkpoint.planner_helpers: create_read_items_for_chunk_list
distributed.checkpoint.quantized_hf_storage: QuantizedHuggingFaceStorageReader
distributed.checkpoint.resharding:
distributed.checkpoint.staging: AsyncStager BlockingAsyncStager DefaultStager StagingOptions
distributed.checkpoint.storage: StorageReader StorageWriter WriteResult
distributed.checkpoint.utils: find_state_dict_object find_tensor_shard
distributed.collective_utils: SyncPayload all_gather all_gather_object_enforce_type broadcast
distributed.elastic.agent:
distributed.elastic.agent.server = distributed.elastic.agent.server.api:
distributed.elastic.agent.server.api: ElasticAgent RunResult SimpleElasticAgent Worker
    WorkerGroup WorkerSpec
distributed.elastic.agent.server.health_check_server: HealthCheckServer
    create_healthcheck_server
distributed.elastic.agent.server.local_elastic_agent: LocalElasticAgent
distributed.elastic.control_plane: worker_main
distributed.elastic.events: construct_and_record_rdzv_event record record_rdzv_event
distributed.elastic.events = distributed.elastic.events.api:
distributed.elastic.events = distributed.elastic.events.handlers:
distributed.elastic.events.api: Event RdzvEvent
distributed.elastic.events.handlers: get_logging_handler
distributed.elastic.metrics: initialize_metrics
distributed.elastic.metrics = distributed.elastic.metrics.api: ConsoleMetricHandler MetricData
    MetricHandler MetricsConfig NullMetricHandler configure getStream get_elapsed_time_ms prof
    profile publish_metric put_metric
distributed.elastic.metrics.api: ConsoleMetricHandler MetricData MetricHandler MetricStream
    MetricsConfig NullMetricHandler configure getStream get_elapsed_time_ms prof profile
    publish_metric put_metric
distributed.elastic.multiprocessing.api: DefaultLogsSpecs LogsDest LogsSpecs MultiprocessContext
    PContext RunProcsResult SignalException SubprocessContext get_std_cm to_map
distributed.elastic.multiprocessing.redirects: get_libc redirect
distributed.elastic.multiprocessing.subprocess_handler =
    distributed.elastic.multiprocessing.subprocess_handler.subprocess_handler:
distributed.elastic.multiprocessing.subprocess_handler =
    distributed.elastic.multiprocessing.subprocess_handler.handlers:
distributed.elastic.multiprocessing.subprocess_handler.handlers: get_subprocess_handler
distributed.elastic.multiprocessing.subprocess_handler.subprocess_handler: SubprocessHandler
distributed.elastic.multiprocessing.tail_log: TailLog tail_logfile
distributed.elastic.timer = distributed.elastic.timer.file_based_local_timer:
distributed.elastic.timer = distributed.elastic.timer.local_timer: LocalTimerClient
    LocalTimerServer
distributed.elastic.timer = distributed.elastic.timer.api: TimerClient TimerRequest TimerServer
    configure expires
distributed.elastic.timer.api: RequestQueue TimerClient TimerRequest TimerServer configure
    expires
distributed.elastic.timer.debug_info_logging: log_debug_info_for_expired_timers
distributed.elastic.timer.file_based_local_timer: FileTimerClient FileTimerRequest
    FileTimerServer
distributed.elastic.timer.local_timer: LocalTimerClient LocalTimerServer
    MultiprocessingRequestQueue
distributed.elastic.utils = distributed.elastic.utils.api:
distributed.elastic.utils.api: get_env_variable_or_raise get_socket_with_port macros
distributed.elastic.utils.data = distributed.elastic.utils.data.cycling_iterator:
distributed.elastic.utils.data = distributed.elastic.utils.data.elastic_distributed_sampler:
distributed.elastic.utils.data.cycling_iterator: CyclingIterator
distributed.elastic.utils.data.elastic_distributed_sampler: ElasticDistributedSampler
distributed.elastic.utils.distributed: create_c10d_store get_free_port get_socket_with_port
distributed.elastic.utils.log_level: get_log_level
distributed.elastic.utils.logging: get_logger
distributed.elastic.utils.logging = distributed.elastic.utils.log_level:
distributed.elastic.utils.process_state: is_uninterruptible_state read_proc_state
distributed.elastic.utils.store: barrier get_all store_timeout synchronize
distributed.launch: launch main parse_args
distributed.launch = distributed.run: get_args_parser run
distributed.run: config_from_args determine_local_world_size get_args_parser get_rdzv_endpoint
    get_use_env parse_args parse_min_max_nnodes run run_script_path
distributed.run = distributed.elastic.multiprocessing.api: DefaultLogsSpecs LogsSpecs Std
distributed.run = distributed.launcher.api: LaunchConfig elastic_launch
distributed.run = distributed.argparse_util:
distributed.run = distributed.elastic.utils.logging: get_logger
distributed.run = distributed.elastic.utils.api: macros
distributed.run = distributed.elastic.multiprocessing.errors: record
distributed.rendezvous: register_rendezvous_handler rendezvous
distributed.launcher = distributed.launcher.api:
distributed.launcher.api: LaunchConfig elastic_launch launch_agent
distributed.logging_handlers:
distributed.nn.api:
distributed.nn.api.remote_module: RemoteModule
distributed.nn.jit:
distributed.nn.jit.instantiator: get_arg_return_types_from_interface
    instantiate_non_scriptable_remote_module_template
    instantiate_scriptable_remote_module_template
distributed.nn.jit.instantiator = distributed.nn.jit.templates.remote_module_template:
distributed.nn.jit.templates:
distributed.nn.jit.templates.remote_module_template: get_remote_module_template
distributed.optim.apply_optimizer_in_backward:
distributed.optim.functional_adadelta:
distributed.optim.functional_adagrad:
distributed.optim.functional_adam:
distributed.optim.functional_adamax:
distributed.optim.functional_adamw:
distributed.optim.functional_rmsprop:
distributed.optim.functional_rprop:
distributed.optim.functional_sgd:
distributed.optim.named_optimizer:
distributed.optim.optimizer: DistributedOptimizer
distributed.optim.post_localSGD_optimizer: PostLocalSGDOptimizer
distributed.optim.utils: as_functional_optim register_functional_optim
distributed.pipelining: Pipe pipe_split pipeline
distributed.pipelining = distributed.pipelining.stage:
distributed.pipelining = distributed.pipelining.schedules: Schedule1F1B ScheduleDualPipeV
    ScheduleGPipe ScheduleInterleaved1F1B ScheduleInterleavedZeroBubble ScheduleLoopedBFS
    ScheduleZBVZeroBubble
distributed.pipelining.microbatch: TensorChunkSpec merge_chunks split_args_kwargs_into_chunks
distributed.pipelining.schedules: PipelineScheduleMulti PipelineScheduleSingle Schedule1F1B
    ScheduleDualPipeV ScheduleGPipe ScheduleInterleaved1F1B ScheduleInterleavedZeroBubble
    ScheduleLoopedBFS ScheduleZBVZeroBubble get_schedule_class
distributed.pipelining.stage: PipelineStage build_stage
distributed.remote_device:
distributed.rpc: init_rpc
distributed.rpc = distributed.rpc.api:
distributed.rpc = distributed.rpc.backend_registry: BackendType
distributed.rpc = distributed.rpc.options:
distributed.rpc.api: AllGatherStates RRef get_worker_info method_factory new_method remote
    rpc_async rpc_sync shutdown
distributed.rpc.backend_registry: BackendValue backend_registered
    construct_rpc_backend_options init_backend register_backend
distributed.rpc.constants:
distributed.rpc.functions: async_execution
distributed.rpc.internal: PythonUDF RemoteException deserialize serialize
distributed.rpc.options: TensorPipeRpcBackendOptions
distributed.rpc.server_process_global_profiler:
distributed.tensor.debug: CommDebugMode visualize_sharding
distributed.tensor.experimental: context_parallel local_map register_sharding
distributed.tensor.experimental = distributed.tensor_parallel: implicit_replication
distributed.tensor.parallel = distributed.tensor.parallel.style:
distributed.tensor.parallel = distributed.tensor.parallel.loss:
distributed.tensor.parallel = distributed.tensor.parallel.api:
distributed.tensor.parallel.api = distributed.tensor_parallel: parallelize_module
distributed.tensor.parallel.ddp:
distributed.tensor.parallel.fsdp: DTensorExtensions
distributed.tensor.parallel.input_reshard: input_reshard
distributed.tensor.parallel.loss = distributed.tensor_parallel: loss_parallel
distributed.tensor.parallel.style = distributed.tensor_parallel: ColwiseParallel ParallelStyle
    PrepareModuleInput PrepareModuleInputOutput PrepareModuleOutput RowwiseParallel
    SequenceParallel
"""),
    first_argument("distributed.elastic.multiprocessing.errors", "record", (
        "writes the error of a worker for the process that started it: there is none"
    )),
    *rows(PROCESSES, """
distributed.elastic.multiprocessing.errors: ChildFailedError ProcessFailure
distributed.elastic.multiprocessing.errors =
    distributed.elastic.multiprocessing.errors.error_handler:
distributed.elastic.multiprocessing.errors = distributed.elastic.multiprocessing.errors.handlers:
distributed.elastic.multiprocessing.errors.error_handler: ErrorHandler
distributed.elastic.multiprocessing.errors.handlers: get_error_handler
distributed.elastic.multiprocessing: start_processes
distributed.elastic.multiprocessing = distributed.elastic.multiprocessing.api: DefaultLogsSpecs
    LogsDest LogsSpecs MultiprocessContext PContext RunProcsResult SignalException Std
    SubprocessContext to_map
distributed.elastic.multiprocessing = distributed.elastic.multiprocessing.errors: ProcessFailure
"""),
    *rows(PROCESSES, """
distributed: AllToAllOptions AllreduceCoalescedOptions AllreduceOptions BackendConfig
    BarrierOptions BroadcastOptions GatherOptions Logger
    ProcessGroupGloo ReduceOptions ReduceScatterOptions Reducer ScatterOptions
    all_gather_single breakpoint get_backend_config record_comm
    reduce_scatter_single shrink_group split_group
distributed = distributed.rendezvous:
distributed.distributed_c10d: GroupName
distributed.distributed_c10d = distributed:
distributed.distributed_c10d = distributed.settings: default_pg_timeout default_pg_nccl_timeout
distributed.distributed_c10d = distributed.group: _get_global_rank
distributed.distributed_c10d = distributed: _get_default_group _rank_not_in_group
distributed.constants = distributed.settings: default_pg_timeout default_pg_nccl_timeout
distributed._functional_collectives: all_gather_inplace all_gather_tensor
    all_gather_tensor_autograd all_reduce all_reduce_coalesced
    all_reduce_inplace all_to_all_inplace all_to_all_single all_to_all_single_autograd broadcast
    permute_tensor reduce_scatter_tensor reduce_scatter_tensor_autograd
    reduce_scatter_tensor_coalesced wait_tensor AsyncCollectiveTensor all_gather_single
    all_gather_single_autograd all_gather_into_tensor_coalesced reduce_scatter_single
    reduce_scatter_single_autograd
distributed._functional_collectives = distributed.device_mesh: DeviceMesh
distributed.algorithms._checkpoint.checkpoint_wrapper: OffloadWrapper offload_wrapper
distributed.algorithms._checkpoint.checkpoint_wrapper = distributed.checkpointing: CheckpointImpl
    CheckpointWrapper apply_activation_checkpointing checkpoint_wrapper
distributed._composable: checkpoint replicate contract
distributed._composable = distributed.sharded: fully_shard
distributed._composable.fsdp = distributed.fsdp: CPUOffloadPolicy FSDPModule
    MixedPrecisionPolicy OffloadPolicy UnshardHandle fully_shard
distributed._composable.fsdp.fully_shard = distributed.fsdp: FSDPModule fully_shard
distributed._shard.sharded_tensor: ShardedTensor Shard
distributed._tensor = distributed.tensor:
distributed._tensor.experimental = distributed.tensor.experimental:
distributed._tensor.device_mesh = distributed.device_mesh: DeviceMesh init_device_mesh
distributed._tensor.placement_types = distributed.placement_types:
distributed.tensor.placement_types = distributed.placement_types:
distributed.tensor.device_mesh = distributed.device_mesh: DeviceMesh init_device_mesh
distributed.checkpoint = distributed.checkpoint.metadata: BytesStorageMetadata
    ChunkStorageMetadata Metadata TensorStorageMetadata
distributed.checkpoint = distributed.checkpoint.api:
distributed.checkpoint = distributed.checkpoint.default_planner: DefaultLoadPlanner
    DefaultSavePlanner
distributed.checkpoint = distributed.checkpoint.filesystem: FileSystemReader FileSystemWriter
distributed.checkpoint = distributed.checkpoint.hf_storage:
distributed.checkpoint = distributed.checkpoint.planner: LoadPlan LoadPlanner ReadItem SavePlan
    SavePlanner WriteItem
distributed.checkpoint = distributed.checkpoint.quantized_hf_storage:
distributed.checkpoint = distributed.checkpoint.storage: StorageReader StorageWriter
distributed.checkpoint = distributed.checkpoint.state_dict_saver: async_save save save_state_dict
distributed.checkpoint = distributed.checkpoint.state_dict_loader:
distributed.checkpoint = distributed.checkpoint.optimizer:
distributed.checkpoint.api = distributed.checkpoints: CheckpointException
distributed.checkpoint.stateful = distributed.checkpoints: Stateful
distributed.checkpoint.state_dict = distributed.state_dicts: StateDictOptions
    get_model_state_dict get_optimizer_state_dict get_state_dict set_model_state_dict
    set_optimizer_state_dict set_state_dict
distributed.checkpoint.state_dict_loader: load_state_dict
distributed.checkpoint.state_dict_loader = distributed.checkpoints: load
distributed.checkpoint.state_dict_saver: AsyncSaveResponse
    save_state_dict
distributed.checkpoint.state_dict_saver = distributed.checkpoints: async_save save
distributed.fsdp: DataParallelMeshDims share_comm_ctx
distributed.fsdp = distributed.sharded: CPUOffloadPolicy FSDPModule MixedPrecisionPolicy
    OffloadPolicy UnshardHandle fully_shard register_fsdp_forward_method
distributed.fsdp = distributed.fsdp.fully_sharded_data_parallel: FullyShardedDataParallel
distributed.fsdp.fully_sharded_data_parallel: FlatParameter
distributed.fsdp.fully_sharded_data_parallel = distributed.wrapped_shards: FullyShardedDataParallel
distributed.fsdp.fully_sharded_data_parallel = distributed.fsdp.api: BackwardPrefetch CPUOffload
    FullOptimStateDictConfig FullStateDictConfig LocalStateDictConfig MixedPrecision
    OptimStateKeyType ShardedStateDictConfig ShardingStrategy StateDictType
distributed.fsdp.sharded_grad_scaler: ShardedGradScaler
distributed.fsdp.wrap: CustomPolicy enable_wrap lambda_auto_wrap_policy wrap
distributed.fsdp.wrap = distributed.wrapping:
distributed.fsdp._runtime_utils: _lazy_init
distributed.nn = distributed.nn.api.remote_module: RemoteModule
distributed.optim = distributed.optim.optimizer:
distributed.optim = distributed.optim.post_localSGD_optimizer:
distributed.optim = distributed.optim.zero_redundancy_optimizer:
distributed.optim = distributed.optim.utils: as_functional_optim
distributed.optim.zero_redundancy_optimizer = distributed.zero: ZeroRedundancyOptimizer
distributed.rpc.rref_proxy: RRefProxy
distributed.utils: _alloc_storage _free_storage _apply_to_tensors _replace_by_prefix
distributed.algorithms.ddp_comm_hooks.mixed_precision_hooks:
"""),
    *constant("distributed.config", compile_on_one_rank=False, use_torchcomms=False),
]  # fmt: skip
