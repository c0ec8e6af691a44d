"""Whether new memory is filled when results must be reproducible."""

# Memory of `empty` is whatever it was in either case; PyTorch fills it with NaN when this is set.
fill_uninitialized_memory = True
