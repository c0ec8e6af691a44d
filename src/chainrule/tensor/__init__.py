"""The user's object, its methods and torch-style functions over the op table."""

from .tensor import Tensor  # isort: skip - the class must exist before entries are made
from . import functions
from .api import API, function_form, functions_of, install_methods, name_as_found, records_of
from .autograd_methods import install_autograd_methods
from .methods import install_tensor_methods
from .operators import install_operators
from .parameter import Parameter
from .size import Size

install_methods(Tensor)
install_operators(Tensor)
install_tensor_methods(Tensor)
install_autograd_methods(Tensor)

from . import overridable  # noqa: E402 - Tensor is complete now

__all__ = ["API", "Parameter", "Size", "Tensor", "function_form", "functions", "functions_of",
           "name_as_found", "overridable", "records_of"]  # fmt: skip
