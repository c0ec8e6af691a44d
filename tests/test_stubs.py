"""The generated `.pyi` files are up to date, and a type checker finds mistakes with them."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Each line with a mistake ends with the rule that must report it; all other lines must be clean.
PROGRAM = """
import chainrule as torch
import chainrule.nn.functional as F

x = torch.randn(3, 4, requires_grad=True)
loss = (F.relu(x @ torch.ones(4, 2)) ** 2).mean()
loss.backward()
with torch.no_grad():
    x -= 0.1 * torch.tanh(x)
    x.tanh_().clamp_(min=-1)
values, positions = torch.sort(x, dim=1)
largest: torch.Tensor = x.sort(dim=0).values
norm: torch.Tensor = torch.linalg.norm(x, dim=1)
kind: torch.dtype = norm.dtype
gradient: torch.Tensor | None = x.grad
as_double: torch.Tensor = x.to(torch.float64)
rows: int = len(x)
doubled: torch.Tensor = 2 * x + (x == 2).float()
sparse: bool = x.is_sparse
blank = torch.zeros(x.shape).new_ones(3, 4).clamp(min=0, max=x)
best, where_best = torch.max(x, dim=1)
largest = torch.max(x).exp()
count: int = x.size(0) + x.stride(1)
seen, how_often = torch.unique(x, return_counts=True)
flat = x.view(-1).reshape(12, 1).permute(1, 0).expand(size=(2, 12)).to("cpu", torch.float32)
picked = x[1:, None, torch.tensor([0, 1])].sum(axis=0)
steps = torch.arange(0, 1, 0.1, dtype=torch.float64).tolist()
pooled, places = torch.nn.functional.max_pool1d(x, 2, return_indices=True)
handle = x.register_hook(lambda g: g * 2)
handle.remove()

class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 2)
        self.blocks = torch.nn.ModuleList([torch.nn.ReLU(), torch.nn.Tanh()])
        self.scale = torch.nn.Parameter(torch.ones(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.scale * self.layer(x)

net = Net().train().to(torch.float32)
state = net.state_dict()
weight: torch.nn.Parameter = net.layer.weight
torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
torch.nn.utils.parametrize.register_parametrization(net.layer, "weight", torch.nn.Identity())

torch.nn.Linaer(2, 2)  # reportAttributeAccessIssue
torch.nn.Linear(in_features="x", out_features=2)  # reportArgumentType
torch.tanh("x")  # reportArgumentType
torch.sum(x, keepdim="yes")  # reportArgumentType
torch.zeros(3, "4")  # reportArgumentType
x.clone(memory_format="last")  # reportArgumentType
x.tahn()  # reportAttributeAccessIssue
torch.linalg.nrom(x)  # reportAttributeAccessIssue
torch.gather(x, 0, [1])  # reportArgumentType
torch.outer(x, 2)  # reportArgumentType
x.view_as((3, 4))  # reportArgumentType
torch.arange("3")  # reportArgumentType
wrong = x + "1"  # reportOperatorIssue
x.softmax(axs=1)  # reportCallIssue
not_text: str = torch.exp(x)  # reportAssignmentType
"""


def test_stubs_are_up_to_date():
    # In a process of its own: what other tests did to the classes must not show in the stubs.
    generator = ROOT / "tools" / "generate_stubs.py"
    ran = subprocess.run(
        [sys.executable, str(generator), "--check"], capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, f"run: python tools/generate_stubs.py\n{ran.stdout}{ran.stderr}"


def test_stubs_are_valid_python():
    for path in (ROOT / "src" / "chainrule").rglob("*.pyi"):
        compile(path.read_text(encoding="utf-8"), str(path), "exec")


def test_public_signatures_say_their_types():
    """But for values that depend on the tensor's type, and protocols of others."""
    dynamic = {"item", "tolist", "gradient_flow", "__array__"}
    open_ones = []
    for path in (ROOT / "src" / "chainrule").rglob("*.pyi"):
        for line in path.read_text(encoding="utf-8").splitlines():
            name = re.match(r"\s*(?:def )?(\w+)", line)
            if re.search(r"\bAny\b", line) and name and name[1] not in {"from", *dynamic}:
                hidden = name[1].startswith("_") and name[1] not in ("__getitem__", "__add__")
                open_ones += [] if hidden else [f"{path.name}: {line.strip()}"]
    assert open_ones == []


def test_a_type_checker_finds_the_mistakes_and_nothing_else(tmp_path):
    pytest.importorskip("pyright")
    (tmp_path / "program.py").write_text(PROGRAM)
    settings = {"include": ["."], "extraPaths": [str(ROOT / "src")], "pythonVersion": "3.11"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    ran = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    found = {
        (d["range"]["start"]["line"], d["rule"])
        for d in json.loads(ran.stdout)["generalDiagnostics"]
    }
    wanted = {
        (number, line.partition("# ")[2])
        for number, line in enumerate(PROGRAM.splitlines())
        if "# report" in line
    }
    assert found == wanted
