"""The forms of one rule agree: NumPy, machine code, tensor ops, compiled steps."""

import numpy as np
import optim_cases
import pytest

import chainrule as torch
from chainrule.compiler.native.kernels import optimizers
from chainrule.ops.kernels import Kernels
from chainrule.optim import plan, program
from chainrule.optim.array_form import BLOCK, ArrayForm

ELEMENTWISE = ("SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Adagrad", "Adadelta", "RMSprop",
               "Rprop", "ASGD", "Lion")  # fmt: skip
OPTIONS = {**optim_cases.OPTIONS, "Lion": [{"lr": 0.01}, {"weight_decay": 0.1, "maximize": True}]}


@pytest.fixture
def programs(monkeypatch, numpy_only):
    """Every program that the options of all optimizers lead to."""
    monkeypatch.setattr(program, "KNOWN", known := {})
    monkeypatch.setattr(optimizers, "KNOWN", known)
    from chainrule.optim import rule_optimizer

    rule_optimizer.program_of.cache_clear()
    for name in ELEMENTWISE:
        for options in OPTIONS[name]:
            optim_cases.run(torch, name, options, "float32")
    yield dict(known)
    rule_optimizer.program_of.cache_clear()


def test_the_text_of_every_kernel_computes_what_the_numpy_form_does(programs):
    assert len(programs) > 35
    random = np.random.RandomState(0)
    for made in programs.values():
        arrays = [np.abs(random.standard_normal(5)).astype(np.float32) for _ in made.arrays]
        arrays[1] *= np.array([1, -1, 0, 1, -1], np.float32)
        if made.name == "rprop":
            arrays[2] *= np.array([1, 1, 1, -1, -1], np.float32)
        scalars = tuple(random.uniform(0.1, 0.9, len(made.scalars)).tolist())
        others = [a.copy() for a in arrays]
        ArrayForm(made)(arrays, scalars)
        kernel = optimizers.step_kernel(f"{made.kernel}__f32")
        kernel.reference(*[[a] for a in others], *scalars)
        for name, mine, theirs in zip(made.arrays, arrays, others, strict=True):
            np.testing.assert_array_equal(mine, theirs, err_msg=f"{made.text}\n{name}")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_machine_code_gives_the_bits_of_the_numpy_form(monkeypatch, dtype):
    def train(kernels):
        monkeypatch.setattr(plan, "fast", kernels)
        torch.manual_seed(1)
        # Several blocks and a rest, a matrix, a scalar, nothing.
        params = [torch.randn(s, dtype=dtype) for s in ((3 * BLOCK + 5,), (7, 3), (), (0,))]
        params = [p.requires_grad_() for p in params]
        optimizer = torch.optim.AdamW(params, lr=0.01)
        for _ in range(3):
            for p in params:
                p.grad = torch.randn(p.shape, dtype=dtype)
            optimizer.step()
        return optim_cases.snapshot(optimizer, "")

    native, numpy = train(plan.fast), train(Kernels())
    for label, value in native.items():
        np.testing.assert_array_equal(value, numpy[label], err_msg=label)


def test_machine_code_is_what_runs_after_the_first_step():
    p = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.AdamW([p])
    p.grad = torch.ones(3)
    optimizer.step()
    assert not optimizer._chainrule_plans.run(optimizer)  # no group is left
    assert optimizer.state[p]["step"].item() == 2


def network():
    torch.manual_seed(0)
    return [torch.randn(8, 3), torch.zeros(8), torch.randn(2, 8)]


def training_step(params, optimizer):
    def step(x):
        optimizer.zero_grad()
        hidden = torch.tanh(x @ params[0].T + params[1])
        loss = ((hidden @ params[2].T) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss

    return step


def train_with_decay(name, options, compiled):
    params = [p.requires_grad_() for p in network()]
    optimizer = getattr(torch.optim, name)(params, **options)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    step = training_step(params, optimizer)
    if compiled:
        step = torch.compile(step, fullgraph=True)
    x = torch.randn(5, 3, generator=torch.Generator().manual_seed(2))
    losses = []
    for _ in range(8):
        losses.append(step(x).item())
        schedule.step()
    return losses, optim_cases.snapshot(optimizer, ""), step


COMPILED = [*((name, {}) for name in ELEMENTWISE), ("LAMB", {}), ("Adafactor", {}),
            ("SGD", {"momentum": 0.9, "nesterov": True}), ("AdamW", {"amsgrad": True}),
            ("RMSprop", {"momentum": 0.9, "centered": True})]  # fmt: skip


@pytest.mark.parametrize(("name", "options"), COMPILED)
def test_a_compiled_step_with_a_changing_rate_equals_the_eager_one(numpy_only, name, options):
    losses, state, _ = train_with_decay(name, options, compiled=False)
    compiled_losses, compiled_state, step = train_with_decay(name, options, compiled=True)
    assert step.explain().startswith("graph(")
    np.testing.assert_allclose(compiled_losses, losses, rtol=1e-5)
    # A variance is a small difference of large numbers, and the gradient is divided by it.
    tolerance = 1e-4 if "centered" in options else 2e-5
    for label, value in compiled_state.items():
        np.testing.assert_allclose(value, state[label], rtol=tolerance, atol=1e-7, err_msg=label)


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop"])
def test_a_differentiable_step_has_the_gradient_of_finite_differences(name):
    def after_step(start):
        p = start * 1.0
        optimizer = getattr(torch.optim, name)([p], lr=0.1, differentiable=True)
        for factor in (1.0, 2.0):
            p.grad = start * start * factor
            optimizer.step()
        return (p * p).sum()

    start = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(after_step, (start,))


def test_a_view_of_rows_and_an_odd_layout_are_stepped_in_place():
    whole = torch.arange(12.0).reshape(4, 3)
    rows, turned = whole[1:3].detach(), torch.arange(6.0).reshape(2, 3).T
    assert not turned.is_contiguous()
    for p in (rows, turned):
        p.requires_grad_()
        optimizer = torch.optim.SGD([p], lr=1.0, momentum=0.5)
        for _ in range(2):
            p.grad = torch.ones(p.shape)
            optimizer.step()
    assert whole.tolist() == [[0, 1, 2], [0.5, 1.5, 2.5], [3.5, 4.5, 5.5], [9, 10, 11]]
    assert turned.tolist() == [[-2.5, 0.5], [-1.5, 1.5], [-0.5, 2.5]]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_computed_in_single_and_rounded_once(dtype):
    p = torch.tensor([1.0, 2.0, 3.0], dtype=dtype, requires_grad=True)
    wide = p.detach().float().requires_grad_()
    mine, exact = torch.optim.AdamW([p], lr=0.01), torch.optim.AdamW([wide], lr=0.01)
    p.grad, wide.grad = torch.ones(3, dtype=dtype), torch.ones(3)
    mine.step()
    exact.step()
    assert p.dtype is dtype and mine.state[p]["exp_avg"].dtype is dtype
    assert torch.equal(p, wide.to(dtype))


def test_changes_between_steps_are_seen():
    """Whatever may be replaced between two steps is read anew by the second."""

    def make():
        p, q = torch.ones(3, requires_grad=True), torch.ones(2, requires_grad=True)
        optimizer = torch.optim.Adam([p, q], lr=0.1)
        for _ in range(2):
            p.grad, q.grad = torch.ones(3), torch.ones(2)
            optimizer.step()
        return p, q, optimizer

    p, q, optimizer = make()
    expected = p.detach().clone()
    p.data = torch.zeros(3)  # other memory
    optimizer.step()
    torch.testing.assert_close(p.detach(), expected - 0.1 - expected, rtol=1e-5, atol=1e-6)

    p, q, optimizer = make()
    optimizer.state[p]["exp_avg"] = torch.zeros(3)  # another state tensor
    before = p.detach().clone()
    optimizer.step()
    assert (before - p.detach())[0].item() == pytest.approx(0.1 * 0.1 / (1 - 0.9**3), rel=1e-4)

    p, q, optimizer = make()
    optimizer.state[p]["step"].fill_(0)  # the counters differ now
    optimizer.step()
    assert [optimizer.state[x]["step"].item() for x in (p, q)] == [1, 3]

    p, q, optimizer = make()
    q.grad = None
    before = q.detach().clone()
    optimizer.step()
    assert torch.equal(q.detach(), before) and optimizer.state[q]["step"].item() == 2
    q.grad = torch.ones(2)
    optimizer.step()
    assert optimizer.state[q]["step"].item() == 3

    p, q, optimizer = make()
    optimizer.param_groups[0]["maximize"] = True
    before = p.detach().clone()
    for _ in range(40):
        optimizer.step()
    assert (p.detach() > before).all()

    p, q, optimizer = make()
    optimizer.state.clear()
    optimizer.step()
    assert optimizer.state[p]["step"].item() == 1


def test_a_graph_that_needs_old_weights_notices_the_step():
    p = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([p], lr=0.1)
    p.grad = torch.ones(2)
    optimizer.step()
    loss = (p * p).sum()
    optimizer.step()
    with pytest.raises(RuntimeError, match=r"modified by an inplace operation[\s\S]*step"):
        loss.backward()
