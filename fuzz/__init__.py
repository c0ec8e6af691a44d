"""A differential fuzzer: random programs must mean the same however they are run.

A program is a list of Python lines over tensors: arithmetic, views, in-place writes, indexing,
reductions, products. It is run eagerly, with `create_graph`, in forward mode, on a transform
level, under vmap, nested to depth 3, traced and compiled, by finite differences, and by PyTorch
where installed. A disagreement is shrunk to the shortest program that still shows it.

    python -m fuzz --programs 2000 --seed 0
"""
