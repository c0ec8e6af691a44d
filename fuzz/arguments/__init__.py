"""Absurd arguments: every public call with one argument replaced by nonsense.

`python -m fuzz.arguments` takes valid calls of functions, methods, layers, optimizers,
distributions and loaders, replaces one argument after the other (also those left at their
defaults, and the parts of tuples) by each of `values.ABSURD`, and judges what comes of it: a
result or a clear error. An error that arose inside by accident (a missing attribute of None, a
text of NumPy), a warning of NumPy, a crash, more than two seconds or a gigabyte are finds.
"""
