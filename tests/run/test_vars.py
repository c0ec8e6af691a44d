"""Packages that load their names when they are used have them all for those who list them."""

import subprocess
import sys
from pathlib import Path

import pytest

import chainrule

SOURCE = str(Path(chainrule.__file__).parents[1])


@pytest.mark.parametrize(
    ("package", "names"),
    [("nn", "Linear LSTM Transformer CTCLoss functional init"), ("distributions", "Normal Gumbel")],
)
def test_vars_holds_what_dir_lists(package, names):
    code = (
        f"import sys, inspect, chainrule\nfrom chainrule import {package} as package\n"
        f"one = '{names.split()[0]}'\n"
        "assert one not in type(sys).__dict__['__dict__'].__get__(package)\n"  # not loaded yet
        f"assert set('{names}'.split()) <= set(vars(package))\n"
        "assert set(dir(package)) <= set(vars(package))\n"
        "assert vars(package)[one] is getattr(package, one) is package.__dict__[one]\n"
        "assert one in dict(inspect.getmembers(package, inspect.isclass))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": SOURCE}
    )
    assert ran.stderr == ""


def test_an_error_about_a_missing_name_can_be_made_again_from_its_text():
    # What worker processes do with the errors of others.
    from chainrule.run import installed

    with installed():
        for statement in ("import torch; torch.nowhere", "from torch import nowhere"):
            with pytest.raises((AttributeError, ImportError)) as raised:
                exec(statement, {})
            problem = raised.value
            again = type(problem)(str(problem))
            assert str(again) == str(problem) and "nowhere" in str(again)
            assert isinstance(again, (AttributeError, ImportError))
