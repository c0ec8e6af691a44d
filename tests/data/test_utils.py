"""The small modules of `utils` that scripts import."""

import subprocess
import sys

import numpy as np
import pytest

import chainrule as torch
from chainrule.utils import _pytree, collect_env, cpp_extension, dlpack, hooks


def test_dlpack_shares_memory():
    array = np.arange(3.0)
    shared = dlpack.from_dlpack(array)
    shared += 1
    assert array.tolist() == [1.0, 2.0, 3.0]
    assert torch.equal(dlpack.from_dlpack(dlpack.to_dlpack(shared)), shared)


def test_the_handle_of_a_hook_has_its_name():
    x = torch.ones(2, requires_grad=True)
    handle = x.register_hook(lambda g: g * 2)
    assert isinstance(handle, hooks.RemovableHandle)
    handle.remove()


def test_trees():
    tree = {"a": [1, (2, 3)], "b": 4}
    leaves, form = _pytree.tree_flatten(tree)
    assert leaves == [1, 2, 3, 4] == _pytree.tree_leaves(tree) and form.num_leaves == 4
    assert _pytree.tree_unflatten(leaves, form) == tree
    assert form == _pytree.tree_structure({"a": [5, (6, 7)], "b": 8}) != _pytree.tree_structure([1])
    added = _pytree.tree_map(lambda x, y: x + y, tree, tree)
    assert added == {"a": [2, (4, 6)], "b": 8}
    assert _pytree.tree_map_only(int, str, [1, 2.0]) == ["1", 2.0]
    assert _pytree.tree_any(lambda x: x > 3, tree) and not _pytree.tree_all(lambda x: x > 3, tree)
    with pytest.raises(ValueError, match=r"`leaves` has length 1 but .* 4 items"):
        _pytree.tree_unflatten([1], form)
    with pytest.raises(ValueError, match="Node type mismatch"):
        _pytree.tree_map(max, [1], (1,))


def test_the_report_is_honest():
    report = collect_env.get_pretty_env_info()
    assert f"chainrule version: {torch.__version__}" in report
    assert f"numpy: {np.__version__}" in report and "no CUDA" in report
    printed = subprocess.run(
        [sys.executable, "-m", "chainrule.utils.collect_env"], capture_output=True, text=True
    )
    assert printed.returncode == 0 and printed.stdout.startswith("chainrule version")


@pytest.mark.parametrize("name", ["load", "load_inline", "CppExtension", "BuildExtension"])
def test_extensions_in_cpp_are_refused_with_a_way_out(name):
    with pytest.raises(NotImplementedError, match=f"cpp_extension.{name} is not supported"):
        getattr(cpp_extension, name)()
    assert not cpp_extension.is_ninja_available()


def test_submodules_are_found_by_name_and_others_are_not():
    assert torch.utils.data.DataLoader.__name__ == "DataLoader"
    assert {"checkpoint", "data", "tensorboard"} <= set(dir(torch.utils))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        torch.utils.nothing  # noqa: B018
