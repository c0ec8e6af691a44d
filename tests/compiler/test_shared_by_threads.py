"""First uses and captures in many threads at once, and ends while threads are at work.

Each program runs in a process of its own: what is made on first use is made once.
"""

import subprocess
import sys
import textwrap

import pytest

HEAD = """
import sys, threading, time, traceback
import chainrule as torch
from chainrule import nn
from chainrule.nn import functional as F

sys.setswitchinterval(1e-6)
problems = []

def together(work, count):
    def guarded(k):
        try:
            work(k)
        except Exception:
            problems.append(traceback.format_exc())
    threads = [threading.Thread(target=guarded, args=(k,)) for k in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not problems, problems[0]
"""


def run(program: str) -> str:
    text = HEAD + textwrap.dedent(program)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", text], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_first_second_order_pass_may_happen_in_many_threads():
    run("""
        functions = [
            lambda x: F.layer_norm(x, (4,)).pow(3), lambda x: F.gelu(x) * torch.tanh(x),
            lambda x: torch.softmax(x, 1).log(), lambda x: x.std(1) * x.norm(dim=1),
            lambda x: F.cross_entropy(x, torch.tensor([0, 1, 2])), lambda x: torch.logsumexp(x, 0),
            lambda x: F.scaled_dot_product_attention(x[None], x[None], x[None]),
            lambda x: F.mish(x) + F.silu(x) + F.softplus(x), lambda x: x.prod(1),
        ]
        found = {}

        def work(k):
            x = torch.linspace(-1, 1, 12, dtype=torch.float64).reshape(3, 4).requires_grad_()
            for i in range(len(functions)):
                f = functions[(i + k) % len(functions)]
                (g,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)
                (h,) = torch.autograd.grad((g * g).sum(), x)
                found[k, (i + k) % len(functions)] = h.tolist()

        together(work, 9)
        for (k, i), values in found.items():
            assert values == found[0, i]
    """)


def test_a_function_may_be_captured_and_differentiated_in_many_threads():
    run("""
        model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 2)).double()
        compiled = torch.compile(model)
        x = torch.randn(5, 4, dtype=torch.float64)
        model(x).square().sum().backward()
        expected = [p.grad.clone() for p in model.parameters()]
        model.zero_grad()

        def work(k):
            for _ in range(10):
                compiled(x).square().sum().backward()

        together(work, 8)
        for p, e in zip(model.parameters(), expected):
            torch.testing.assert_close(p.grad / 80, e)
    """)


@pytest.mark.skipif(sys.platform == "win32", reason="no POSIX threads")
def test_workers_leave_although_threads_go_on_posting_jobs():
    pytest.importorskip("llvmlite")  # without it there are no workers
    program = """
        from chainrule.compiler.machine import worker_threads

        sys.setswitchinterval(5e-3)
        torch.set_num_threads(2)
        a, b, over = torch.randn(64, 512), torch.randn(512, 512), []

        def post():
            while not over:
                torch.mm(a, b)

        for _ in range(4):
            threading.Thread(target=post, daemon=True).start()
        time.sleep(0.3)
        start = time.perf_counter()
        if worker_threads.shared() is not None:
            worker_threads.shared().dismiss()
        print(time.perf_counter() - start)
        over.append(True)
    """
    assert min(float(run(program)) for _ in range(3)) < 0.4
