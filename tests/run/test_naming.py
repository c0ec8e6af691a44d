"""Under the hook classes bear PyTorch's names; without it, help with names is there too."""

import copy
import pickle
import subprocess
import sys

import pytest

import chainrule

ASKED = """
import pickle, sys, typing
import torch
from torch import nn, optim
assert torch.__name__ == "torch" and repr(torch.Tensor) == "<class 'torch.Tensor'>"
assert str(type(nn.Parameter(torch.ones(1)))) == "<class 'torch.nn.parameter.Parameter'>"
for kind in (torch.dtype, torch.Size, torch.device, nn.Linear, optim.SGD, nn.Module, torch.Tensor,
             torch.distributions.Normal, torch.utils.data.DataLoader, torch.autograd.Function):
    home = sys.modules[kind.__module__]
    assert kind.__module__.split(".")[0] == "torch" and getattr(home, kind.__name__) is kind
    assert pickle.loads(pickle.dumps(kind)) is kind
class Mine(torch.Tensor): pass
class Leaf(torch.fx.Tracer):
    def is_leaf_module(self, m, name): return m.__module__.startswith("torch.nn.modules.lin")
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
kinds = [n.op for n in Leaf().trace(net).nodes]
assert kinds == ["placeholder", "call_module", "call_function", "output"], kinds
assert type(torch.ones(1).as_subclass(Mine) + 1) is Mine  # a user's class, ours are not
assert torch.compile(lambda x: x * 2)(torch.ones(2)).tolist() == [2.0, 2.0]
print(pickle.loads(pickle.dumps(net))[0])
"""


def test_classes_bear_pytorchs_names_under_the_hook():
    command = [sys.executable, "-m", "chainrule", "run", "-c", ASKED]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.stderr == "" and ran.stdout.startswith("Linear(")


def test_names_are_taken_back_with_the_hook():
    from chainrule.run import installed

    kinds = (chainrule.Tensor, chainrule.nn.Linear, chainrule.Size)
    before = [kind.__module__ for kind in kinds]
    with installed():
        assert [k.__module__ for k in kinds] == ["torch", "torch.nn.modules.linear", "torch"]
    assert [kind.__module__ for kind in kinds] == before and chainrule.__name__ == "chainrule"


@pytest.mark.parametrize(
    ("module", "name", "close"),
    [
        ("", "reluu", "chainrule.relu"),
        ("", "cross_entropy", "chainrule.nn.functional.cross_entropy"),
        ("nn", "Liner", "chainrule.nn.Linear"),
        ("nn.functional", "rellu", "chainrule.nn.functional.relu"),
        ("optim", "Adamm", "chainrule.optim.Adam"),
        ("distributions", "Normall", "chainrule.distributions.Normal"),
        ("linalg", "choleski", "chainrule.linalg.cholesky"),
    ],
)
def test_a_missing_name_is_helped_with_without_the_hook(module, name, close):
    path = f"chainrule.{module}".rstrip(".")
    space = {}
    exec(f"import {path}", space)
    with pytest.raises(AttributeError, match=rf"module '{path}' has no attribute '{name}'") as seen:
        eval(f"{path}.{name}", space)
    assert close in str(seen.value) and "test_naming.py" not in str(seen.value).split("Close")[1]
    for again in (pickle.loads(pickle.dumps(seen.value)), copy.copy(seen.value)):
        assert isinstance(again, AttributeError) and str(again) == str(seen.value)
    with pytest.raises(ImportError, match=rf"cannot import name '{name}'"):
        exec(f"from {path} import {name}", {})


def test_vars_of_the_package_hold_what_dir_lists():
    code = (
        "import chainrule\n"
        "assert 'relu' in dir(chainrule)\n"
        "assert 'relu' not in type(chainrule.nn.init).__dict__['__dict__'].__get__(chainrule)\n"
        "assert {'relu', 'save', 'optim', 'Tensor', 'float8_e4m3fn'} <= set(vars(chainrule))\n"
        "assert set(dir(chainrule)) <= set(vars(chainrule))\n"
        "assert vars(chainrule)['relu'] is chainrule.relu\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stderr == ""
