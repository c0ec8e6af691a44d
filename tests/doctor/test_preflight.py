"""`doctor.preflight`: what is wrong with a model, a loss and a batch before a long run."""

from __future__ import annotations

from typing import Any

import pytest

import chainrule as torch
from chainrule import nn
from chainrule.doctor import preflight

F = nn.functional


def batch(scale: float = 1.0) -> tuple[Any, Any]:
    torch.manual_seed(0)
    return torch.randn(12, 4) * scale, torch.arange(12) % 3


def mlp() -> Any:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))


class Unused(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.used, self.left_out = nn.Linear(4, 3), nn.Linear(4, 3)

    def forward(self, x: Any) -> Any:
        return self.used(x)


class Leaking(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.out = nn.Linear(4, 3)

    def forward(self, x: Any) -> Any:
        return self.out(x - x.mean(0))


def test_a_fit_model_passes_and_is_not_changed() -> None:
    model = mlp()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    report = preflight(model, F.cross_entropy, batch())
    assert report.ok and all(c.verdict == "ok" for c in report.checks)
    assert "guessing by chance gives 1.099" in report["first loss"].seen
    assert all(torch.equal(before[n], v) for n, v in model.state_dict().items())
    assert all(p.grad is None for p in model.parameters())
    torch.manual_seed(5)
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize(
    ("model", "loss", "data", "check", "verdict", "words"),
    [
        (mlp(), lambda o, t: F.cross_entropy(o, t, reduction="none"), batch(), "loss", "wrong",
         "[12]"),
        (mlp(), lambda o, t: F.cross_entropy(o, t).detach(), batch(), "loss", "wrong", "no graph"),
        (mlp(), lambda o, t: F.cross_entropy(o, t) / 0, batch(), "loss", "wrong", "inf"),
        (nn.Linear(4, 1), lambda o, t: ((o - t) ** 2).mean(), (torch.randn(12, 4), torch.randn(12)),
         "shapes", "wrong", "target [12]: a difference broadcasts; use target.reshape([12, 1])"),
        (nn.Linear(4, 1), lambda o, t: ((o - t) ** 2).mean(),
         (torch.randn(12, 4), torch.randn(12, 1, dtype=torch.float64)), "types", "odd",
         "output torch.float32, target torch.float64"),
        (mlp(), F.cross_entropy, (torch.randn(12, 5), torch.arange(12) % 3), "forward", "wrong",
         "12x5"),
        (Unused(), F.cross_entropy, batch(), "gradients", "wrong", "left_out.weight"),
        (Leaking(), F.cross_entropy, batch(), "samples", "wrong", "other samples"),
        (mlp(), F.cross_entropy, batch(1000.0), "inputs", "odd", "values reach"),
        (mlp(), F.cross_entropy, batch(1000.0), "first loss", "odd", "far too large"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(
    model: Any, loss: Any, data: Any, check: str, verdict: str, words: str
) -> None:
    found = preflight(model, loss, data)[check]
    assert found.verdict == verdict and words in found.seen


def test_batch_norm_is_no_leak_and_dead_units_are_seen() -> None:
    model = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))
    assert preflight(model, F.cross_entropy, batch())["samples"].verdict == "ok"
    dead = mlp()
    dead[0].bias.data.fill_(-50.0)
    assert preflight(dead, F.cross_entropy, batch())["dead units"].verdict == "odd"


def test_a_model_that_cannot_learn_the_batch_is_told() -> None:
    class Blind(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bias = nn.Parameter(torch.zeros(3))

        def forward(self, x: Any) -> Any:
            return self.bias.expand(x.shape[0], 3)

    assert preflight(Blind(), F.cross_entropy, batch())["overfit"].verdict == "odd"


class Tokens(nn.Module):
    def __init__(self, mixes: bool) -> None:
        super().__init__()
        self.words, self.out, self.mixes = nn.Embedding(11, 8), nn.Linear(8, 2), mixes

    def forward(self, ids: Any, mask: Any) -> Any:
        h = (self.words(ids) * mask[..., None]).sum(1)
        return self.out(h + h.mean(0) if self.mixes else h)


@pytest.mark.parametrize("mixes", [False, True])
def test_named_inputs_of_tokens_are_checked_for_leaks(mixes: bool) -> None:
    torch.manual_seed(0)
    named = {"ids": torch.randint(0, 11, (8, 5)), "mask": torch.ones(8, 5, dtype=torch.long)}
    report = preflight(Tokens(mixes), F.cross_entropy, (named, torch.arange(8) % 2))
    assert report["samples"].verdict == ("wrong" if mixes else "ok")
    assert "MB" in report["memory"].seen


def test_the_expected_loss_of_a_language_model_counts_its_words() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(11, 8), nn.Linear(8, 11))
    words = torch.randint(0, 11, (2, 8, 5))
    report = preflight(
        model, lambda out, y: F.cross_entropy(out.transpose(1, 2), y), (words[0], words[1])
    )
    assert "guessing by chance gives 2.398" in report["first loss"].seen


def test_targets_far_from_the_outputs_are_told() -> None:
    x, _ = batch()
    report = preflight(nn.Linear(4, 1), F.mse_loss, (x, 500 + x[:, :1]))
    assert report["first loss"].verdict == "odd" and "far apart" in report["first loss"].seen


def test_a_batch_without_a_target_is_refused_with_the_fix() -> None:
    x, y = batch()
    with pytest.raises(
        TypeError, match=r"batch must be \(inputs, target\), not a dict of 'x', 'y'"
    ):
        preflight(mlp(), F.cross_entropy, {"x": x, "y": y})
