"""The blocked matrix product of our own: right at every border, equal on any number of threads."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import chainrule
from chainrule.compiler.machine import code_cache, llvm, worker_threads
from chainrule.compiler.products import gemm, offered
from chainrule.compiler.products.gemm_text import TILES
from chainrule.compiler.products.panels import Tiles
from chainrule.ops import kernels

DTYPES = (np.float32, np.float64)


@pytest.fixture(scope="module")
def product() -> gemm.Product:
    made = offered.load()
    assert made is not None, "no product for this machine"
    return made


def matrix(random, rows, columns, layout, dtype):
    """A random matrix: contiguous rows, contiguous columns, part of a larger one, or neither."""
    if layout == "rows":
        return random.standard_normal((rows, columns)).astype(dtype)
    if layout == "columns":
        return random.standard_normal((columns, rows)).astype(dtype).T
    if layout == "part":
        return random.standard_normal((rows + 3, columns + 5)).astype(dtype)[2:-1, 4:-1]
    if layout == "backwards":
        return random.standard_normal((rows, columns)).astype(dtype)[::-1]
    return random.standard_normal((rows * 2, columns * 3)).astype(dtype)[::2, ::3]


def assert_right(result, a, b):
    """Within the bound of any order of summation: k roundings of the sum of magnitudes."""
    wide = np.longdouble
    exact = a.astype(wide) @ b.astype(wide)
    bound = (a.shape[1] + 1) * np.finfo(a.dtype).eps * (np.abs(a).astype(wide) @ np.abs(b))
    assert result.dtype == a.dtype
    assert result.shape == exact.shape
    assert result.flags.c_contiguous
    assert (np.abs(result - exact) <= bound).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layouts", [
    ("rows", "rows"), ("rows", "columns"), ("columns", "rows"), ("columns", "columns"),
    ("part", "part"), ("backwards", "columns"), ("strided", "strided"),
])  # fmt: skip
def test_random_shapes(product, dtype, layouts):
    assert product.has(np.dtype(dtype))
    random = np.random.default_rng(hash(layouts[0]) % 7)
    for _ in range(40):
        m, k, n = random.integers(1, 71, 3)
        a = matrix(random, m, k, layouts[0], dtype)
        b = matrix(random, k, n, layouts[1], dtype)
        assert_right(product.compute(a, b, threads=1), a, b)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(600, 70, 50), (50, 1000, 60), (9, 265, 100), (520, 530, 49)])
def test_several_blocks(product, dtype, shape):
    random = np.random.default_rng(1)
    m, k, n = shape
    assert product.has(np.dtype(dtype))
    for layout in ("rows", "columns"):
        a, b = matrix(random, m, k, layout, dtype), matrix(random, k, n, layout, dtype)
        assert_right(product.compute(a, b, threads=1), a, b)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(65, 300, 200), (200, 300, 65), (7, 90, 500), (3, 5, 1)])
def test_bits_do_not_depend_on_threads(product, dtype, shape):
    random = np.random.default_rng(2)
    m, k, n = shape
    assert product.has(np.dtype(dtype))
    a, b = matrix(random, m, k, "rows", dtype), matrix(random, k, n, "columns", dtype)
    alone = product.compute(a, b, threads=1)
    for threads in (2, 3, 4):
        assert np.array_equal(product.compute(a, b, threads), alone)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(65, 300, 200), (8, 16, 48), (200, 30, 65), (3, 5, 1)])
def test_a_bias_is_added_to_every_row(product, dtype, shape):
    random = np.random.default_rng(5)
    m, k, n = shape
    assert product.has(np.dtype(dtype))
    a, b = matrix(random, m, k, "rows", dtype), matrix(random, k, n, "columns", dtype)
    bias = random.standard_normal(2 * n).astype(dtype)[::2]
    for threads in (1, 3):
        result = product.compute(a, b, threads, np.ascontiguousarray(bias))
        np.testing.assert_allclose(result, a @ b + bias, rtol=1e-5, atol=1e-4)


def test_nan_and_infinity_reach_their_row_and_column_only(product):
    assert product.has(np.dtype(np.float32))
    a, b = np.ones((45, 61), np.float32), np.ones((61, 53), np.float32)
    a[44, 60], b[0, 52] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        expected = a.dot(b)
    assert np.array_equal(product.compute(a, b, threads=1), expected, equal_nan=True)
    assert np.isnan(expected[44]).all()
    assert np.isinf(expected[:44, 52]).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_stacks_of_products(product, dtype):
    random = np.random.default_rng(6)
    heads = random.standard_normal((3, 40, 5, 16)).astype(dtype).transpose(0, 2, 1, 3)
    keys = random.standard_normal((3, 5, 33, 16)).astype(dtype)
    values = random.standard_normal((3, 5, 33, 24)).astype(dtype)
    scores = product.stacked(heads, keys.swapaxes(-1, -2), None)
    np.testing.assert_allclose(scores, heads @ keys.swapaxes(-1, -2), rtol=1e-4, atol=1e-4)
    out = np.full((3, 40, 5, 24), np.nan, dtype).transpose(0, 2, 1, 3)
    assert product.stacked(scores, values, out) is out
    np.testing.assert_allclose(out, scores @ values, rtol=1e-4, atol=1e-3)
    back = product.stacked(scores.swapaxes(-1, -2), heads, None)
    np.testing.assert_allclose(back, scores.swapaxes(-1, -2) @ heads, rtol=1e-4, atol=1e-3)


def test_one_product_into_given_memory(product):
    random = np.random.default_rng(7)
    a = matrix(random, 130, 70, "part", "f4")
    b = matrix(random, 70, 300, "columns", "f4")
    out = np.full((140, 320), np.nan, np.float32)
    assert product.into(a, b, out[5:135, 10:310]) is not None
    np.testing.assert_allclose(out[5:135, 10:310], a @ b, rtol=1e-4, atol=1e-4)
    assert np.isnan(out[:, :10]).all() and np.isnan(out[135:]).all()
    assert product.into(a, b, np.ones((130, 600), np.float32)[:, ::2]) is None
    assert product.into(a, b.astype(np.float64), None) is None


def test_stacks_that_numpy_keeps(product):
    a = np.ones((4, 16, 16), np.float32)
    assert product.stacked(a, a[:1], None) is None  # broadcasting
    assert product.stacked(a, a.astype(np.float64), None) is None
    assert product.stacked(a[:, :1], a, None) is None  # one row
    assert product.stacked(a[:, ::2, ::2], a[:, ::2, ::2], None) is None  # no unit stride
    assert product.stacked(a, a, np.ones((4, 16, 32), np.float32)[..., ::2]) is None


def test_empty_dimensions(product):
    assert product.has(np.dtype(np.float32))
    for m, k, n in ((0, 3, 4), (3, 0, 4), (3, 4, 0)):
        a, b = np.ones((m, k), np.float32), np.ones((k, n), np.float32)
        assert np.array_equal(product.compute(a, b, threads=1), a.dot(b))


def test_callers_at_the_same_time(product):
    assert product.has(np.dtype(np.float32))
    random = np.random.default_rng(3)
    pairs = [
        (matrix(random, 90, 200 + i, "rows", "f4"), matrix(random, 200 + i, 170, "columns", "f4"))
        for i in range(8)
    ]
    alone = [product.compute(a, b, threads=1) for a, b in pairs]
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(lambda p: product.compute(*p, threads=2), pairs * 10))
    assert all(np.array_equal(r, alone[i % 8]) for i, r in enumerate(results))


def test_tiles_of_narrower_vectors():
    """What machines with AVX2 run; any machine with wider vectors can run it too."""
    for dtype in DTYPES:
        narrow = gemm.Product(TILES[32], lambda name, text: llvm.Compiled(text()))
        assert narrow.has(np.dtype(dtype))
        random = np.random.default_rng(4)
        for m, k, n in ((6, 8, 16), (13, 270, 33), (70, 41, 7), (1, 1, 1)):
            a, b = matrix(random, m, k, "rows", dtype), matrix(random, k, n, "columns", dtype)
            assert_right(narrow.compute(a, b, threads=1), a, b)


def test_wrong_code_is_never_used():
    class Wrong:
        def function(self, name, arguments):
            return lambda *_: 0

    broken = gemm.Product(Tiles(64, 8, 3), lambda name, text: Wrong())
    a = np.ones((200, 200), np.float32)
    assert not broken.has(a.dtype)
    assert np.array_equal(broken(a, a), a.dot(a))


def test_large_products_use_what_was_installed(monkeypatch):
    seen = []

    def spy(a, b, bias):
        seen.append((a.shape, b.shape))
        return a.dot(b) if bias is None else a.dot(b) + bias

    monkeypatch.delenv("CHAINRULE_KERNELS", raising=False)
    monkeypatch.setattr(kernels, "_product", None)
    monkeypatch.setattr(kernels, "_loader", lambda: spy)
    x, w = chainrule.ones(256, 256), chainrule.ones(256, 256, requires_grad=True)
    (x @ w.T).sum().backward()
    chainrule.nn.functional.linear(x, w, chainrule.ones(256))
    x[:4, :4] @ x[:4, :4]
    assert seen == [((256, 256), (256, 256))] * 3
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        x @ chainrule.ones(250, 256)


def test_switched_off_by_the_environment(monkeypatch):
    monkeypatch.setenv("CHAINRULE_KERNELS", "0")
    monkeypatch.setattr(kernels, "_product", None)
    monkeypatch.setattr(kernels, "_loader", lambda: pytest.fail("the loader was asked"))
    x = chainrule.ones(256, 256)
    assert (x @ x)[3, 4] == 256


def test_stored_code_is_read_again_and_damage_is_noticed(monkeypatch, tmp_path):
    monkeypatch.setenv("CHAINRULE_CACHE_DIR", str(tmp_path / "new"))
    code_cache.write("key", b"code")
    assert code_cache.read("key") == b"code"
    assert code_cache.read("other") is None
    (file,) = (tmp_path / "new").iterdir()
    file.write_bytes(file.read_bytes() + b"x")
    assert code_cache.read("key") is None


def test_a_forked_process_makes_its_own_workers():
    program = """
import os, numpy as np
from chainrule.compiler.products import gemm, offered
product = offered.load()
a = np.ones((128, 300), np.float32)
b = np.ones((300, 256), np.float32)
assert product.has(a.dtype)
product.compute(a, b, threads=2)
child = os.fork()
if child == 0:
    os._exit(0 if (product.compute(a, b, threads=2) == 300).all() else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_only_sizes_that_measured_faster_leave_numpy():
    assert gemm.worthwhile(128, 784, 512, threads=1)
    assert not gemm.worthwhile(4096, 4096, 10, threads=1)
    assert gemm.worthwhile(4096, 4096, 10, threads=2)
    assert not gemm.worthwhile(1, 4096, 4096, threads=2)


def test_threads_follow_the_setting_then_the_environment(monkeypatch):
    monkeypatch.setattr(worker_threads.settings._Settings, "threads", None)
    monkeypatch.delenv("CHAINRULE_NUM_THREADS", raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    worker_threads._default_threads.cache_clear()
    assert worker_threads.thread_count() == 3
    worker_threads._default_threads.cache_clear()
    monkeypatch.setenv("CHAINRULE_NUM_THREADS", "5")
    assert worker_threads.thread_count() == 5
    chainrule.set_num_threads(2)
    assert worker_threads.thread_count() == 2
    worker_threads._default_threads.cache_clear()
