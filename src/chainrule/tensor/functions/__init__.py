"""Torch-style functions, one module per family. Importing a module declares its functions."""

from . import complex_parts, elementwise, shapes

from . import indexing_functions, positions, view_scatter  # isort: skip
from . import reductions, scans, sorting, statistics  # isort: skip
from . import arranging, casts, copies, joining, random_functions  # isort: skip
from . import einsum, fft, products, signal, special, vector_norms, vector_products, windows  # isort: skip
from . import decompositions, linalg, norms, spectral  # isort: skip
from . import lobpcg, lowrank  # isort: skip
from . import nn_activation, nn_class_loss, nn_conv, nn_linear, nn_loss, nn_margin, nn_norm  # isort: skip
from . import nn_batch_norm, nn_linear_loss  # isort: skip
from . import nn_attention, nn_ctc, nn_grid, nn_heads, nn_pool, nn_recurrent, nn_vision  # isort: skip
from . import native_names, segments  # isort: skip

__all__ = [
    "arranging", "casts", "complex_parts", "copies", "decompositions", "einsum", "elementwise",
    "fft", "indexing_functions", "joining", "linalg", "lobpcg", "lowrank", "native_names",
    "nn_activation", "nn_attention", "nn_batch_norm", "nn_class_loss", "nn_conv", "nn_ctc",
    "nn_grid", "nn_heads", "nn_linear", "nn_linear_loss", "nn_loss", "nn_margin", "nn_norm",
    "nn_pool", "nn_recurrent", "nn_vision", "norms", "positions", "products", "random_functions",
    "reductions", "scans", "segments", "shapes", "signal", "sorting", "special", "spectral",
    "statistics", "vector_norms", "vector_products", "view_scatter", "windows",
]  # fmt: skip
