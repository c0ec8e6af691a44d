"""Every op gives PyTorch's values, shapes and types."""

import numpy as np
import pytest

import chainrule

from .harness import TOLERANCE, Case, as_array, assert_close, cases, is_tensor, run, tensor
from .recorded import recording

# Old names warn; what they compute is checked here.
pytestmark = pytest.mark.filterwarnings("ignore:.*is deprecated:UserWarning")


def compare(case: Case, outs, pieces, rtol_of) -> None:
    assert len(outs) == len(pieces), f"{case}: {len(outs)} results, PyTorch has {len(pieces)}"
    for k, (out, piece) in enumerate(zip(outs, pieces, strict=True)):
        what = f"{case} result {k}"
        if "python" in piece:
            assert repr(out).replace("chainrule", "torch") == piece["python"], what
            continue
        assert is_tensor(out), f"{what}: {out!r} is no tensor"
        assert out.dtype.name == piece["dtype"], (
            f"{what}: type {out.dtype.name}, PyTorch has {piece['dtype']}"
        )
        assert_close(
            as_array(out), case.recorded(piece), rtol_of(piece["dtype"]),
            f"{what} ({piece['dtype']})",
        )  # fmt: skip


@pytest.mark.parametrize("case", cases("value"), ids=lambda c: c.key)
def test_value(case: Case):
    outs = run(case, [tensor(a) for a in case.sample.arrays()])
    exact = case.sample.rtol
    compare(case, outs, case.record["out"], lambda name: max(exact, TOLERANCE.get(name, 0) if
            name not in ("float64", "complex128") else exact))  # fmt: skip


def typed_cases():
    return [
        pytest.param(case, name, id=f"{case.key}-{name}")
        for case in cases("dtypes")
        for name in recording(case.family).index.get(case.key, {}).get("dtypes", ())
    ]


@pytest.mark.parametrize(("case", "name"), typed_cases())
def test_dtypes(case: Case, name: str):
    outs = run(case, [tensor(a, name) for a in case.sample.arrays()])
    low = max(TOLERANCE.get(name, 1e-5), case.sample.rtol)
    compare(case, outs, case.record["dtypes"][name], lambda d: max(low, TOLERANCE.get(d, 0)))


@pytest.mark.parametrize("case", cases("strides"), ids=lambda c: c.key)
def test_strided_inputs(case: Case):
    """Memory order does not matter."""
    expected = run(case, [tensor(a) for a in case.sample.arrays()])
    got = run(case, [chainrule.from_numpy(spread_out(a)) for a in case.sample.arrays()])
    for want, have in zip(expected, got, strict=True):
        if is_tensor(want):
            assert have.dtype is want.dtype
            close = TOLERANCE.get(want.dtype.name, 0)
            assert_close(as_array(have), as_array(want), close, f"{case} on strided inputs")


def spread_out(array: np.ndarray) -> np.ndarray:
    """The same values in reversed memory order with gaps."""
    if array.ndim == 0:
        return array.copy()
    room = np.zeros((*(2 * n for n in array.shape[::-1]),), array.dtype)
    view = room[tuple(slice(None, None, 2) for _ in array.shape)].T
    view[...] = array
    return view
