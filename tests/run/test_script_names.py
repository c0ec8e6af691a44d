"""Names of torch.jit, torch._dynamo, torch._inductor and torch.compiler that programs use."""

import importlib
from typing import Optional

import pytest

import chainrule as torch


def test_plain_modules_are_no_script_modules():
    net = torch.nn.Linear(2, 2)
    assert not isinstance(net, torch.jit.ScriptModule)
    assert torch.jit.script(net) is net and torch.jit.trace(net, torch.ones(1, 2)) is net
    assert torch.ScriptModule is torch.jit.ScriptModule


def test_script_modules_run_as_python():
    class Counter(torch.jit.ScriptModule):
        __constants__ = ("n",)
        n: torch.jit.Final[int]

        def __init__(self):
            super().__init__()
            self.n = 2
            self.table = torch.jit.Attribute({"a": 1}, dict)

        @torch.jit.script_method
        def forward(self, x):
            return x * self.n + self.table["a"]

    made = Counter()
    assert made(torch.tensor(3.0)) == 7 and made.original_name == "Counter"
    with pytest.raises(RuntimeError, match="TorchScript files"):
        made.save("file.pt")


def test_isinstance_looks_into_containers():
    check = torch.jit.isinstance
    assert check({"a": [1]}, dict[str, list[int]]) and not check({"a": ["b"]}, dict[str, list[int]])
    assert check(None, Optional[int]) and check((1, "a"), tuple[int, str])  # noqa: UP045
    assert not check((1, 2), tuple[int, str]) and check((1, 2), tuple[int, ...])


def test_freezing_wants_evaluation_mode():
    net = torch.nn.Linear(1, 1)
    with pytest.raises(RuntimeError, match="eval mode"):
        torch.jit.freeze(net)
    assert torch.jit.freeze(net.eval()) is net


def test_forks_run_and_hand_over_errors():
    assert torch.jit.wait(torch.jit.fork(lambda x, k: x + k, 1, k=2)) == 3
    with pytest.raises(ZeroDivisionError):
        torch.jit.fork(lambda: 1 / 0).wait()


def test_settings_are_patched_inside_blocks():
    for name in ("_dynamo.config", "_inductor.config", "compiler.config"):
        config = importlib.import_module(f"chainrule.{name}")
        with config.patch(made_up=3):
            assert config.made_up == 3
        assert config.made_up is None
    with torch._dynamo.config.patch("suppress_errors", True):
        assert torch._dynamo.config.suppress_errors is True
    assert torch._dynamo.config.suppress_errors is False


def test_the_wrapper_of_compiled_modules_is_found():
    compiled = torch.compile(torch.nn.Linear(1, 1))
    frame = importlib.import_module("chainrule._dynamo.eval_frame")
    assert isinstance(compiled, frame.OptimizedModule)
    assert isinstance(compiled, torch._dynamo.OptimizedModule)


@pytest.mark.parametrize(
    "name",
    ["_dynamo.exc", "_dynamo.utils", "_dynamo.decorators", "_dynamo.external_utils",
     "_dynamo.backends.registry", "_dynamo._trace_wrapped_higher_order_op", "_inductor.config",
     "jit.annotations", "jit._script", "jit._trace", "_jit_internal"],
)  # fmt: skip
def test_modules_that_libraries_import_exist(name):
    assert importlib.import_module(f"chainrule.{name}").__doc__
