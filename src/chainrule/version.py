"""What this build is made for: the CPU, and nothing else."""

__version__ = chainrule = "0.1.0"  # under `chainrule run` the first becomes PyTorch's
cuda = None
hip = None
xpu = None
