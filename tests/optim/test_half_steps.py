"""Steps on half-precision parameters: a compiled step computes as the eager one does."""

import pytest

import chainrule as torch

MAKERS = {
    "SGD": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.01),
    "Adam": lambda p: torch.optim.Adam(p, lr=0.1, amsgrad=True),
    "AdamW": lambda p: torch.optim.AdamW(p, lr=0.1),
    "Adamax": lambda p: torch.optim.Adamax(p, lr=0.1),
    "NAdam": lambda p: torch.optim.NAdam(p, lr=0.1),
    "Adagrad": lambda p: torch.optim.Adagrad(p, lr=0.1),
    "RMSprop": lambda p: torch.optim.RMSprop(p, lr=0.1, centered=True),
}


def trained(make, dtype, compiled):
    torch.manual_seed(0)
    p = torch.nn.Parameter(torch.randn(7).to(dtype))
    optimizer = make([p])

    def step(x):
        optimizer.zero_grad()
        (p * x).sum().backward()  # squares of such gradients vanish in half precision
        optimizer.step()

    step = torch.compile(step) if compiled else step
    for k in range(6):
        step(torch.full((7,), 1e-3 * (k + 1), dtype=dtype))
    return p.detach()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", MAKERS)
def test_compiled_steps_in_half_precision_are_the_eager_ones(name, dtype):
    eager, compiled = (trained(MAKERS[name], dtype, c) for c in (False, True))
    assert eager.isfinite().all()
    torch.testing.assert_close(
        compiled, eager, rtol=1e-3 if dtype is torch.float16 else 8e-3, atol=0
    )
