"""Linear algebra: decompositions, solvers, norms, products; every one differentiable.

>>> import chainrule as torch
>>> torch.linalg.det(torch.tensor([[2., 1.], [1., 3.]]))
tensor(5.)
"""

from .ops.errors import LinAlgError as LinAlgError
from .tensor.namespaces import filled_on_demand

__getattr__, __dir__ = filled_on_demand(globals(), "linalg")
