"""The state of an optimizer can come from a file: one that does not fit is refused by name."""

import pytest

import chainrule as torch

HOSTILE = {
    "of the transposed shape": lambda p: torch.zeros(tuple(reversed(p.shape))),
    "too short": lambda p: torch.zeros(1),
    "empty": lambda p: torch.zeros(0),
    "too long": lambda p: torch.zeros(1000),
    "text": lambda p: "x",
    "a number": lambda p: 2**70,
    "without memory": lambda p: torch.zeros(p.shape, device="meta"),
}


@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.parametrize(
    ("kind", "name", "options"),
    [
        (torch.optim.SGD, "momentum_buffer", {"momentum": 0.9}),
        (torch.optim.Adam, "exp_avg_sq", {}),
        (torch.optim.RMSprop, "square_avg", {}),
    ],
)
def test_foreign_state_is_refused(kind, name, options, what):
    weight = torch.nn.Parameter(torch.ones(3, 5))
    optimizer = kind([weight], lr=0.1, **options)
    weight.grad = torch.ones(3, 5)
    optimizer.step()
    saved = optimizer.state_dict()
    saved["state"][0][name] = HOSTILE[what](weight)
    optimizer.load_state_dict(saved)
    before = weight.detach().clone()
    with pytest.raises(RuntimeError, match=rf"{kind.__name__}'s state '{name}'"):
        optimizer.step()
    assert torch.equal(weight, before)
