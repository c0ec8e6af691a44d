"""What all optimizers share: groups, state, hooks, saving, texts, errors."""

import copy
import json
import pickle
from pathlib import Path

import numpy as np
import optim_others
import pytest

import chainrule as torch
from chainrule.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

RECORDED = Path(__file__).resolve().parents[1] / "recorded" / "optim_others.json"
EXPECTED = json.loads(RECORDED.read_text(encoding="utf-8"))


def parameter(*shape):
    return torch.ones(*shape, requires_grad=True)


def with_grad(*shape):
    p = parameter(*shape)
    p.grad = torch.ones(*shape)
    return p


def test_texts_are_those_of_pytorch():
    assert optim_others.texts(torch) == EXPECTED["texts"]


def test_saved_state_is_laid_out_as_in_pytorch():
    assert optim_others.saved(torch) == EXPECTED["saved"]


def test_a_group_overrides_the_defaults():
    a, b = with_grad(1), with_grad(1)
    optimizer = torch.optim.SGD([{"params": [a]}, {"params": [b], "lr": 0.5}], lr=0.1)
    optimizer.step()
    assert (a.item(), b.item()) == (pytest.approx(0.9), 0.5)


def test_a_group_added_later_is_stepped_too():
    a, b = with_grad(1), with_grad(1)
    optimizer = torch.optim.SGD([a], lr=0.1)
    optimizer.step()
    optimizer.add_param_group({"params": b, "lr": 0.25})
    optimizer.step()
    assert (a.item(), b.item()) == (pytest.approx(0.8), 0.75)
    assert [g["lr"] for g in optimizer.param_groups] == [0.1, 0.25]


def test_named_parameters_keep_their_names():
    a, b = with_grad(1), with_grad(1)
    optimizer = torch.optim.SGD([("a", a), ("b", b)], lr=0.1)
    assert optimizer.param_groups[0]["param_names"] == ["a", "b"]
    assert optimizer.param_groups[0]["params"][1] is b
    optimizer.step()
    assert b.item() == pytest.approx(0.9)


def test_zero_grad_forgets_or_zeroes():
    p = with_grad(2)
    optimizer = torch.optim.SGD([p])
    kept = p.grad
    optimizer.zero_grad(set_to_none=False)
    assert p.grad is kept and kept.tolist() == [0, 0]
    optimizer.zero_grad()
    assert p.grad is None


def test_a_closure_is_evaluated_with_gradients_and_its_loss_returned():
    p = parameter(2)
    optimizer = torch.optim.Adam([p], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        assert optimizer.step(closure).item() == 2.0
    assert p.tolist() == pytest.approx([0.9, 0.9])


def test_a_parameter_without_gradient_stays_and_gets_no_state():
    a, b = with_grad(2), parameter(2)
    optimizer = torch.optim.AdamW([a, b])
    for _ in range(3):
        optimizer.step()
    assert b.tolist() == [1, 1] and list(optimizer.state) == [a]


@pytest.mark.parametrize("name", ["SGD", "Adam", "ASGD", "Rprop", "Adafactor"])
def test_a_rate_in_a_tensor_steps_as_the_number_and_follows_it(name):
    a, b = with_grad(2), with_grad(2)
    rate = torch.tensor(0.25)
    by_tensor = getattr(torch.optim, name)([a], lr=rate)
    by_number = getattr(torch.optim, name)([b], lr=0.25)
    for factor in (1.0, 0.5, 0.25):
        rate.fill_(0.25 * factor)
        by_number.param_groups[0]["lr"] = 0.25 * factor
        by_tensor.step()
        by_number.step()
        torch.testing.assert_close(a, b)


# ---- saving --------------------------------------------------------------------------------------


def stepped(steps=3, **options):
    p = torch.tensor([1.0, 2.0], requires_grad=True)
    optimizer = torch.optim.AdamW([p], lr=0.1, **options)
    for k in range(steps):
        p.grad = torch.tensor([0.5, -1.0]) * (k + 1)
        optimizer.step()
    return p, optimizer


def step_both(first, second):
    for optimizer in (first, second):
        (p,) = optimizer.param_groups[0]["params"]
        p.grad = torch.tensor([0.25, 0.75])
        optimizer.step()
    a, b = (o.param_groups[0]["params"][0] for o in (first, second))
    assert torch.equal(a, b)


def test_training_goes_on_from_a_loaded_state_as_if_never_stopped():
    p, optimizer = stepped()
    other = torch.optim.AdamW([p.detach().clone().requires_grad_()], lr=0.7)
    other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    assert other.param_groups[0]["lr"] == 0.1
    step_both(optimizer, other)


def test_loading_converts_state_to_the_parameters_type_but_not_the_count():
    _, optimizer = stepped()
    q = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    other = torch.optim.AdamW([q])
    other.load_state_dict(optimizer.state_dict())
    assert other.state[q]["exp_avg"].dtype is torch.float64
    assert other.state[q]["step"].dtype is torch.float32


def test_pickling_and_copying_keep_everything_but_hooks():
    p, optimizer = stepped()
    optimizer.register_step_post_hook(lambda *args: pytest.fail("a hook was copied"))
    for other in (pickle.loads(pickle.dumps(optimizer)), copy.deepcopy(optimizer)):
        (q,) = other.param_groups[0]["params"]
        assert q is not p and torch.equal(p, q)
        q.grad = torch.ones(2)
        other.step()
        assert other.state[q]["step"].item() == 4


def test_a_plain_number_of_steps_in_old_files_becomes_a_tensor():
    p, optimizer = stepped()
    state = optimizer.state_dict()
    state["state"][0]["step"] = 3
    optimizer.load_state_dict(state)
    assert torch.is_tensor(optimizer.state[p]["step"])
    optimizer.step()
    assert optimizer.state[p]["step"].item() == 4


# ---- hooks ---------------------------------------------------------------------------------------


def test_hooks_around_the_step_are_called_in_order_and_can_be_removed():
    p = with_grad(1)
    optimizer = torch.optim.SGD([p], lr=0.1)
    seen = []
    handles = [
        register_optimizer_step_pre_hook(lambda o, args, kwargs: seen.append("all before")),
        optimizer.register_step_pre_hook(lambda o, args, kwargs: seen.append("before")),
        optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append("after")),
        register_optimizer_step_post_hook(lambda o, args, kwargs: seen.append("all after")),
    ]
    optimizer.step()
    assert seen == ["all before", "before", "after", "all after"]
    for handle in handles:
        handle.remove()
    optimizer.step()
    assert len(seen) == 4 and p.item() == pytest.approx(0.8)


def test_a_pre_hook_may_give_another_closure():
    optimizer = torch.optim.SGD([with_grad(1)])
    optimizer.register_step_pre_hook(lambda o, args, kwargs: ((o, lambda: 7), kwargs))
    assert optimizer.step() == 7
    optimizer.register_step_pre_hook(lambda o, args, kwargs: 3)
    with pytest.raises(RuntimeError, match=r"must return None or a tuple of \(new_args"):
        optimizer.step()


def test_hooks_of_an_optimizer_written_by_a_user_are_called():
    class Mine(torch.optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, {"lr": 1.0})

        def step(self, closure=None):
            return "stepped"

    optimizer, seen = Mine([with_grad(1)]), []
    optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append(o))
    assert optimizer.step() == "stepped" and seen == [optimizer]


def test_hooks_of_saving_and_loading_may_replace_the_dict():
    _, optimizer = stepped()
    seen = []
    optimizer.register_state_dict_pre_hook(lambda o: seen.append("second"))
    optimizer.register_state_dict_pre_hook(lambda o: seen.append("first"), prepend=True)
    optimizer.register_state_dict_post_hook(lambda o, d: {**d, "extra": 1})
    state = optimizer.state_dict()
    assert seen == ["first", "second"] and state["extra"] == 1
    half = {"param_groups": [{**state["param_groups"][0], "lr": 0.5}]}
    optimizer.register_load_state_dict_pre_hook(lambda o, d: {**d, **half})
    optimizer.register_load_state_dict_post_hook(lambda o: seen.append("loaded"))
    optimizer.load_state_dict(state)
    assert optimizer.param_groups[0]["lr"] == 0.5 and seen[-1] == "loaded"


# ---- errors --------------------------------------------------------------------------------------


def generator_used_up():
    p = parameter(1)
    used = (x for x in [p])
    list(used)
    return used


def non_leaf():
    return [parameter(2) * 2]


BAD_PARAMETERS = [
    (lambda: [], ValueError, r"optimizer got an empty parameter list[\s\S]*test_optimizer.py"),
    (generator_used_up, ValueError, "optimizer got an empty parameter list"),
    (lambda: parameter(2), TypeError, r"an iterable of Tensors or dicts, but got Tensor"),
    (non_leaf, ValueError, r"can't optimize a non-leaf Tensor[\s\S]*\[2\][\s\S]*MulBackward0"),
    (lambda: [1.0], TypeError, r"optimizer can only optimize Tensors, but one of the params is"),
    (lambda: [{"params": {parameter(1)}}], TypeError, r"ordering of tensors in sets"),
    (
        lambda: [("a", parameter(1)), parameter(1)], ValueError,
        r"all optimizer params should be with/without names[\s\S]*1 of 2",
    ),
    (
        lambda: [{"params": [("a", parameter(1))]}, {"params": [parameter(1)]}], ValueError,
        r"all optimizer param groups should be with/without names",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("make", "error", "text"), BAD_PARAMETERS)
def test_bad_parameters_are_refused(make, error, text):
    with pytest.raises(error, match=text):
        torch.optim.SGD(make())


def test_a_parameter_in_two_groups_is_refused_and_twice_in_one_warned_about():
    p = parameter(1)
    with pytest.raises(ValueError, match="some parameters appear in more than one parameter group"):
        torch.optim.SGD([{"params": [p]}, {"params": [p]}])
    with pytest.warns(UserWarning, match="duplicate parameters"):
        torch.optim.SGD([p, p])
    with pytest.raises(TypeError, match="param_group must be a dict"):
        torch.optim.SGD([p]).add_param_group([p])


def test_a_required_option_must_be_given():
    from chainrule.optim.optimizer import required

    with pytest.raises(ValueError, match="required optimization parameter lr"):
        torch.optim.Optimizer([parameter(1)], {"lr": required})


def one(name, **options):
    p = torch.ones(2, 2, requires_grad=True)
    return lambda: getattr(torch.optim, name)([p], **options)


BAD_OPTIONS = [
    (one("SGD", lr=-1), "Invalid learning rate: -1"),
    (one("SGD", lr=torch.ones(2)), "Tensor lr must be 1-element"),
    (one("SGD", momentum=-0.5), "Invalid momentum value: -0.5"),
    (one("SGD", weight_decay=-0.5), "Invalid weight_decay value: -0.5"),
    (one("SGD", nesterov=True), "Nesterov momentum requires a momentum and zero dampening"),
    (one("Adam", eps=-1.0), "Invalid epsilon value: -1.0"),
    (one("Adam", betas=(1.0, 0.9)), "Invalid beta parameter at index 0: 1.0"),
    (one("AdamW", betas=(0.9, -0.1)), "Invalid beta parameter at index 1: -0.1"),
    (one("AdamW", betas=(torch.tensor(0.9), 0.9)), "both floats or both Tensors"),
    (one("Adam", lr=torch.tensor(0.1), foreach=True), "lr as a Tensor is not supported for"),
    (one("Adam", lr=float("nan")), "Invalid learning rate: nan"),
    (one("Adamax", weight_decay=-1), "Invalid weight_decay value: -1"),
    (one("NAdam", momentum_decay=-1), "Invalid momentum_decay value: -1"),
    (one("RAdam", lr=-0.1), "Invalid learning rate: -0.1"),
    (one("Adagrad", lr_decay=-1), "Invalid lr_decay value: -1"),
    (one("Adagrad", initial_accumulator_value=-1), "Invalid initial_accumulator_value value: -1"),
    (one("Adadelta", rho=1.5), "Invalid rho value: 1.5"),
    (one("RMSprop", alpha=-1), "Invalid alpha value: -1"),
    (one("Rprop", etas=(1.0, 2.0)), "Invalid eta values: 1.0, 2.0"),
    (one("ASGD", weight_decay=-1), "Invalid weight_decay value: -1"),
    (one("Adafactor", lr=-1), "Learning rate should be >= 0 but is: -1"),
    (one("Adafactor", beta2_decay=0.1), "beta2_decay should be <= 0 but is: 0.1"),
    (one("Adafactor", d=0.5), "Clipping threshold d should be >= 1 but is: 0.5"),
    (one("Muon", adjust_lr_fn="x"), "Adjust learning rate function x is not supported"),
    (one("Muon", momentum=-1), "momentum should be >= 0 but is: -1"),
    (one("LAMB", eps=-1), "Invalid epsilon value: -1"),
    (one("Lion", betas=(2.0, 0.9)), "Invalid beta parameter at index 0: 2.0"),
    (one("SparseAdam", lr=0.0), "Invalid learning rate: 0.0"),
    (one("SparseAdam", eps=0.0), "Invalid epsilon value: 0.0"),
]


@pytest.mark.parametrize(("make", "text"), BAD_OPTIONS, ids=[text for _, text in BAD_OPTIONS])
def test_bad_options_are_refused_with_the_line(make, text):
    with pytest.raises(ValueError, match=text) as problem:
        make()
    assert "test_optimizer.py" in str(problem.value)


def test_forms_that_exclude_each_other_are_refused():
    for name in ("SGD", "Adam", "Adagrad"):
        with pytest.raises(RuntimeError, match="`fused` does not support `differentiable`"):
            one(name, fused=True, differentiable=True)()
        with pytest.raises(RuntimeError, match="`fused` and `foreach` cannot be `True` together"):
            one(name, fused=True, foreach=True)()


def test_muon_wants_matrices():
    with pytest.raises(ValueError, match=r"Muon only supports 2D parameters[\s\S]*\[3\]"):
        torch.optim.Muon([parameter(3)])


def test_a_state_dict_of_another_optimizer_is_refused():
    _, optimizer = stepped()
    two = torch.optim.AdamW([parameter(1), parameter(1)])
    with pytest.raises(
        ValueError, match=r"doesn't match the size of optimizer's group[\s\S]*1 par"
    ):
        two.load_state_dict(optimizer.state_dict())
    groups = torch.optim.AdamW([{"params": [parameter(1)]}, {"params": [parameter(1)]}])
    with pytest.raises(ValueError, match="different number of parameter groups: 1, this"):
        groups.load_state_dict(optimizer.state_dict())


def test_the_base_class_has_no_step():
    with pytest.raises(NotImplementedError):
        torch.optim.Optimizer([parameter(1)], {}).step()


# ---- single optimizers ---------------------------------------------------------------------------


@pytest.mark.parametrize("key", optim_others.LBFGS_OPTIONS)
def test_lbfgs_takes_the_path_of_pytorch(key):
    found = optim_others.lbfgs(torch, key)
    np.testing.assert_allclose(found["rows"], EXPECTED["lbfgs"][key]["rows"], rtol=1e-6, atol=1e-9)
    assert found["keys"] == EXPECTED["lbfgs"][key]["keys"]


def test_lbfgs_wants_a_closure_one_group_and_a_known_search():
    p = parameter(2)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'closure'"):
        torch.optim.LBFGS([p]).step()
    with pytest.raises(ValueError, match="LBFGS doesn't support per-parameter options"):
        torch.optim.LBFGS([{"params": [p]}, {"params": [parameter(1)]}])

    def closure():
        loss = (p * p).sum()
        loss.backward()
        return loss

    with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
        torch.optim.LBFGS([p], line_search_fn="armijo").step(closure)


def test_sparse_adam_moves_only_the_rows_that_were_used():
    torch.manual_seed(0)
    table = torch.nn.Embedding(5, 2, sparse=True)
    before = table.weight.detach().clone()
    optimizer = torch.optim.SparseAdam(table.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        table(torch.tensor([3, 1, 3])).sum().backward()
        optimizer.step()
    moved = (table.weight != before).all(1)
    assert moved.tolist() == [False, True, False, True, False]
    assert optimizer.state[table.weight]["step"] == 3


def test_an_embeddings_row_gradients_step_other_optimizers_as_dense_ones_do():
    for name, options in (("SGD", {"momentum": 0.9}), ("SGD", {}), ("Adagrad", {})):
        weights = []
        for sparse in (True, False):
            torch.manual_seed(0)
            table = torch.nn.Embedding(5, 2, sparse=sparse)
            optimizer = getattr(torch.optim, name)(table.parameters(), lr=0.1, **options)
            for _ in range(3):
                optimizer.zero_grad()
                (table(torch.tensor([3, 1, 3])) ** 2).sum().backward()
                optimizer.step()
            weights.append(table.weight.detach())
        torch.testing.assert_close(*weights)


def test_gradients_of_the_wrong_kind_are_refused():
    p = parameter(4, 2)
    p.grad = torch.ones(4, 2)
    with pytest.raises(RuntimeError, match=r"does not support dense gradients[\s\S]*sparse=True"):
        torch.optim.SparseAdam([p]).step()
    p.grad = torch.ones(4, 2).to_sparse()
    for name in ("Adam", "RMSprop", "Rprop"):
        with pytest.raises(RuntimeError, match=f"{name} does not support sparse gradients"):
            getattr(torch.optim, name)([p]).step()
    with pytest.raises(RuntimeError, match="weight_decay option is not compatible with sparse"):
        torch.optim.Adagrad([p], weight_decay=0.1).step()
    with pytest.raises(ValueError, match=r"Complex params at indices \[\[0, 0\]\]"):
        torch.optim.SparseAdam([torch.ones(2, dtype=torch.complex64, requires_grad=True)])


def test_lamb_scales_adams_direction_to_the_length_of_the_weights():
    p = torch.tensor([3.0, 4.0], requires_grad=True)
    p.grad = torch.tensor([0.1, -0.2])
    torch.optim.LAMB([p], lr=0.01, weight_decay=0.5, eps=0.0).step()
    update = np.array([1.0, -1.0]) + 0.5 * np.array([3.0, 4.0])  # the first step is a sign
    expected = np.array([3.0, 4.0]) - 0.01 * 5.0 / np.linalg.norm(update) * update
    np.testing.assert_allclose(p.detach().numpy(), expected, rtol=1e-6)
    q = torch.tensor([3.0, 4.0], requires_grad=True)
    q.grad = torch.tensor([0.1, -0.2])
    torch.optim.LAMB([q], lr=0.01, always_adapt=False, eps=0.0).step()
    np.testing.assert_allclose(q.detach().numpy(), [2.99, 4.01], rtol=1e-6)
    zero = torch.zeros(2, requires_grad=True)
    zero.grad = torch.tensor([1.0, 1.0])
    torch.optim.LAMB([zero], lr=0.01).step()
    np.testing.assert_allclose(zero.detach().numpy(), [-0.01, -0.01], rtol=1e-5)


def test_lion_follows_the_formulas_of_its_paper():
    p = torch.tensor([1.0, -1.0, 2.0], requires_grad=True)
    optimizer = torch.optim.Lion([p], lr=0.1, betas=(0.9, 0.99), weight_decay=0.2)
    values, mean = np.array([1.0, -1.0, 2.0]), np.zeros(3)
    for grad in ([1.0, -2.0, 0.0], [-0.05, 1.0, 3.0], [-5.0, 0.1, -1.0]):
        p.grad = torch.tensor(grad)
        optimizer.step()
        direction = np.sign(0.9 * mean + 0.1 * np.array(grad))
        values = values - 0.1 * (direction + 0.2 * values)
        mean = 0.99 * mean + 0.01 * np.array(grad)
    np.testing.assert_allclose(p.detach().numpy(), values, rtol=1e-5)
    np.testing.assert_allclose(optimizer.state[p]["exp_avg"].numpy(), mean, rtol=1e-5)


# ---- swapping ------------------------------------------------------------------------------------


def swap(optimizer, parameters, state):
    with torch.optim.swap_in_optimizer_params_and_state(optimizer, parameters, state):
        optimizer.step()


def test_swapped_parameters_and_state_are_stepped_and_the_own_ones_come_back():
    p, optimizer = stepped()
    before = p.detach().clone()
    state = copy.deepcopy(optimizer.state_dict())
    state["param_groups"][0]["lr"] = 1.0
    other = torch.zeros(2, requires_grad=True)
    other.grad = torch.ones(2)
    swap(optimizer, {"w": other}, state)
    assert torch.equal(p.detach(), before) and (other.abs() > 0.1).all()
    assert optimizer.param_groups[0]["params"] == [p] and optimizer.param_groups[0]["lr"] == 0.1
    assert optimizer.state[p]["step"].item() == 3 and state["state"][0]["step"].item() == 4
    optimizer.step()
    assert optimizer.state[p]["step"].item() == 4


def test_a_swap_that_does_not_fit_is_refused():
    p, optimizer = stepped()
    state = optimizer.state_dict()
    fresh = torch.optim.AdamW([parameter(1)])
    with pytest.raises(RuntimeError, match="requires initialized optimizer state"):
        swap(fresh, {"w": p}, state)
    bad = [
        ({**state, "state": {p: {}}}, "keyed by packed parameter ids"),
        ({**state, "param_groups": []}, "different number of parameter groups"),
        ({**state, "state": {7: {}}}, r"extra keys \[7\]"),
    ]
    for wrong, text in bad:
        with pytest.raises(RuntimeError, match=text):
            swap(optimizer, {"w": p}, wrong)
    with pytest.raises(RuntimeError, match="0 parameters for 1 places"):
        swap(optimizer, {}, state)
    group = state["param_groups"][0]
    with pytest.raises(RuntimeError, match="different number of params than the live"):
        swap(optimizer, {"w": p}, {**state, "param_groups": [{**group, "params": []}]})
    with pytest.raises(RuntimeError, match=r"exactly match[\s\S]*extra"):
        swap(optimizer, {"w": p}, {**state, "param_groups": [{**group, "extra": 1}]})


class Wrapping(torch.optim.Optimizer):
    """A wrapper as training libraries write it: it is an optimizer and has no state of its own."""

    def __init__(self, optimizer):
        self.optimizer = optimizer

    @property
    def param_groups(self):
        return self.optimizer.param_groups

    def zero_grad(self, set_to_none=True):
        self.optimizer.zero_grad(set_to_none)

    def step(self, closure=None):
        self.optimizer.step(closure)


def test_a_subclass_needs_no_initialization_of_the_base_to_step():
    weight = torch.ones(2, requires_grad=True)
    inner = torch.optim.SGD([weight], lr=0.5)
    seen = []
    inner.register_step_pre_hook(lambda *_: seen.append("step"))
    outer = Wrapping(inner)
    schedule = torch.optim.lr_scheduler.ExponentialLR(outer, 0.5)
    for _ in range(2):
        outer.zero_grad()
        weight.sum().backward()
        outer.step()
        schedule.step()
    assert weight.tolist() == [0.25, 0.25]
    assert seen == ["step", "step"]
