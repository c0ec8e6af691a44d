"""State that compiled functions read by detours: through a partial, a layer, C code, a library.

Each case reads a number, which changes between two calls after the function was captured.
"""

import calendar
import contextvars
import copy
import pickle
import sys

import pytest

import chainrule as torch

pytestmark = pytest.mark.jit

LAYER = "layer = torch.nn.ReLU()\noriginal = torch.nn.functional.relu"
RESTORE = "torch.nn.functional.relu = original"
# name -> (setup, expression, a change, what puts things right afterwards)
CASES = {
    "attribute of a partial": (
        "import functools\nq = functools.partial(lambda: q.value)\nq.value = 2",
        "q()", "q.value = 3", "",
    ),
    "attribute of a compiled function": (
        "q = torch.compile(lambda: None)\nq.value = 2", "q.value", "q.value = 3", "",
    ),
    "attribute that a compiled function gets": (
        "q = torch.compile(lambda: None)", "getattr(q, 'value', 2)", "q.value = 3", "",
    ),
    "dictionary of a tensor": (
        "t = torch.zeros(1)", "len(t.__dict__)", "t.value = 3", "",
    ),
    "text of a lock": (
        "import threading\nlock = threading.RLock()", "repr(lock).count('count=0')",
        "lock.acquire()", "",
    ),
    "length that integers may be written with": (
        "import sys\ndef read():\n    try:\n        return len(str(10**5000)) - 4000\n"
        "    except ValueError:\n        return 3",
        "read()", "sys.set_int_max_str_digits(0)", "sys.set_int_max_str_digits(4300)",
    ),
    "environment read by a library": (
        "import os\nos.environ['DETOUR'] = '2'",
        "float(os.path.expandvars('$DETOUR'))", "os.environ['DETOUR'] = '3'", "",
    ),
    "object of a class made in C": (
        "import zlib\nq = zlib.compressobj()", "len(q.copy().flush())", "q.compress(b'abc' * 99)",
        "",
    ),
    "method of an object of a library": (
        "import calendar", "calendar.firstweekday()", "calendar.setfirstweekday(3)",
        "calendar.setfirstweekday(0)",
    ),
    "function in C that counts": (
        "import atexit", "atexit._ncallbacks()", "atexit.register(int)", "atexit.unregister(int)",
    ),
    "handler of a signal": (
        "import signal\nbefore = signal.getsignal(signal.SIGUSR1)",
        "int(signal.getsignal(signal.SIGUSR1) == before)",
        "signal.signal(signal.SIGUSR1, signal.SIG_IGN)", "signal.signal(signal.SIGUSR1, before)",
    ),
    "function that a layer calls": (
        LAYER, "layer(torch.ones(()))", "torch.nn.functional.relu = lambda x, *o, **k: x * 7",
        RESTORE,
    ),
    "function that a layer calls by a computed name": (
        "layer = torch.nn.Conv1d(1, 1, 1, bias=False)\noriginal = torch.nn.functional.conv1d\n"
        "layer.weight.data.fill_(2)",
        "layer(torch.ones(1, 1))[0, 0]", "torch.nn.functional.conv1d = lambda x, *o: x * 7",
        "torch.nn.functional.conv1d = original",
    ),
    "rule of an autograd.Function": (
        "k = 2.0\nclass Rule(torch.autograd.Function):\n    @staticmethod\n"
        "    def forward(ctx, x):\n        return x.clone()\n    @staticmethod\n"
        "    def backward(ctx, g):\n        return g * k\n"
        "def read():\n    x = torch.ones((), requires_grad=True)\n"
        "    Rule.apply(x).backward()\n    return x.grad",
        "read()", "k = 3.0", "",
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def settings_stay():
    """Other tests of this process see the settings that they left."""
    day, digits = calendar.firstweekday(), sys.get_int_max_str_digits()
    calendar.setfirstweekday(0)
    yield
    assert calendar.firstweekday() == 0 and sys.get_int_max_str_digits() == digits
    calendar.setfirstweekday(day)


@pytest.mark.parametrize("name", CASES)
def test_a_change_behind_a_detour_is_noticed(name):
    setup, expression, change, end = CASES[name]
    space = {"torch": torch}
    exec(setup, space)
    exec(f"def plain(x):\n    return x * {expression}", space)
    plain, compiled = space["plain"], torch.compile(space["plain"])
    x = torch.ones(2)
    try:
        before = [compiled(x).tolist() for _ in range(5)]
        assert before == [plain(x).tolist()] * 5
        exec(change, space)
        assert [compiled(x).tolist() for _ in range(4)] == [plain(x).tolist()] * 4
        assert plain(x).tolist() != before[0]
    finally:
        exec(end, space)


def test_a_mode_that_a_call_leaves_behind_is_left_behind_by_every_call():
    wanted, seen = True, []

    @torch.compile
    def f(x):
        torch.set_grad_enabled(wanted)
        return x * 2

    x = torch.ones(2, requires_grad=True)
    for k in range(8):
        wanted = k % 2 == 0
        f(x)
        seen.append(torch.is_grad_enabled())
    torch.set_grad_enabled(True)
    assert seen == [True, False] * 4


def test_a_default_dtype_that_a_call_sets_stays_set():
    @torch.compile
    def f(x):
        torch.set_default_dtype(torch.float64)
        return x * 2

    try:
        for _ in range(5):
            torch.set_default_dtype(torch.float32)
            f(torch.ones(2, dtype=torch.float32))
            assert torch.get_default_dtype() is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)


def test_a_hook_on_a_value_inside_sees_the_number_of_the_backward_pass():
    k = 2.0

    @torch.compile
    def f(x):
        y = x * 2
        y.register_hook(lambda g: g * k)
        return y.sum()

    for number in (2.0, 2.0, 2.0, 3.0, 4.0):
        x = torch.ones(2, requires_grad=True)
        loss = f(x)
        k = number
        loss.backward()
        assert x.grad.tolist() == [2 * number] * 2


def test_a_rule_that_would_see_another_number_in_the_backward_pass_is_refused():
    k = 2.0

    class Rule(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return g * k

    f = torch.compile(lambda x: Rule.apply(x).sum())
    x = torch.ones(2, requires_grad=True)
    for _ in range(5):
        f(x).backward()
    loss = f(x)
    k = 3.0
    with pytest.raises(RuntimeError, match=r"reads .*changed between the call and the backward"):
        loss.backward()
    x.grad = None
    f(x).backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_refused_draw_takes_no_numbers_while_a_call_is_traced():
    f = torch.compile(lambda x: x.normal_())
    torch.manual_seed(0)
    for _ in range(4):
        with pytest.raises(RuntimeError, match="single memory location"):
            f(torch.ones(4).expand(4, 4))
    found = torch.rand(2).tolist()
    torch.manual_seed(0)
    assert found == torch.rand(2).tolist()


@torch.compile
def doubled(x):
    return x * 2


def test_copies_of_compiled_functions_are_those_of_plain_ones():
    assert copy.copy(doubled) is copy.deepcopy(doubled) is doubled
    assert pickle.loads(pickle.dumps(doubled)) is doubled
    model = torch.nn.Sequential(torch.nn.Linear(2, 2))
    model.act = doubled
    assert copy.deepcopy(model).act is doubled


def test_a_copy_of_a_compiled_method_belongs_to_the_copied_object():
    model = torch.nn.Linear(2, 2)
    model.forward = torch.compile(model.forward)
    x = torch.ones(2)
    before = [model(x).tolist() for _ in range(5)]
    copied = copy.deepcopy(model)
    copied.weight.data.zero_()
    copied.bias.data.zero_()
    assert copied(x).tolist() == [0.0, 0.0]
    assert [model(x).tolist()] * 5 == before


def test_the_reason_names_a_context_variable_as_code_does():
    rate = contextvars.ContextVar("rate")
    settings = {"rate": rate}
    f = torch.compile(lambda x: x * len(str(settings["rate"].get())))
    with pytest.warns(UserWarning, match=r"runs eagerly: rate\.get\(\): "):
        for k in range(40):
            rate.set("a" * (k // 3))
            f(torch.ones(2))
