"""Special functions, element by element: gamma, error, Bessel, zeta, orthogonal polynomials.

>>> import chainrule as torch
>>> torch.special.gammaln(torch.tensor(5.)).exp()
tensor(24.)
"""

from .tensor.namespaces import filled_on_demand

__getattr__, __dir__ = filled_on_demand(globals(), "special")
