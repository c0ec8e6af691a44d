"""Names that PyTorch does not document and that libraries import all the same."""

import importlib

import pytest

import chainrule as torch

IMPORTED = [
    ("_subclasses.fake_tensor", "FakeTensor"),
    ("_subclasses.meta_utils", "MetaConverter"),
    ("distributed.tensor._utils", "compute_local_shape_and_global_offset"),
    ("distributed.tensor.placement_types", "_StridedShard"),
    ("distributed.rpc.api", "_require_initialized"),
    ("_dynamo", "eval_frame"),
    ("jit.annotations", "List"),
    ("fx.experimental.proxy_tensor", "make_fx"),
    ("utils.data.dataloader", "_collate_fn_t"),
]


@pytest.mark.parametrize(("module", "name"), IMPORTED)
def test_is_there(module, name):
    assert hasattr(importlib.import_module(f"chainrule.{module}"), name)


def test_what_they_ask_is_answered():
    from chainrule._subclasses.fake_tensor import FakeTensor, is_fake
    from chainrule.fx.experimental.proxy_tensor import get_proxy_mode
    from chainrule.hub import HASH_REGEX
    from chainrule.utils._python_dispatch import is_traceable_wrapper_subclass

    x = torch.ones(2)
    assert not is_fake(x) and not isinstance(x, FakeTensor)
    assert get_proxy_mode() is None and not is_traceable_wrapper_subclass(x)
    assert HASH_REGEX.search("resnet18-f37072fd.pth").group(1) == "f37072fd"


def test_modules_are_attributes_without_an_import():
    assert torch.overrides.is_tensor_like(torch.ones(1))
    assert torch._dynamo.eval_frame.OptimizedModule is torch._dynamo.OptimizedModule


def test_seeds_of_workers_are_those_of_pytorch():
    from chainrule.utils.data._utils.worker import _generate_state

    assert _generate_state(12345678901, 3) == [2973762914, 2096409635, 2530576639, 2673913251]


def test_assert_async():
    torch._assert_async(torch.tensor([1.0]))
    with pytest.raises(RuntimeError, match="Expected Tensor with single nonzero value"):
        torch._assert_async(torch.tensor(0))
    with pytest.raises(RuntimeError, match="not good"):
        torch._assert_async(torch.tensor(False), "not good")
