"""Names of PyTorch's insides that libraries call, and what they do here."""

import pytest

import chainrule as torch
from chainrule._guards import TracingContext
from chainrule._higher_order_ops.out_dtype import out_dtype
from chainrule._prims_common import make_contiguous_strides_for, suggest_memory_format
from chainrule.distributions.kl import _dispatch_kl
from chainrule.optim.lr_scheduler import _warn_get_lr_called_within_step


def test_an_operator_computes_in_a_wider_type():
    x = torch.full((2, 300), 127, dtype=torch.int8)
    found = out_dtype(torch.ops.aten.mm.default, torch.int32, x, x.T)
    assert found.dtype is torch.int32 and found[0, 0] == 127 * 127 * 300
    with pytest.raises(TypeError, match="must be an operator, got 3"):
        out_dtype(3, torch.int32, x)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3, 4), (0, 3), (2, 1, 5)])
def test_strides_for_a_shape_are_those_of_an_empty_tensor(shape):
    assert make_contiguous_strides_for(shape) == torch.empty(shape).stride()
    if len(shape) > 1 and all(shape):
        turned = torch.empty((*shape[:-2], shape[-1], shape[-2])).mT
        assert make_contiguous_strides_for(shape, row_major=False) == turned.stride()


def test_the_order_of_axes_is_seen():
    image, video = torch.ones(2, 3, 4, 4), torch.ones(2, 3, 4, 4, 4)
    for plain in (image, image[0], video):
        assert suggest_memory_format(plain) is torch.contiguous_format
    last = image.to(memory_format=torch.channels_last)
    assert suggest_memory_format(last) is torch.channels_last
    last = video.to(memory_format=torch.channels_last_3d)
    assert suggest_memory_format(last) is torch.channels_last_3d


def test_an_error_of_ones_own_is_raised_unless_all_are_true():
    torch._check_tensor_all_with(ValueError, torch.tensor([True, True]))
    with pytest.raises(ValueError, match="no"):
        torch._check_tensor_all_with(ValueError, torch.tensor([True, False]), lambda: "no")


def test_the_function_for_a_pair_of_distributions_is_found():
    normal = torch.distributions.Normal
    p, q = normal(1.0, 1.0), normal(0.0, 1.0)
    assert float(_dispatch_kl(normal, normal)(p, q)) == 0.5
    assert _dispatch_kl(normal, int) is NotImplemented


def test_no_trace_of_pytorchs_compiler_goes_on():
    assert TracingContext.try_get() is None
    with pytest.raises(RuntimeError, match="within an ongoing trace"):
        TracingContext.get()


def test_the_instructions_of_the_cpu_go_together():
    name = torch.backends.cpu.get_cpu_capability()
    assert torch.cpu._is_avx512_supported() is (name == "AVX512")
    assert torch.cpu._is_avx2_supported() is (name in ("AVX2", "AVX512"))
    assert not torch.cpu._is_amx_tile_supported() and not torch._C._cpu._init_amx()


def test_who_asks_a_schedule_for_its_next_rate_is_told():
    w = torch.nn.Parameter(torch.ones(1))
    schedule = torch.optim.lr_scheduler.StepLR(torch.optim.SGD([w], lr=0.1), 1)
    with pytest.warns(UserWarning, match="get_last_lr"):
        _warn_get_lr_called_within_step(schedule)
