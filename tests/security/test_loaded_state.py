"""States of modules, schedulers and scalers come from files: nonsense in them changes nothing."""

import copy

import pytest

import chainrule as torch
from chainrule import nn

SCHEDULERS = torch.optim.lr_scheduler


class Steps:
    """A function of the epoch that remembers something."""

    factor = 1.0

    def __call__(self, epoch):
        return self.factor


def optimizer():
    return torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=0.1, momentum=0.9)


def repeated():
    """A tensor of one number in memory and of more elements than can be walked."""
    return torch.ones(1).as_strided((2**40,), (0,))


MAKERS = {
    "StepLR": lambda o: SCHEDULERS.StepLR(o, 2),
    "LambdaLR": lambda o: SCHEDULERS.LambdaLR(o, Steps()),
    "CyclicLR": lambda o: SCHEDULERS.CyclicLR(o, 0.1, 0.2),
    "OneCycleLR": lambda o: SCHEDULERS.OneCycleLR(o, 0.1, total_steps=9),
    "ReduceLROnPlateau": SCHEDULERS.ReduceLROnPlateau,
    "SequentialLR": lambda o: SCHEDULERS.SequentialLR(
        o, [SCHEDULERS.ConstantLR(o), SCHEDULERS.StepLR(o, 2)], [2]
    ),
    "ChainedScheduler": lambda o: SCHEDULERS.ChainedScheduler([SCHEDULERS.StepLR(o, 2)]),
    "SWALR": lambda o: torch.optim.swa_utils.SWALR(o, 0.1),
    "GradScaler": lambda o: torch.amp.GradScaler("cpu"),
}
NONSENSE = [None, "x", [1], {}, 10**400, torch.ones(3), repeated(), object()]


@pytest.mark.parametrize("name", MAKERS)
def test_a_state_of_another_kind_is_refused_and_changes_nothing(name):
    made = MAKERS[name](optimizer())
    before = repr(made.state_dict())
    for whole in (None, 3, "x", [1], torch.ones(3), repeated(), {1: 2}):
        with pytest.raises((TypeError, ValueError)):
            made.load_state_dict(whole)
    refused = 0
    for key, present in made.state_dict().items():
        for value in NONSENSE:
            state = copy.deepcopy(made.state_dict())
            state[key] = value
            if present is None or type(value) is type(present):
                continue  # any value, or one of the right kind
            if isinstance(present, bool):
                continue
            refused += 1
            with pytest.raises((TypeError, ValueError), match=name):
                made.load_state_dict(state)
            assert repr(made.state_dict()) == before
    assert refused > 5
    made.load_state_dict(made.state_dict())
    assert repr(made.state_dict()) == before


@pytest.mark.parametrize("name", [n for n in MAKERS if n != "GradScaler"])
def test_a_state_hides_no_method_and_brings_no_optimizer(name):
    made = MAKERS[name](optimizer())
    for key in ("step", "get_last_lr", "state_dict", "__class__", "optimizer"):
        with pytest.raises(ValueError, match=f"state given to a {name}"):
            made.load_state_dict({**made.state_dict(), key: 3})
        assert key not in vars(made) or key == "optimizer"


def test_what_the_parts_of_a_schedule_refuse_is_taken_back_from_all():
    made = MAKERS["SequentialLR"](optimizer())
    before = repr(made.state_dict())
    state = copy.deepcopy(made.state_dict())
    state["_schedulers"][0]["factor"] = 0.75
    state["_schedulers"][1]["gamma"] = "x"
    with pytest.raises(ValueError, match="makes no sense as 'gamma'"):
        made.load_state_dict(state)
    assert repr(made.state_dict()) == before


def test_functions_remember_what_hides_nothing():
    made = MAKERS["LambdaLR"](optimizer())
    state = copy.deepcopy(made.state_dict())
    state["lr_lambdas"] = [{"factor": 0.5}]
    made.load_state_dict(state)
    assert made.lr_lambdas[0].factor == 0.5
    state["lr_lambdas"] = [{"__call__": 3}]
    with pytest.raises(ValueError, match="Steps has something under the name of one of its"):
        made.load_state_dict(state)


def test_attributes_of_a_users_scheduler_may_change_their_kind():
    class Mine(SCHEDULERS.StepLR):
        seen = None

        def __init__(self, optimizer):
            self.note = 0
            super().__init__(optimizer, 2)

    made = Mine(optimizer())
    made.load_state_dict({**made.state_dict(), "note": ["text"]})
    assert made.note == ["text"]


@pytest.mark.parametrize("notes", [3, "x", [1], torch.ones(1), {"": 3}, {"": None}])
def test_notes_beside_a_state_that_are_no_dicts_change_nothing(notes):
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    before = model[0].weight.tolist()
    state = copy.deepcopy(model.state_dict())
    state["0.weight"].zero_()
    state._metadata = notes
    with pytest.raises(TypeError, match="the _metadata of a state_dict"):
        model.load_state_dict(state)
    assert model[0].weight.tolist() == before


@pytest.mark.parametrize("version", ["x", [], torch.ones(2), 2.5])
def test_versions_that_are_no_numbers(version):
    state = nn.BatchNorm1d(2).state_dict()
    state._metadata = {"": {"version": version}}
    with pytest.raises(RuntimeError, match=r"no whole number.*\n.*\n  Fix: del state_dict"):
        nn.BatchNorm1d(2).load_state_dict(state)
    layer = nn.utils.spectral_norm(nn.Linear(2, 2))
    state = layer.state_dict()
    state._metadata[""]["spectral_norm"] = {"weight.version": version}
    with pytest.raises(RuntimeError, match="spectral norm in '' is no whole number"):
        layer.load_state_dict(state)


@pytest.mark.parametrize("key", [None, 3, b"x", ("a",), 2.5])
def test_keys_that_are_no_names(key):
    layer = nn.Linear(2, 2)
    with pytest.raises(TypeError, match="the keys of a state_dict are names"):
        layer.load_state_dict({**layer.state_dict(), key: torch.ones(1)}, strict=False)


@pytest.mark.parametrize("value", [None, "x", 3])
def test_scales_of_a_quantized_layer_that_are_no_tensors(value):
    layer = torch.ao.quantization.FakeQuantize()
    with pytest.raises(RuntimeError, match=r"expected torch\.Tensor"):
        layer.load_state_dict({**layer.state_dict(), "scale": value})
