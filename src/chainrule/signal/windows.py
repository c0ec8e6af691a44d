"""Window functions: weights that fade a piece of a signal in and out.

>>> import chainrule as torch
>>> torch.signal.windows.hann(5)
tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
"""

from ..tensor.namespaces import filled_on_demand

__getattr__, __dir__ = filled_on_demand(globals(), "signal.windows")

__path__: list[str] = []  # PyTorch keeps the functions in `windows.windows`; so do imports
