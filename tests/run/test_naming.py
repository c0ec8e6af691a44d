"""Under the hook classes bear PyTorch's names; without it, help with names is there too."""

import copy
import importlib
import inspect
import json
import pickle
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import pytest
from public_names import blocks

import chainrule
import chainrule.run

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


HOMES = Path(__file__).parents[1] / "recorded" / "homes.txt"

AT_HOME = """
import importlib, json, pickle, sys, warnings
from types import FunctionType
warnings.simplefilter("ignore")
import torch
lost, elsewhere = [], []
for home, paths in json.loads(sys.stdin.read()).items():
    for path in paths:
        module, _, name = path.rpartition(".")
        try:
            found = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError):
            continue
        if not isinstance(found, type | FunctionType):
            continue
        if pickle.loads(pickle.dumps(found)) is not found:
            lost.append(path)
        if found.__module__.startswith("chainrule"):
            elsewhere.append(path)
print(json.dumps([lost, elsewhere]))
"""


def test_public_classes_and_functions_are_found_where_they_say_they_are():
    recorded = {home: " ".join(lines).split() for home, lines in blocks(HOMES).items()}
    ran = subprocess.run(
        [sys.executable, "-m", "chainrule", "run", "-c", AT_HOME],
        input=json.dumps(recorded), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(ran.stdout) == [[], []]


def test_the_table_of_homes_is_up_to_date():
    tool = Path(__file__).parents[2] / "tools" / "generate_homes.py"
    ran = subprocess.run(
        [sys.executable, str(tool), "--print"], capture_output=True, text=True, check=True
    )
    kept = Path(chainrule.run.naming.__file__).with_name("homes.txt").read_text(encoding="utf-8")
    assert ran.stdout == kept, "run tools/generate_homes.py"


@pytest.mark.parametrize("space", ["", "nn.functional", "linalg", "fft", "special"])
def test_functions_are_pickled_by_name(space):
    """As attributes of layers, as tasks of processes: PyTorch's functions can be sent anywhere."""
    from chainrule.tensor import functions_of

    module = importlib.import_module(f"chainrule.{space}".rstrip("."))
    for name in functions_of(space):
        function = getattr(module, name)
        assert pickle.loads(pickle.dumps(function)) is function
        assert function.__qualname__ == name and function.__name__.endswith(name)
    if not space:
        for name, method in vars(chainrule.Tensor).items():
            if isinstance(method, FunctionType):
                assert pickle.loads(pickle.dumps(method)) is method, name


def test_functions_are_pickled_by_name_once_a_class_overrides_them():
    class Mine(chainrule.Tensor):
        pass

    chainrule.ones(2).as_subclass(Mine) + 1
    for function in (chainrule.add, chainrule.nn.functional.relu, chainrule.abs_, chainrule.clip):
        assert pickle.loads(pickle.dumps(function)) is function


def test_pickles_of_functions_have_pytorchs_names_under_the_hook():
    from chainrule.run import installed

    relu = chainrule.nn.functional.relu
    with installed():
        written = pickle.dumps([relu, chainrule.add, chainrule.nn.init.zeros_])
        assert pickle.loads(written)[0] is relu and relu.__module__ == "torch.nn.functional"
    assert b"chainrule" not in written and relu.__module__ == "chainrule.nn.functional"


def test_aliases_have_names_of_their_own():
    assert chainrule.absolute.__name__ == "absolute" and chainrule.abs.__name__ == "abs"
    assert chainrule.special.expit.__name__ == "special_expit"
    assert chainrule.linalg.det.__name__ == "linalg_det"
    assert chainrule.fft.rfft.__name__ == "fft_rfft"


def test_old_grad_scalers_can_be_pickled():
    with pytest.warns(FutureWarning):
        scaler = chainrule.cuda.amp.GradScaler(enabled=False)
    again = pickle.loads(pickle.dumps(scaler))
    assert type(again) is type(scaler) and not again.is_enabled()


@pytest.mark.parametrize("path", ["nn.Conv2d.__init__", "optim.AdamW.__init__",
                                  "nn.functional.cross_entropy", "utils.data.DataLoader.__init__",
                                  "nn.functional.dropout"])  # fmt: skip
def test_getfullargspec_sees_through_our_wrappers(path):
    found = chainrule
    for part in path.split("."):
        found = getattr(found, part)
    told, seen = inspect.signature(found), inspect.getfullargspec(found)
    by_place = [p for p in told.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert seen.args == [p.name for p in by_place] and seen.varargs is None
    assert list(seen.defaults) == [p.default for p in by_place if p.default is not p.empty]
    copied = copy.deepcopy(told)
    assert copied == told and str(copied) == str(told) and pickle.loads(pickle.dumps(told)) == told
    assert list(told.replace(parameters=[]).parameters) == []
