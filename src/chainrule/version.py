"""What this build is made for: the CPU, and nothing else."""

__version__ = chainrule = "0.1.0"  # under `chainrule run` the first becomes PyTorch's
debug = False
cuda = None
hip = None
rocm = None
xpu = None
git_version = f"chainrule-{chainrule}"  # no commit of PyTorch's

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]
