"""`chainrule run`: a script runs as under Python itself, with chainrule in the place of torch."""

import importlib.util
import os
import runpy
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import chainrule
from chainrule import run
from chainrule.torch_version import TorchVersion

SOURCE = str(Path(chainrule.__file__).parents[1])


def command(folder, *arguments, python=(), **options):
    """Run `python -m chainrule run ...` (or plain Python) in a folder."""
    environment = {**os.environ, "PYTHONPATH": SOURCE, **options.pop("env", {})}
    runner = python or (sys.executable, "-m", "chainrule", "run")
    return subprocess.run(
        [*runner, *arguments], cwd=folder, env=environment, capture_output=True, text=True,
        timeout=60, **options,
    )  # fmt: skip


def test_main_argv_paths_and_file_are_those_of_python(tmp_path):
    script = tmp_path / "folder" / "show.py"
    script.parent.mkdir()
    (script.parent / "neighbour.py").write_text("value = 3\n")
    script.write_text(
        "import sys, neighbour\n"
        "print(__name__, __file__, sys.argv, sys.path[0], neighbour.value, __spec__, __package__)\n"
        "print(sys.modules['__main__'].__dict__ is globals(), __builtins__.__name__)\n"
    )
    arguments = ("folder/show.py", "-m", "--flag", "x y")
    ours = command(tmp_path, *arguments)
    pythons = command(tmp_path, *arguments, python=(sys.executable,))
    assert ours.stdout == pythons.stdout != ""


def test_a_module_runs_as_with_python_m(tmp_path):
    package = tmp_path / "pack"
    package.mkdir()
    (package / "__init__.py").write_text("import torch\n")
    (package / "helper.py").write_text("import torch.nn.functional as F\nname = F.__name__\n")
    (package / "__main__.py").write_text(
        "import sys\nfrom .helper import name\n"
        "print(name, sys.argv[1:], __spec__.name, __package__, sys.path[0])\n"
    )
    ran = command(tmp_path, "-m", "pack", "7")
    expected = f"chainrule.nn.functional ['7'] pack.__main__ pack {tmp_path}\n"
    assert (ran.stdout, ran.returncode) == (expected, 0)
    missing = command(tmp_path, "-m", "nowhere")
    assert missing.returncode == 1 and "No module named nowhere" in missing.stderr


def test_code_from_the_command_line(tmp_path):
    ran = command(tmp_path, "-c", "import sys, torch; print(torch.ones(2), sys.argv)", "a")
    assert ran.stdout == "tensor([1., 1.]) ['-c', 'a']\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [("raise SystemExit(7)", 7), ("import sys; sys.exit('bad')", 1), ("1 / 0", 1), ("pass", 0)],
)
def test_exit_codes_and_tracebacks_are_pythons(tmp_path, text, code):
    (tmp_path / "script.py").write_text(f"def f():\n    {text}\n\nf()\n")
    ours = command(tmp_path, "script.py")
    pythons = command(tmp_path, "script.py", python=(sys.executable,))
    assert ours.returncode == pythons.returncode == code
    assert ours.stderr == pythons.stderr


def test_syntax_errors_interrupts_and_missing_files(tmp_path):
    (tmp_path / "wrong.py").write_text("x = (1,\n")
    # Whoever starts the tests in the background has SIGINT ignored, and children inherit that.
    (tmp_path / "stop.py").write_text(
        "import os, signal\nsignal.signal(2, signal.default_int_handler)\n"
        "os.kill(os.getpid(), 2)\nwhile True: pass\n"
    )
    for script in ("wrong.py", "stop.py"):
        ours = command(tmp_path, script)
        pythons = command(tmp_path, script, python=(sys.executable,))
        assert (ours.returncode, ours.stderr) == (pythons.returncode, pythons.stderr)
    assert ours.returncode == -signal.SIGINT
    absent = command(tmp_path, "absent.py")
    assert absent.returncode == 2
    assert "can't open file 'absent.py': [Errno 2] No such file" in absent.stderr
    assert command(tmp_path).returncode == 2
    assert "usage: chainrule run script.py" in command(tmp_path, "--help").stdout


CHILDREN = """
import multiprocessing, pickle, subprocess, sys
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)


def double(x):
    import torch.nn.functional as F
    return F.relu(x + x), torch.__name__


if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(1) as pool:
            print(method, pool.map(double, [torch.ones(1)]))
    code = "import torch.nn as nn; print(nn.__name__, nn.Linear(1, 2))"
    print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)
    again = pickle.loads(pickle.dumps(Net()))
    print(type(again), type(again.layer).__module__)
"""


def test_processes_of_every_kind_find_chainrule_as_torch(tmp_path):
    (tmp_path / "children.py").write_text(CHILDREN)
    ran = command(tmp_path, "children.py")
    assert ran.returncode == 0, ran.stderr
    answer = "[(tensor([2.]), 'torch')]"
    assert ran.stdout.splitlines() == [
        f"fork {answer}",
        f"spawn {answer}",
        f"forkserver {answer}",
        "chainrule.nn Linear(in_features=1, out_features=2, bias=True)",
        "",
        "<class '__main__.Net'> torch.nn.modules.linear",
    ]


# ---- names that are not there --------------------------------------------------------------------


MISSING = [
    ("torch.matmull", "module 'torch' has no attribute 'matmull'", "torch.matmul"),
    ("torch.cross_entropy", "no attribute 'cross_entropy'", "torch.nn.functional.cross_entropy"),
    ("from torch.nn import Linearr", "import name 'Linearr' from 'torch.nn'", "torch.nn.Linear"),
    ("from torch.nn.functional import reluu", "'reluu' from 'torch.nn.functional'", "nal.relu"),
    ("import torch.nn.funktional", "module named 'torch.nn.funktional'", "torch.nn.functional"),
    ("import torch.optim.schedule as s", "module named 'torch.optim.schedule'", "chainrule has no"),
]


@pytest.mark.parametrize(("line", "phrase", "close"), MISSING)
def test_a_missing_name_says_which_where_and_what_is_close(tmp_path, line, phrase, close):
    script = tmp_path / "script.py"
    script.write_text(f"import torch\n\n{line}\n")
    with run.installed(), pytest.raises((AttributeError, ImportError)) as error:
        runpy.run_path(str(script))
    text = str(error.value)
    assert phrase in text and close in text
    assert f"at script.py:3 in <module>: {line}" in text
    assert "Fix: " in text and "gap of chainrule worth reporting" in text


def test_the_traceback_of_a_missing_name_ends_at_the_scripts_line(tmp_path):
    (tmp_path / "script.py").write_text("import torch\n\nfrom torch.nn import Linearr\n")
    ran = command(tmp_path, "script.py")
    head, _, rest = ran.stderr.partition("ImportError: ")
    assert head == (
        f'Traceback (most recent call last):\n  File "{tmp_path}/script.py", line 3, in <module>\n'
        "    from torch.nn import Linearr\n"
    )
    assert rest.startswith("cannot import name 'Linearr' from 'torch.nn'\n  at script.py:3 ")
    assert ran.returncode == 1


def test_a_missing_method_is_explained(tmp_path):
    (tmp_path / "script.py").write_text("import torch\ntorch.ones(2).no_such_method()\n")
    text = command(tmp_path, "script.py").stderr
    assert "line 2, in <module>" in text
    assert "'Tensor' object has no attribute 'no_such_method'" in text
    assert "chainrule's Tensor has no 'no_such_method'" in text


def test_scripts_may_ask_for_names_and_modules_that_are_not_there():
    with run.installed():
        import torch

        assert not hasattr(torch, "no_such_name")
        assert getattr(torch, "no_such_name", 5) == 5
        assert importlib.util.find_spec("torch.no_such_module") is None
        assert importlib.util.find_spec("torch.nn.functional") is not None
        assert importlib.util.find_spec("torchvision") is None
        with pytest.raises(ImportError):
            from torch import no_such_name  # noqa: F401
        with pytest.raises(ModuleNotFoundError):
            import torch.no_such_module


@pytest.mark.parametrize("package", ["torchvision", "torch_scatter"])
def test_packages_beside_pytorch_are_imported_where_they_are(package, tmp_path, monkeypatch):
    (tmp_path / f"{package}.py").write_text("import torch\nnumber = torch.tensor(3.0)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with run.installed():
        assert importlib.import_module(package).number.item() == 3.0
    sys.modules.pop(package, None)
    with run.installed(), pytest.raises(ModuleNotFoundError, match="torchtext"):
        importlib.import_module("torchtext")


# ---- the hook itself -----------------------------------------------------------------------------


def test_modules_are_the_same_objects():
    with run.installed():
        import functorch
        import torch
        import torch.nn.modules.linear
        import torch.utils.data
        from torch.autograd.grad_mode import no_grad
        from torch.utils.data import DataLoader

        assert torch is chainrule
        assert sys.modules["torch.nn.modules.linear"] is chainrule.nn.modules.linear
        assert torch.nn.modules.linear.Linear is chainrule.nn.Linear
        assert DataLoader is chainrule.utils.data.DataLoader
        assert no_grad is chainrule.no_grad and functorch.vmap is chainrule.func.vmap
        assert chainrule.nn.__spec__.name == "chainrule.nn"
        assert chainrule.nn.__name__ == "chainrule.nn"


def test_star_imports_bring_everything_but_submodules():
    with run.installed():
        space: dict = {}
        exec("import random\nfrom torch import *\nimported = random", space)
        assert space["random"].__name__ == "random", "Python's module is not hidden"
        assert {"randn", "sin", "float32", "no_grad", "Tensor", "LongTensor"} <= space.keys()
        for module, names in (
            ("nn", {"Module", "Linear", "functional", "init"}),
            ("nn.modules", {"Conv2d"}),
            ("linalg", {"solve", "LinAlgError"}),
            ("autograd", {"Function", "Variable", "grad", "gradcheck"}),
            ("optim", {"Adam", "lr_scheduler"}),
        ):
            space = {}
            exec(f"from torch.{module} import *", space)
            assert names <= space.keys(), module


def test_leaving_the_block_restores_everything():
    before = (sys.meta_path[:], sys.path[:], dict(os.environ), chainrule.__version__)
    exported = chainrule.__all__
    with run.installed():
        import torch

        assert torch.__version__ == "2.13.0+chainrule"
        assert os.environ["PYTHONPATH"].split(os.pathsep)[0] in sys.path
    assert before == (sys.meta_path, sys.path, dict(os.environ), chainrule.__version__)
    assert "torch" not in sys.modules and chainrule.__all__ == exported
    with pytest.raises(AttributeError, match="module 'chainrule' has no attribute 'no_such_name'"):
        chainrule.no_such_name  # noqa: B018


def test_a_real_torch_that_is_already_there_is_not_mixed_in(monkeypatch):
    real = type(sys)("torch")
    real.__file__ = "/somewhere/torch/__init__.py"
    monkeypatch.setitem(sys.modules, "torch", real)
    with pytest.raises(ImportError, match=r"already imported from /somewhere.*") as error:
        run.install()
    assert "before the first `import torch`" in str(error.value)


def test_versions_compare_by_their_numbers():
    version = TorchVersion("2.13.0+chainrule")
    assert version >= "2.5" and version > "2.9.1" and version < "3" and version >= (1, 13)
    assert not version < "2.13.0" and version != "2.13" and version == "2.13.0+chainrule"
    assert version.split(".")[:2] == ["2", "13"] and version.release == (2, 13, 0)
    for other, order in {
        "2.13.0rc1": 1, "2.13.0.dev2": 1, "2.13.0.post1": -1, "2.13.0+abc": 1, "1!1.0": -1,
        (2, 13, 0): 1, (2, 14): -1, "N/A": -1, "": 1,
    }.items():  # fmt: skip
        assert (version > other, version < other) == (order > 0, order < 0), other
        assert version != other and (version >= other) is (order > 0)
    assert (version == "N/A", version is None, version == 2.13) == (False, False, False)
    with pytest.raises(TypeError):
        version < 3  # noqa: B015


def test_the_command_line_still_tells_chainrules_own_version(tmp_path):
    ran = command(tmp_path, "--version", python=(sys.executable, "-m", "chainrule"))
    assert ran.stdout.strip() == chainrule.version.chainrule
