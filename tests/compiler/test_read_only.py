"""Memory that may not be written is never written: eager and compiled code refuse alike."""

import warnings
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import chainrule as torch
from chainrule import nn, optim


@pytest.fixture(autouse=True)
def quiet_about_read_only_arrays() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The given NumPy array is not writable")
        warnings.filterwarnings("ignore", "The given buffer is not writable")
        yield


@pytest.fixture(params=["memmap", "bytes", "flag", "view"])
def read_only(request, tmp_path) -> Callable[..., torch.Tensor]:
    """A maker of tensors (ones) over memory of one kind that may not be written."""

    def made(*shape: int) -> torch.Tensor:
        ones = np.ones(shape, np.float32)
        if request.param == "memmap":
            ones.tofile(tmp_path / "data")
            return torch.from_numpy(np.memmap(tmp_path / "data", np.float32, "r").reshape(shape))
        if request.param == "bytes":
            return torch.frombuffer(ones.tobytes(), dtype=torch.float32).view(shape)
        array = ones if request.param == "flag" else ones.reshape(-1).reshape(shape)
        array.flags.writeable = False  # of the view alone: its base stays writeable
        return torch.from_numpy(array)

    return made


WRITES: dict[str, Callable[[torch.Tensor], object]] = {
    "add_": lambda x: x.add_(1),
    "zero_": lambda x: x.zero_(),
    "copy_": lambda x: x.copy_(torch.zeros(4, 4)),
    "slice": lambda x: x[1:3].mul_(2),
    "element": lambda x: x.__setitem__((0, 0), 5.0),
    "transposed": lambda x: x.t().add_(1),
    "data": lambda x: x.data.add_(1),
    "detach": lambda x: x.detach().mul_(3),
    "out": lambda x: torch.add(torch.ones(4, 4), 1, out=x),
    "index_add_": lambda x: x.index_add_(0, torch.tensor([0]), torch.ones(1, 4)),
    "fill_diagonal_": lambda x: x.fill_diagonal_(7),
    "strided": lambda x: x.as_strided((4,), (5,)).add_(1),
}


@pytest.mark.parametrize("name", WRITES)
def test_compiled_writes_are_refused_as_eager_ones(read_only, name):
    write = WRITES[name]
    compiled = torch.compile(write)
    for _ in range(3):
        compiled(torch.ones(4, 4))
    x = read_only(4, 4)
    for function in (write, compiled, compiled):
        with pytest.raises(RuntimeError, match="memory is read-only"):
            function(x)
    assert torch.equal(x, torch.ones(4, 4))
    writable = torch.ones(4, 4)
    compiled(writable)
    expected = torch.ones(4, 4)
    write(expected)
    assert torch.equal(writable, expected)


def test_what_was_compiled_on_read_only_memory_refuses_every_time(read_only):
    compiled = torch.compile(lambda x: x.mul_(2))
    x = read_only(3)
    for _ in range(4):
        with pytest.raises(RuntimeError, match="memory is read-only"):
            compiled(x)
    assert compiled(torch.ones(3)).tolist() == [2, 2, 2]


def test_reading_is_allowed(read_only):
    compiled = torch.compile(lambda x: (x * 2).sum())
    assert [compiled(read_only(3)).item() for _ in range(4)] == [6.0] * 4


def step_of(model: nn.Module, optimizer: optim.Optimizer) -> Callable[[torch.Tensor], None]:
    def step(x: torch.Tensor) -> None:
        optimizer.zero_grad()
        model(x).square().sum().backward()
        optimizer.step()

    return step


@pytest.mark.parametrize("how", ["data", "weight", "state"])
def test_a_compiled_step_respects_what_was_replaced_after_compiling(read_only, how):
    model = nn.Linear(4, 4)
    optimizer = optim.Adam(model.parameters(), lr=0.1)
    step = torch.compile(step_of(model, optimizer))
    x = torch.ones(2, 4)
    for _ in range(4):
        step(x)
    frozen = read_only(4, 4)
    if how == "data":
        model.weight.data = frozen
    elif how == "weight":
        model.weight = nn.Parameter(frozen)
        optimizer.param_groups[0]["params"][0] = model.weight
    else:
        optimizer.state[model.weight]["exp_avg"] = frozen
    for _ in range(3):
        with pytest.raises(RuntimeError, match="memory is read-only"):
            step(x)
    assert torch.equal(frozen, torch.ones(4, 4))


@pytest.mark.parametrize("name", ["SGD", "Adam", "Rprop", "ASGD", "Lion", "Adadelta"])
def test_a_step_that_is_refused_changes_nothing(read_only, name):
    p = nn.Parameter(torch.full((4, 4), 2.0))
    options = {"momentum": 0.9} if name == "SGD" else {}
    optimizer = getattr(optim, name)([p], lr=0.1, **options)
    p.grad = torch.ones(4, 4)
    optimizer.step()
    before = p.detach().clone()
    for key, value in optimizer.state[p].items():
        if isinstance(value, torch.Tensor) and value.shape == (4, 4):
            optimizer.state[p][key] = read_only(4, 4)
    with pytest.raises(RuntimeError, match="memory is read-only"):
        optimizer.step()
    assert torch.equal(p, before)


def test_gradients_are_not_added_into_read_only_memory(read_only):
    p = nn.Parameter(torch.ones(3))
    p.grad = read_only(3)
    with pytest.raises(RuntimeError, match="memory is read-only"):
        (p * 2).sum().backward()
    assert p.grad.tolist() == [1, 1, 1]


OTHER_VIEWS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "as_strided": lambda x: x.as_strided((4,), (5,)),
    "set_ of a storage": lambda x: torch.empty(0).set_(x.untyped_storage(), 0, (4,), (1,)),
    "set_ of a typed storage": lambda x: torch.empty(0).set_(x.storage(), 1, (4,), (1,)),
    "set_ of a tensor": lambda x: torch.empty(0).set_(x),
    "set_ with a size": lambda x: torch.empty(0).set_(x, 0, (2,), (1,)),
    "resize_": lambda x: x.resize_(2, 2),
    "view of bytes": lambda x: x.view(torch.uint8),
    "unfold": lambda x: x.unfold(0, 2, 2),
    "from_dlpack": lambda x: torch.from_dlpack(x),
}


@pytest.mark.parametrize("name", OTHER_VIEWS)
def test_no_view_makes_memory_writeable(read_only, name):
    view = OTHER_VIEWS[name](read_only(4, 4))
    with pytest.raises(RuntimeError, match="memory is read-only"):
        view.zero_()


def test_storages_of_read_only_tensors_refuse_writes(read_only):
    x = read_only(4)
    for storage, value in ((x.untyped_storage(), 1), (x.storage(), 1.0)):
        with pytest.raises(RuntimeError, match="memory is read-only"):
            storage[0] = value
    assert x.tolist() == [1, 1, 1, 1]


def test_storages_show_the_memory_of_permuted_tensors():
    x = torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1).clone()
    again = torch.empty(0).set_(x.storage(), 0, tuple(x.shape), x.stride())
    again.zero_()
    assert not x.any()


def test_an_expanded_parameter_is_refused_as_in_eager():
    p = nn.Parameter(torch.ones(3))

    def write() -> None:
        with torch.no_grad():
            p.add_(1)

    compiled = torch.compile(write)
    for _ in range(4):
        compiled()
    p.data = torch.ones(1).expand(3)
    for function in (write, compiled, compiled):
        with pytest.raises(RuntimeError, match="single memory location"):
            function()
