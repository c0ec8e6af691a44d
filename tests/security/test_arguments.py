"""A sample of the sweep of absurd arguments: results, clear errors, and nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

import chainrule as torch
from chainrule import array_api as xp
from chainrule import nn
from chainrule.utils._pytree import tree_map, treespec_loads

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(sys.platform != "linux", reason="peaks of memory are read from /proc")
def test_absurd_arguments_get_a_result_or_a_clear_error():
    run = subprocess.run(
        [sys.executable, "-m", "fuzz.arguments", "--every", "601"],
        cwd=ROOT, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    assert "refused" in run.stdout and "returned" in run.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="peaks of memory are read from /proc")
def test_the_sweep_notices_what_it_looks_for():
    """An attribute of None, NumPy's words, a warning, a slow call, much memory; and no more."""
    program = """
import sys, time, warnings
import numpy as np
import chainrule as torch
from chainrule import array_api as xp
from chainrule.utils._pytree import tree_map, treespec_loads
from fuzz.arguments.judge import judge
class Trial:
    def __init__(self, run): self.run = run
inside = sys.modules["chainrule.tensor.size"]
exec(compile("def fails(x): return x.shape", inside.__file__, "exec"), vars(inside))
assert judge(Trial(lambda: inside.fails(None)))[0] == "internal"
assert judge(Trial(lambda: warnings.warn("overflow encountered in exp")))[0] == "warning"
assert judge(Trial(lambda: np.ones(1200 << 20, np.uint8)[0]))[0] == "memory"
def counts():
    start = time.thread_time()
    while time.thread_time() < start + 2.1: pass
assert judge(Trial(counts))[0] == "slow"
assert judge(Trial(lambda: torch.ones(3).view(7)))[0] == "refused"
assert judge(Trial(lambda: torch.ones(3)))[0] == "returned"
"""
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize(
    "dataset",
    [
        torch.utils.data.Subset([1, 2], [0]),
        torch.utils.data.ConcatDataset([[1], [2]]),  # type: ignore[list-item]
        torch.utils.data.StackDataset([1], [2]),
    ],
    ids=lambda dataset: type(dataset).__name__,
)
@pytest.mark.parametrize("index", [7, 2**63, 10**400], ids=["7", "2**63", "10**400"])
def test_samples_that_are_not_there_are_named(dataset, index):
    with pytest.raises(
        IndexError, match=rf"{type(dataset).__name__} with \d samples has no sample"
    ):
        dataset[index]
    assert len(list(dataset)) == len(dataset)  # what ends a loop over it is still an IndexError


def test_a_dataset_keeps_its_own_error():
    class Broken(torch.utils.data.Dataset):
        def __getitem__(self, index):
            raise KeyError("mine")

    with pytest.raises(KeyError, match=r"^'mine'$"):
        torch.utils.data.Subset(Broken(), [0])[0]


def test_matrices_of_a_million_rows_are_refused_before_anything_is_made():
    with pytest.raises(ValueError, match="matrices of 1000000000000 numbers"):
        torch.distributions.LKJCholesky(10**6)


_LAYER, _X = torch.nn.Linear(3, 4), torch.ones(2, 3)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: torch.nested.nested_tensor(x, layout=torch.jagged),
        lambda x: torch.nested.nested_tensor_from_jagged(_X, x),
        lambda x: torch.quantize_per_tensor(x, 0.1, 0, torch.quint8),
        lambda x: torch.fake_quantize_per_channel_affine(_X, x, x, 0, 0, 255),
        lambda x: torch.ao.quantization.quantize_dynamic(x, {torch.nn.Linear}),
        lambda x: torch.masked.masked_tensor(_X, x),
        lambda x: torch.masked.mean(_X, x, mask=_X > 0),
        lambda x: torch.sparse_csr_tensor(x, x, x, x),
        lambda x: torch.sparse.softmax(_X.to_sparse(), x),
        lambda x: torch.export.export(_LAYER, (_X,), dynamic_shapes=x),
        lambda x: torch.export.Dim("n", min=x, max=9),
        lambda x: torch.onnx.export(_LAYER, (_X,), x),
        lambda x: torch.jit.trace(x, _X),
        lambda x: torch.distributed.checkpoint.load({"w": _X}, checkpoint_id=x),
    ],
)
@pytest.mark.parametrize("nonsense", [object(), 2.5j, ["x"], slice(None)], ids=range(4))
def test_nonsense_is_refused_by_the_call_it_is_given_to(call, nonsense):
    # Errors of Python's own (an attribute that None does not have) come without a place or a call.
    kinds = (TypeError, RuntimeError, ValueError, NotImplementedError)
    with pytest.raises(kinds, match=r"\(.*\)|Could not infer dtype"):
        call(nonsense)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: xp.eye(x),
        lambda x: xp.full(x, 1.0),
        lambda x: xp.expand_dims(_X, axis=x),
        lambda x: xp.broadcast_to(_X, x),
        lambda x: xp.concat(x),
        lambda x: tree_map(x, _X),
        lambda x: treespec_loads(x),
        lambda x: torch.autograd.graph.register_multi_grad_hook(x, print),
        lambda x: torch.autograd.Variable(x),
        lambda x: torch.futures.wait_all(x),
        lambda x: torch.sparse.spdiags(x, x, x),
        lambda x: torch.ao.quantization.fuse_modules(x, [["a", "b"]]),
        lambda x: torch.jit.isinstance(_X, x),
        lambda x: torch.library.define(x),
        lambda x: torch.optim.SGD([torch.nn.Parameter(_X)], lr=x),
    ],
)
@pytest.mark.parametrize("nonsense", [object(), 2.5j, -1j, slice(None)], ids=range(4))
def test_nonsense_is_refused_outside_of_the_core_too(call, nonsense):
    kinds = (TypeError, RuntimeError, ValueError, NotImplementedError)
    with pytest.raises(kinds, match=r"received an invalid combination|takes|has to be|[Ii]nvalid"):
        call(nonsense)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.expand(2**62, 2**62),
        lambda x: x.expand(2**63),
        lambda x: x.as_strided((2**40, 2**40), (0, 0)),
        lambda x: torch.broadcast_to(x, (2**40, 2**40)),
        lambda x: x.expand(2**31, 1) + x.expand(1, 2**31),
        lambda x: x.expand(2**40).unfold(0, 2**39, 1),
        lambda x: torch.fft.irfft(x, n=2**62),
        lambda x: torch.eye(2**32),
        lambda x: torch.linspace(0, 1, 2**62),
        lambda x: torch.arange(0, 1, 1e-300),
        lambda x: torch.bincount(x.long(), minlength=2**62),
        lambda x: nn.functional.one_hot(torch.tensor([2**62])),
        lambda x: torch.compile(lambda y: y.expand(2**62, 2**62))(x),
    ],
)
def test_sizes_that_no_memory_has_are_refused_in_words_of_ours(call):
    with pytest.raises(RuntimeError, match="numel: integer multiplication overflow") as caught:
        call(torch.ones(1))
    assert "array is too big" not in str(caught.value)


@pytest.mark.parametrize("labels", [[[1, -1, 2]], [[1, 2, 4]]])
def test_labels_that_are_no_classes_are_refused(labels):
    scores = torch.randn(5, 1, 4).log_softmax(2).requires_grad_()
    lengths, fine = torch.tensor([5]), torch.tensor([[1, 3, 2]])

    def loss(scores, targets, count):
        return nn.functional.ctc_loss(scores, targets, lengths, count)

    compiled = torch.compile(loss)
    for function in (loss, compiled):
        for _ in range(3):
            function(scores, fine, torch.tensor([3])).backward()
        with pytest.raises(IndexError, match=r"Target -?\d is out of bounds: the labels of exa"):
            function(scores, torch.tensor(labels), torch.tensor([3]))
    padded = torch.tensor([[1, 3, -1]])  # what lies behind the labels is not read
    assert loss(scores, padded, torch.tensor([2])).isfinite()


@pytest.mark.parametrize("count", [1, 5])
def test_reflectors_with_other_numbers_of_scales(count):
    with pytest.raises(RuntimeError, match=r"tau.shape\[-1\] must be equal to min"):
        torch.ormqr(torch.ones(2, 2), torch.ones(count), torch.ones(2, 2))


@pytest.mark.parametrize("value", [torch.int8, "x", object(), 10**400, 1j, b"x", [3]])
@pytest.mark.parametrize("option", ["precision", "threshold", "edgeitems", "linewidth"])
def test_options_that_nothing_could_be_printed_with_are_refused(option, value):
    """Else the next error that shows a tensor fails as it is made."""
    if option == "threshold" and isinstance(value, int):
        return  # more elements than there are: all are shown
    before = torch._tensor_str.get_printoptions()
    with pytest.raises(TypeError, match=rf"set_printoptions\(\): argument '{option}' must be"):
        torch.set_printoptions(**{"edgeitems": 7, option: value})
    for whole in (-1, 1001):
        with pytest.raises(TypeError, match="a whole number from 0 to 1000"):
            torch.set_printoptions(precision=whole)
    with pytest.raises(TypeError, match="'sci_mode' must be True, False or None"):
        torch.set_printoptions(sci_mode=3)
    assert torch._tensor_str.get_printoptions() == before


@pytest.mark.parametrize("value", [b"\1\1", "11", (1.5, 1), ("1", "1")])
def test_bytes_text_and_fractions_are_no_sizes(value):
    x, w = torch.ones(1, 1, 4, 4), torch.ones(1, 1, 1, 1)
    for call in (
        lambda: nn.functional.conv2d(x, w, stride=value),
        lambda: nn.functional.conv_transpose2d(x, w, padding=value),
        lambda: nn.functional.pad(x, value),
        lambda: torch.roll(x, value, (0, 1)),
    ):
        with pytest.raises(TypeError, match=r"must be (tuple of ints|int), not"):
            call()


NONSENSE_CALLS = {
    "compare_set": lambda: torch.distributed.HashStore().compare_set("a", 5, "b"),
    "is_backend_available": lambda: torch.distributed.is_backend_available(5),
    "SobolEngine": lambda: torch.quasirandom.SobolEngine("x"),
    "draw": lambda: torch.quasirandom.SobolEngine(2).draw([1]),
    "make_tensor": lambda: torch.testing.make_tensor(3, dtype=5, device="cpu"),
    "placeholder": lambda: torch.fx.Graph().placeholder(5),
    "Timer": lambda: torch.utils.benchmark.Timer("1", setup=5),
    "schedule": lambda: torch.profiler.schedule(wait="x", warmup=1, active=1),
    "Stat": lambda: torch.monitor.Stat("a", 5, 3),
    "gradient_flow": lambda: torch.gradient_flow(nn.Linear(2, 2), 5),
    "compare_derivatives": lambda: torch.compare_derivatives(torch.sum, torch.ones(2), steps=5),
    "functionalize": lambda: torch.func.functionalize(5),
    "disable": lambda: torch.compiler.disable(5),
    "estimate": lambda: torch.memory.estimate(nn.Linear(2, 2), torch.ones(2), kwargs=5),
    "load_state_dict_from_url": lambda: torch.hub.load_state_dict_from_url(5),
}


@pytest.mark.parametrize("name", NONSENSE_CALLS)
def test_tools_name_the_call_that_was_given_nonsense(name):
    with pytest.raises((TypeError, ValueError, RuntimeError), match=name) as caught:
        NONSENSE_CALLS[name]()
    assert "5" in str(caught.value) or "x" in str(caught.value) or "[1]" in str(caught.value)
