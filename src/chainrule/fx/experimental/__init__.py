"""Tracing of tensors' own operations, and names of PyTorch's experiments."""
