"""The kernels' language: what machine code computes equals what Python computes."""

import numpy as np
import pytest

from chainrule.compiler.native import library
from chainrule.compiler.native.dispatch import module_text
from chainrule.compiler.native.language.expressions import KernelError
from chainrule.compiler.native.language.words import (
    PerType,
    T,
    accumulate,
    exp,
    f64,
    horner,
    i64,
    inlined,
    maximum,
    native,
    pointer,
    shared,
    sqrt,
    stack,
    tanh,
)

HALF = PerType(f32=0.5, f64=0.25)
COEFFICIENTS = (0.5, -1.0, 2.0)


@inlined
def squared(x):
    return x * x


@native("T x[*n], i64 k, T factor, out T y[like x]")
def everything(x, k, factor, y, n):
    """Loops, conditions, conversions and functions in one."""
    i = 0
    room = stack("T", 8)
    while i < n:
        if (i % 2 == 0 and x[i] > 0.0) or i == k:
            value = tanh(x[i]) * factor
        elif x[i] != x[i]:
            value = T(0.0)
        else:
            value = sqrt(abs(x[i])) if x[i] < 1.0 else squared(x[i])
        for j in range(7, -1, -1):
            room[j] = value + T(j)
        for j in range(8):
            if j == 5:
                continue
            if j > 6:
                break
            value += room[j] / 3
        y[i] = maximum(value, -1.0) + T(i << 1) + horner(x[i], COEFFICIENTS)
        i += 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_machine_code_computes_what_python_does(dtype):
    kernel = library.compiled(everything)
    x = np.random.default_rng(0).normal(size=(3, 7)).astype(dtype)
    result = kernel(x, 3, 1.5)
    assert result.shape == x.shape and result.dtype == dtype
    np.testing.assert_allclose(result, everything.reference(x, 3, 1.5), rtol=1e-5)


@native("T x[rows, n], T? w[n], out T y[rows], wanted T z[n]")
def shapes(x, w, y, z, rows, n):
    for r in shared(rows):
        total = T(0.0)
        for j in range(n):
            total = accumulate(total, x[r * n + j] * (w[j] if w is not None else 1.0))
        y[r] = total
    if z is not None:
        for j in range(n):
            z[j] = HALF


def test_results_optional_arrays_and_wanted_results():
    kernel = library.compiled(shapes)
    x, w = np.ones((2, 3), np.float32), np.array([1, 2, 3], np.float32)
    y, z = kernel(x, w, True)
    assert y.tolist() == [6, 6] and z.tolist() == [0.5] * 3
    assert kernel(x.astype(np.float64), w.astype(np.float64), 1)[1].tolist() == [0.25] * 3


def test_what_does_not_fit_is_declined():
    kernel = library.compiled(shapes)
    x, w = np.ones((4, 3), np.float32), np.ones(3, np.float32)
    assert kernel(x, np.ones(4, np.float32), False) is None  # n has two values
    assert kernel(x, w.astype(np.float64), False) is None  # two float types
    assert kernel(x.astype(np.int64), w, False) is None
    assert kernel(x.astype(">f4"), w, False) is None
    assert kernel(x[::2], w, False) is None
    assert kernel(np.ones((3, 4), np.float32).T, w, False) is None  # not contiguous
    assert kernel(np.ones((1, 4, 3), np.float32), w, False) is None  # another rank
    assert kernel([1.0], w, False) is None
    assert kernel(None, w, False) is None
    with pytest.raises(TypeError, match="shapes takes 3 arguments"):
        kernel(x)


@native("list T p[*n], list T g[*n], f64 rate")
def step(p, g, rate, n):
    for i in shared(n):
        p[i] = p[i] - T(rate) * g[i]


def test_lists_run_once_for_each_position():
    kernel = library.compiled(step)
    ps = [np.ones((2, 3)), np.zeros(()), np.ones(0), np.full(70_000, 2.0)]
    gs = [np.full_like(p, 2.0) for p in ps]
    assert kernel(ps, gs, 0.5) is True
    assert [float(p.sum()) for p in ps] == [0.0, -1.0, 0.0, 70_000.0]
    before = ps[0].copy()
    assert kernel(ps, gs[:-1], 0.5) is None
    assert kernel(ps, [*gs[:-1], np.ones(3)], 0.5) is None
    locked = ps[3].copy()
    locked.flags.writeable = False
    assert kernel([ps[0], locked], [gs[0], gs[3]], 0.5) is None
    np.testing.assert_array_equal(ps[0], before)  # nothing was done by halves


def test_a_number_of_the_wrong_type_raises():
    kernel = library.compiled(step)
    with pytest.raises(TypeError, match="must be real number"):
        kernel([np.ones(2)], [np.ones(2)], "fast")


@native("i64 table[n], out f64 total[]")
def sum_of_addresses(table, total, n):
    s: f64 = 0.0
    for k in range(n):
        part = pointer("f64", table[k])
        s += part[0] * f64(i64(2.5))
    total[0] = s


def test_addresses_become_arrays():
    parts = [np.array([k + 0.5]) for k in range(4)]
    table = np.array([p.ctypes.data for p in parts])
    assert library.compiled(sum_of_addresses)(table) == 16.0
    assert sum_of_addresses.reference(table) == 16.0


@native("T x[*n], out T y[like x]")
def exponentials(x, y, n):
    for i in shared(n):
        y[i] = exp(x[i])


@pytest.mark.parametrize("size", [0, 1, 31, 100_003])
def test_edges_and_threads_change_nothing(size):
    x = np.linspace(-110, 100, size, dtype=np.float32)
    x[: min(size, 3)] = [np.nan, np.inf, -np.inf][: min(size, 3)]
    result = library.compiled(exponentials)(x)
    np.testing.assert_allclose(result, np.exp(x), rtol=3e-7, atol=2e-45)


@native("T x[n], out T y[n]")
def declines(x, y, n):
    for i in range(n):
        if x[i] < 0.0:
            return False
        y[i] = x[i]


def test_a_kernel_may_leave_the_call_to_numpy():
    kernel = library.compiled(declines)
    assert kernel(np.ones(3)).tolist() == [1, 1, 1]
    assert kernel(np.array([1.0, -1.0])) is None


def test_words_outside_of_the_subset_are_refused_with_their_line():
    @native("T x[n]")
    def comprehension(x, n):
        y = [v for v in x]  # noqa: F841

    with pytest.raises(KernelError, match=r"test_native_language.py:\d+: kernels know no ListComp"):
        module_text(comprehension, 16)


def test_the_declaration_must_name_the_parameters():
    with pytest.raises(TypeError, match="declaration"):

        @native("T x[n]")
        def wrong(y, n):
            pass
