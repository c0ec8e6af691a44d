"""Quantized integers: layers and tools that need tensors of them."""

from __future__ import annotations

from ..kinds import NOT_WRITTEN, QUANTIZED
from .say import rows

ROWS = [
    *rows(QUANTIZED, """
ao.nn:
ao.nn.intrinsic.qat = ao.nn.intrinsic.qat.modules.conv_fused:
ao.nn.intrinsic.qat = ao.nn.intrinsic.qat.modules.linear_fused:
ao.nn.intrinsic.qat = ao.nn.intrinsic.qat.modules.linear_relu:
ao.nn.intrinsic.qat.modules = ao.nn.intrinsic.qat.modules.conv_fused:
ao.nn.intrinsic.qat.modules = ao.nn.intrinsic.qat.modules.linear_fused:
ao.nn.intrinsic.qat.modules = ao.nn.intrinsic.qat.modules.linear_relu:
ao.nn.intrinsic.qat.modules.conv_fused: ConvBn1d ConvBn2d ConvBn3d ConvBnReLU1d ConvBnReLU2d
    ConvBnReLU3d ConvReLU1d ConvReLU2d ConvReLU3d freeze_bn_stats update_bn_stats
ao.nn.intrinsic.qat.modules.linear_fused: LinearBn1d
ao.nn.intrinsic.qat.modules.linear_relu: LinearReLU
ao.nn.intrinsic.quantized = ao.nn.intrinsic.quantized.modules.bn_relu:
ao.nn.intrinsic.quantized = ao.nn.intrinsic.quantized.modules.conv_add:
ao.nn.intrinsic.quantized = ao.nn.intrinsic.quantized.modules.conv_relu:
ao.nn.intrinsic.quantized = ao.nn.intrinsic.quantized.modules.linear_relu:
ao.nn.intrinsic.quantized.dynamic = ao.nn.intrinsic.quantized.dynamic.modules.linear_relu:
ao.nn.intrinsic.quantized.dynamic.modules = ao.nn.intrinsic.quantized.dynamic.modules.linear_relu:
ao.nn.intrinsic.quantized.dynamic.modules.linear_relu: LinearReLU
ao.nn.intrinsic.quantized.modules = ao.nn.intrinsic.quantized.modules.bn_relu:
ao.nn.intrinsic.quantized.modules = ao.nn.intrinsic.quantized.modules.conv_add:
ao.nn.intrinsic.quantized.modules = ao.nn.intrinsic.quantized.modules.conv_relu:
ao.nn.intrinsic.quantized.modules = ao.nn.intrinsic.quantized.modules.linear_relu:
ao.nn.intrinsic.quantized.modules.bn_relu: BNReLU2d BNReLU3d
ao.nn.intrinsic.quantized.modules.conv_add: ConvAdd2d ConvAddReLU2d
ao.nn.intrinsic.quantized.modules.conv_relu: ConvReLU1d ConvReLU2d ConvReLU3d
ao.nn.intrinsic.quantized.modules.linear_relu: LinearLeakyReLU LinearReLU LinearTanh
ao.nn.qat = ao.nn.qat.modules.conv:
ao.nn.qat = ao.nn.qat.modules.embedding_ops:
ao.nn.qat = ao.nn.qat.modules.linear:
ao.nn.qat.dynamic = ao.nn.qat.dynamic.modules.linear:
ao.nn.qat.dynamic.modules = ao.nn.qat.dynamic.modules.linear:
ao.nn.qat.dynamic.modules.linear: Linear
ao.nn.qat.modules = ao.nn.qat.modules.conv:
ao.nn.qat.modules = ao.nn.qat.modules.embedding_ops:
ao.nn.qat.modules = ao.nn.qat.modules.linear:
ao.nn.qat.modules.conv: Conv1d Conv3d
ao.nn.qat.modules.conv = ao.quantization.training_layers: Conv2d
ao.nn.qat.modules.embedding_ops: Embedding EmbeddingBag
ao.nn.qat.modules.linear = ao.quantization.training_layers: Linear
ao.nn.quantizable = ao.nn.quantizable.modules.rnn:
ao.nn.quantizable = ao.nn.quantizable.modules.activation:
ao.nn.quantizable.modules = ao.nn.quantizable.modules.rnn:
ao.nn.quantizable.modules = ao.nn.quantizable.modules.activation:
ao.nn.quantizable.modules.activation: MultiheadAttention
ao.nn.quantizable.modules.rnn: LSTM LSTMCell
ao.nn.quantized = ao.nn.quantized.modules.batchnorm:
ao.nn.quantized = ao.nn.quantized.modules.conv:
ao.nn.quantized = ao.nn.quantized.modules: DeQuantize Quantize
ao.nn.quantized = ao.nn.quantized.modules.dropout:
ao.nn.quantized = ao.nn.quantized.modules.activation:
ao.nn.quantized = ao.nn.quantized.modules.embedding_ops: Embedding EmbeddingBag
ao.nn.quantized = ao.nn.quantized.modules.functional_modules:
ao.nn.quantized = ao.nn.quantized.modules.normalization:
ao.nn.quantized = ao.nn.quantized.modules.rnn:
ao.nn.quantized = ao.nn.quantized.modules.linear: Linear
ao.nn.quantized.dynamic = ao.nn.quantized.dynamic.modules.conv:
ao.nn.quantized.dynamic = ao.nn.quantized.dynamic.modules.rnn: GRU GRUCell LSTM LSTMCell RNNCell
ao.nn.quantized.dynamic = ao.nn.quantized.dynamic.modules.linear:
ao.nn.quantized.dynamic.modules = ao.nn.quantized.dynamic.modules.conv:
ao.nn.quantized.dynamic.modules = ao.nn.quantized.dynamic.modules.rnn: GRU GRUCell LSTM LSTMCell
    RNNCell
ao.nn.quantized.dynamic.modules = ao.nn.quantized.dynamic.modules.linear:
ao.nn.quantized.dynamic.modules.conv: Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d
    ConvTranspose3d
ao.nn.quantized.dynamic.modules.linear = ao.quantization.dynamic_layers: Linear
ao.nn.quantized.dynamic.modules.rnn = ao.quantization.dynamic_layers: GRU LSTM
ao.nn.quantized.dynamic.modules.rnn: GRUCell LSTMCell PackedParameter RNNBase RNNCell
    RNNCellBase apply_permutation pack_weight_bias
ao.nn.quantized.functional: adaptive_avg_pool2d adaptive_avg_pool3d avg_pool2d avg_pool3d celu
    clamp conv1d conv2d conv3d elu hardsigmoid hardswish hardtanh interpolate leaky_relu linear
    max_pool1d max_pool2d threshold upsample upsample_bilinear upsample_nearest
ao.nn.quantized.modules = ao.quantization.static_layers: DeQuantize Quantize
ao.nn.quantized.modules = ao.nn.quantized.modules.batchnorm:
ao.nn.quantized.modules = ao.nn.quantized.modules.conv:
ao.nn.quantized.modules = ao.nn.quantized.modules.dropout:
ao.nn.quantized.modules = ao.nn.quantized.modules.activation:
ao.nn.quantized.modules = ao.nn.quantized.modules.embedding_ops: Embedding EmbeddingBag
ao.nn.quantized.modules = ao.nn.quantized.modules.functional_modules:
ao.nn.quantized.modules = ao.nn.quantized.modules.normalization:
ao.nn.quantized.modules = ao.nn.quantized.modules.rnn:
ao.nn.quantized.modules = ao.nn.quantized.modules.linear: Linear
ao.nn.quantized.modules.activation: ELU Hardswish LeakyReLU MultiheadAttention PReLU ReLU6
    Sigmoid Softmax
ao.nn.quantized.modules.batchnorm: BatchNorm2d BatchNorm3d
ao.nn.quantized.modules.conv = ao.quantization.static_layers: Conv2d
ao.nn.quantized.modules.conv: Conv1d Conv3d ConvTranspose1d ConvTranspose2d
    ConvTranspose3d
ao.nn.quantized.modules.dropout: Dropout
ao.nn.quantized.modules.embedding_ops: Embedding EmbeddingBag EmbeddingPackedParams
ao.nn.quantized.modules.functional_modules: FXFloatFunctional
ao.nn.quantized.modules.functional_modules = ao.quantization.static_layers: FloatFunctional
    QFunctional
ao.nn.quantized.modules.linear: LinearPackedParams
ao.nn.quantized.modules.linear = ao.quantization.static_layers: Linear
ao.nn.quantized.modules.normalization: GroupNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d
    LayerNorm
ao.nn.quantized.modules.rnn: LSTM
ao.nn.quantized.modules.utils: WeightedQuantizedModule
ao.nn.quantized.reference = ao.nn.quantized.reference.modules.conv:
ao.nn.quantized.reference = ao.nn.quantized.reference.modules.sparse:
ao.nn.quantized.reference = ao.nn.quantized.reference.modules.rnn: GRU GRUCell LSTM LSTMCell
    RNNCell
ao.nn.quantized.reference = ao.nn.quantized.reference.modules.linear:
ao.nn.quantized.reference.modules = ao.nn.quantized.reference.modules.conv:
ao.nn.quantized.reference.modules = ao.nn.quantized.reference.modules.sparse:
ao.nn.quantized.reference.modules = ao.nn.quantized.reference.modules.rnn: GRU GRUCell LSTM
    LSTMCell RNNCell
ao.nn.quantized.reference.modules = ao.nn.quantized.reference.modules.linear:
ao.nn.quantized.reference.modules.conv: Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d
    ConvTranspose3d
ao.nn.quantized.reference.modules.linear: Linear
ao.nn.quantized.reference.modules.rnn: GRU GRUCell LSTM LSTMCell RNNBase RNNCell RNNCellBase
    get_quantized_weight
ao.nn.quantized.reference.modules.sparse: Embedding EmbeddingBag
ao.nn.quantized.reference.modules.utils: ReferenceQuantizedModule
ao.nn.sparse:
ao.nn.sparse.quantized = ao.nn.sparse.quantized.linear:
ao.nn.sparse.quantized.dynamic = ao.nn.sparse.quantized.dynamic.linear:
ao.nn.sparse.quantized.dynamic.linear: Linear
ao.nn.sparse.quantized.linear: Linear LinearPackedParams
ao.nn.sparse.quantized.utils: LinearBlockSparsePattern
ao.quantization.fuser_method_mappings: fuse_conv_bn fuse_conv_bn_relu fuse_convtranspose_bn
    fuse_linear_bn get_fuser_method get_fuser_method_new
"""),
    *rows(QUANTIZED, """
ao.quantization.observer: AffineQuantizedObserverBase Granularity HistogramObserver
    PerAxis PerBlock PerGroup PerRow PerTensor PerToken ReuseInputObserver
    default_affine_fixed_qparams_observer default_dynamic_quant_observer
    default_fixed_qparams_range_0to1_observer default_fixed_qparams_range_neg1to1_observer
    default_float_qparams_observer default_float_qparams_observer_4bit
    default_histogram_observer default_reuse_input_observer
    default_symmetric_fixed_qparams_observer get_block_size get_observer_state_dict
    load_observer_state_dict
ao.quantization.fake_quantize: default_affine_fixed_qparams_fake_quant
    default_dynamic_fake_quant default_embedding_fake_quant default_embedding_fake_quant_4bit
    default_fused_act_fake_quant default_fused_per_channel_wt_fake_quant
    default_fused_wt_fake_quant default_histogram_fake_quant
    default_symmetric_fixed_qparams_fake_quant
    fused_per_channel_wt_fake_quant_range_neg_127_to_127
    fused_wt_fake_quant_range_neg_127_to_127
ao.quantization.qconfig: default_dynamic_qat_qconfig default_embedding_qat_qconfig
    default_embedding_qat_qconfig_4bit default_per_channel_symmetric_qnnpack_qat_qconfig
    default_per_channel_symmetric_qnnpack_qconfig default_qat_qconfig_v2
    default_quint8_weight_qconfig default_reuse_input_qconfig
    default_symmetric_qnnpack_qat_qconfig default_symmetric_qnnpack_qconfig
    float_qparams_weight_only_qconfig float_qparams_weight_only_qconfig_4bit
    get_default_qat_qconfig_dict get_default_qconfig_dict per_channel_dynamic_qconfig
    qconfig_equals
ao.quantization.quantize: get_default_custom_config_dict
ao.quantization.quantize_jit: convert_dynamic_jit convert_jit fuse_conv_bn_jit
    prepare_dynamic_jit prepare_jit quantize_dynamic_jit quantize_jit script_qconfig
    script_qconfig_dict
ao.quantization.qconfig_mapping: QConfigMapping get_default_qat_qconfig_mapping
    get_default_qconfig_mapping
ao.quantization.quantization_mappings: get_default_compare_output_module_list
    get_default_dynamic_quant_module_mappings get_default_dynamic_sparse_quant_module_mappings
    get_default_float_to_quantized_operator_mappings get_default_qat_module_mappings
    get_default_qconfig_propagation_list get_default_static_quant_module_mappings
    get_default_static_quant_reference_module_mappings
    get_default_static_sparse_quant_module_mappings get_dynamic_quant_module_class
    get_embedding_qat_module_mappings get_embedding_static_quant_module_mappings
    get_quantized_operator get_static_quant_module_class no_observer_set
ao.quantization.utils: MatchAllNode NodePattern Pattern activation_dtype
    activation_is_dynamically_quantized activation_is_int32_quantized
    activation_is_int8_quantized activation_is_statically_quantized calculate_qmin_qmax
    check_min_max_valid check_node determine_qparams get_combined_dict get_fqn_to_example_inputs
    get_qconfig_dtypes get_qparam_dict get_quant_type get_swapped_custom_module_class
    getattr_from_fqn has_no_children_ignoring_parametrizations is_per_channel is_per_tensor
    op_is_int8_dynamically_quantized to_underlying_dtype validate_qmin_qmax weight_dtype
    weight_is_quantized weight_is_statically_quantized
ao.quantization = ao.quantization.observer: AffineQuantizedObserverBase Granularity
    HistogramObserver MappingType PerAxis PerBlock PerGroup PerRow PerTensor PerToken
    ReuseInputObserver TorchAODType ZeroPointDomain default_affine_fixed_qparams_observer
    default_dynamic_quant_observer default_fixed_qparams_range_0to1_observer
    default_fixed_qparams_range_neg1to1_observer default_float_qparams_observer
    default_float_qparams_observer_4bit default_histogram_observer default_reuse_input_observer
    default_symmetric_fixed_qparams_observer get_block_size get_observer_state_dict
    load_observer_state_dict
ao.quantization = ao.quantization.fake_quantize: default_affine_fixed_qparams_fake_quant
    default_dynamic_fake_quant default_embedding_fake_quant default_embedding_fake_quant_4bit
    default_fused_act_fake_quant default_fused_per_channel_wt_fake_quant
    default_fused_wt_fake_quant default_histogram_fake_quant
    default_symmetric_fixed_qparams_fake_quant
    fused_per_channel_wt_fake_quant_range_neg_127_to_127
    fused_wt_fake_quant_range_neg_127_to_127
ao.quantization = ao.quantization.qconfig: get_default_qat_qconfig_dict get_default_qconfig_dict
    qconfig_equals
ao.quantization = ao.quantization.quantize: get_default_custom_config_dict
ao.quantization = ao.quantization.quantize_jit: convert_dynamic_jit convert_jit fuse_conv_bn_jit
    prepare_dynamic_jit prepare_jit quantize_dynamic_jit quantize_jit script_qconfig
    script_qconfig_dict
ao.quantization = ao.quantization.qconfig_mapping: QConfigMapping
    get_default_qat_qconfig_mapping get_default_qconfig_mapping
ao.quantization = ao.quantization.quant_type: QuantType
ao.quantization = ao.quantization.quantization_mappings: get_default_compare_output_module_list
    get_default_dynamic_quant_module_mappings get_default_dynamic_sparse_quant_module_mappings
    get_default_float_to_quantized_operator_mappings get_default_qat_module_mappings
    get_default_qconfig_propagation_list get_default_static_quant_module_mappings
    get_default_static_quant_reference_module_mappings
    get_default_static_sparse_quant_module_mappings get_dynamic_quant_module_class
    get_embedding_qat_module_mappings get_embedding_static_quant_module_mappings
    get_quantized_operator get_static_quant_module_class no_observer_set
ao.quantization = ao.quantization.fuser_method_mappings: fuse_conv_bn fuse_conv_bn_relu
    fuse_convtranspose_bn fuse_linear_bn get_fuser_method get_fuser_method_new
ao.quantization: ObserverOrFakeQuantize default_eval_fn
quantization = ao.quantization:
quantization.fake_quantize = ao.quantization.fake_quantize:
quantization.fuse_modules = ao.quantization.fuse_modules:
quantization.fuser_method_mappings = ao.quantization.fuser_method_mappings:
quantization.observer = ao.quantization.observer:
quantization.qconfig = ao.quantization.qconfig:
quantization.quant_type = ao.quantization.quant_type:
ao.ns:
quantization.quantization_mappings = ao.quantization.quantization_mappings:
quantization.quantize = ao.quantization.quantize:
quantization.quantize_jit = ao.quantization.quantize_jit:
quantization.stubs = ao.quantization.stubs:
quantization.utils = ao.quantization.utils:
ao.nn.intrinsic.modules.fused: BNReLU2d BNReLU3d ConvAdd2d ConvAddReLU2d ConvBn1d ConvBn2d
    ConvBn3d ConvBnReLU1d ConvBnReLU2d ConvBnReLU3d ConvReLU1d ConvReLU3d LinearBn1d
    LinearLeakyReLU LinearTanh _FusedModule
ao.nn.intrinsic.modules.fused = ao.quantization.fuse_modules: ConvReLU2d LinearReLU
ao.nn.intrinsic.modules = ao.nn.intrinsic.modules.fused:
ao.nn.intrinsic = ao.nn.intrinsic.modules.fused:
nn.quantized = ao.nn.quantized:
nn.quantized.modules = ao.nn.quantized.modules:
nn.quantized.dynamic = ao.nn.quantized.dynamic:
nn.intrinsic = ao.nn.intrinsic:
nn.qat = ao.nn.qat:
"""),
    *rows(NOT_WRITTEN, """
ao.pruning: get_dynamic_sparse_quantized_mapping get_static_sparse_quantized_mapping
ao.pruning = ao.pruning.scheduler.base_scheduler:
ao.pruning = ao.pruning.scheduler.cubic_scheduler:
ao.pruning = ao.pruning.scheduler.lambda_scheduler:
ao.pruning = ao.pruning.sparsifier.base_sparsifier:
ao.pruning = ao.pruning.sparsifier.nearly_diagonal_sparsifier:
ao.pruning = ao.pruning.sparsifier.utils:
ao.pruning = ao.pruning.sparsifier.weight_norm_sparsifier:
ao.pruning.scheduler.base_scheduler: BaseScheduler
ao.pruning.scheduler.cubic_scheduler: CubicSL
ao.pruning.scheduler.lambda_scheduler: LambdaSL
ao.pruning.sparsifier.base_sparsifier: BaseSparsifier
ao.pruning.sparsifier.nearly_diagonal_sparsifier: NearlyDiagonalSparsifier
ao.pruning.sparsifier.utils: FakeSparsity fqn_to_module get_arg_info_from_tensor_fqn
    module_to_fqn
ao.pruning.sparsifier.weight_norm_sparsifier: WeightNormSparsifier
"""),
]  # fmt: skip
