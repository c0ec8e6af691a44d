"""A differential fuzzer: random programs must mean the same however they are run.

A program is text. Families of programs (`fuzz/families`) have what is likely to go wrong together:
straight-line code, compiled functions with state that changes, and so on. Each program is run in
the ways its family compares, and by PyTorch where that is wanted and installed. A disagreement is
shrunk to the shortest program that still shows it.

    python -m fuzz --family all --programs 2000 --seed 0 --jobs 2
"""
