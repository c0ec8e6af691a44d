"""The state of an optimizer can come from a file: one that does not fit is refused by name."""

import copy
import warnings

import numpy as np
import pytest

import chainrule as torch

HOSTILE = {
    "of the transposed shape": lambda p: torch.zeros(tuple(reversed(p.shape))),
    "too short": lambda p: torch.zeros(1),
    "empty": lambda p: torch.zeros(0),
    "too long": lambda p: torch.zeros(1000),
    "text": lambda p: "x",
    "a number": lambda p: 2**70,
    "without memory": lambda p: torch.zeros(p.shape, device="meta"),
}


@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.parametrize(
    ("kind", "name", "options"),
    [
        (torch.optim.SGD, "momentum_buffer", {"momentum": 0.9}),
        (torch.optim.Adam, "exp_avg_sq", {}),
        (torch.optim.RMSprop, "square_avg", {}),
    ],
)
def test_foreign_state_is_refused(kind, name, options, what):
    weight = torch.nn.Parameter(torch.ones(3, 5))
    optimizer = kind([weight], lr=0.1, **options)
    weight.grad = torch.ones(3, 5)
    optimizer.step()
    saved = optimizer.state_dict()
    saved["state"][0][name] = HOSTILE[what](weight)
    optimizer.load_state_dict(saved)
    before = weight.detach().clone()
    with pytest.raises(RuntimeError, match=rf"{kind.__name__}'s state '{name}'"):
        optimizer.step()
    assert torch.equal(weight, before)


OPTIMIZERS = [
    kind
    for kind in vars(torch.optim).values()
    if isinstance(kind, type)
    and issubclass(kind, torch.optim.Optimizer)
    and kind is not torch.optim.Optimizer
]


def locked(p: torch.Tensor) -> None:
    array = np.ones(tuple(p.shape), np.float32)
    array.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        p.data = torch.from_numpy(array)


def repeated(p: torch.Tensor) -> None:
    p.data = torch.ones(1).expand(p.shape)


def held(optimizer: torch.optim.Optimizer, weights: list[torch.nn.Parameter]) -> str:
    """All that a step changes, as text."""
    state = [sorted(optimizer.state.get(w, {}).items()) for w in weights]
    return str([w.tolist() for w in weights]) + str(state)


@pytest.mark.parametrize("spoil", [locked, repeated])
@pytest.mark.parametrize("steps", [0, 2])
@pytest.mark.parametrize("kind", OPTIMIZERS, ids=lambda kind: kind.__name__)
def test_a_step_that_is_refused_has_changed_nothing(kind, steps, spoil):
    weights = [torch.nn.Parameter(torch.full((3, 3), 0.5 + i)) for i in range(3)]
    optimizer = kind(weights)

    def closure() -> torch.Tensor:
        total = sum(((w * w).sum() for w in weights), torch.zeros(()))
        for w in weights:
            w.grad = torch.ones(3, 3)
            if kind is torch.optim.SparseAdam:
                w.grad = w.grad.to_sparse()
        return total

    for _ in range(steps):
        optimizer.step(closure)
    spoil(weights[1])
    before = held(optimizer, weights)
    with pytest.raises(RuntimeError, match=r"read-only|single memory location"):
        optimizer.step(closure)
    assert held(optimizer, weights) == before


@pytest.mark.parametrize("kind", [torch.optim.Adam, torch.optim.RMSprop, torch.optim.Adafactor])
def test_a_sparse_gradient_among_others_is_refused_before_the_step(kind):
    weights = [torch.nn.Parameter(torch.ones(3, 3)) for _ in range(3)]
    optimizer = kind(weights)
    for w in weights:
        w.grad = torch.ones(3, 3)
    weights[1].grad = torch.ones(3, 3).to_sparse()
    before = held(optimizer, weights)
    with pytest.raises(RuntimeError, match="does not support sparse gradients"):
        optimizer.step()
    assert held(optimizer, weights) == before


def of_several_groups(kind, **options):
    weights = [torch.nn.Parameter(torch.full((3, 3), 0.5 + i)) for i in range(3)]
    optimizer = kind([{"params": [w]} for w in weights], **options)

    def closure() -> torch.Tensor:
        for w in weights:
            w.grad = torch.ones(3, 3)
        return torch.zeros(())

    for _ in range(4):
        optimizer.step(closure)
    return weights, optimizer, closure


ELEMENTWISE = [
    kind
    for kind in OPTIMIZERS
    if kind not in (torch.optim.LBFGS, torch.optim.SparseAdam)  # one group, sparse gradients
]


@pytest.mark.parametrize("spoil", [locked, repeated])
@pytest.mark.parametrize("kind", ELEMENTWISE, ids=lambda kind: kind.__name__)
def test_the_last_group_is_looked_at_before_the_first_is_stepped(kind, spoil):
    weights, optimizer, closure = of_several_groups(kind)
    spoil(weights[2])
    before = held(optimizer, weights)
    with pytest.raises(RuntimeError, match=r"read-only|single memory location"):
        optimizer.step(closure)
    assert held(optimizer, weights) == before


def of_another_shape(p: torch.Tensor) -> None:
    p.data = torch.ones(2, 3)


def without_values(p: torch.Tensor) -> None:
    p.grad = None
    p.data, data = torch.empty(3, 3, device="meta"), p.data
    p.grad = torch.empty(3, 3, device="meta")
    p.data = data


def by_rows(p: torch.Tensor) -> None:
    p.grad = torch.eye(3).to_sparse_csr()


def of_whole_numbers(p: torch.Tensor) -> None:
    p.grad, p.grad_dtype = None, torch.int64
    p.grad = torch.ones(3, 3, dtype=torch.int64)


def of_another_type(p: torch.Tensor) -> None:
    p.grad, p.data = None, p.data.double()
    p.grad = torch.ones(3, 3, dtype=torch.float64)


@pytest.mark.parametrize(
    "spoil",
    [
        locked,
        repeated,
        of_another_shape,
        without_values,
        by_rows,
        of_whole_numbers,
        of_another_type,
    ],
)
@pytest.mark.parametrize(
    ("kind", "compiled"),
    [
        *((kind, False) for kind in ELEMENTWISE),
        (torch.optim.SGD, True),
        (torch.optim.AdamW, True),
        (torch.optim.Adafactor, True),
        (torch.optim.Muon, True),
    ],
)
def test_a_step_of_several_groups_is_taken_whole_or_not_at_all(kind, compiled, spoil):
    weights, optimizer, closure = of_several_groups(kind)
    step = torch.compile(lambda: optimizer.step()) if compiled else optimizer.step
    for _ in range(2):
        closure()
        step()
    closure()
    spoil(weights[2])
    before = held(optimizer, weights)
    for _ in range(2):
        try:
            step()
        except RuntimeError:
            assert held(optimizer, weights) == before
        else:
            assert spoil in (of_whole_numbers, of_another_type)  # which some optimizers take
            before = held(optimizer, weights)


def test_sparse_gradients_of_another_type_are_taken():
    weight = torch.nn.Parameter(torch.ones(2, 2))
    weight.grad_dtype = torch.float64
    weight.grad = torch.eye(2, dtype=torch.float64).to_sparse()
    optimizer = torch.optim.SparseAdam([weight], lr=0.1)
    for _ in range(3):
        optimizer.step()
    assert torch.allclose(weight, torch.tensor([[0.7, 1.0], [1.0, 0.7]]))


NONSENSE = [None, "x", 10**400, [1.0], torch.ones(3), 1j, object()]


@pytest.mark.parametrize("value", NONSENSE, ids=range(len(NONSENSE)))
@pytest.mark.parametrize("kind", ELEMENTWISE, ids=lambda kind: kind.__name__)
def test_options_that_are_no_numbers_change_nothing(kind, value):
    numbers = [n for n, v in kind([torch.ones(2, 2)]).defaults.items() if type(v) in (int, float)]
    refused = 0
    for name in ("lr", *numbers):
        weights, optimizer, closure = of_several_groups(kind)
        optimizer.param_groups[2][name] = value
        before = held(optimizer, weights)
        try:
            optimizer.step(closure)
        except (TypeError, RuntimeError, ValueError):
            refused += 1
            assert held(optimizer, weights) == before, name
    assert refused or kind is torch.optim.Rprop  # whose rate counts only at its first step


@pytest.mark.parametrize("found", [None, "x", torch.zeros(1), torch.eye(3).to_sparse(), -1])
@pytest.mark.parametrize("kind", OPTIMIZERS, ids=lambda kind: kind.__name__)
def test_loaded_state_that_makes_no_sense_changes_nothing(kind, found):
    weights = [torch.nn.Parameter(torch.full((3, 3), 0.5 + i)) for i in range(3)]
    optimizer = kind(weights)
    sparse = kind is torch.optim.SparseAdam

    def closure() -> torch.Tensor:
        for w in weights:
            w.grad = torch.ones(3, 3).to_sparse() if sparse else torch.ones(3, 3)
        return torch.zeros(())

    optimizer.step(closure)
    states = optimizer.state_dict()["state"]
    last = max(states, default=0)  # plain SGD has none
    for name in states.get(last, {}):
        saved = copy.deepcopy(optimizer.state_dict())
        saved["state"][last][name] = found
        other = kind(weights)
        before = held(other, weights)
        try:
            other.load_state_dict(saved)
        except (TypeError, ValueError, RuntimeError):
            assert held(other, weights) == before, name
            continue
        before = held(other, weights)
        try:
            other.step(closure)
        except (TypeError, ValueError, RuntimeError):
            assert held(other, weights) == before, name


def test_a_state_that_is_no_dict_is_refused_whole():
    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.Adam([weight])
    weight.grad = torch.ones(2)
    optimizer.step()
    saved = optimizer.state_dict()
    before = held(optimizer, [weight])
    for state in (5, torch.nn.Linear(2, 2), None):
        with pytest.raises((TypeError, RuntimeError)):
            optimizer.load_state_dict({**saved, "state": {0: state}})
            optimizer.step()
        optimizer.load_state_dict(saved)
        assert held(optimizer, [weight]) == before


def test_a_gradient_of_another_shape_is_refused_before_the_step():
    weights = [torch.nn.Parameter(torch.ones(2)) for _ in range(2)]
    optimizer = torch.optim.Adam(weights)
    for w in weights:
        w.grad = torch.ones(2)
    weights[1].data = torch.ones(3)
    before = held(optimizer, weights)
    with pytest.raises(RuntimeError, match=r"gradient has shape \[2\]"):
        optimizer.step()
    assert held(optimizer, weights) == before


def test_a_differentiable_step_of_leaves_changes_nothing():
    weights = [torch.nn.Parameter(torch.ones(2)) for _ in range(2)]
    optimizer = torch.optim.Adam(weights, differentiable=True)
    for w in weights:
        w.grad = torch.ones(2)
    before = held(optimizer, weights)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        optimizer.step()
    assert held(optimizer, weights) == before


def test_weight_decay_of_a_sparse_gradient_is_refused_before_the_step():
    weights = [torch.nn.Parameter(torch.ones(2, 2)) for _ in range(2)]
    optimizer = torch.optim.Adagrad(weights, weight_decay=0.1)
    weights[0].grad, weights[1].grad = torch.ones(2, 2), torch.ones(2, 2).to_sparse()
    before = held(optimizer, weights)
    with pytest.raises(RuntimeError, match="weight_decay option is not compatible"):
        optimizer.step()
    assert held(optimizer, weights) == before


def test_state_of_a_tensor_in_no_group_is_named():
    weight, other = torch.nn.Parameter(torch.ones(2)), torch.ones(2)
    optimizer = torch.optim.Adam([weight])
    saved = optimizer.state_dict()
    with pytest.raises(ValueError, match="the loaded state is of float32"):
        optimizer.load_state_dict({**saved, "state": {other: {}}})
    optimizer.state[other] = {}
    with pytest.raises(KeyError, match="which is in none of the groups"):
        optimizer.state_dict()
