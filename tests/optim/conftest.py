"""Fixtures of the optimizers' tests."""

import pytest

from chainrule.ops.kernels import Kernels
from chainrule.optim import plan


@pytest.fixture
def numpy_only(monkeypatch):
    """No machine code: steps take their NumPy form."""
    monkeypatch.setattr(plan, "fast", Kernels())
