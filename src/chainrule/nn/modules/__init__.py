"""The classes of `chainrule.nn`, one file per family, imported when a name is first used."""

from __future__ import annotations

import importlib
from typing import Any

# Every public class by the file that defines it. Files and classes have PyTorch's names, because
# programs import `torch.nn.modules.linear.Linear` and pickles name classes by module.
HOMES: dict[str, tuple[str, ...]] = {
    "module": ("Module",),
    "container": (
        "Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential",
    ),
    "linear": ("Bilinear", "Identity", "LazyLinear", "Linear"),
    "conv": (
        "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
        "LazyConv1d", "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d",
        "LazyConvTranspose3d",
    ),
    "activation": (
        "CELU", "ELU", "GELU", "GLU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh",
        "LeakyReLU", "LogSigmoid", "LogSoftmax", "Mish", "MultiheadAttention", "PReLU", "ReLU",
        "ReLU6", "RReLU", "SELU", "SiLU", "Sigmoid", "Softmax", "Softmax2d", "Softmin", "Softplus",
        "Softshrink", "Softsign", "Tanh", "Tanhshrink", "Threshold",
    ),
    "batchnorm": (
        "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LazyBatchNorm1d", "LazyBatchNorm2d",
        "LazyBatchNorm3d", "SyncBatchNorm",
    ),
    "instancenorm": (
        "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LazyInstanceNorm1d",
        "LazyInstanceNorm2d", "LazyInstanceNorm3d",
    ),
    "normalization": (
        "CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm",
    ),
    "pooling": (
        "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d",
        "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d",
        "FractionalMaxPool2d", "FractionalMaxPool3d", "LPPool1d", "LPPool2d", "LPPool3d",
        "MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d",
    ),
    "padding": (
        "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d",
        "ConstantPad3d", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d",
        "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "ZeroPad1d", "ZeroPad2d",
        "ZeroPad3d",
    ),
    "dropout": (
        "AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout",
    ),
    "sparse": ("Embedding", "EmbeddingBag"),
    "flatten": ("Flatten", "Unflatten"),
    "fold": ("Fold", "Unfold"),
    "pixelshuffle": ("PixelShuffle", "PixelUnshuffle"),
    "channelshuffle": ("ChannelShuffle",),
    "upsampling": ("Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"),
    "distance": ("CosineSimilarity", "PairwiseDistance"),
    "loss": (
        "BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss", "CrossEntropyLoss",
        "GaussianNLLLoss", "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss", "L1Loss",
        "LinearCrossEntropyLoss", "MSELoss", "MarginRankingLoss", "MultiLabelMarginLoss",
        "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss", "NLLLoss2d", "PoissonNLLLoss",
        "SmoothL1Loss", "SoftMarginLoss", "TripletMarginLoss", "TripletMarginWithDistanceLoss",
    ),
    "linear_cross_entropy_options": ("LinearCrossEntropyOptions",),
    "adaptive": ("AdaptiveLogSoftmaxWithLoss",),
    "rnn": (
        "GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNBase", "RNNCell", "RNNCellBase",
    ),
    "transformer": (
        "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
        "TransformerEncoderLayer",
    ),
}  # fmt: skip
FILES = (*HOMES, "lazy", "utils")
HOME_OF = {name: home for home, names in HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in FILES:
        return importlib.import_module(f".{name}", __name__)
    if name == "__all__":
        return sorted(HOME_OF)
    home = HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(f".{home}", __name__), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *FILES, *HOME_OF})
