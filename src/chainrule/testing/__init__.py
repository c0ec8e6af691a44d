"""Help for tests: `assert_close` compares with tolerances, `make_tensor` makes random tensors."""

from .comparison import assert_close
from .creation import make_tensor

__all__ = ["assert_close", "make_tensor"]
