"""No kernel, eager or compiled, reads or writes outside of the arrays it is given."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="pages are closed with mprotect")


@pytest.mark.parametrize(
    ("mode", "step", "least"),
    [
        ("eager", 5, 800),
        ("compiled", 60, 40),
        pytest.param("eager", 1, 10_000, marks=pytest.mark.slow),
        pytest.param("compiled", 1, 2_500, marks=pytest.mark.slow),
    ],
)
def test_samples_between_closed_pages(mode, step, least):
    program = Path(__file__).with_name("guard_pages.py")
    ran = subprocess.run(
        [sys.executable, str(program), "0", str(step), mode], capture_output=True, text=True
    )
    last = ran.stdout.splitlines()[-1] if ran.stdout else ""
    assert ran.returncode == 0, f"{last}: {ran.stderr[-2000:]}"
    assert int(last.removeprefix("done ")) >= least


def test_the_pages_are_closed():
    program = Path(__file__).with_name("guard_pages.py")
    code = (
        f"import sys; sys.path.insert(0, {str(program.parent)!r}); import ctypes, guard_pages, "
        "numpy as np; a = guard_pages.guarded(np.ones(3), True); "
        "ctypes.string_at(a.ctypes.data, 8 * 4)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode < 0
