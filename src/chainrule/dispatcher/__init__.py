"""Ops put before classes and modes with `__torch_dispatch__`, below autograd.

| file | what is in it |
|---|---|
| `asking.py` | who is asked about an operator, in which order, and what runs when nobody answers |
| `level.py` | the level of tensors whose class is asked: ops, in-place writes, history |
| `calls.py` | operators by name, with the arguments PyTorch would hand on |
| `lowering*.py` | each op of the table as operators of PyTorch |
| `composites.py` | ops that PyTorch puts together of others before autograd looks |
| `gradients.py` | backward formulas that are operators of their own there |
| `creation.py` | functions that make tensors, for modes |
| `wrappers.py` | tensors that hold other tensors |

Nothing here is loaded before a class defines `__torch_dispatch__` or a mode is entered.
"""
