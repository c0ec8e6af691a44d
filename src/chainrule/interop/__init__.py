"""Bridges to other libraries: `interop.scipy` minimises losses with SciPy's methods."""

from . import scipy as scipy
