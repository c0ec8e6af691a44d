"""State that no name leads to: settings inside of libraries, objects made in C, replaced methods.

Each case is a program as text: a setup, the body of a function of `x`, and changes. The function is
called between the changes, compiled and as it is, and must give the same.
"""

import sys
import types
import warnings

import numpy as np
import pytest

import chainrule as torch

pytestmark = pytest.mark.jit
PRINTING = ("np.set_printoptions(precision=3)", "np.set_printoptions(precision=8)")
ARRAY = "a = np.array([1.23456789])"
ERRORS = ("old = np.seterr(all='raise')", "np.seterr(**old)")
DIVISION = "try:\n    return x * ({} > 1)\nexcept FloatingPointError:\n    return x * 9"
CASES = {
    "str of an array": (ARRAY, "return x * len(str(a))", *PRINTING),
    "repr of an array": (ARRAY, "return x * len(repr(a))", *PRINTING),
    "array in an f-string": (ARRAY, "return x * len(f'{a}')", *PRINTING),
    "array by %": (ARRAY, "return x * len('%s' % a)", *PRINTING),
    "array in a list": ("a = [np.array([1.23456789])]", "return x * len(repr(a))", *PRINTING),
    "array2string": (ARRAY, "return x * len(np.array2string(a))", *PRINTING),
    "printoptions as context": (
        ARRAY, "return x * len(str(a))",
        "c = np.printoptions(precision=2); c.__enter__()", "c.__exit__(None, None, None)",
    ),
    "errors of ufuncs": (
        "a = np.array([0.0])", DIVISION.format("float(np.divide(1.0, a)[0])"), *ERRORS,
    ),
    "errors of operators": ("a = np.array([0.0])", DIVISION.format("(1.0 / a)[0]"), *ERRORS),
    "flags of an array": (
        "a = np.ones(3)", "return x * (2 if a.flags.writeable else 3)",
        "a.flags.writeable = False", "a.flags.writeable = True",
    ),
    "name of a thread": (
        "import threading", "return x * len(threading.current_thread().name)",
        "threading.current_thread().name = 'abc'", "threading.current_thread().name = 'MainThread'",
    ),
    "operator of tensors": (
        "old = torch.Tensor.__add__", "return x + 1",
        "torch.Tensor.__add__ = lambda self, other: self * 7", "torch.Tensor.__add__ = old",
    ),
    "inherited method": (
        "p = torch.nn.Parameter(torch.ones(3))\no = torch.optim.SGD([p], lr=0.1)",
        "o.zero_grad()\n(p * x).sum().backward()\no.step()\nreturn p.detach().clone()",
        "torch.optim.SGD.step = lambda self, closure=None: None", "del torch.optim.SGD.step",
    ),
    "order of an OrderedDict": (
        "import collections\nd = collections.OrderedDict(a=1, b=2)",
        "return x * next(iter(d.values()))", "d.move_to_end('a')", "d.move_to_end('b')",
    ),
    "compiled module inside": (
        "l = torch.compile(torch.nn.Linear(3, 3))", "return l(x)",
        "l.weight.data.fill_(1)", "l.bias = None",
    ),
    "inside of a variable's default": (
        "import contextvars\nc = contextvars.ContextVar('c', default=[2])",
        "return x * c.get()[0]", "c.get()[0] = 3", "c.get()[0] = 4",
    ),
    "class of a thread local": (
        "import threading\nclass Local(threading.local):\n    k = 2\nl = Local()",
        "return x * l.k", "l.k = 3", "Local.k = 5; del l.k",
    ),
    "class of a tensor": (
        "class Named(torch.Tensor):\n    k = 2\nw = torch.ones(3).as_subclass(Named)",
        "return x * type(w).k", "Named.k = 3", "Named.k = 4",
    ),
    "registered class": (
        "import abc\nclass A(abc.ABC):\n    pass\nclass B:\n    pass\nb = B()",
        "return x * (2 if isinstance(b, A) else 3)", "A.register(B)", "pass",
    ),
    "queue": (
        "import queue\nq = queue.SimpleQueue()\nq.put(1)", "return x * q.qsize()",
        "q.put(1)", "q.get()",
    ),
    "hash": (
        "import hashlib\nh = hashlib.md5(b'a')", "return x * h.digest()[0]",
        "h.update(b'b')", "h.update(b'c')",
    ),
    "module put in another's place": (
        "import sys, types\nm = types.ModuleType('a_module_q')\nm.k = 2\n"
        "sys.modules['a_module_q'] = m",
        "import a_module_q\nreturn x * a_module_q.k", "m.k = 3",
        "n = types.ModuleType('a_module_q'); n.k = 9; sys.modules['a_module_q'] = n",
    ),
    "annotations": (
        "def g(v: int):\n    return v", "return x * len(g.__annotations__)",
        "g.__annotations__['q'] = 1", "g.__annotations__ = {}",
    ),
    "documentation": (
        "def g(v):\n    'ab'", "return x * len(g.__doc__)", "g.__doc__ = 'abc'", "g.__doc__ = 'a'",
    ),
    "name of a function": (
        "def g(v):\n    return v", "return x * len(g.__name__)", "g.__name__ = 'abc'",
        "g.__name__ = 'abcd'",
    ),
    "name of a class": (
        "class A:\n    pass", "return x * len(A.__name__)", "A.__name__ = 'abc'",
        "A.__name__ = 'abcd'",
    ),
    "fraction on a library's module": (
        "import fractions\ntorch.backends.cudnn.mark = 3.0",
        "return x * max([1, torch.backends.cudnn.mark])",
        "torch.backends.cudnn.mark = fractions.Fraction(1, 2)", "torch.backends.cudnn.mark = 3.0",
    ),
    "function on a library's module": (
        "k = [2]\ntorch.backends.cudnn.mark = lambda v: v * k[0]",
        "return torch.backends.cudnn.mark(x)", "k[0] = 3", "k[0] = 4",
    ),
    "object on a library's module": (
        "class Box:\n    k = 2\ntorch.backends.cudnn.mark = Box()",
        "return x * torch.backends.cudnn.mark.k", "torch.backends.cudnn.mark.k = 3", "Box.k = 4",
    ),
    "exact arithmetic of a library": (
        "import statistics\nk = [1, 2]", "return x * statistics.mean(k)", "k[0] = 3", "k[0] = 2.5",
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _settings():
    with np.printoptions(), np.errstate():
        yield
    sys.modules.pop("a_module_q", None)
    vars(torch.backends.cudnn).pop("mark", None)


@pytest.mark.parametrize("name", CASES)
def test_compiled_calls_see_what_eager_calls_see(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = _results(name, lambda f: f)
        assert _results(name, torch.compile) == want


def _results(name, wrap):
    setup, body, *changes = CASES[name]
    torch.manual_seed(0)
    space = types.SimpleNamespace(torch=torch, np=np, __name__="program").__dict__
    exec(setup, space)
    exec("def f(x):\n" + "\n".join("    " + line for line in body.split("\n")), space)
    f = wrap(space["f"])
    found = []
    for change in ("pass", *changes):
        exec(change, space)
        for k in range(4):
            y = f(torch.tensor([0.5, -1.0, 2.0 + k]))
            found.append((y.dtype, [round(v, 5) for v in y.tolist()]))
    return found
