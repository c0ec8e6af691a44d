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
ao.nn.qat.modules.conv: Conv1d Conv2d Conv3d
ao.nn.qat.modules.embedding_ops: Embedding EmbeddingBag
ao.nn.qat.modules.linear: Linear
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
ao.nn.quantized.dynamic.modules.linear: Linear
ao.nn.quantized.dynamic.modules.rnn: GRU GRUCell LSTM LSTMCell PackedParameter RNNBase RNNCell
    RNNCellBase apply_permutation pack_weight_bias
ao.nn.quantized.functional: adaptive_avg_pool2d adaptive_avg_pool3d avg_pool2d avg_pool3d celu
    clamp conv1d conv2d conv3d elu hardsigmoid hardswish hardtanh interpolate leaky_relu linear
    max_pool1d max_pool2d threshold upsample upsample_bilinear upsample_nearest
ao.nn.quantized.modules: DeQuantize Quantize
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
ao.nn.quantized.modules.conv: Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d
    ConvTranspose3d
ao.nn.quantized.modules.dropout: Dropout
ao.nn.quantized.modules.embedding_ops: Embedding EmbeddingBag EmbeddingPackedParams
ao.nn.quantized.modules.functional_modules: FXFloatFunctional FloatFunctional QFunctional
ao.nn.quantized.modules.linear: Linear LinearPackedParams
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
ao.quantization.fuse_modules: fuse_known_modules fuse_modules fuse_modules_qat
ao.quantization.fuser_method_mappings: fuse_conv_bn fuse_conv_bn_relu fuse_convtranspose_bn
    fuse_linear_bn get_fuser_method get_fuser_method_new
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
