"""Observers and fake quantization. Expected numbers are PyTorch's."""

import importlib

import pytest

import chainrule as torch

quantization = importlib.import_module("chainrule.ao.quantization")
X = torch.linspace(-2.3, 3.1, 20).reshape(4, 5) * torch.tensor([1.0, -0.5, 2.0, 3.0, 0.1])


def near(values):
    return pytest.approx(values, abs=6e-5)


@pytest.mark.parametrize(
    ("options", "scale", "zero"),
    [
        ({}, 0.1003, 87),
        ({"qscheme": torch.per_tensor_symmetric, "dtype": torch.qint8}, 0.1325, 0),
        ({"reduce_range": True}, 0.2014, 43),
        ({"qscheme": torch.per_tensor_symmetric}, 0.1325, 128),
    ],
)
def test_scale_and_zero_point_of_a_range(options, scale, zero):
    observer = quantization.MinMaxObserver(**options)
    assert observer(X) is X
    observer(X * 2)
    found = observer.calculate_qparams()
    assert found[0].tolist() == near([scale]) and found[1].tolist() == [zero]


def test_averages_and_channels():
    average = quantization.MovingAverageMinMaxObserver()
    average(X), average(X * 2)
    assert (average.min_val.item(), average.max_val.item()) == near((-4.3855, 8.5318))
    rows = quantization.PerChannelMinMaxObserver()
    rows(X), rows(X * 3)
    scale, zero = rows.calculate_qparams()
    assert scale.tolist() == near([0.0629, 0.0138, 0.0541, 0.1126])
    assert zero.tolist() == [207, 191, 23, 30]
    fresh = quantization.PerChannelMinMaxObserver()
    fresh.load_state_dict(rows.state_dict())
    assert fresh.min_val.equal(rows.min_val)


def test_an_observer_that_saw_nothing_warns():
    with pytest.warns(UserWarning, match="must run observer"):
        quantization.MinMaxObserver().calculate_qparams()


def test_fake_quantization_rounds_and_can_be_switched():
    fake = quantization.default_fake_quant()
    assert fake(X)[0].tolist() == near([-2.3162, 1.0070, -3.4240, -4.3303, -0.1007])
    assert (fake.scale.item(), fake.zero_point.item()) == near((0.1007, 43))
    fake.apply(quantization.disable_observer)
    assert fake(X * 100)[0, :2].tolist() == near([-4.3303, 8.4592])
    fake.apply(quantization.disable_fake_quant)
    assert fake(X * 100).equal(X * 100)
    weights = quantization.default_per_channel_weight_fake_quant()
    assert weights(X)[0].tolist() == near([-2.3158, 1.0217, -3.4737, -4.3591, -0.1022])
    again = quantization.default_per_channel_weight_fake_quant()
    again.load_state_dict(weights.state_dict())
    assert again.scale.equal(weights.scale)


def test_gradients_pass_inside_the_range():
    x = torch.tensor([-3.0, -0.1, 0.26, 5.0, 0.05, 0.15], requires_grad=True)
    y = torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 31)
    y.sum().backward()
    assert y.tolist() == near([-0.3, -0.1, 0.3, 2.8, 0.0, 0.2])
    assert x.grad.tolist() == [0, 1, 1, 0, 1, 1]
    w = torch.tensor([[1.0, 2.0], [3.0, -4.0]], requires_grad=True)
    zero = torch.tensor([0, 3], dtype=torch.int32)
    z = torch.fake_quantize_per_channel_affine(w, torch.tensor([0.1, 0.02]), zero, 0, 0, 100)
    z.sum().backward()
    assert z.flatten().tolist() == near([1, 2, 1.94, -0.06])
    assert w.grad.tolist() == [[1, 1], [0, 0]]
    with pytest.raises(RuntimeError, match="`zero_point` must be between"):
        torch.fake_quantize_per_tensor_affine(x, 0.1, 40, 0, 31)


def test_a_model_trains_with_fake_quantization_and_marks():
    torch.manual_seed(0)
    model = quantization.QuantWrapper(torch.nn.Linear(5, 1))
    config = quantization.get_default_qat_qconfig("fbgemm")
    watch = config.activation()
    before = (watch(model(X)) ** 2).mean()
    optimizer = torch.optim.SGD(model.parameters(), 0.02)
    for _ in range(20):
        optimizer.zero_grad()
        (watch(model(X)) ** 2).mean().backward()
        optimizer.step()
    assert (watch(model(X)) ** 2).mean() < 0.5 * before


def test_what_is_not_written_is_refused():
    with pytest.raises(NotImplementedError, match="quantizes Linear"):
        quantization.convert_jit(None)
    with pytest.raises(NotImplementedError, match="quantized_max_pool2d"):
        torch.quantized_max_pool2d(X)
    with pytest.raises(AssertionError, match="not supported"):
        quantization.get_default_qconfig("gpu")


@pytest.mark.parametrize(
    ("scales", "zero_points", "axis", "words"),
    [
        ([0.1], [0], 0, "length of scales must equal to channel, expected 3 got, 1"),
        ([0.1] * 3, [0], 0, "number of elements in scales and zero_points must match"),
        ([0.1] * 3, [0] * 3, 7, "Channel axis out of range"),
        ([0.1] * 3, [0, 0, 300], 0, "zero_point 300 is above upper bound"),
    ],
)
def test_scales_that_do_not_fit_are_refused(scales, zero_points, axis, words):
    x, many = torch.ones(3, 2), torch.tensor(zero_points)
    with pytest.raises(RuntimeError, match=words):
        torch.quantize_per_channel(x, torch.tensor(scales), many, axis, torch.qint8)


def test_absurd_scales_and_zero_points():
    x = torch.ones(3)
    assert torch.quantize_per_tensor(x, 0.0, 0, torch.qint8).dequantize().tolist() == [0.0] * 3
    for zero in (2**62, 128):
        with pytest.raises(RuntimeError, match=f"zero_point {zero} is above upper bound"):
            torch.quantize_per_tensor(x, 0.1, zero, torch.qint8)
    with pytest.raises(RuntimeError, match="zero_point -1 is below lower bound"):
        torch.quantize_per_tensor(x, 0.1, -1, torch.quint8)
