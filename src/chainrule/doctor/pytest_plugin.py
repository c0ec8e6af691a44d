"""A fixture for pytest: `doctor` watches the test, which fails on findings.

def test_training(doctor):
    train(epochs=1)

Installed with chainrule. `@pytest.mark.doctor(ignore=["graph-leak"])` chooses rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


def pytest_configure(config: Any) -> None:
    """Declare the marker."""
    config.addinivalue_line(
        "markers", "doctor(only=None, ignore=None): the rules of the `doctor` fixture"
    )


@pytest.fixture
def doctor(request: Any) -> Iterator[Any]:
    """Watch the test's training; errors and warnings of the doctor fail it."""
    from . import watch

    mark = request.node.get_closest_marker("doctor")
    options = {} if mark is None else mark.kwargs
    with watch(**options) as watched:
        yield watched


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: Any) -> Iterator[Any]:
    """Fail the test itself, not its teardown."""
    result = yield
    watched = pyfuncitem.funcargs.get("doctor")
    if isinstance(watched, _watch_class()) and watched.diagnosis.code:
        pytest.fail(str(watched), pytrace=False)
    return result


def _watch_class() -> type:
    import sys

    module = sys.modules.get("chainrule.doctor.watch")  # there if the fixture was used
    return module.Watch if module is not None else type(None)
