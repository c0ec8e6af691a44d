"""The functions of neural networks: everything declared for `nn.functional` in the public table."""

from ..tensor.api import functions_of

globals().update(functions_of("nn.functional"))
