"""What this build is made for: the CPU, and nothing else."""

__version__ = "0.1.0"
cuda = None
hip = None
xpu = None
