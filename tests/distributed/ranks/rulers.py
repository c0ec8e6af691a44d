"""Prints rulers, as mpiexec does around its own words."""

import os

print("=" * 70)
print("epoch 1")
print("-" * 70)
print("rank", os.environ["RANK"])
