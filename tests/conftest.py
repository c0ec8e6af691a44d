"""Fixtures of all tests: a fixed seed, and the promise that no test leaves a mode switched on."""

import gc
import os
import signal

import hypothesis
import numpy as np
import pytest

import chainrule
from chainrule.autograd.state import STATE

# A job in the background of a shell starts with Ctrl-C ignored, and so would all its children: the
# tests that interrupt one could not pass there.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How long generating takes says something of the machine, not of what is tested.
hypothesis.settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any machine")

os.environ.setdefault("CHAINRULE_VERIFY", "1")  # compiled programs are checked after every pass


def pytest_configure() -> None:
    """Ctrl-C arrives in the programs that tests start, although this one runs in the background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """The collector leaves tens of thousands of collected tests alone: it would walk them all."""
    settle()


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Nor does it walk what the files before have left for good (modules, plans, reports)."""
    if nextitem is not None and item.path != nextitem.path:
        settle()


def settle() -> None:
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def fixed_seed():
    """Random draws start from the same state in every test."""
    np.random.seed(0)
    if hasattr(chainrule, "manual_seed"):
        chainrule.manual_seed(0)


def modes() -> dict:
    """Everything a context manager of the package can switch in this thread."""
    return {
        "word": STATE.w,
        "grad mode": STATE.grad_enabled,
        "inference mode": STATE.inference,
        "unusual": STATE.unusual,
        "transform levels": list(STATE.levels),
        "saved-tensor hooks": list(STATE.saved_hooks),
        "trace": STATE.trace,
        "autocast": STATE.autocast,
        "observers": list(STATE.observers),
        "anomaly mode": STATE.anomaly,
        "default dtype": chainrule.get_default_dtype(),
    }


@pytest.fixture(autouse=True)
def sealed_modes():
    """A test that leaks a mode fails itself, instead of changing the tests after it."""
    before = modes()
    yield
    after = modes()
    leaked = [f"{k}: {before[k]!r} -> {after[k]!r}" for k in before if before[k] != after[k]]
    if leaked:
        STATE.levels.clear()
        STATE.saved_hooks.clear()
        STATE.observers.clear()
        STATE.__init__()
        chainrule.set_default_dtype(before["default dtype"])
    assert not leaked, f"the test leaves modes changed: {'; '.join(leaked)}"
