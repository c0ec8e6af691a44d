"""Every name that PyTorch programs use is here: names.txt lists them, most used first."""

from pathlib import Path

import pytest

import chainrule as torch

ROOT = Path(__file__).resolve().parent
LINES = (ROOT / "names.txt").read_text(encoding="utf-8").splitlines()
NAMES = [line for line in LINES if line and not line.startswith("#")]
METHODS = [name.removeprefix("Tensor.") for name in NAMES if name.startswith("Tensor.")]
PATHS = [name for name in NAMES if name.startswith("torch.")]

# Names of the list that chainrule does not have. docs/running_pytorch_scripts.md shows the same.
MISSING: set[str] = set()

# The list counts methods without knowing whose they are: these are not a tensor's.
OTHER_OWNERS = {
    "parameters": "Module", "zero_grad": "Module", "train": "Module", "eval": "Module",
    "state_dict": "Module", "apply": "Module", "load_state_dict": "Module",
    "register_buffer": "Module", "named_parameters": "Module", "forward": "Module",
    "children": "Module", "modules": "Module", "named_modules": "Module",
    "register_forward_hook": "Module", "add_module": "Module", "_named_members": "Module",
    "compile": "Module", "named_children": "Module", "step": "Optimizer",
    "param_groups": "Optimizer", "seed": "Generator", "manual_seed": "Generator",
    "scale": "GradScaler", "unscale_": "GradScaler", "save_for_backward": "context",
    "saved_tensors": "context", "log_prob": "distribution", "sample": "distribution",
    "eps": "finfo", "index": "device",
}  # fmt: skip


def owner(kind: str):
    """An object of the kind that has the method in PyTorch."""
    if kind == "Module":
        return torch.nn.Linear(1, 1)
    if kind == "Optimizer":
        return torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    if kind == "context":
        contexts = []
        keep = type("Keep", (torch.autograd.Function,), {
            "forward": staticmethod(lambda ctx, x: contexts.append(ctx) or x.clone()),
            "backward": staticmethod(lambda ctx, g: g),
        })  # fmt: skip
        keep.apply(torch.ones(1, requires_grad=True))
        return contexts[0]
    makers = {
        "Generator": torch.Generator,
        "GradScaler": lambda: torch.amp.GradScaler("cpu", enabled=False),
        "distribution": lambda: torch.distributions.Categorical(torch.ones(2)),
        "finfo": lambda: torch.finfo(torch.float32),
        "device": lambda: torch.device("cpu"),
        "Tensor": lambda: torch.ones(2, 2),
    }
    return makers[kind]()


def test_the_list_is_whole():
    assert len(PATHS) > 350 and len(METHODS) > 150
    assert set(NAMES) >= MISSING
    assert set(METHODS) >= OTHER_OWNERS.keys()


@pytest.mark.parametrize("name", sorted(set(PATHS) - MISSING))
def test_name_resolves(name):
    found = torch
    for part in name.split(".")[1:]:
        found = getattr(found, part)


@pytest.mark.parametrize("kind", ["Tensor", *sorted(set(OTHER_OWNERS.values()))])
def test_methods_exist_on_what_has_them_in_pytorch(kind):
    wanted = [name for name in METHODS if OTHER_OWNERS.get(name, "Tensor") == kind]
    found = owner(kind)
    assert wanted and [name for name in wanted if not hasattr(found, name)] == []


def test_the_docs_name_what_is_missing():
    page = (ROOT.parent / "docs" / "running_pytorch_scripts.md").read_text(encoding="utf-8")
    assert [name for name in MISSING if f"`{name}`" not in page] == []
