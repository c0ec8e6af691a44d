"""What keeps compiling short: small traces, code shared by equal layers, plans out of the cache."""

import os
import subprocess
import sys
import threading
import tracemalloc

import numpy as np
import pytest

import chainrule as torch
from chainrule.compiler.capture.traced_call import Call
from chainrule.compiler.graph.program import Graph
from chainrule.compiler.graph.types import emit
from chainrule.compiler.runtime import plan_cache
from chainrule.compiler.runtime.plan import Plan

OPTIMIZERS = {
    "SGD": {"lr": 0.1, "momentum": 0.9},
    "Adam": {"lr": 1e-2, "amsgrad": True},
    "AdamW": {"lr": 1e-2},
    "Adamax": {"lr": 1e-2},
    "Adagrad": {"lr": 1e-2, "lr_decay": 0.1},
    "Adadelta": {"lr": 1e-1},
    "RMSprop": {"lr": 1e-2, "centered": True, "momentum": 0.5},
    "RAdam": {"lr": 1e-2},
    "NAdam": {"lr": 1e-2},
    "ASGD": {"lr": 1e-2},
    "Rprop": {"lr": 1e-2},
}
OP_BY_OP = {"RAdam", "NAdam", "ASGD"}


def training(name, layers=2, **options):
    torch.manual_seed(0)
    blocks = []
    for _ in range(layers):
        blocks += [torch.nn.LayerNorm(8), torch.nn.Linear(8, 8), torch.nn.GELU()]
    model = torch.nn.Sequential(*blocks)
    optimizer = getattr(torch.optim, name)(model.parameters(), **options)

    def step(x):
        optimizer.zero_grad()
        loss = (model(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss

    return model, optimizer, step


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_compiled_optimizer_follows_the_eager_one_while_its_rate_changes(name):
    x = torch.linspace(-1, 1, 32).reshape(4, 8)
    runs = []
    for wrap in (lambda f: f, torch.compile):
        model, optimizer, step = training(name, **OPTIMIZERS[name])
        step = wrap(step)
        losses = []
        for k in range(8):
            losses.append(step(x).item())
            if k == 5:
                optimizer.param_groups[0]["lr"] *= 0.5
        runs.append((losses, [p.detach().numpy() for p in model.parameters()]))
    assert runs[1][0] == pytest.approx(runs[0][0], rel=1e-5)
    for eager, compiled in zip(runs[0][1], runs[1][1], strict=True):
        assert compiled == pytest.approx(eager, rel=2e-4, abs=2e-6)
    if name not in OP_BY_OP:
        assert "extern" not in step.explain()
        assert ".step" not in step.explain(), "the update was not taken apart"


@pytest.mark.parametrize("name", sorted(set(OPTIMIZERS) - OP_BY_OP))
def test_a_traced_update_is_one_instruction_for_all_parameters(name):
    x = torch.ones(4, 8)
    _, _, step = training(name, **OPTIMIZERS[name])
    step(x)
    call = Call(step, (x,), {})
    call.run(step, (x,), {}, True)
    assert [i.op for i in call.trace.graph.instrs].count(f"{name}.step") == 1


def test_a_trace_grows_by_a_few_instructions_for_each_layer():
    lengths = []
    for layers in (2, 3):
        x = torch.ones(4, 8)
        _, _, step = training("AdamW", layers, lr=1e-2)
        step(x)
        call = Call(step, (x,), {})
        call.run(step, (x,), {}, True)
        lengths.append(len(call.trace.graph.instrs))
    assert lengths[1] - lengths[0] < 20


def test_equal_layers_share_their_kernels():
    kernels = []
    for layers in (3, 6):
        x = torch.linspace(-1, 1, 32).reshape(4, 8)
        _, _, step = training("AdamW", layers, lr=1e-2)
        step = torch.compile(step)
        for _ in range(4):
            step(x)
        (entry,) = step._entries.values()
        kernels.append(len(entry.runners[0].plan.module.kernels))
    assert kernels[0] == kernels[1]


def test_calls_before_the_plan_compile_no_kernels(tmp_path):
    """What the plan will do is not worth a second of LLVM for the eager calls before it."""
    program = (
        "import chainrule as torch\n"
        "from chainrule.compiler.machine import llvm\n"
        "made, real = [], llvm.object_code\n"
        "llvm.object_code = lambda text: made.append(text) or real(text)\n"
        "f = torch.compile(lambda x: torch.softmax(x, -1).sum(0).sum())\n"
        "x = torch.full((300, 300), 0.5)\n"
        "results = [f(x).item() for _ in range(4)]\n"
        "before = len(made)\n"
        "results.append(torch.softmax(x, -1).sum(0).sum().item())\n"
        "assert max(results) - min(results) < 1e-2, results\n"
        "print(before, len(made))\n"
    )
    environment = {**os.environ, "CHAINRULE_CACHE_DIR": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment
    )
    assert ran.returncode == 0, ran.stderr
    before, after = map(int, ran.stdout.split())
    assert before == 0
    assert after >= 2


# ---- out of the cache ----------------------------------------------------------------------------

PROGRAM = """
import sys
import chainrule as torch
torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.LayerNorm(16), torch.nn.Linear(16, 200), torch.nn.GELU(), torch.nn.Dropout(0.3),
    torch.nn.Linear(200, 4),
)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
def step(x, y):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss
run = torch.compile(step, fullgraph=True)
x, y = torch.linspace(-1, 1, 128 * 16).reshape(128, 16), torch.arange(128) % 4
print([run(x, y).item() for _ in range(6)])
print(any(name.split(".")[0] in ("llvmlite", "scipy") for name in sys.modules))
print("extern" in run.explain(), "kernels; arena" in run.explain())
"""


def lines_of_a_process(folder):
    environment = {**os.environ, "CHAINRULE_CACHE_DIR": str(folder), "CHAINRULE_LOG": ""}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_a_process_with_a_filled_cache_does_not_load_llvm(tmp_path):
    first = lines_of_a_process(tmp_path)
    second = lines_of_a_process(tmp_path)
    assert first[0] == second[0], "the losses differ, those of dropout included"
    assert (first[1], second[1]) == ("True", "False")
    assert first[2] == second[2] == "True True"


def scaled(factor, constant):
    graph = Graph()
    x = graph.input((4,), "f4")
    y = emit(graph, "mul", x, graph.constant(np.asarray(constant, "f4")))
    graph.outputs = [emit(graph, "mul", y, factor)]
    return graph


@pytest.fixture
def files_unchanged(monkeypatch):
    """As if nobody had edited the package since this process began."""
    monkeypatch.setattr(plan_cache.host, "package_stamp", lambda: "stamp")


def test_a_plan_out_of_the_cache_computes_and_tells_the_same(
    tmp_path, monkeypatch, files_unchanged
):
    monkeypatch.setenv("CHAINRULE_CACHE_DIR", str(tmp_path))
    made = Plan(scaled(2.0, [1, 2, 3, 4]))
    monkeypatch.setattr(
        "chainrule.compiler.runtime.plan.machine_code.compiled", None
    )  # nothing is compiled now
    found = Plan(scaled(2.0, [1, 2, 3, 4]))
    x = np.ones(4, np.float32)
    assert found.run([x])[0].tolist() == made.run([x])[0].tolist() == [2, 4, 6, 8]
    assert found.explain() == made.explain()


@pytest.mark.parametrize("other", [(2, [1, 2, 3, 4]), (2.0, [1, 2, 3, 5])])
def test_another_number_or_constant_is_another_plan(tmp_path, monkeypatch, files_unchanged, other):
    monkeypatch.setenv("CHAINRULE_CACHE_DIR", str(tmp_path))
    keys = [plan_cache.key_of(scaled(*case), (64,))[0] for case in ((2.0, [1, 2, 3, 4]), other)]
    assert keys[0] != keys[1]


def test_programs_that_hold_more_than_data_are_not_kept(files_unchanged):
    graph = scaled(2.0, [1, 2, 3, 4])
    graph.instrs[0].params["callback"] = print
    assert plan_cache.key_of(graph, (64,)) is None


# ---- memory --------------------------------------------------------------------------------------


def wide_network(depth=6, width=256):
    torch.manual_seed(0)
    layers = []
    for _ in range(depth):
        layers += [torch.nn.Linear(width, width), torch.nn.GELU()]
    model = torch.nn.Sequential(*layers)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def step(x):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    return step


def peak_bytes(run):
    """The most that NumPy has allocated at once during a call, beyond what was there before."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        run()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def test_a_trace_holds_no_more_memory_than_the_call_it_watches():
    x = torch.ones(512, 256)

    def frees_as_it_goes(x):
        for _ in range(20):
            x = x.tanh()
        return x

    eager = peak_bytes(lambda: frees_as_it_goes(x))
    call = Call(frees_as_it_goes, (x,), {})
    traced = peak_bytes(lambda: call.run(frees_as_it_goes, (x,), {}, True))
    assert traced < 2 * eager
    assert len(call.trace.graph.instrs) == 20


def test_the_arena_of_a_step_is_smaller_than_what_the_eager_step_allocates():
    step, x = wide_network(), torch.ones(512, 256)
    for _ in range(2):
        step(x)
    eager = peak_bytes(lambda: step(x))
    run = torch.compile(wide_network())
    for _ in range(5):
        run(x)
    (entry,) = run._entries.values()
    assert entry.runners[0].plan.image.arena < eager
    # What a call allocates besides: gradients and arena are there already.
    assert peak_bytes(lambda: run(x)) < 0.05 * eager


def test_results_of_extern_steps_go_when_they_were_read_last():
    x = torch.linspace(-3, 3, 1 << 18)

    def chain(x):
        for _ in range(8):
            x = torch.roll(x, 1) + x  # an extern step, read once
        return x

    run = torch.compile(chain)
    for _ in range(4):
        expected = run(x)
    assert run.explain().count(": extern roll") == 8
    assert peak_bytes(lambda: run(x)) < 3.5 * x.numel() * 4
    assert torch.equal(run(x), expected)


def test_threads_that_share_a_plan_work_in_memory_of_their_own():
    x = torch.linspace(-1, 1, 96 * 128).reshape(96, 128)
    w = torch.linspace(-1, 1, 128 * 200).reshape(128, 200)
    run = torch.compile(lambda x, w: (x @ w).tanh() @ w.t())
    for _ in range(4):
        expected = run(x, w)
    wrong = []

    def repeat():
        for _ in range(50):
            if not torch.equal(run(x, w), expected):
                wrong.append(1)

    threads = [threading.Thread(target=repeat) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_code_of_edited_files_goes_by_its_text_alone(tmp_path, monkeypatch):
    """What this process runs may be older than a file that was written after it began."""
    monkeypatch.setattr(plan_cache.host, "_PACKAGE", str(tmp_path))
    file = tmp_path / "rule.py"
    for age, unchanged in ((3600, True), (-3600, False)):
        file.write_text("x = 1")
        monkeypatch.setattr(plan_cache.host, "IMPORTED", file.stat().st_ctime + age)
        plan_cache.host.package_stamp.cache_clear()
        assert (plan_cache.host.package_stamp() is not None) is unchanged
        assert (plan_cache.key_of(scaled(2.0, [1, 2, 3, 4]), (64,)) is not None) is unchanged
    plan_cache.host.package_stamp.cache_clear()


def test_compiling_loads_no_part_of_the_package_that_the_program_does_not_use(tmp_path):
    script = """
import sys
import chainrule as torch
from chainrule import nn

def step(x):
    return torch.tanh(nn.functional.relu(x)).sum()

compiled = torch.compile(step, fullgraph=True)
for _ in range(4):
    compiled(torch.ones(3))
unused = ("doctor", "studio", "onnx", "export", "distributed", "sparse.products", "profiler")
print([name for name in unused if f"chainrule.{name}" in sys.modules])
"""
    environment = {**os.environ, "CHAINRULE_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout.strip() == "[]"
