"""Modules: what is ours beside PyTorch's behaviour, which test_module_programs.py compares."""

import copy
import gc
import pickle
import traceback
import warnings
import weakref

import pytest

import chainrule as torch
from chainrule import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return self.first(x) * self.scale


# ---- errors say what is meant and how to go on -------------------------------------------------


def test_a_misspelt_attribute_names_the_close_ones():
    with pytest.raises(AttributeError, match=r"'Net' object has no attribute 'sclae'.*'scale'"):
        Net().sclae  # noqa: B018
    with pytest.raises(AttributeError, match=r"^'Net' object has no attribute 'qqqqq'$"):
        Net().qqqqq  # noqa: B018


def test_a_missing_attribute_is_an_attribute_error_in_the_traceback_and_in_a_pickle():
    with pytest.raises(AttributeError) as caught:
        Net().frist  # noqa: B018
    assert traceback.format_exception_only(caught.value)[0].startswith("AttributeError: 'Net'")
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is AttributeError and "'first'" in str(again)
    assert not hasattr(Net(), "frist") and getattr(Net(), "frist", 5) == 5


def test_a_module_that_is_not_set_up_says_so():
    class Forgot(nn.Module):
        def __init__(self):
            pass

    module = Forgot()
    for use in (module, module.state_dict, lambda: list(module.parameters()), module.train):
        with pytest.raises(AttributeError, match=r"Module.__init__\(\) was not called"):
            use()

    class Early(nn.Module):
        def __init__(self):
            self.weight = nn.Parameter(torch.ones(1))

    with pytest.raises(AttributeError, match=r"(?s)before Module.__init__\(\) call.*super\(\)"):
        Early()


def test_what_cannot_be_assigned_comes_with_the_line_and_the_fix():
    module = Net()
    with pytest.raises(TypeError, match=r"(?s)as parameter 'scale'.*test_module.py.*copy_\(x\)"):
        module.scale = torch.zeros(1)
    with pytest.raises(TypeError, match=r"(?s)as child module 'first'.*del module.first"):
        module.first = torch.zeros(1)
    assert module.scale.item() == 1.0 and isinstance(module.first, nn.Linear)


def test_a_gpu_is_refused_with_a_reason_and_nothing_has_changed():
    module = Net()
    before = module.scale
    for move in (module.cuda, lambda: module.to("cuda"), lambda: module.to(device="cuda:1")):
        with pytest.raises(RuntimeError, match="chainrule computes on the CPU"):
            move()
    assert module.scale is before


# ---- reports of loading ------------------------------------------------------------------------


def test_a_report_lists_everything_and_says_how_to_go_on():
    state = {"first.weight": torch.ones(3, 9), "scale": torch.ones(1), "extra": torch.ones(1)}
    with pytest.raises(RuntimeError) as caught:
        Net().load_state_dict(state)
    said = str(caught.value)
    for part in (
        "Error(s) in loading state_dict for Net:",
        'Missing key(s) in state_dict: "first.bias". ',
        'Unexpected key(s) in state_dict: "extra". ',
        "size mismatch for first.weight: copying a param with shape torch.Size([3, 9]) from "
        "checkpoint, the shape in current model is torch.Size([3, 2]).",
        "test_module.py",
        "strict=False",
    ):
        assert part in said


@pytest.mark.parametrize(
    "prefix, wrapper", [("module.", "DataParallel"), ("_orig_mod.", "compile")]
)
def test_the_prefix_of_a_wrapper_is_recognised(prefix, wrapper):
    module = Net()
    state = {prefix + k: v for k, v in module.state_dict().items()}
    with pytest.raises(RuntimeError, match=rf"wrapped by .*{wrapper}") as caught:
        module.load_state_dict(state)
    assert f"removeprefix({prefix!r})" in str(caught.value)
    module.load_state_dict({k.removeprefix(prefix): v for k, v in state.items()})


def test_loading_to_meta_without_assign_warns():
    module = nn.Linear(2, 2, device="meta")
    with pytest.warns(UserWarning, match="non-meta parameter in the checkpoint to a meta param"):
        module.load_state_dict(nn.Linear(2, 2).state_dict())


# ---- hooks -------------------------------------------------------------------------------------


def test_a_backward_hook_works_inside_transforms():
    layer = nn.Linear(2, 1, bias=False)
    seen = []
    layer.register_full_backward_hook(lambda m, gi, go: seen.append(gi[0].shape))
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    made = torch.vmap(torch.func.grad(lambda row: layer(row).sum()))(x)
    assert torch.equal(made, layer.weight.detach().expand(2, 2))
    assert seen == [torch.Size([2])]
    made, tangent = torch.func.jvp(layer, (x,), (x,))
    assert torch.allclose(made, tangent)


def test_an_output_that_is_no_tensor_is_warned_about():
    class Dict(nn.Module):
        def forward(self, x):
            return {"y": x * 2}

    module = Dict()
    module.register_full_backward_hook(lambda m, gi, go: None)
    with pytest.warns(UserWarning, match="module output should be a Tensor or a tuple of Tensors"):
        module(torch.ones(1, requires_grad=True))


def test_an_old_hook_that_sees_only_the_last_node_is_warned_about():
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    model.register_backward_hook(lambda m, gi, go: None)
    with pytest.warns(FutureWarning, match="register_full_backward_hook"):
        model(torch.ones(1, 2, requires_grad=True))


def test_a_failing_hook_that_is_always_called_does_not_hide_the_error():
    class Broken(nn.Module):
        def forward(self, x):
            raise ValueError("inside forward")

    def also_fails(m, a, o):
        raise KeyError("hook")

    module = Broken()
    module.register_forward_hook(also_fails, always_call=True)
    with pytest.warns(UserWarning, match="silenced"), pytest.raises(ValueError, match="inside"):
        module(1)


def test_hooks_may_remove_themselves_while_they_run():
    module, calls = nn.Identity(), []

    def once(m, args):
        calls.append(1)
        handle.remove()

    handle = module.register_forward_pre_hook(once)
    module(1), module(1)
    assert calls == [1]


# ---- memory, threads of references -------------------------------------------------------------


def test_a_module_is_freed_without_the_garbage_collector():
    gc.disable()
    try:
        module = Net()
        module.register_forward_hook(lambda m, a, o: None)
        module.register_load_state_dict_pre_hook(lambda *args: None)
        gone = weakref.ref(module)
        module(torch.ones(1, 2)).sum().backward()
        del module
        assert gone() is None
    finally:
        gc.enable()


def test_a_graph_with_backward_hooks_is_freed_without_the_garbage_collector():
    gc.disable()
    try:
        layer = nn.Linear(2, 2)
        layer.register_full_backward_hook(lambda m, gi, go: None)
        x = torch.ones(1, 2, requires_grad=True)
        y = layer(x)
        gone = weakref.ref(y)
        y.sum().backward()
        del y
        assert gone() is None
    finally:
        gc.enable()


def test_a_copied_hook_belongs_to_the_copy():
    class Counting(nn.Linear):
        loads = 0

        def note(self, *args):
            self.loads += 1

    first = Counting(1, 1)
    first.register_load_state_dict_pre_hook(Counting.note)
    second = copy.deepcopy(first)
    second.load_state_dict(first.state_dict())
    assert (first.loads, second.loads) == (0, 1)


# ---- the rest ----------------------------------------------------------------------------------


def test_a_compiled_module_computes_the_same_and_can_be_pickled():
    model, x = nn.Sequential(nn.Linear(2, 3), nn.Tanh()), torch.ones(4, 2)
    with torch.no_grad():
        wanted = model(x)
        model.compile()
        for _ in range(4):
            assert torch.allclose(model(x), wanted)
        assert torch.equal(pickle.loads(pickle.dumps(model))(x), wanted)


def test_parameters_come_in_the_order_of_their_names():
    shared = nn.Linear(2, 2)
    model = nn.Sequential(shared, nn.Sequential(nn.Linear(2, 2), shared), nn.ReLU(), Net())
    model[1][0].bias = shared.bias
    named = [p for _, p in model.named_parameters()]
    assert [id(p) for p in model.parameters()] == [id(p) for p in named]
    assert len(named) == 2 + 1 + 3

    class Fewer(Net):
        def named_parameters(self, *args, **kwargs):
            yield "scale", self.scale

    assert len(list(Fewer().parameters())) == 1


def test_converting_keeps_the_parameters_that_an_optimizer_holds():
    module = Net()
    held = list(module.parameters())
    module(torch.ones(1, 2)).sum().backward()
    module.double()
    assert all(a is b for a, b in zip(held, module.parameters(), strict=True))
    assert held[0].grad.dtype == torch.float64
    with pytest.warns(UserWarning, match="Complex modules are a new feature"):
        module.to(torch.complex128)


def test_a_call_without_hooks_does_nothing_but_call_forward():
    class Plain(nn.Module):
        def forward(self, *args, **kwargs):
            return args, kwargs

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Plain()(1, 2, a=3) == ((1, 2), {"a": 3})
    module = Plain()
    module.forward = lambda x: "replaced"  # on the object, as profilers do
    assert module(1) == "replaced"
