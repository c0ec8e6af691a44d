"""What a compiled function reads through the interpreter, the standard library and other packages.

Each case is a program as text: a setup, the body of a function of `x`, and changes. The function is
called between the changes, compiled and as it is; what it returns and what `after` shows must be
the same.
"""

import gc
import os
import sys
import time
import warnings

import numpy as np
import pytest

import chainrule as torch
from fuzz.script import code_generation

ZONE = ("os.environ['TZ'] = 'Asia/Tokyo'; time.tzset()", "os.environ['TZ'] = 'UTC'; time.tzset()")
CLOCK = "import datetime, os, time\nos.environ['TZ'] = 'UTC'\ntime.tzset()"
CASES = {
    "private field of a fraction": (
        "import fractions\nq = fractions.Fraction(1, 2)", "return x * float(q)",
        "q._numerator = 3", "q._denominator = 7",
    ),
    "fraction in a list": (
        "import fractions\nq = [fractions.Fraction(1, 2)]", "return x * float(sum(q))",
        "q[0]._numerator = 3",
    ),
    "private field of a path": (
        "import pathlib\np = pathlib.PurePosixPath('/a/b')\nstr(p)", "return x * len(str(p))",
        "p._str = '/abcdef'", "p._str = '/q'",
    ),
    "whether garbage is collected": (
        "import gc", "return x * (2 if gc.isenabled() else 3)", "gc.disable()", "gc.enable()",
    ),
    "number of references": (
        "import sys\nq = [1]", "return x * sys.getrefcount(q)", "z = [q, q]", "del z",
    ),
    "longest integer that is written": (
        "import sys\nq = 10 ** 4500",
        "try:\n    return x * len(f'{q}')\nexcept ValueError:\n    return x * 3",
        "sys.set_int_max_str_digits(5000)", "sys.set_int_max_str_digits(4300)",
    ),
    "local time of a timestamp": (
        CLOCK, "return x * datetime.datetime.fromtimestamp(0).hour", *ZONE,
    ),
    "local time of a moment": (
        f"{CLOCK}\nd = datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)",
        "return x * d.astimezone().hour", *ZONE,
    ),
    "timestamp of a local time": (
        f"{CLOCK}\nd = datetime.datetime(2020, 1, 1)", "return x * (d.timestamp() % 86400)", *ZONE,
    ),
    "file that a library reads": (
        "import linecache\ndef write(text):\n    with open(path, 'w') as file:\n"
        "        file.write(text)\nwrite('2')",
        "linecache.checkcache()\nreturn x * float(linecache.getline(path, 1))", "write('555')",
    ),
    "setting of a library": (
        "import a_library_q as lib\nlib.scale = 2.0", "return lib.scaled(x)",
        "lib.scale = 3.0", "lib.table['k'] = 5.0", "lib.table['k'] = 1.0",
    ),
    "object that a library looks into": (
        "import a_library_q as lib\nclass Box:\n    pass\nb = Box()\nb.factor = 2.0",
        "return lib.scaled_by(b, x)", "b.factor = 3.0", "b.factor = 4",
    ),
    "seed of a generator": (
        "g = torch.Generator().manual_seed(1)", "return x * g.initial_seed()",
        "g.manual_seed(3)",
    ),
    "key that is no number": (
        "n = float('nan')\nd = {n: 2}\nq = n", "return x * d.get(q, 5)",
        "q = float('nan')", "q = n",
    ),
    "membership of what is no number": (
        "n = float('nan')\nd = [n]\nq = n", "return x * (2 if q in d else 3)",
        "q = float('nan')", "q = n", "q = 1.0", "q = float('nan')",
    ),
    "id of a number": (
        "q = 1000.5\nw = q", "return x * (2 if id(q) == id(w) else 3)",
        "w = float('1000.5')", "w = q",
    ),
    "operator.is_": (
        "import operator\nq = 1000.5\nw = q", "return x * (2 if operator.is_(q, w) else 3)",
        "w = float('1000.5')", "w = q",
    ),
    "identity of a set's member": (
        "k = 1000.5\nq = {k}", "return x * (2 if [*q][0] is k else 3)",
        "q.clear(); q.add(float('1000.5'))",
    ),
    "tuple as a key": (
        "q = {(1, 2): 1}", "return x * (2 if isinstance([*q][0][0], int) else 3)",
        "q.clear(); q[1.0, 2] = 1",
    ),
    "division that raises, later": (
        "q = 7", "try:\n    return x * (1 / q)\nexcept ZeroDivisionError:\n    return x * 9",
        "q = 3", "q = 0",
    ),
    "division that raised, before": (
        "q = 5", "try:\n    return x * (1 / q)\nexcept ZeroDivisionError:\n    return x * 9",
        "q = 4", "q = 3", "q = 0", "q = -1", "q = 2",
    ),
    "conversion that raised, before": (
        "q = 5.0", "try:\n    return x * int(q)\nexcept OverflowError:\n    return x * 9",
        "q = 4.0", "q = 3.0", "q = float('inf')", "q = 7.0", "q = float('inf')",
    ),
    "tensor transposed in place": (
        "w = torch.arange(9.0).reshape(3, 3)", "return w @ x", "w.t_()", "w.transpose_(0, 1)",
    ),
    "view with other memory": (
        "w = torch.arange(9.0).reshape(3, 3)", "return w @ x", "w.data = torch.ones(3, 3)",
    ),
    "base that got other memory": (
        "w = torch.arange(4.0)\nv = w[1:]", "return v.sum() * x", "w.resize_(8)", "w.fill_(3)",
    ),
    "method of a library's class": (
        "import fractions\nq = fractions.Fraction(1, 2)\nold = fractions.Fraction.__mul__",
        "return x * float(q * 2)", "fractions.Fraction.__mul__ = lambda s, o: 7",
        "fractions.Fraction.__mul__ = old",
    ),
    "inherited method of a library's class": (
        "import fractions\nq = fractions.Fraction(1, 2)", "return x * float(q)",
        "fractions.Fraction.__float__ = lambda s: 9.0", "del fractions.Fraction.__float__",
    ),
    "attribute that appears on a tensor": (
        "w = torch.ones(3)", "return x * getattr(w, 'factor', 5)", "w.factor = 3", "del w.factor",
    ),
    "class of a parameter": (
        "w = torch.nn.Parameter(torch.ones(3))\nclass Other(torch.nn.Parameter):\n    factor = 5",
        "return x * getattr(w, 'factor', 2)", "w.__class__ = Other",
    ),
    "shared memory": (
        "w = torch.ones(3)", "return x * (2 if w.is_shared() else 3)", "w.share_memory_()",
    ),
    "members of an enumeration": (
        "import enum\nclass E(enum.Enum):\n    A = 1\n    B = 2", "return x * len(E)",
        "E._member_names_.append('A')",
    ),
    "defaults of a named tuple": (
        "import typing\nclass N(typing.NamedTuple):\n    k: int = 2", "return x * N().k",
        "N.__new__.__defaults__ = (5,)",
    ),
    "integer that outgrows a word": (
        "q = 2", "return x * sum([q, 1])", "q = 3", "q = 2 ** 70", "q = 2 ** 71",
    ),
    "view of a dict": (
        "d = {'a': 1}\nv = d.values()", "return x * sum(v)", "d['a'] = 3", "d['b'] = 4",
    ),
    "hooks on all optimizers": (
        "p = torch.nn.Parameter(torch.ones(3))\no = torch.optim.SGD([p], lr=0.1)",
        "o.zero_grad()\n(p * x).sum().backward()\no.step()\nreturn p.detach().clone()",
        "h = torch.optim.optimizer.register_optimizer_step_post_hook("
        "lambda o, a, k: p.data.zero_())",
        "h.remove()",
    ),
    "default device": (
        "where = torch.device('meta')",
        "return torch.ones(3)", "where.__enter__()", "where.__exit__(None, None, None)",
    ),
}  # fmt: skip
# Setup, body, signature, call, and what is shown after each call.
SHOWN = {
    "print": ("import io\nout = io.StringIO()", "print('a', file=out)\nreturn x * 2",
              "f(x)", "out.getvalue()"),
    "standard output": ("import io, sys\nsys.stdout = io.StringIO()",
                        "sys.stdout.write('a')\nreturn x * 2", "f(x)", "sys.stdout.getvalue()"),
    "log": ("import logging\nout = []\nclass Keep(logging.Handler):\n    def emit(self, record):\n"
            "        out.append(record.getMessage())\nlog = logging.getLogger('a_log_q')\n"
            "log.handlers = [Keep()]\nlog.setLevel(10)",
            "log.info('a')\nreturn x * 2", "f(x)", "len(out)"),
    "list in sight": ("q = [1]", "return q, x * 2", "f(x)", "y[0] is q"),
    "dict in sight": ("q = {'a': [1]}", "return {'q': q, 'y': x}", "f(x)", "y['q'] is q"),
    "list that is given": ("", "return q, x * 2", "f(x, q := [1])", "y[0] is q"),
    "setting of ours": ("", "torch.set_printoptions(precision=2)\nreturn x * 2",
                        "[torch.set_printoptions(precision=5), f(x)][::-1][0]",
                        "str(torch.ones(1) / 3)"),
    "filter of warnings": ("import warnings\nwarnings.simplefilter('ignore')",
                           "warnings.simplefilter('ignore')\nreturn x * 2",
                           "[warnings.resetwarnings(), f(x)][1]", "len(warnings.filters)"),
    "hook": ("w = torch.ones(3, requires_grad=True)",
             "w.register_hook(lambda g: g * 2)\nreturn w * x", "f(x)",
             "torch.autograd.grad(y.sum(), w)[0].tolist()"),
    "gradient taken away": ("l = torch.nn.Linear(3, 3)", "l.zero_grad()\nreturn l(x) * 0",
                            "[setattr(l.bias, 'grad', None if len(seen) < 5 else torch.ones(3)), "
                            "seen.append(1), f(x)][2]", "l.bias.grad is None"),
    "memory of a model": ("l = torch.nn.Linear(3, 3)",
                          "return dict(l.state_dict(), y=x)",
                          "[l.bias.data.fill_(float(x[2])), f(x)][1]",
                          "y['bias'].tolist() == l.bias.tolist()"),
    "backward twice": ("w = torch.nn.Parameter(torch.ones(3))", "return w - x", "f(x)",
                       "[torch.autograd.grad(y.sum(), w)[0].tolist() for _ in range(2)]"),
}  # fmt: skip
LIBRARY = """
scale = 2.0
table = {"k": 1.0}

def scaled(x):
    return x * scale * table["k"]

def scaled_by(thing, x):
    return x * thing.factor
"""


@pytest.fixture(autouse=True)
def _world(tmp_path, monkeypatch):
    """The settings that programs change, and a library of its own."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "a_library_q.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.chdir(tmp_path)
    before, zone, digits = sys.stdout, os.environ.get("TZ"), sys.get_int_max_str_digits()
    with warnings.catch_warnings(), code_generation(False):
        warnings.simplefilter("ignore")
        yield
    sys.stdout = before
    torch.set_printoptions(profile="default")
    sys.set_int_max_str_digits(digits)
    os.environ.pop("TZ", None)
    if zone is not None:
        os.environ["TZ"] = zone
    time.tzset()
    gc.enable()
    sys.modules.pop("a_library_q", None)


def _results(wrap, setup, body, changes=(), sign="x", call="f(x)", after="None"):
    sys.modules.pop("a_library_q", None)
    space = {"torch": torch, "np": np, "path": "file", "seen": [], "__name__": "program"}
    exec(setup, space)
    exec(f"def f({sign}):\n" + "\n".join("    " + line for line in body.split("\n")), space)
    space["f"] = wrap(space["f"])
    found = []
    for change in ("pass", *changes):
        exec(change, space)
        for k in range(4):
            space["x"] = torch.tensor([0.5, -1.0, 2.0 + k], device="cpu")
            space["y"] = y = eval(call, space)
            first = y[1] if isinstance(y, tuple) else y["y"] if isinstance(y, dict) else y
            values = "meta" if first.is_meta else [round(v, 4) for v in first.tolist()]
            found.append((str(first.dtype), values, eval(after, space)))
    return found


@pytest.mark.parametrize("name", CASES)
def test_compiled_calls_see_what_eager_calls_see(name):
    setup, body, *changes = CASES[name]
    want = _results(lambda f: f, setup, body, changes)
    assert _results(torch.compile, setup, body, changes) == want


@pytest.mark.parametrize("name", SHOWN)
def test_compiled_calls_do_what_eager_calls_do(name):
    setup, body, call, after = SHOWN[name]
    sign = "x, q" if "q :=" in call else "x"
    want = _results(lambda f: f, setup, body, (), sign, call, after)
    assert _results(torch.compile, setup, body, (), sign, call, after) == want


TWICE = {
    "sorted": lambda x: x.sort().values,
    "complex": lambda x: x + 1j,
    "inverse": lambda x: torch.linalg.inv(x + 9 * torch.eye(3)),
    "running sums": lambda x: x.cumsum(0),
    "integers": lambda x: x.long() // 3,
}


@pytest.mark.jit
@pytest.mark.parametrize("name", TWICE)
def test_a_result_and_its_copy_have_memory_of_their_own(name):
    def f(x):
        y = TWICE[name](x)
        return y, y.clone(), y.clone()

    run = torch.compile(f)
    with code_generation(True):
        for k in range(5):
            first, second, third = run(torch.full((3, 3), float(k)))
            want = second.clone()
            first.zero_()
            third.zero_()
            assert second.tolist() == want.tolist()


def test_a_half_without_dimensions_keeps_its_type():
    run = torch.compile(lambda x: x.sum() * torch.tensor(3))
    x = torch.tensor([0.5, 1.0], dtype=torch.float16)
    assert [run(x).dtype for _ in range(5)] == [torch.float16] * 5
