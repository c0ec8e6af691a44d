"""Kernels that read and write at numbered places: gather, scatter, several indices, grid_sample."""

import numpy as np
import pytest

import chainrule as torch

from .test_native_kernels import both, close, gradients, tensors

F = torch.nn.functional
TYPES = [torch.float32, torch.float64]
__all__ = ["both"]


def numbers(shape, below, seed=0):
    return torch.tensor(np.random.default_rng(seed).integers(0, below, shape))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("shape", "axis"), [((9, 40), 0), ((40, 9), 1), ((3, 5, 40), 1)])
def test_gather_and_what_scatter_does(both, shape, axis, dtype):
    x, src = tensors([shape, [*shape[:axis], 70, *shape[axis + 1 :]]], dtype)
    index = numbers(tuple(src.shape), shape[axis])

    def run():
        found = gradients(lambda x: x.gather(axis, index), [x])
        found += gradients(lambda x, s: x.scatter_add(axis, index, s), [x, src])
        for kind in ("sum", "amax", "amin", "mean"):
            found += gradients(
                lambda x, s, kind=kind: x.scatter_reduce(axis, index, s, kind), [x, src]
            )
        found.append(x.scatter_reduce(axis, index, src, "prod").detach())
        return [*found, x.detach().scatter(axis, index, src.detach())]

    expected, found, used = both(run)
    assert {"gathered", "scattered"} <= used
    close(found, expected, dtype)


@pytest.mark.parametrize(("shape", "axis"), [((9, 40), 0), ((4, 9, 40), 1)])
def test_an_expanded_index_moves_rows(both, shape, axis):
    x = tensors([shape], torch.float32)[0]
    line = numbers((30,), shape[axis]).reshape([-1 if d == axis else 1 for d in range(len(shape))])
    index = line.expand([30 if d == axis else n for d, n in enumerate(shape)])
    src = tensors([tuple(index.shape)], torch.float32, seed=3)[0]

    def run(index):
        found = gradients(lambda x: x.gather(axis, index), [x])
        return found + gradients(lambda x, s: x.scatter_add(axis, index, s), [x, src])

    expected, found, used = both(lambda: run(index))
    assert "sum_by_number" in used and not {"gathered", "scattered"} & used
    close(found, expected, torch.float32)
    close(found, run(index.contiguous()), torch.float32)


def test_numbers_out_of_range_are_refused():
    x, index = torch.zeros(9, 40), torch.zeros(9, 40, dtype=torch.int64)
    index[3, 7] = 9
    with pytest.raises(RuntimeError, match="index 9 is out of bounds"):
        x.gather(0, index)
    with pytest.raises(IndexError, match="index 50 is out of bounds for dimension 1 with size 40"):
        x[torch.zeros(99, dtype=torch.int64), torch.full((99,), 50)]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    ("shape", "dims"), [((9, 40), 2), ((9, 40, 3), 2), ((4, 5, 6), 3), ((4, 5, 6, 2), 3)]
)
def test_an_index_of_several_tensors(both, shape, dims, dtype):
    x = tensors([shape], dtype)[0]
    index = tuple(numbers((17, 9), n, seed=n) - n // 2 for n in shape[:dims])  # some from the end
    expected, found, used = both(lambda: gradients(lambda x: x[index], [x]))
    assert {"joint_numbers", "rows_by_number", "sum_by_number"} <= used
    close(found, expected, dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("nd", [2, 3])
def test_images_at_points(both, nd, mode, padding, align, dtype):
    x, grid = tensors([(2, 3, 5, 6, 4)[: nd + 2], [*(2, 7, 11, 3)[: nd + 1], nd]], dtype)
    grid = (grid.detach() * 0.7).requires_grad_()

    def run():
        return gradients(lambda x, g: F.grid_sample(x, g, mode, padding, align), [x, grid])

    expected, found, used = both(run)
    assert {"points_of_image", "points_of_image_gradient"} <= used
    close(found, expected, dtype)


def test_points_that_are_no_numbers_and_images_that_are_infinite(both):
    x = torch.tensor([[[[1.0, float("inf")], [float("nan"), 2.0]]]], requires_grad=True)
    places = [[-1.0, -1.0], [float("nan"), 1.0], [9.0, -9.0], [1.0, 1.0], [0.0, -1.0]]
    grid = torch.tensor([[places]], requires_grad=True)
    for padding in ("zeros", "border"):

        def run(padding=padding):
            return gradients(lambda x, g: F.grid_sample(x, g, "bilinear", padding, True), [x, grid])

        expected, found, used = both(run)
        assert "points_of_image" in used
        for a, b in zip(found, expected, strict=True):
            assert np.array_equal(a.detach().numpy(), b.detach().numpy(), equal_nan=True)


def test_the_bits_of_sums_do_not_depend_on_threads():
    x, g = torch.randn(6, 8, 20, 20, requires_grad=True), torch.rand(6, 40, 40, 2) * 2 - 1
    src, index = torch.randn(3000, 64), numbers((3000, 64), 50)

    def run():
        y = F.grid_sample(x, g, align_corners=False)
        (gx,) = torch.autograd.grad(y.square().sum(), x)
        return y.detach(), gx, torch.zeros(50, 64).scatter_add(0, index, src)

    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        one = run()
        torch.set_num_threads(2)
        for a, b in zip(one, run(), strict=True):
            assert torch.equal(a, b)
    finally:
        torch.set_num_threads(before)


class TestWrites:
    """x[index] = value where nobody records."""

    def test_numbers_and_tensors_at_every_kind_of_index(self):
        i, j = torch.tensor([0, 2, -1]), torch.tensor([1, 1, 0])
        for dtype in (torch.float32, torch.float64, torch.int64):
            x, a = torch.zeros(3, 4, dtype=dtype), np.zeros((3, 4))
            for index, value in [
                ((i, j), torch.tensor([3, 4, 5], dtype=dtype)), ((i, j), 7), (i, 2), (1, 9),
                ((slice(None), 2), 3), (torch.zeros(3, 4).bool(), 8), ((0, 1), 6),
                ((slice(None), i), 1), (x > 6, -1),
            ]:  # fmt: skip
                part = index if isinstance(index, tuple) else (index,)
                key = tuple(p.numpy() if isinstance(p, torch.Tensor) else p for p in part)
                version = x._version
                x[index] = value
                a[key] = value.numpy() if isinstance(value, torch.Tensor) else value
                assert np.array_equal(x.numpy(), a) and x._version == version + 1

    def test_what_does_not_fit_is_refused_and_changes_nothing(self):
        x = torch.zeros(3, 4)
        with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 0"):
            x[torch.tensor([0, 3]), torch.tensor([0, 0])] = 1.0
        with pytest.raises(RuntimeError, match="shape mismatch"):
            x[torch.tensor([0, 1]), torch.tensor([0, 0])] = torch.ones(3)
        with pytest.raises(RuntimeError, match="overflow"):
            x[0] = 1e300
        assert x.abs().sum() == 0 and x._version == 0

    def test_a_write_to_what_an_operand_reads_is_refused(self):
        x = torch.arange(4)
        with pytest.raises(RuntimeError, match="refer to a single memory location"):
            x[x] = 1

    def test_recorded_writes_have_their_history(self):
        x, v = torch.zeros(4) + 0, torch.ones(2, requires_grad=True)
        x[torch.tensor([1, 3])] = v * 2
        x.sum().backward()
        assert v.grad.tolist() == [2.0, 2.0]


class TestOrder:
    """Sorting by keys finds what a stable sort finds."""

    @staticmethod
    def rows(dtype):
        random = np.random.default_rng(4)
        x = random.integers(-9, 9, (30, 70)).astype(np.float64)  # many are equal
        if dtype.is_floating_point:
            x[:9] = random.normal(size=(9, 70))
            x[3:6, ::7] = [[np.nan], [np.inf], [-np.inf]]
            x[4, 3::5] = np.copysign(np.nan, -1.0)
            x[7, ::2], x[7, 1::2] = 0.0, -0.0
        return torch.tensor(x).to(dtype)

    @pytest.mark.parametrize(
        "dtype", [torch.float32, torch.bfloat16, torch.int64, torch.int32, torch.int8]
    )
    @pytest.mark.parametrize("axis", [0, 1])
    def test_every_way_to_ask_for_an_order(self, both, axis, dtype):
        x = self.rows(dtype)

        def run():
            found = []
            for way in (False, True):
                found += x.sort(axis, descending=way, stable=True)
                found += x.topk(3, axis, largest=way)
                found += x.topk(25, axis, largest=way)
            if dtype.is_floating_point:
                found += x[:3].nanmedian(axis)
            return [*found, *x.median(axis), *x.kthvalue(4, axis), x.unique(), x.median()]

        expected, found, used = both(run)
        assert ("order_keys" in used) == dtype.is_floating_point
        self.same(x, expected, found, axis)

    @staticmethod
    def same(x, expected, found, axis):
        for k, (a, b) in enumerate(zip(expected, found, strict=True)):
            a, b = a.float().numpy(), b.float().numpy()
            assert a.shape == b.shape
            if k in (0, 1, 6, 7):  # sorts: places are told apart among equals as well
                assert np.array_equal(a, b, equal_nan=True)
        for k in range(0, len(found) - 3, 2):  # all others: the values at the places
            assert np.array_equal(expected[k].float(), found[k].float(), equal_nan=True)

    def test_whole_numbers_that_are_far_apart(self):
        x = torch.tensor([2**62, -(2**62), 0, 2**63 - 1, -(2**63)]).repeat(100)
        values, places = x.sort(stable=True)
        assert values.tolist() == sorted(x.tolist())
        assert places[:3].tolist() == [4, 9, 14]
