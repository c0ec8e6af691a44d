"""Discrete Fourier transforms of real and complex tensors.

>>> import chainrule as torch
>>> torch.fft.fft(torch.tensor([1., 0., 0., 0.])).real
tensor([1., 1., 1., 1.])
"""

from .tensor.namespaces import filled_on_demand

__getattr__, __dir__ = filled_on_demand(globals(), "fft")
