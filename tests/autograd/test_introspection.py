"""SPEC rows: introspection, toggles, anomaly mode."""

import pytest

import chainrule as torch
from chainrule.autograd import forward_ad as fwad


def leaf(*values):
    return torch.tensor(list(values), dtype=torch.float64, requires_grad=True)


NAMES = {
    "AddBackward0": lambda x: x + x,
    "SubBackward0": lambda x: x - 1,
    "MulBackward0": lambda x: x * x,
    "DivBackward0": lambda x: x / 2,
    "PowBackward0": lambda x: x**2,
    "NegBackward0": lambda x: -x,
    "ExpBackward0": lambda x: x.exp(),
    "LogBackward0": lambda x: x.log(),
    "TanhBackward0": lambda x: x.tanh(),
    "SigmoidBackward0": lambda x: x.sigmoid(),
    "ReluBackward0": lambda x: x.relu(),
    "SumBackward0": lambda x: x.sum(),
    "MeanBackward0": lambda x: x.mean(),
    "ViewBackward0": lambda x: x.view(2, 1),
    "TransposeBackward0": lambda x: x.view(2, 1).transpose(0, 1),
    "TBackward0": lambda x: x.view(2, 1).t(),
    "PermuteBackward0": lambda x: x.view(2, 1).permute(1, 0),
    "SelectBackward0": lambda x: x[0],
    "SliceBackward0": lambda x: x[0:1],
    "IndexBackward0": lambda x: x[torch.tensor([0])],
    "ExpandBackward0": lambda x: x.expand(3, 2),
    "UnsqueezeBackward0": lambda x: x.unsqueeze(0),
    "SqueezeBackward0": lambda x: x.view(2, 1).squeeze(),
    "CloneBackward0": lambda x: x.clone(),
    "MmBackward0": lambda x: x.view(1, 2) @ x.view(2, 1),
    "DotBackward0": lambda x: x @ x,
    "CatBackward0": lambda x: torch.cat([x, x]),
    "StackBackward0": lambda x: torch.stack([x, x]),
    "MaxBackward1": lambda x: x.max(),
    "LogSoftmaxBackward0": lambda x: torch.log_softmax(x, 0),
    "WhereBackward0": lambda x: torch.where(x > 0, x, x),
    "ToCopyBackward0": lambda x: x.float(),
}


@pytest.mark.parametrize("name", NAMES)
def test_node_names_are_pytorchs(name):
    y = NAMES[name](leaf(1.0, 2.0))
    assert y.grad_fn.name() == name == type(y.grad_fn).__name__


def test_next_functions_lead_to_the_leaf():
    x = leaf(1.0)
    y = (x * 2).sum()
    ((mul, number),) = y.grad_fn.next_functions
    assert number == 0 and mul.name() == "MulBackward0"
    (accumulate, _), nothing = mul.next_functions
    assert accumulate.name() == "torch::autograd::AccumulateGrad" and accumulate.variable is x
    assert repr(accumulate).startswith("<AccumulateGrad object at ")
    assert nothing == (None, 0)


def test_saved_attributes_and_metadata():
    x, y = leaf(2.0), leaf(5.0)
    z = x * y
    assert z.grad_fn._saved_self is x and z.grad_fn._saved_other is y
    e = x.exp()
    assert e.grad_fn._saved_result.item() == e.item()
    assert e.grad_fn._saved_result.grad_fn is e.grad_fn
    with pytest.raises(AttributeError, match="_saved_nothing"):
        _ = z.grad_fn._saved_nothing
    z.grad_fn.metadata["note"] = 1
    assert z.grad_fn.metadata == {"note": 1}
    z.sum().backward()
    with pytest.raises(RuntimeError, match="after they have already been freed"):
        _ = z.grad_fn._saved_self


def test_leaf_and_output_numbers():
    x = leaf(1.0, 2.0)
    assert x.is_leaf and x.grad_fn is None and x.output_nr == 0
    y = x * 2
    assert not y.is_leaf and y.requires_grad
    a, b = x.unbind()
    assert (a.output_nr, b.output_nr) == (0, 1) and a.grad_fn is b.grad_fn
    assert torch.ones(2).is_leaf and y.detach().is_leaf


def test_every_node_knows_its_line():
    x = leaf(1.0)
    y = x * 3  # the line
    assert "test_introspection.py" in y.grad_fn.where() and "the line" in y.grad_fn.where()


# ---- toggles ------------------------------------------------------------------------------------


def test_no_grad_enable_grad_and_set_grad_enabled():
    x = leaf(1.0)
    with torch.no_grad():
        assert not (x * 2).requires_grad
        with torch.enable_grad():
            assert (x * 2).requires_grad
        assert not torch.is_grad_enabled()
    with torch.set_grad_enabled(False):
        assert not (x * 2).requires_grad
    torch.set_grad_enabled(False)
    assert not torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    assert torch.is_grad_enabled()


def test_modes_decorate_functions_and_generators():
    x = leaf(1.0)

    @torch.no_grad()
    def f():
        return (x * 2).requires_grad

    @torch.no_grad
    def g():
        return (x * 2).requires_grad

    @torch.no_grad()
    def numbers():
        while True:
            got = yield (x * 2).requires_grad
            if got == "stop":
                return

    assert not f() and not g() and torch.is_grad_enabled()
    stream = numbers()
    assert next(stream) is False
    assert torch.is_grad_enabled()  # the mode holds only while the generator runs
    assert stream.send(None) is False
    with pytest.raises(StopIteration):
        stream.send("stop")


def test_modes_are_restored_after_an_exception():
    with pytest.raises(ValueError):
        with torch.no_grad():
            raise ValueError
    assert torch.is_grad_enabled()
    with pytest.raises(ValueError):
        with torch.inference_mode():
            raise ValueError
    assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled()


def test_inference_tensors_refuse_autograd():
    x = leaf(2.0)
    with torch.inference_mode():
        a = torch.ones(1, dtype=torch.float64)
        b = a * 2
        assert b.is_inference() and torch.is_inference_mode_enabled()
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        x * b
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside"):
        b.add_(1)
    with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor"):
        b.requires_grad_()
    with pytest.raises(RuntimeError, match="Inference tensors do not track version counter"):
        _ = b._version
    assert (x + b).requires_grad  # add saves nothing
    y = x * b.clone()
    y.backward()
    assert x.grad.item() == 2


def test_requires_grad_and_detach():
    x = torch.ones(2)
    assert not x.requires_grad
    assert x.requires_grad_() is x and x.requires_grad
    y = x * 2
    with pytest.raises(RuntimeError, match="only change requires_grad flags of leaf variables"):
        y.requires_grad = False
    d = y.detach()
    assert not d.requires_grad and d.data_ptr() == y.data_ptr()
    y.detach_()
    assert y.is_leaf and not y.requires_grad
    with pytest.raises(RuntimeError, match="floating point and complex dtype can require"):
        torch.ones(2, dtype=torch.int64).requires_grad_()


def test_numpy_of_a_tracked_tensor_says_detach():
    with pytest.raises(RuntimeError, match=r"Use tensor.detach\(\).numpy\(\) instead"):
        leaf(1.0).numpy()


# ---- anomaly mode -------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_anomaly_mode_names_the_forward_line_of_nan_in_backward():
    x = leaf(0.0)
    with torch.autograd.detect_anomaly():
        y = (x * x).sqrt() * 0.0  # the culprit
        with pytest.raises(RuntimeError, match=r"'SqrtBackward0' returned nan") as caught:
            y.sum().backward()
    assert "the culprit" in str(caught.value)
    y = (x * x).sqrt() * 0.0
    y.sum().backward()  # without the mode NaN passes silently


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_anomaly_mode_finds_where_nan_first_arises_in_forward():
    x = torch.tensor([1.0, -1.0])
    with torch.autograd.detect_anomaly(forward=True):
        with pytest.raises(RuntimeError, match=r"log returned nan values") as caught:
            _ = x.log() + 1  # first here
    assert "first here" in str(caught.value)


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("alias", ["data", "numpy"])
def test_anomaly_mode_notices_values_changed_behind_autograds_back(alias):
    x = leaf(2.0)
    with torch.autograd.detect_anomaly():
        y = x * 1
        z = y.exp() * y  # needs y
        if alias == "data":
            y.data.add_(1)
        else:
            y.detach().numpy()[0] = 7.0
        with pytest.raises(RuntimeError, match="modified behind autograd's back") as caught:
            z.backward()
    assert "needs y" in str(caught.value) and "mul (MulBackward0)" in str(caught.value)


def test_forward_ad_levels_close():
    with pytest.raises(ValueError):
        with fwad.dual_level():
            raise ValueError
    with fwad.dual_level():
        with pytest.raises(RuntimeError, match="Nested forward mode"):
            fwad.enter_dual_level()
