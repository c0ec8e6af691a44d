"""Kernels written in Python and run as machine code; `docs/native_kernels.md` says how."""
