"""Stands in for `functorch`, which PyTorch installs beside `torch`."""

import sys

import torch  # pyright: ignore[reportMissingImports]  (the stand-in beside this one)

sys.modules["functorch"] = torch.func
