"""Help for tests: `assert_close` compares with tolerances, `make_tensor` makes random tensors."""

from ..autograd.source import warn_user
from ..tensor.creation import as_tensor
from .comparison import assert_close
from .creation import make_tensor


def assert_allclose(actual, expected, rtol=None, atol=None, equal_nan=True, msg=""):
    """The old name: `assert_close` without a check of types, with wider tolerances."""
    warn_user(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a "
        "future release. Please use `torch.testing.assert_close()` instead.",
        FutureWarning,
    )
    if not hasattr(actual, "dtype"):
        actual = as_tensor(actual)
    if not hasattr(expected, "dtype"):
        expected = as_tensor(expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        kinds = {getattr(x.dtype, "itemsize", 4) for x in (actual, expected)}
        rtol, atol = (1e-3, 1e-3) if min(kinds) == 2 else (1e-4, 1e-5) if min(kinds) == 4 else (
            1e-5, 1e-8)  # fmt: skip
    assert_close(
        actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_device=True,
        check_dtype=False, check_stride=False, msg=msg or None,
    )  # fmt: skip


__all__ = ["assert_allclose", "assert_close", "make_tensor"]
