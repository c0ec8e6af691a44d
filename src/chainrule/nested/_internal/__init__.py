"""Where PyTorch keeps the class of jagged tensors."""
