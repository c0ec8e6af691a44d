"""Half precision in compiled functions: loops widen and round as the ops do."""

import numpy as np
import pytest

import chainrule as torch

F = torch.nn.functional
HALVES = [torch.bfloat16, torch.float16]


def bits(x):
    return x.detach().contiguous().view(torch.int16).numpy()


def compiled(function, *arguments):
    """The function's result in a plan without extern steps."""
    fast = torch.compile(function)
    for _ in range(4):
        result = fast(*arguments)
    assert "extern" not in str(fast.explain()).lower().replace("no extern", "")
    return result


def awkward():
    """Ties, numbers beyond the range, subnormal ones, infinities, NaN and whatever else."""
    every = np.arange(1 << 16, dtype=np.uint32) << 16
    near = np.concatenate([every, every | 0x8000, every | 0x8001, every | 0x7FFF])
    random = np.random.default_rng(0).integers(0, 1 << 32, 1 << 17, dtype=np.uint32)
    return np.concatenate([near, random]).view(np.float32)


@pytest.mark.parametrize("dtype", HALVES)
def test_casts_round_as_in_eager_code(dtype):
    x = torch.tensor(awkward())
    expected = x.to(dtype)
    found = compiled(lambda x: x.to(dtype), x)
    nan = torch.isnan(expected).numpy()
    assert np.array_equal(nan, torch.isnan(found).numpy())
    assert np.array_equal(bits(found)[~nan], bits(expected)[~nan])


@pytest.mark.parametrize("dtype", HALVES)
def test_every_half_is_widened_exactly(dtype):
    x = torch.tensor(np.arange(1 << 16, dtype=np.uint16).view(np.int16)).view(dtype)
    found = compiled(lambda x: x.to(torch.float32), x)
    assert np.array_equal(found.numpy(), x.to(torch.float32).numpy(), equal_nan=True)


CASES = {
    "sum of products": lambda x, y: x * y + x,
    "number": lambda x, y: x * 0.1 + 3.0 - y / 7,
    "where": lambda x, y: torch.where(x > y, x, -y),
    "comparison": lambda x, y: x == y,
    "relu": lambda x, y: F.relu(x) + F.relu6(y),
    "transposed": lambda x, y: (x.t() + y.t()).contiguous(),
    "cut": lambda x, y: torch.cat((*x.split(5, dim=1)[::-1], y), dim=1),
    "largest": lambda x, y: x.amax(0) + y.amin(0),
    "isnan": lambda x, y: torch.isnan(x) | torch.isfinite(y),
    "clamp": lambda x, y: x.clamp(-0.3, 0.4),
    "power": lambda x, y: x**2 + y**3,
    "minus zero": lambda x, y: torch.cat((x, torch.full_like(y, -0.0))).signbit(),
}
NEAR = {
    "gelu": lambda x, y: F.gelu(x),
    "softmax": lambda x, y: F.softmax(x, -1),
    "layer norm": lambda x, y: F.layer_norm(x, (17,)),
    "mean": lambda x, y: x.mean(0) + y.sum(0),
    "product": lambda x, y: x @ y.t(),
    "linear": lambda x, y: F.linear(x, y, y[:, 0].contiguous()),
}


def operands(dtype):
    random = np.random.default_rng(1)
    return [torch.tensor(random.standard_normal((23, 17)), dtype=dtype) for _ in range(2)]


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("name", CASES)
def test_bits_of_exact_ops(name, dtype):
    x, y = operands(dtype)
    fast = torch.compile(CASES[name])  # (a warning that it runs eagerly would be an error)
    for _ in range(4):
        found = fast(x, y)
    expected = CASES[name](x, y)
    assert found.dtype is expected.dtype
    assert torch.equal(found, expected)


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("name", NEAR)
def test_values_within_one_rounding(name, dtype):
    x, y = operands(dtype)
    fast = torch.compile(NEAR[name])
    for _ in range(4):
        found = fast(x, y)
    near = 2**-7 if dtype is torch.bfloat16 else 2**-10
    torch.testing.assert_close(found, NEAR[name](x, y), rtol=near, atol=near / 4)


@pytest.mark.parametrize("dtype", HALVES)
def test_training_under_autocast_follows_eager_training(dtype):
    losses = []
    for wrap in (lambda f: f, torch.compile):
        torch.manual_seed(0)
        model = torch.nn.Sequential(
            torch.nn.Linear(20, 32), torch.nn.LayerNorm(32), torch.nn.GELU(), torch.nn.Linear(32, 5)
        )
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
        x, y = torch.randn(16, 20), torch.randint(5, (16,))

        def step(x, y, model=model, optimizer=optimizer):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=dtype):
                loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            return loss

        run = wrap(step)
        losses.append([run(x, y).item() for _ in range(8)])
    assert losses[0][-1] < losses[0][0]
    np.testing.assert_allclose(losses[0], losses[1], rtol=2e-3)


def test_draws_in_half_precision_are_those_of_eager_code():
    x = torch.ones(64, 64, dtype=torch.bfloat16)
    fast = torch.compile(lambda x: F.dropout(x * 2, 0.5))
    for _ in range(4):
        torch.manual_seed(3)
        found = fast(x)
    torch.manual_seed(3)
    assert torch.equal(found, F.dropout(x * 2, 0.5))
