"""Stands in for `functorch`, which PyTorch installs beside `torch`."""

import sys

import torch

sys.modules["functorch"] = torch.func  # pyright: ignore[reportAttributeAccessIssue]
