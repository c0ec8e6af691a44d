"""The text of captured programs: what is an input, a constant, a write, a draw.

Texts are compared as a whole, so that nothing slips into a program unnoticed.
"""

# ruff: noqa: E501 - lines of programs are long

import textwrap

import pytest

import chainrule as torch
from chainrule.compiler.capture.program import Program
from chainrule.compiler.capture.traced_call import Call

F = torch.nn.functional
pytestmark = pytest.mark.jit


def traced(function, args, follow=None):
    call = Call(function, args, {})
    if follow is not None:
        call.follow({path for path in call.scan.values if path.endswith(follow)}, ())
    call.run(function, args, {}, True)
    return call


def captured(function, args):
    """The graph made of two traced calls."""
    return str(Program(traced(function, args), traced(function, args, ())).graph)


def is_text(have, want):
    assert have.split("\n") == textwrap.dedent(want).strip("\n").split("\n")


def test_a_function_with_a_constant_and_a_closure():
    w = torch.ones(3)
    text = captured(lambda x: (x * w + torch.arange(3)).relu(), (torch.ones(2, 3),))
    is_text(text, GOLDEN["constant"])


def test_a_write_through_a_view():
    def f(x):
        y = x * 2
        y[:, 1:] += 1
        x[0] = y[1]
        return y

    is_text(captured(f, (torch.ones(2, 3),)), GOLDEN["views"])


def test_a_number_that_changes_and_a_draw():
    settings = {"rate": 0.5}

    def f(x):
        return x * settings["rate"] + torch.rand(2)

    first = traced(f, (torch.ones(2),))
    settings["rate"] = 0.25
    second = traced(f, (torch.ones(2),), "['rate']")
    is_text(str(Program(first, second).graph), GOLDEN["number"])


def test_a_step_of_gradient_descent():
    w = torch.ones(3, requires_grad=True)

    def step(x, y):
        w.grad = None
        loss = ((x @ w - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w.sub_(0.1 * w.grad)
        return loss.detach()

    step(torch.ones(2, 3), torch.ones(2))
    is_text(captured(step, (torch.ones(2, 3), torch.zeros(2))), GOLDEN["step"])


def test_gradients_that_are_asked_for_outside():
    w = torch.ones(3, requires_grad=True)
    is_text(captured(lambda x: (x * w).exp(), (torch.ones(3),)), GOLDEN["outside"])


GOLDEN = {
    "constant": """
    graph(%0: f32[2,3] 'arg0', %1: f32[3]) {
      %2: i64[3] = const [0, 1, 2]
      %3: f32[2,3] = mul(%0, %1)
      %4: f32[3] = cast(%2) {dtype=f32}
      %5: f32[2,3] = add(%3, %4)
      %6: f32[2,3] = relu(%5)
      return %6
    }
""",
    "views": """
    graph(%0: f32[2,3] 'arg0') {
      %1: f32[2,3] = mul(%0, 2)
      %2: f32[2,2] = slice_view(%1) {index=(slice(None, None, None), slice(1, None, None))}
      %3: f32[2,2] = add(%2, 1)
      %4: f32[2,3] = write_view(%1, %3) {chain=(('slice_view', (('index', (slice(None, None, None), slice(1, None, None))),)),)}
      %5: f32[2,2] = slice_view(%4) {index=(slice(None, None, None), slice(1, None, None))}
      %6: f32[2,3] = write_view(%4, %3) {chain=(('slice_view', (('index', (slice(None, None, None), slice(1, None, None))),)),)}
      %7: f32[3] = select_view(%6) {index=(1,)}
      %8: f32[3] = slice_view(%0) {index=(0,)}
      %9: f32[2,3] = write_view(%0, %7) {chain=(('slice_view', (('index', (0,)),)),)}
      write %9 -> %0
      return %6
    }
""",
    "number": """
    graph(%0: f32[2] 'arg0', %1: num:f64 'number0') {
      %2: f32[2] = mul(%0, %1)
      %3: f32[2] = draw_uniform() {dtype=f32, generator=None, high=1.0, low=0.0, shape=(2,)}
      %4: f32[2] = add(%2, %3)
      return %4
    }
""",
    "step": """
    graph(%0: f32[2,3] 'arg0', %1: f32[2] 'arg1', %2: f32[3], %3: f32[3] 'new grad') {
      %4: f32[] = const 1.0
      %5: f32[2] = mv(%0, %2)
      %6: f32[2] = sub(%5, %1)
      %7: f32[2] = pow(%6, 2)
      %8: f32[] = reduce_mean(%7) {axis=(0,), keepdims=False}
      %9: f32[] = div(%4, 2)
      %10: f32[2] = broadcast_to(%9) {shape=(2,)}
      %11: f32[2] = pow(%6, 1)
      %12: f32[2] = mul(2, %11)
      %13: f32[2] = mul(%10, %12)
      %14: f32[3,2] = transpose(%0) {perm=(1, 0)}
      %15: f32[3] = mv(%14, %13)
      %16: f32[3] = mul(0.1, %15)
      %17: f32[3] = sub(%2, %16)
      write %17 -> %2
      write %15 -> %3
      return %8
    }
""",
    "outside": """
    graph(%0: f32[3] 'arg0', %1: f32[3], %2: f32[3] 'gradient of result 0') {
      %3: f32[3] = mul(%0, %1)
      %4: f32[3] = exp(%3)
      %5: f32[3] = mul(%2, %4)
      %6: f32[3] = mul(%5, %0)
      return %4, %6
    }
""",
}
