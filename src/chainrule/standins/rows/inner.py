"""Modules inside of PyTorch's packages that programs import by their full names."""

from __future__ import annotations

from ..kinds import PROCESSES, QUANTIZED, TOOLS
from .say import rows

ROWS = [
    *rows(QUANTIZED, """
ao.quantization.backend_config = ao.quantization.backend_config.fbgemm:
    get_fbgemm_backend_config
ao.quantization.backend_config = ao.quantization.backend_config.native:
    get_native_backend_config get_native_backend_config_dict
ao.quantization.backend_config = ao.quantization.backend_config.qnnpack:
    get_qnnpack_backend_config
ao.quantization.backend_config = ao.quantization.backend_config.tensorrt:
    get_tensorrt_backend_config get_tensorrt_backend_config_dict
ao.quantization.backend_config = ao.quantization.backend_config.executorch:
    get_executorch_backend_config
ao.quantization.backend_config = ao.quantization.backend_config.backend_config: BackendConfig
    BackendPatternConfig DTypeConfig DTypeWithConstraints ObservationType
ao.quantization.backend_config = ao.quantization.backend_config.onednn:
    get_onednn_backend_config
ao.quantization.backend_config.backend_config: BackendConfig BackendPatternConfig DTypeConfig
    DTypeWithConstraints
ao.quantization.backend_config.executorch: get_executorch_backend_config
ao.quantization.backend_config.fbgemm: get_fbgemm_backend_config
ao.quantization.backend_config.native: get_test_only_legacy_native_backend_config
    get_native_backend_config get_native_backend_config_dict
    get_test_only_legacy_native_backend_config_dict
ao.quantization.backend_config.onednn: get_onednn_backend_config
ao.quantization.backend_config.qnnpack: get_qnnpack_backend_config
ao.quantization.backend_config.tensorrt: get_tensorrt_backend_config
    get_tensorrt_backend_config_dict
ao.quantization.backend_config.utils: get_pattern_to_dtype_configs get_qat_module_classes
    get_fused_module_classes get_pattern_to_input_type_to_index
    get_root_module_to_quantized_reference_module get_fuser_method_mapping
    get_module_to_qat_module get_fusion_pattern_to_root_node_getter
    get_fusion_pattern_to_extra_inputs_getter remove_boolean_dispatch_from_name
    pattern_to_human_readable entry_to_pretty_str
ao.quantization.backend_config.x86: get_x86_backend_config
ao.quantization.fx = ao.quantization.fx.convert: convert
ao.quantization.fx = ao.quantization.fx.fuse: fuse
ao.quantization.fx = ao.quantization.fx.prepare: prepare
ao.quantization.fx.convert: convert convert_custom_module convert_standalone_module
    convert_weighted_module
ao.quantization.fx.custom_config: ConvertCustomConfig FuseCustomConfig PrepareCustomConfig
    StandaloneModuleConfigEntry
ao.quantization.fx.fuse = ao.quantization.fx.fuse_handler: FuseHandler
ao.quantization.fx.fuse: fuse
ao.quantization.fx.fuse_handler: DefaultFuseHandler FuseHandler
ao.quantization.fx.graph_module: FusedGraphModule ObservedGraphModule
    ObservedStandaloneGraphModule QuantizedGraphModule
ao.quantization.fx.lower_to_fbgemm: lower_to_fbgemm
ao.quantization.fx.lower_to_qnnpack: lower_to_qnnpack
ao.quantization.fx.lstm_utils = ao.quantization.backend_config.backend_config: BackendConfig
ao.quantization.fx.lstm_utils = ao.quantization.fake_quantize: FakeQuantizeBase
    default_weight_fake_quant
ao.quantization.fx.lstm_utils = ao.quantization.qconfig: QConfig
ao.quantization.fx.lstm_utils = ao.quantization.qconfig_mapping: QConfigMapping
ao.quantization.fx.lstm_utils = ao.quantization.quantize_fx: convert_to_reference_fx prepare_fx
ao.quantization.fx.lstm_utils = ao.quantization.observer: default_weight_observer
ao.quantization.fx.match_utils = fx.graph: Graph
ao.quantization.fx.match_utils = ao.quantization.utils: MatchAllNode Pattern
ao.quantization.fx.match_utils = fx.node: Node
ao.quantization.fx.match_utils = ao.quantization.qconfig: QConfigAny
ao.quantization.fx.match_utils = ao.quantization.fx.quantize_handler: QuantizeHandler
ao.quantization.fx.match_utils = nn.utils.parametrize: type_before_parametrizations
ao.quantization.fx.pattern_utils: get_default_fusion_patterns get_default_quant_patterns
    get_default_output_activation_post_process_map
ao.quantization.fx.prepare: insert_observers_for_model prepare propagate_dtypes_for_known_nodes
ao.quantization.fx.qconfig_mapping_utils = ao.quantization.backend_config.backend_config:
    BackendConfig DTypeConfig
ao.quantization.fx.qconfig_mapping_utils = fx.graph: Graph
ao.quantization.fx.qconfig_mapping_utils = fx.graph_module: GraphModule
ao.quantization.fx.qconfig_mapping_utils = ao.quantization.qconfig: QConfig QConfigAny
    qconfig_equals
ao.quantization.fx.qconfig_mapping_utils = ao.quantization.qconfig_mapping: QConfigMapping
ao.quantization.fx.qconfig_mapping_utils = ao.quantization.backend_config.utils:
    get_module_to_qat_module
ao.quantization.fx.qconfig_mapping_utils = ao.quantization.utils: get_qconfig_dtypes
ao.quantization.fx.quantize_handler: QuantizeHandler BinaryOpQuantizeHandler CatQuantizeHandler
    ConvReluQuantizeHandler LinearReLUQuantizeHandler BatchNormQuantizeHandler
    EmbeddingQuantizeHandler RNNDynamicQuantizeHandler DefaultNodeQuantizeHandler
    FixedQParamsOpQuantizeHandler CopyNodeQuantizeHandler GeneralTensorShapeOpQuantizeHandler
    CustomModuleQuantizeHandler StandaloneModuleQuantizeHandler
ao.quantization.fx.tracer: QuantizationTracer ScopeContextManager
ao.quantization.fx.utils: all_node_args_except_first all_node_args_have_no_tensors
    assert_and_get_unique_device collect_producer_nodes create_getattr_from_value
    create_node_from_old_node_preserve_meta get_custom_module_class_keys
    get_linear_prepack_op_for_dtype get_new_attr_name_with_prefix
    get_non_observable_arg_indexes_and_types get_qconv_prepack_op
    get_skipped_module_name_and_classes graph_module_from_producer_nodes maybe_get_next_module
    NodeInfo node_arg_is_bias node_arg_is_weight return_arg_list ObservedGraphModuleAttrs
ao.quantization.quantize_fx = ao.quantization.backend_config.backend_config: BackendConfig
ao.quantization.quantize_fx = ao.quantization.fx.custom_config: ConvertCustomConfig
    FuseCustomConfig PrepareCustomConfig
ao.quantization.quantize_fx = ao.quantization.fx.graph_module: ObservedGraphModule
ao.quantization.quantize_fx = ao.quantization.fx.tracer: QuantizationTracer ScopeContextManager
ao.quantization.quantize_fx = ao.quantization.fx.convert: convert
ao.quantization.quantize_fx = ao.quantization.fx.fuse: fuse
ao.quantization.quantize_fx = ao.quantization.fx.utils: get_custom_module_class_keys
    get_skipped_module_name_and_classes
ao.quantization.quantize_fx = ao.quantization.backend_config.tensorrt:
    get_tensorrt_backend_config
ao.quantization.quantize_fx = ao.quantization.fx.prepare: prepare
ao.quantization.quantize_fx: attach_preserved_attrs_to_model convert_fx convert_to_reference_fx
    fuse_fx prepare_fx prepare_qat_fx
nn.intrinsic.modules = ao.nn.intrinsic.modules.fused: BNReLU2d BNReLU3d ConvBn1d ConvBn2d
    ConvBn3d ConvBnReLU1d ConvBnReLU2d ConvBnReLU3d ConvReLU1d ConvReLU2d ConvReLU3d LinearBn1d
    LinearReLU
nn.intrinsic.modules.fused = ao.nn.intrinsic.modules.fused: BNReLU2d BNReLU3d ConvBn1d ConvBn2d
    ConvBn3d ConvBnReLU1d ConvBnReLU2d ConvBnReLU3d ConvReLU1d ConvReLU2d ConvReLU3d LinearBn1d
    LinearReLU
nn.intrinsic.qat = ao.nn.intrinsic.qat.modules.conv_fused: ConvBn1d ConvBn2d ConvBn3d
    ConvBnReLU1d ConvBnReLU2d ConvBnReLU3d ConvReLU1d ConvReLU2d ConvReLU3d freeze_bn_stats
    update_bn_stats
nn.intrinsic.qat = ao.nn.intrinsic.qat.modules.linear_fused: LinearBn1d
nn.intrinsic.qat = ao.nn.intrinsic.qat.modules.linear_relu: LinearReLU
nn.intrinsic.qat.modules = ao.nn.intrinsic.qat.modules.linear_relu: LinearReLU
nn.intrinsic.qat.modules = ao.nn.intrinsic.qat.modules.linear_fused: LinearBn1d
nn.intrinsic.qat.modules = ao.nn.intrinsic.qat.modules.conv_fused: ConvReLU1d ConvReLU2d
    ConvReLU3d ConvBn1d ConvBn2d ConvBn3d ConvBnReLU1d ConvBnReLU2d ConvBnReLU3d update_bn_stats
    freeze_bn_stats
nn.intrinsic.qat.modules.conv_fused = ao.nn.intrinsic.qat.modules.conv_fused: ConvBn1d
    ConvBnReLU1d ConvReLU1d ConvBn2d ConvBnReLU2d ConvReLU2d ConvBn3d ConvBnReLU3d ConvReLU3d
    freeze_bn_stats update_bn_stats
nn.intrinsic.qat.modules.linear_fused = ao.nn.intrinsic.qat.modules.linear_fused: LinearBn1d
nn.intrinsic.qat.modules.linear_relu = ao.nn.intrinsic.qat.modules.linear_relu: LinearReLU
nn.intrinsic.quantized = ao.nn.intrinsic.quantized.modules.bn_relu: BNReLU2d BNReLU3d
nn.intrinsic.quantized = ao.nn.intrinsic.quantized.modules.conv_relu: ConvReLU1d ConvReLU2d
    ConvReLU3d
nn.intrinsic.quantized = ao.nn.intrinsic.quantized.modules.linear_relu: LinearReLU
nn.intrinsic.quantized.dynamic = ao.nn.intrinsic.quantized.dynamic.modules.linear_relu:
    LinearReLU
nn.intrinsic.quantized.dynamic.modules = ao.nn.intrinsic.quantized.dynamic.modules.linear_relu:
    LinearReLU
nn.intrinsic.quantized.dynamic.modules.linear_relu =
    ao.nn.intrinsic.quantized.dynamic.modules.linear_relu: LinearReLU
nn.intrinsic.quantized.modules = ao.nn.intrinsic.quantized.modules.linear_relu: LinearReLU
nn.intrinsic.quantized.modules = ao.nn.intrinsic.quantized.modules.conv_relu: ConvReLU1d
    ConvReLU2d ConvReLU3d
nn.intrinsic.quantized.modules = ao.nn.intrinsic.quantized.modules.bn_relu: BNReLU2d BNReLU3d
nn.intrinsic.quantized.modules.bn_relu = ao.nn.intrinsic.quantized.modules.bn_relu: BNReLU2d
    BNReLU3d
nn.intrinsic.quantized.modules.conv_relu = ao.nn.intrinsic.quantized.modules.conv_relu:
    ConvReLU1d ConvReLU2d ConvReLU3d
nn.intrinsic.quantized.modules.linear_relu = ao.nn.intrinsic.quantized.modules.linear_relu:
    LinearReLU
nn.qat.dynamic = ao.nn.qat.dynamic.modules.linear: Linear
nn.qat.dynamic.modules = ao.nn.qat.dynamic.modules.linear: Linear
nn.qat.dynamic.modules.linear = ao.nn.qat.dynamic.modules.linear: Linear
nn.qat.modules = ao.nn.qat.modules.linear: Linear
nn.qat.modules = ao.nn.qat.modules.conv: Conv1d Conv2d Conv3d
nn.qat.modules = ao.nn.qat.modules.embedding_ops: Embedding EmbeddingBag
nn.qat.modules.conv = ao.nn.qat.modules.conv: Conv1d Conv2d Conv3d
nn.qat.modules.embedding_ops = ao.nn.qat.modules.embedding_ops: Embedding EmbeddingBag
nn.qat.modules.linear = ao.nn.qat.modules.linear: Linear
nn.quantizable = ao.nn.quantizable.modules.rnn: LSTM LSTMCell
nn.quantizable = ao.nn.quantizable.modules.activation: MultiheadAttention
nn.quantizable.modules = ao.nn.quantizable.modules.rnn: LSTM LSTMCell
nn.quantizable.modules = ao.nn.quantizable.modules.activation: MultiheadAttention
nn.quantizable.modules.activation = ao.nn.quantizable.modules.activation: MultiheadAttention
nn.quantizable.modules.rnn = ao.nn.quantizable.modules.rnn: LSTM LSTMCell
nn.quantized.dynamic.modules = ao.nn.quantized.dynamic.modules.linear: Linear
nn.quantized.dynamic.modules = ao.nn.quantized.dynamic.modules.rnn: LSTM GRU LSTMCell RNNCell
    GRUCell
nn.quantized.dynamic.modules = ao.nn.quantized.dynamic.modules.conv: Conv1d Conv2d Conv3d
    ConvTranspose1d ConvTranspose2d ConvTranspose3d
nn.quantized.dynamic.modules.conv = ao.nn.quantized.dynamic.modules.conv: Conv1d Conv2d Conv3d
    ConvTranspose1d ConvTranspose2d ConvTranspose3d
nn.quantized.dynamic.modules.linear = ao.nn.quantized.dynamic.modules.linear: Linear
nn.quantized.dynamic.modules.rnn = ao.nn.quantized.dynamic.modules.rnn: pack_weight_bias
    PackedParameter RNNBase LSTM GRU RNNCellBase RNNCell LSTMCell GRUCell
nn.quantized.modules.activation = ao.nn.quantized.modules.activation: ELU Hardswish LeakyReLU
    MultiheadAttention PReLU ReLU6 Sigmoid Softmax
nn.quantized.modules.batchnorm = ao.nn.quantized.modules.batchnorm: BatchNorm2d BatchNorm3d
nn.quantized.modules.conv = ao.nn.quantized.modules.conv: Conv1d Conv2d Conv3d ConvTranspose1d
    ConvTranspose2d ConvTranspose3d
nn.quantized.modules.dropout = ao.nn.quantized.modules.dropout: Dropout
nn.quantized.modules.embedding_ops = ao.nn.quantized.modules.embedding_ops:
    EmbeddingPackedParams Embedding EmbeddingBag
nn.quantized.modules.functional_modules = ao.nn.quantized.modules.functional_modules:
    FloatFunctional FXFloatFunctional QFunctional
nn.quantized.modules.linear = ao.nn.quantized.modules.linear: LinearPackedParams Linear
nn.quantized.modules.normalization = ao.nn.quantized.modules.normalization: LayerNorm GroupNorm
    InstanceNorm1d InstanceNorm2d InstanceNorm3d
nn.quantized.modules.rnn = ao.nn.quantized.modules.rnn: LSTM
nn.quantized.modules.utils = ao.nn.quantized.modules.utils: WeightedQuantizedModule
quantization.fx = ao.quantization.fx.convert: convert
quantization.fx = ao.quantization.fx.fuse: fuse
quantization.fx = ao.quantization.fx.prepare: prepare
quantization.fx.convert = ao.quantization.fx.convert: convert
quantization.fx.fuse = ao.quantization.fx.fuse: fuse
quantization.fx.fusion_patterns = ao.quantization.fx.fuse_handler: DefaultFuseHandler
    FuseHandler
quantization.fx.graph_module = ao.quantization.fx.graph_module: FusedGraphModule
    ObservedGraphModule ObservedStandaloneGraphModule QuantizedGraphModule
quantization.fx.graph_module = fx.graph_module: GraphModule
quantization.fx.match_utils = ao.quantization.utils: MatchAllNode
quantization.fx.pattern_utils = ao.quantization.fx.pattern_utils: get_default_fusion_patterns
    get_default_output_activation_post_process_map get_default_quant_patterns
quantization.fx.prepare = ao.quantization.fx.prepare: prepare
quantization.fx.quantization_patterns:
quantization.fx.quantization_types = ao.quantization.utils: Pattern
quantization.fx.utils = ao.quantization.fx.utils: all_node_args_have_no_tensors
    assert_and_get_unique_device create_getattr_from_value get_custom_module_class_keys
    get_linear_prepack_op_for_dtype get_new_attr_name_with_prefix
    get_non_observable_arg_indexes_and_types get_qconv_prepack_op
    graph_module_from_producer_nodes maybe_get_next_module
quantization.quantize_fx = ao.quantization.fx.graph_module: ObservedGraphModule
quantization.quantize_fx = ao.quantization.fx.tracer: QuantizationTracer ScopeContextManager
quantization.quantize_fx = fx.proxy: Scope
quantization.quantize_fx = ao.quantization.quantize_fx: convert_fx fuse_fx prepare_fx
    prepare_qat_fx
"""),
    *rows(TOOLS, """
backends.python_native: disable_dispatch_keys disable_operations enable_dispatch_keys
    enable_operations get_dsl_operations is_dsl_disabled is_operation_disabled
    operations_disabled
export.experimental:
export.passes: move_to_device_pass
fx.annotate: annotate
fx.config:
fx.experimental.accelerator_partitioner = fx.experimental.partitioner_utils: Device NodeLatency
    Partition PartitionMode PartitionerConfig get_extra_size_of get_latency_of_partitioned_graph
    get_partition_to_latency_mapping
fx.experimental.accelerator_partitioner = fx.passes.graph_manipulation: get_size_of_all_nodes
fx.experimental.accelerator_partitioner: DAG DAGNode PartitionResult Partitioner
    check_dependency combine_two_partitions get_bfs_level_partition get_device_partition_stats
    get_device_to_partitions_mapping get_logical_id_to_device get_node_to_partition_mapping
    reorganize_partitions reset_partition_device set_parents_and_children
fx.experimental.const_fold: FoldedGraphModule get_unique_attr_name_in_module
    split_const_subgraphs
fx.experimental.debug: set_trace
fx.experimental.dynamic_spec: ShapeVar IntVar TensorSpec ObjectSpec DictSpec SeqSpec ParamsSpec
    ShapesSpec
fx.experimental.graph_gradual_typechecker: GraphTypeChecker Refine adaptiveavgpool2d_check
    adaptiveavgpool2d_inference_rule add_inference_rule all_eq bn2d_inference_rule
    broadcast_types calculate_out_dimension conv2d_inference_rule conv_refinement_rule conv_rule
    element_wise_eq expand_to_tensor_dim first_two_eq flatten_check flatten_inference_rule
    flatten_refinement_rule get_attr_inference_rule get_greatest_upper_bound get_parameter
    linear_check linear_inference_rule linear_refinement_rule maxpool2d_check
    maxpool2d_inference_rule register_algebraic_expressions_inference_rule
    register_inference_rule register_refinement_rule relu_inference_rule reshape_inference_rule
    transpose_inference_rule
fx.experimental.merge_matmul: are_nodes_independent may_depend_on merge_matmul
    split_result_tensors
fx.experimental.meta_tracer: embedding_override functional_relu_override gen_constructor_wrapper
    MetaAttribute MetaDeviceAttribute MetaProxy MetaTracer nn_layernorm_override proxys_to_metas
    symbolic_trace torch_abs_override torch_nn_relu_override torch_relu_override
    torch_where_override
fx.experimental.normalize = fx.experimental.schema_type_annotation: AnnotateTypesWithSchema
fx.experimental.normalize: NormalizeArgs NormalizeOperators
fx.experimental.optimization: matches_module_pattern replace_node_module fuse remove_dropout
    extract_subgraph modules_to_mkldnn reset_modules MklSubgraph gen_mkl_autotuner
    use_mkl_length UnionFind optimize_for_inference
fx.experimental.partitioner_utils: Device NodeLatency Partition PartitionLatency
    PartitionerConfig get_comm_latency_between get_extra_size_of get_latency_of_one_partition
    get_latency_of_partitioned_graph get_partition_to_latency_mapping
fx.experimental.recording: ShapeEnvEvent record_shapeenv_event replay_shape_env_events
    FakeTensorMeta shape_env_check_state_equal NotEqualError
fx.experimental.refinement_types: Equality
fx.experimental.rewriter: AST_Rewriter RewritingTracer
fx.experimental.schema_type_annotation: AnnotateTypesWithSchema
fx.experimental.sym_node: SymNode method_to_operator DynamicInt
fx.experimental.validator: translation_validation_enabled translation_validation_timeout
    ValidationException BisectValidationException
fx.passes.annotate_getitem_nodes: annotate_getitem_nodes
fx.passes.backends:
fx.passes.backends.cudagraphs: CudaGraphsSupport partition_cudagraphs
fx.passes.dialect:
fx.passes.dialect.common:
fx.passes.dialect.common.cse_pass: CSEPass get_CSE_banned_ops
fx.passes.graph_manipulation: replace_target_nodes_with size_bytes get_size_of_all_nodes
    get_tensor_meta get_size_of_node
fx.passes.graph_transform_observer: GraphTransformObserver
fx.passes.net_min_base: FxNetMinimizerBadModuleError FxNetMinimizerRunFuncError
    FxNetMinimizerResultMismatchError
fx.passes.param_fetch: default_matching extract_attrs_for_lowering lift_lowering_attrs_to_nodes
fx.passes.pass_manager: PassManager inplace_wrapper log_hook loop_pass
    this_before_that_pass_constraint these_before_those_pass_constraint
fx.passes.regional_inductor: regional_inductor
fx.passes.regional_inductor_invoke_subgraph: regional_inductor_invoke_subgraph
fx.passes.reinplace: reinplace
fx.passes.runtime_assert: insert_deferred_runtime_asserts
fx.passes.splitter_base: FxNetAccNodesFinder FxNetSplitterInternalError Subgraph SplitResult
    generate_inputs_for_submodules NodeEvent NodeEventTracker
fx.passes.utils.common: HolderModule lift_subgraph_as_module compare_graphs
fx.passes.utils.matcher_with_name_node_map_utils: SubgraphMatcherWithNameNodeMap
fx.passes.utils.source_matcher_utils: get_source_partitions check_subgraphs_connected
    SourcePartition
fx.tensor_type: TensorType is_consistent is_more_precise
nativert:
nativert.backends:
package.analyze = package.analyze.find_first_use_of_broken_modules:
    find_first_use_of_broken_modules
package.analyze = package.analyze.trace_dependencies: trace_dependencies
package.analyze.find_first_use_of_broken_modules: find_first_use_of_broken_modules
package.analyze.is_from_package: is_from_package
package.analyze.trace_dependencies: trace_dependencies
utils.data.datapipes.dataframe = utils.data.datapipes.dataframe.dataframes: CaptureDataFrame
utils.data.datapipes.dataframe = utils.data.datapipes.dataframe.datapipes:
    DataFramesAsTuplesPipe
utils.data.datapipes.dataframe.dataframe_wrapper: PandasWrapper concat create_dataframe
    default_wrapper get_columns get_df_wrapper get_item get_len is_column is_dataframe iterate
    set_df_wrapper
utils.data.datapipes.dataframe.dataframes: Capture CaptureA CaptureAdd CaptureCall
    CaptureControl CaptureDataFrame CaptureDataFrameWithDataPipeOps CaptureF CaptureGetAttr
    CaptureGetItem CaptureInitial CaptureLikeMock CaptureMul CaptureSetItem CaptureSub
    CaptureVariable CaptureVariableAssign DataFrameTracer DataFrameTracedOps disable_capture
    get_val
utils.data.datapipes.dataframe.datapipes: ConcatDataFramesPipe DataFramesAsTuplesPipe
    ExampleAggregateAsDataFrames FilterDataFramesPipe PerRowDataFramesPipe ShuffleDataFramesPipe
utils.data.datapipes.dataframe.structures: DataChunkDF
utils.data.datapipes.iter.callable: CollatorIterDataPipe MapperIterDataPipe
utils.data.datapipes.iter.combining: ConcaterIterDataPipe DemultiplexerIterDataPipe
    ForkerIterDataPipe MultiplexerIterDataPipe ZipperIterDataPipe
utils.data.datapipes.iter.filelister: FileListerIterDataPipe
utils.data.datapipes.iter.fileopener: FileOpenerIterDataPipe
utils.data.datapipes.iter.grouping: BatcherIterDataPipe GrouperIterDataPipe
    UnBatcherIterDataPipe
utils.data.datapipes.iter.routeddecoder: RoutedDecoderIterDataPipe
utils.data.datapipes.iter.selecting: FilterIterDataPipe
utils.data.datapipes.iter.sharding: ShardingFilterIterDataPipe
utils.data.datapipes.iter.streamreader: StreamReaderIterDataPipe
utils.data.datapipes.iter.utils: IterableWrapperIterDataPipe
utils.data.datapipes.utils:
utils.data.datapipes.utils.common: validate_input_col StreamWrapper
    get_file_binaries_from_pathnames get_file_pathnames_from_root match_masks
    validate_pathname_binary_tuple
utils.data.datapipes.utils.decoder: Decoder ImageHandler MatHandler audiohandler basichandlers
    extension_extract_fn handle_extension imagehandler mathandler videohandler
utils.data.datapipes.utils.snapshot = utils.data.datapipes.datapipe: IterDataPipe
utils.data.datapipes.utils.snapshot = utils.data.graph_settings: apply_random_seed
utils.jit:
utils.jit.log_extract: extract_ir load_graph_and_inputs make_tensor_from_type no_fuser
    run_baseline_no_fusion run_nnc run_nvfuser run_test time_cpu time_cuda
utils.serialization:
utils.serialization.config:
utils.viz:
"""),
    *rows(PROCESSES, """
distributed.debug: start_debug_server stop_debug_server
distributed.elastic.rendezvous = distributed.elastic.rendezvous.api: RendezvousClosedError
    RendezvousConnectionError RendezvousError RendezvousGracefulExitError RendezvousHandler
    RendezvousHandlerRegistry RendezvousInfo RendezvousParameters RendezvousStateError
    RendezvousStoreInfo RendezvousTimeoutError
distributed.elastic.rendezvous.api: RendezvousClosedError RendezvousConnectionError
    RendezvousError RendezvousGracefulExitError RendezvousHandler RendezvousHandlerRegistry
    RendezvousInfo RendezvousParameters RendezvousStateError RendezvousStoreInfo
    RendezvousTimeoutError
distributed.elastic.rendezvous.c10d_rendezvous_backend =
    distributed.elastic.rendezvous.dynamic_rendezvous: RendezvousBackend
distributed.elastic.rendezvous.c10d_rendezvous_backend = distributed.elastic.rendezvous.api:
    RendezvousConnectionError RendezvousError RendezvousParameters RendezvousStateError
distributed.elastic.rendezvous.c10d_rendezvous_backend = distributed.elastic.rendezvous.utils:
    parse_rendezvous_endpoint
distributed.elastic.rendezvous.c10d_rendezvous_backend: C10dRendezvousBackend create_backend
distributed.elastic.rendezvous.dynamic_rendezvous: RendezvousBackend RendezvousTimeout
    RendezvousSettings DynamicRendezvousHandler create_handler
distributed.elastic.rendezvous.etcd_rendezvous: EtcdRendezvousRetryableFailure
    EtcdRendezvousRetryImmediately EtcdRendezvousHandler EtcdRendezvous create_rdzv_handler
distributed.elastic.rendezvous.etcd_server: EtcdServer find_free_port stop_etcd
distributed.elastic.rendezvous.etcd_store: EtcdStore cas_delay
distributed.elastic.rendezvous.registry: get_rendezvous_handler
distributed.elastic.rendezvous.static_tcp_rendezvous: StaticTCPRendezvous create_rdzv_handler
distributed.elastic.rendezvous.utils: parse_rendezvous_endpoint
distributed.flight_recorder:
distributed.flight_recorder.components:
distributed.flight_recorder.components.builder: build_groups_memberships build_collectives
    transform_ft build_db
distributed.flight_recorder.components.config_manager: JobConfig
distributed.flight_recorder.components.fr_logger: FlightRecorderLogger
distributed.flight_recorder.components.loader: read_dump read_dir
distributed.flight_recorder.components.types: Ref TypeInfo MatchState MatchInfo Group Membership
    Traceback Collective NCCLCall Database EntryState Op MatchStateRecord
distributed.flight_recorder.components.utils: add_stack_id_in_entries align_trace_from_beginning
    check_current_entry_match check_no_missing_dump_files check_version error_analysis
    find_coalesced_group find_coalesced_group_with_non_p2p get_version_detail just_print_entries
    match_coalesced_groups_with_non_p2p match_coalesced_groups format_frame format_frames
    match_one_event check_size_alltoall
distributed.flight_recorder.fr_trace: main
"""),
]  # fmt: skip
