"""What programs rely on around `__torch_function__`: identity, compiled functions, threads."""

import copy
import inspect
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import chainrule as torch
from chainrule import overrides

SOURCE = str(Path(torch.__file__).parents[1])


class Mine(torch.Tensor):
    pass


class Doubling(overrides.TorchFunctionMode):
    """Every product is twice what it was."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        found = func(*args, **(kwargs or {}))
        return found + found if func is torch.Tensor.mul else found


def test_functions_stay_the_same_objects_with_the_same_signature():
    code = (
        "import inspect\n"
        "import chainrule as torch\n"
        "names = ('add', 'mul', 'sum', '__getitem__', 'exp')\n"
        "held = {n: getattr(torch.Tensor, n) for n in names}\n"
        "held_functions = {n: getattr(torch, n) for n in ('add', 'sum', 'relu', 'zeros_like')}\n"
        "x = torch.ones(2)\n"
        "x.add(1); x.mul(x); x[0]; x.exp(); torch.add(x, 1)\n"
        "before = {n: str(inspect.signature(f)) for n, f in held_functions.items()}\n"
        "class Mine(torch.Tensor): pass\n"
        "m = x.as_subclass(Mine)\n"
        "m.add(1); m[0]\n"
        "assert all(getattr(torch.Tensor, n) is f for n, f in held.items())\n"
        "assert all(getattr(torch, n) is f for n, f in held_functions.items())\n"
        "assert before == {n: str(inspect.signature(f)) for n, f in held_functions.items()}\n"
        "assert type(held['add'](m, 1)) is type(held_functions['relu'](m)) is Mine\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": SOURCE}
    )
    assert ran.stderr == ""


def test_a_foreign_class_is_met_after_plain_calls():
    code = (
        "import chainrule as torch\n"
        "import chainrule.nn.functional as F\n"
        "x = torch.ones(2, 2)\n"
        "x + x; x * x; F.relu(x); torch.sum(x); torch.exp(x); F.linear(x, x); torch.stack([x, x])\n"
        "class Duck:\n"
        "    @classmethod\n"
        "    def __torch_function__(cls, func, types, args=(), kwargs=None):\n"
        "        return func.__name__, len(args), kwargs\n"
        "{call}"
    )
    for call, answer in {
        "x + Duck()": ("add", 2, {}),
        "F.relu(Duck())": ("relu", 1, {}),
        "torch.sum(Duck())": ("sum", 1, {}),
        "torch.sum(Duck(), dim=0, keepdim=True)": ("sum", 3, {}),
        "torch.exp(Duck())": ("exp", 1, {}),
        "F.linear(x, Duck())": ("linear", 2, {}),
        "torch.stack([x, Duck()])": ("stack", 1, {}),
    }.items():
        program = code.replace("{call}", f"print({call})\n")
        ran = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            env={"PYTHONPATH": SOURCE},
        )
        assert ran.stdout == f"{answer}\n", (call, ran.stderr)


def test_a_class_that_was_assigned_is_kept():
    x = torch.ones(2)
    x.__class__ = Mine
    assert type(x + 1) is Mine and type((x + 1).sum()) is Mine


def test_copies_keep_class_attributes_and_values():
    x = torch.ones(2).as_subclass(Mine)
    x.note = [1]
    for made in (copy.deepcopy(x), copy.copy(x)):
        assert type(made) is Mine and made.tolist() == [1.0, 1.0] and made.note == [1]
    assert copy.deepcopy(x).note is not x.note


@pytest.mark.filterwarnings("ignore:chainrule.compile")
def test_compiled_functions_obey_classes_and_modes():
    f = torch.compile(lambda x: x * 3 + 1)
    plain, mine = torch.ones(2), torch.ones(2).as_subclass(Mine)
    for _ in range(4):
        assert f(plain).tolist() == [4.0, 4.0] and type(f(plain)) is torch.Tensor
        assert f(mine).tolist() == [4.0, 4.0] and type(f(mine)) is Mine
    with Doubling():
        assert f(plain).tolist() == [7.0, 7.0]
    assert f(plain).tolist() == [4.0, 4.0]
    closed_over = torch.compile(lambda x: x * mine)
    assert all(type(closed_over(plain)) is Mine for _ in range(5))


def test_a_compiled_function_says_why_it_runs_eagerly():
    f = torch.compile(lambda x: x * 3)
    with pytest.warns(UserWarning, match="an argument is a Mine, a class that overrides"):
        f(torch.ones(2).as_subclass(Mine))


def test_modes_are_of_their_thread():
    found = []
    with Doubling():
        thread = threading.Thread(target=lambda: found.append((torch.ones(1) * 3).item()))
        thread.start()
        thread.join()
        assert (torch.ones(1) * 3).item() == 6.0
    assert found == [3.0]


def test_every_listed_function_can_be_overridden():
    class Duck:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func

    for space, functions in overrides.get_overridable_functions().items():
        for f in functions:
            if (
                space is torch.Tensor
                or isinstance(space, property)
                or "*" in str(inspect.signature(f))
            ):
                continue
            assert f(Duck()) is f, overrides.resolve_name(f)


def test_gradients_flow_through_a_subclass_with_its_own_handler():
    class Scaled(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            found = super().__torch_function__(func, types, args, kwargs)
            return found * 1 if func is torch.exp else found

    leaf = torch.tensor([0.0, 1.0], requires_grad=True)
    torch.exp(leaf.as_subclass(Scaled)).sum().backward()
    torch.testing.assert_close(leaf.grad, torch.exp(leaf.detach()))


def test_testing_overrides_take_what_the_functions_take():
    answers = overrides.get_testing_overrides()
    assert answers[torch.add](1, 2) == -1 and answers[torch.Tensor.grad.__get__](None) == -1
    assert list(inspect.signature(answers[torch.nn.functional.relu]).parameters) == [
        "input",
        "inplace",
    ]
    assert torch.zeros in overrides.get_ignored_functions()
    assert torch.zeros not in answers


def test_a_function_that_the_library_calls_first_still_asks():
    code = """
import chainrule as torch

class Mine(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func.__name__

x = torch.Tensor._make_subclass(Mine, torch.ones(2))
torch.randn_like(torch.ones(2))  # it calls empty_like, whose code is made then
print(torch.empty_like(x))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "empty_like\n"


def test_methods_are_called_what_they_are_found_as():
    class Named(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__

    x = torch.ones(2).as_subclass(Named)
    names = ("is_conj", "is_pinned", "sparse_dim", "storage_offset", "type", "is_coalesced")
    assert [getattr(x, name)() for name in names] == list(names)
    assert x.where(x > 0, 1) == "where" and x.multiply(2) == "multiply"
    assert torch.Tensor.backward.__name__ == "backward"
