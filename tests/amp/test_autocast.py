"""Autocast: the types of results, and that it costs nothing when it is off."""

import inspect
import json
import threading
import warnings
from pathlib import Path

import pytest

import chainrule as torch
from chainrule.nn import functional as F
from chainrule.tensor.api import API
from chainrule.utils.checkpoint import checkpoint

from . import cases

RECORDED = json.loads(
    (Path(__file__).parents[1] / "recorded" / "autocast.json").read_text(encoding="utf-8")
)
# PyTorch's parts refuse operands of two types here; ours are cast before they meet.
CAST_FIRST = {
    "torch.tensordot(a, b, 1)", "torch.chain_matmul(a, b, c)", "torch.linalg.multi_dot([a, b, c])",
    "torch.inner(a, b)", "F.bilinear(a, b, x)",
}  # fmt: skip


@pytest.mark.parametrize("expression", RECORDED)
def test_results_have_pytorchs_types(expression):
    mine = [c for c in cases.all_cases() if c[0] == expression]
    assert mine, "not a case any more: record again"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of deprecated names
        found = [cases.outcome(torch, *case) for case in mine]
    wanted = RECORDED[expression]
    if expression in CAST_FIRST:
        pairs = [(f, w) for f, w in zip(found, wanted, strict=True) if w != "RuntimeError"]
        assert len(pairs) == 4
        assert all(f == w for f, w in pairs)
    else:
        assert found == wanted


def test_all_cases_are_recorded():
    assert set(RECORDED) == {c[0] for c in cases.all_cases()}


def test_functions_are_untouched_while_autocast_is_off():
    codes = {name: row.function.__code__ for name, row in API.items() if row.autocast}
    assert len(codes) > 90
    signature = inspect.signature(F.linear)
    with torch.autocast("cpu"):
        assert API["matmul"].function.__code__ is not codes["matmul"]
    assert all(API[name].function.__code__ is code for name, code in codes.items())
    assert inspect.signature(F.linear) == signature
    with torch.autocast("cpu", enabled=False):
        assert API["matmul"].function.__code__ is codes["matmul"]


def test_other_threads_keep_their_types():
    a = torch.ones(2, 2)
    entered, leave, kinds = threading.Event(), threading.Event(), []

    def casting():
        with torch.autocast("cpu"):
            entered.set()
            leave.wait(10)
            kinds.append((a @ a).dtype)

    thread = threading.Thread(target=casting)
    thread.start()
    entered.wait(10)
    kinds.append((a @ a).dtype)
    leave.set()
    thread.join()
    assert kinds == [torch.float32, torch.bfloat16]
    assert (a @ a).dtype is torch.float32


def test_a_name_imported_before_casts_too():
    linear = F.linear
    with torch.autocast("cpu"):
        assert linear(torch.ones(2, 2), torch.ones(2, 2)).dtype is torch.bfloat16


def test_a_weight_is_cast_once_and_again_when_it_changed():
    w = torch.ones(2, 2, requires_grad=True)
    x = torch.ones(1, 2)
    with torch.autocast("cpu"):
        first, second = F.linear(x, w), F.linear(x, w)
        casts = [t.grad_fn.next_functions[1][0] for t in (first, second)]
        assert casts[0] is casts[1]
        with torch.no_grad():
            w.add_(1)
        assert F.linear(x, w).tolist() == [[4, 4]]  # PyTorch goes on with the old value
        with torch.no_grad():
            F.linear(x, w)
        assert F.linear(x, w).requires_grad
    (first.sum() + second.sum()).backward()
    assert w.grad.tolist() == [[2, 2], [2, 2]]


def test_one_object_entered_twice():
    block = torch.autocast("cpu")
    with block:
        with block:
            assert torch.is_autocast_enabled("cpu")
        assert torch.is_autocast_enabled("cpu")
    assert not torch.is_autocast_enabled("cpu")  # PyTorch forgets to switch it off


def test_transforms():
    a = torch.linspace(-1, 1, 4).reshape(2, 2)

    def f(x):
        return F.linear(x, a).float().sum()

    with torch.autocast("cpu"):
        g = torch.func.grad(f)(a)
        batched = torch.func.vmap(lambda x: x @ a)(torch.ones(3, 2, 2))
    assert g.dtype is torch.float32
    assert torch.allclose(g, a.sum(0).expand(2, 2), atol=1e-2)
    assert batched.dtype is torch.bfloat16


def test_double_backward():
    w = torch.tensor([[2.0]], requires_grad=True)
    with torch.autocast("cpu"):
        y = (w @ w).float().pow(2)
    (g,) = torch.autograd.grad(y.sum(), w, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), w)
    assert (g.item(), h.item()) == (32, 48)  # of w^4 at 2
    assert g.dtype is h.dtype is torch.float32


def test_checkpointing_repeats_it():
    x = torch.ones(2, 2, requires_grad=True)
    kinds = []

    def function(t):
        kinds.append((t @ t).dtype)
        return (t @ t).exp()

    for use_reentrant in (False, True):
        kinds.clear()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = checkpoint(function, x, use_reentrant=use_reentrant)
        y.sum().backward()
        assert kinds == [torch.bfloat16, torch.bfloat16]
        assert x.grad.dtype is torch.float32


def test_training_reaches_the_loss_of_full_precision():
    def train(enabled, low=torch.bfloat16):
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2))
        x = torch.tensor([[0.0, 0], [0, 1], [1, 0], [1, 1]])
        t = torch.tensor([0, 1, 1, 0])
        optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
        scaler = torch.amp.GradScaler("cpu", enabled=low is torch.float16)
        for _ in range(60):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=low, enabled=enabled):
                loss = F.cross_entropy(model(x), t)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        return loss.item()

    assert train(False) < 0.05
    assert train(True) < 0.05
    assert train(True, torch.float16) < 0.05


def test_products_say_which_type_they_write():
    a, out = torch.ones(2, 2), torch.zeros(2, 2, dtype=torch.bfloat16)
    with torch.autocast("cpu"), pytest.raises(RuntimeError) as caught:
        torch.mm(a, a, out=out)
    text = str(caught.value)
    assert "Expected out tensor to have dtype float, but got c10::BFloat16 instead" in text
    assert "torch.mm(a, a, out=out)" in text and "test_autocast.py" in text
    assert "Fix: give an out= of that type, or copy the result" in text
    with pytest.raises(RuntimeError, match="self and mat2 must have the same dtype, but got Float"):
        a.addmm_(out, out)
