"""Names of `torch._functorch` and of the old `functorch` package."""
