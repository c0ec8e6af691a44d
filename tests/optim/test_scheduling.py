"""Schedulers beside their sequences: warnings, saving, errors, rates in tensors."""

import copy
import warnings

import pytest

import chainrule as torch
from chainrule.optim import lr_scheduler as schedules


def make(lr=0.5, groups=1, kind="SGD", **options):
    listed = [{"params": [torch.zeros(1, requires_grad=True)]} for _ in range(groups)]
    return getattr(torch.optim, kind)(listed, lr=lr, **options)


def go(optimizer, scheduler, steps):
    rates = []
    for _ in range(steps):
        optimizer.step()
        scheduler.step()
        rates.append(scheduler.get_last_lr()[0])
    return rates


def test_the_wrong_order_is_warned_about():
    scheduler = schedules.StepLR(make(), 2)
    with pytest.warns(UserWarning, match=r"Detected call of `lr_scheduler.step\(\)` before"):
        scheduler.step()


def test_the_right_order_is_silent():
    optimizer = make()
    go(optimizer, schedules.StepLR(optimizer, 2), 3)


def test_a_replaced_step_is_warned_about():
    optimizer = make()
    scheduler = schedules.StepLR(optimizer, 2)
    optimizer.step = lambda: None
    optimizer.step()
    with pytest.warns(UserWarning, match="has been overridden after learning rate scheduler"):
        scheduler.step()


def test_asking_for_the_next_rate_is_warned_about():
    scheduler = schedules.ExponentialLR(make(), 0.5)
    with pytest.warns(UserWarning, match="please use `get_last_lr"):
        scheduler.get_lr()


def test_giving_an_epoch_is_deprecated():
    optimizer = make()
    scheduler = schedules.ExponentialLR(optimizer, 0.5)
    optimizer.step()
    with pytest.warns(UserWarning, match="epoch parameter in `scheduler.step"):
        scheduler.step(3)
    assert scheduler.get_last_lr() == [0.5**4]


MAKERS = {
    "StepLR": lambda o: schedules.StepLR(o, 3),
    "MultiStepLR": lambda o: schedules.MultiStepLR(o, [2, 5]),
    "LambdaLR": lambda o: schedules.LambdaLR(o, lambda e: 0.9**e),
    "OneCycleLR": lambda o: schedules.OneCycleLR(o, 1.0, total_steps=20),
    "CyclicLR": lambda o: schedules.CyclicLR(o, 0.1, 1.0, step_size_up=3, mode="triangular2"),
    "CosineAnnealingWarmRestarts": lambda o: schedules.CosineAnnealingWarmRestarts(o, 3, 2),
    "SequentialLR": lambda o: schedules.SequentialLR(
        o, [schedules.LinearLR(o), schedules.ExponentialLR(o, 0.9)], [6]
    ),
    "ChainedScheduler": lambda o: schedules.ChainedScheduler(
        [schedules.LinearLR(o), schedules.ExponentialLR(o, 0.9)]
    ),
    "SWALR": lambda o: torch.optim.swa_utils.SWALR(o, 0.05),
}


@pytest.mark.parametrize("name", MAKERS)
def test_a_schedule_goes_on_after_saving_and_loading(name):
    first = make(momentum=0.9)
    scheduler = MAKERS[name](first)
    go(first, scheduler, 4)
    states = copy.deepcopy((first.state_dict(), scheduler.state_dict()))
    expected = go(first, scheduler, 5)
    second = make(momentum=0.9)
    resumed = MAKERS[name](second)
    second.load_state_dict(states[0])
    resumed.load_state_dict(states[1])
    assert go(second, resumed, 5) == expected


def test_a_callable_object_of_a_lambda_schedule_is_saved_with_its_attributes():
    class Factor:
        def __init__(self):
            self.base = 0.5

        def __call__(self, epoch):
            return self.base**epoch

    optimizer = make()
    scheduler = schedules.LambdaLR(optimizer, Factor())
    scheduler.lr_lambdas[0].base = 0.25
    state = scheduler.state_dict()
    assert state["lr_lambdas"] == [{"base": 0.25}]
    other = schedules.LambdaLR(make(), Factor())
    other.load_state_dict(state)
    assert other.lr_lambdas[0].base == 0.25
    assert "lr_lambdas" in state  # the caller's dict is not emptied


def test_plateau_goes_on_after_saving_and_loading():
    optimizer = make()
    scheduler = schedules.ReduceLROnPlateau(optimizer, patience=1)
    scheduler.step(1.0)
    scheduler.step(1.0)
    other_optimizer = make()
    other = schedules.ReduceLROnPlateau(other_optimizer, mode="max")
    other.load_state_dict(scheduler.state_dict())
    other.step(torch.tensor(1.0))
    assert other_optimizer.param_groups[0]["lr"] == pytest.approx(0.05)


def test_a_rate_in_a_tensor_is_filled_in_place():
    rate = torch.tensor(1.0)
    optimizer = make(lr=rate)
    scheduler = schedules.ExponentialLR(optimizer, 0.5)
    go(optimizer, scheduler, 2)
    assert optimizer.param_groups[0]["lr"] is rate and rate.item() == 0.25
    assert scheduler.base_lrs[0].item() == 1.0


def test_resuming_needs_the_first_rate():
    with pytest.raises(KeyError, match="param 'initial_lr' is not specified in param_groups"):
        schedules.StepLR(make(), 2, last_epoch=4)
    optimizer = make()
    optimizer.param_groups[0]["initial_lr"] = 1.0
    assert schedules.ExponentialLR(optimizer, 0.5, last_epoch=2).last_epoch == 3


def sequential(schedulers, milestones):
    return schedules.SequentialLR(schedulers[0].optimizer, schedulers, milestones)


ERRORS = [
    (lambda: schedules.StepLR("model", 2), TypeError, "str is not an Optimizer"),
    (lambda: schedules.LambdaLR(make(groups=2), [abs]), ValueError, "Expected 2 lr_lambdas"),
    (lambda: schedules.MultiplicativeLR(make(), 3), TypeError, "lr_lambda should be a function"),
    (lambda: schedules.ConstantLR(make(), 2.0), ValueError, "expected to be between 0 and 1"),
    (lambda: schedules.LinearLR(make(), 0.0), ValueError, "greater than 0 and less or equal to 1"),
    (lambda: schedules.LinearLR(make(), 0.1, 2.0), ValueError, "Ending multiplicative factor"),
    (lambda: schedules.CosineAnnealingWarmRestarts(make(), 0), ValueError, "positive integer T_0"),
    (lambda: schedules.CosineAnnealingWarmRestarts(make(), 1, 0), ValueError, "T_mult >= 1"),
    (lambda: schedules.CyclicLR(make(), 0.1, 1.0, mode="x"), ValueError, "mode is invalid"),
    (lambda: schedules.CyclicLR(make(kind="Adagrad"), 0.1, 1), ValueError, "momentum or beta1"),
    (lambda: schedules.CyclicLR(make(), [0.1, 1], 1), ValueError, "base_lr must have the same"),
    (lambda: schedules.OneCycleLR(make(), 1.0), ValueError, r"total_steps OR \(epochs AND"),
    (lambda: schedules.OneCycleLR(make(), 1.0, 0), ValueError, "positive integer total_steps"),
    (lambda: schedules.OneCycleLR(make(), 1.0, epochs=-1, steps_per_epoch=2), ValueError, "epochs"),
    (lambda: schedules.OneCycleLR(make(), 1.0, 9, pct_start=2), ValueError, "between 0 and 1"),
    (lambda: schedules.OneCycleLR(make(), 1.0, 9, anneal_strategy="x"), ValueError, "'cos' or"),
    (lambda: schedules.ReduceLROnPlateau(make(), factor=1.5), ValueError, "Factor should be < 1.0"),
    (lambda: schedules.ReduceLROnPlateau(make(), "x"), ValueError, "mode x is unknown!"),
    (lambda: schedules.ReduceLROnPlateau(make(), min_lr=[1, 2]), ValueError, "expected 1 min_lrs"),
    (
        lambda: schedules.ReduceLROnPlateau(make(), threshold_mode="x"), ValueError,
        "threshold mode x is unknown!",
    ),
    (lambda: schedules.ChainedScheduler([]), ValueError, "at least one scheduler to be chained"),
    (lambda: sequential([schedules.StepLR(make(), 2)], [3]), ValueError, "one more than"),
    (
        lambda: sequential([schedules.StepLR(make(), 2), schedules.StepLR(make(), 2)], [3]),
        ValueError, "belong to the same optimizer",
    ),
    (
        lambda: schedules.ChainedScheduler([schedules.ReduceLROnPlateau(make())]), ValueError,
        "does not support `ReduceLROnPlateau`",
    ),
    (
        lambda: torch.optim.swa_utils.SWALR(make(), 0.1, anneal_strategy="x"), ValueError,
        "anneal_strategy must be one of",
    ),
    (lambda: torch.optim.swa_utils.SWALR(make(), 0.1, -1), ValueError, "anneal_epochs must be"),
]  # fmt: skip


@pytest.mark.parametrize(("program", "error", "text"), ERRORS)
def test_bad_schedules_are_refused(program, error, text):
    with pytest.raises(error, match=text):
        program()


def test_one_cycle_says_when_it_is_over():
    optimizer = make(momentum=0.9)
    scheduler = schedules.OneCycleLR(optimizer, 1.0, total_steps=2)
    go(optimizer, scheduler, 2)
    with pytest.raises(ValueError, match=r"Tried to step 3 times\. The specified number of total"):
        scheduler.step()


def test_plateau_notices_new_groups():
    optimizer = make()
    scheduler = schedules.ReduceLROnPlateau(optimizer, patience=0, min_lr=[0.01])
    optimizer.add_param_group({"params": [torch.zeros(1, requires_grad=True)]})
    scheduler.step(1.0)
    with pytest.raises(RuntimeError, match="number of param groups in the `optimizer`"):
        scheduler.step(1.0)


def test_old_programs_find_the_base_class_by_its_old_name():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert issubclass(schedules._LRScheduler, schedules.LRScheduler)
    assert not issubclass(schedules.StepLR, schedules._LRScheduler)  # as in PyTorch
