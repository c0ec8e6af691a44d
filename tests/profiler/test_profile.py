"""`torch.profiler` and `torch.autograd.profiler`: what is recorded, and how it is shown."""

import gzip
import json

import pytest

import chainrule as torch
from chainrule import nn
from chainrule.autograd.state import STATE
from chainrule.profiler import (
    ProfilerAction,
    ProfilerActivity,
    profile,
    record_function,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)


def training():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(4, 10)

    def step():
        with record_function("forward"):
            loss = model(x).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


# What PyTorch 2.13 shows for the same step, as far as one kernel of ours stands for it. It also
# shows the kernels inside of backward and the bookkeeping of its tensors (aten::t, aten::empty).
SHOWN = {
    "AddmmBackward0", "Optimizer.step#SGD.step", "Optimizer.zero_grad#SGD.zero_grad",
    "ReluBackward0", "SumBackward0", "aten::addmm", "aten::clamp_min", "aten::linear",
    "aten::relu", "aten::sum", "autograd::engine::evaluate_function: AddmmBackward0",
    "autograd::engine::evaluate_function: ReluBackward0",
    "autograd::engine::evaluate_function: SumBackward0",
    "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", "forward",
    "torch::autograd::AccumulateGrad",
}  # fmt: skip


def test_names_are_pytorchs():
    step = training()
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        step()
    assert {e.key for e in prof.key_averages()} == SHOWN
    counts = {e.key: e.count for e in prof.key_averages()}
    assert counts["aten::linear"] == 2 and counts["torch::autograd::AccumulateGrad"] == 4


def test_events_are_nested_and_their_times_add_up():
    step = training()
    with profile() as prof:
        step()
    events = prof.events()
    forward = next(e for e in events if e.name == "forward")
    assert [c.name for c in forward.cpu_children] == [
        "aten::linear", "aten::relu", "aten::linear", "aten::sum",
    ]  # fmt: skip
    assert forward.cpu_children[0].cpu_children[0].name == "aten::addmm"
    assert forward.cpu_children[0].depth == 1
    for e in events:
        assert e.cpu_time_total >= sum(c.cpu_time_total for c in e.cpu_children)
        assert e.self_cpu_time_total >= 0
        if e.cpu_parent is not None:
            assert e.cpu_parent.time_range.start <= e.time_range.start
            assert e.time_range.end <= e.cpu_parent.time_range.end
    averages = prof.key_averages()
    assert averages.self_cpu_time_total == pytest.approx(
        sum(e.cpu_time_total for e in events if e.cpu_parent is None)
    )
    assert {e.phase for e in events} == {"forward", "backward", "optimizer"}


def test_shapes_flops_and_memory():
    step = training()
    step()
    with profile(record_shapes=True, with_flops=True, profile_memory=True) as prof:
        step()
    linear = [e for e in prof.events() if e.name == "aten::linear"]
    assert linear[0].input_shapes == [[4, 10], [20, 10], [20]]
    flops = {e.key: e.flops for e in prof.key_averages()}
    assert flops["aten::addmm"] == 2400 and flops["AddmmBackward0"] == 3200  # as PyTorch's mm
    table = prof.key_averages(group_by_input_shape=True).table(sort_by="self_cpu_time_total")
    assert "[[4, 10], [20, 10], [20]]" in table and "Total KFLOPs" in table and "CPU Mem" in table
    if prof.events()[1].cpu_memory_usage:  # counted with machine code only
        assert linear[0].cpu_memory_usage == 4 * 20 * 4


def test_the_table():
    step = training()
    with profile() as prof:
        step()
    table = prof.key_averages().table(sort_by="cpu_time_total", row_limit=3)
    lines = table.splitlines()
    head = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"]
    assert lines[1].split("  ")[0] == "" and all(name in lines[1] for name in head)
    assert len(lines) == 3 + 3 + 2 and lines[-1].startswith("Self CPU time total: ")
    totals = [e.cpu_time_total for e in prof.key_averages()]
    top = max(prof.key_averages(), key=lambda e: e.cpu_time_total)
    assert top.key[:52] in lines[3] and top.cpu_time_total == max(totals)
    with pytest.raises(ValueError, match="sort_by should be one of"):
        prof.key_averages().table(sort_by="colour")
    assert "a header" in prof.key_averages().table(header="a header")


def test_stacks(tmp_path):
    def inner(x):
        return x.exp()

    with profile(with_stack=True) as prof:
        for _ in range(50):
            inner(torch.ones(1000))
    exp = next(e for e in prof.events() if e.name == "aten::exp")
    assert exp.stack[0].endswith(": inner") and exp.stack[1].endswith(": test_stacks")
    grouped = prof.key_averages(group_by_stack_n=1)
    assert "Source Location" in grouped.table() and "test_profile.py" in grouped.table()
    path = tmp_path / "stacks"
    prof.export_stacks(str(path))
    assert "inner;aten::exp " in path.read_text()
    with pytest.raises(ValueError, match="metric should be one of"):
        prof.export_stacks(str(path), "colour")
    with profile() as prof:
        torch.ones(1).exp()
    with pytest.raises(ValueError, match="requires with_stack=True"):
        prof.export_stacks(str(path))


@pytest.mark.parametrize("name", ["trace.json", "trace.json.gz"])
def test_chrome_trace(tmp_path, name):
    step = training()
    with profile(record_shapes=True) as prof:
        prof.add_metadata("run", "first")
        step()
    path = tmp_path / name
    prof.export_chrome_trace(str(path))
    text = gzip.open(path, "rt").read() if name.endswith("gz") else path.read_text()
    trace = json.loads(text)
    assert trace["run"] == "first"
    linear = next(e for e in trace["traceEvents"] if e["name"] == "aten::linear")
    assert linear["ph"] == "X" and linear["dur"] > 0 and linear["cat"] == "cpu_op"
    assert linear["args"]["Input Dims"] == [[4, 10], [20, 10], [20]]


def test_time_by_line_module_and_phase(tmp_path):
    model = nn.Sequential(nn.Linear(10, 20), nn.ReLU())
    with profile() as prof:
        y = model(torch.ones(4, 10))
        y.sum().backward()
    modules = prof.report().split("module")
    assert set(modules) == {"0", "1", "(no module)"}
    assert all(a > 0 and b > 0 for a, b in modules.values())  # the backward of a module is its own
    lines = prof.report().split("line")
    (first,) = [t for name, t in lines.items() if name.startswith("test_profile.py") and t[1]][:1]
    assert first[0] > 0
    total = prof.report().total
    for what in ("op", "line", "module", "phase"):
        assert sum(prof.report().by(what).values()) == pytest.approx(total)
    page = prof.report().to_html()
    assert "<svg" in page and "aten::linear" in page and "by module" in str(prof.report())
    with pytest.raises(ValueError, match="expected one of 'op'"):
        prof.report().by("colour")


def test_work_inside_of_work_is_counted_once():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    w = torch.ones(50, 50, requires_grad=True)
    with profile(with_flops=True) as prof:
        loss = Double.apply(w @ w).sum()
        (g,) = torch.autograd.grad(loss, w, create_graph=True)
        g.sum().backward()
    top = sum(e.cpu_time_total for e in prof.events() if e.cpu_parent is None)
    assert prof.report().total == pytest.approx(top)
    assert sum(e.flops for e in prof.events() if e.name == "aten::mm") == 3 * 2 * 50**3


def test_a_schedule():
    when = schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
    names = [when(k).name for k in range(10)]
    cycle = ["NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE"]
    assert names == ["NONE", *cycle, *cycle, "NONE"]
    assert when(4) is ProfilerAction.RECORD_AND_SAVE
    with pytest.raises(ValueError, match="Invalid profiler schedule arguments"):
        schedule(wait=1, warmup=0, active=0)


def test_steps_of_a_schedule_are_recorded_and_handed_over():
    seen = []

    def ready(prof):
        steps = [e.name for e in prof.events() if e.name.startswith("ProfilerStep")]
        seen.append((prof.step_num, steps, sum(e.name == "aten::exp" for e in prof.events())))

    x = torch.ones(3)
    when = schedule(wait=1, warmup=1, active=2, repeat=2)
    with profile(schedule=when, on_trace_ready=ready) as prof:
        for _ in range(9):
            x.exp()
            prof.step()
    assert seen == [
        (4, ["ProfilerStep#2", "ProfilerStep#3"], 2),
        (8, ["ProfilerStep#6", "ProfilerStep#7"], 2),
    ]


def test_a_folder_of_traces_for_tensorboard(tmp_path):
    with profile(on_trace_ready=tensorboard_trace_handler(str(tmp_path), "me")) as prof:
        torch.ones(3).exp()
        prof.step()
    (file,) = tmp_path.iterdir()
    assert file.name.startswith("me.") and file.name.endswith(".pt.trace.json")


def test_a_compiled_function_is_one_event_and_the_report_says_so():
    @torch.compile
    def compiled(x):
        return (x * 2).relu().sum()

    x = torch.ones(100)
    with profile() as prof:
        for _ in range(5):
            compiled(x)
    names = [e.name for e in prof.events()]
    assert len(set(names)) == 1 and names[0].startswith("CompiledFunction: ")
    assert "a plan of machine code runs as one piece" in str(prof.report())


def test_custom_functions_and_in_place_ops():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = torch.ones(3, requires_grad=True)
    with profile() as prof:
        Double.apply(x).sum().backward()
        torch.ones(3).add_(1).mul_(2)
    names = [e.name for e in prof.events()]
    assert {"Double", "aten::mul", "DoubleBackward", "aten::add_", "aten::mul_"} <= set(names)
    double = next(e for e in prof.events() if e.name == "Double")
    assert [c.name for c in double.cpu_children] == ["aten::mul"]


def test_waiting_for_data_is_shown():
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(4)), batch_size=2)
    with profile() as prof:
        for (x,) in data:
            x.exp()
    counts = {e.key: e.count for e in prof.key_averages()}
    assert counts["enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"] == 3
    assert counts["aten::exp"] == 2


def test_an_error_closes_what_is_open():
    with pytest.raises(RuntimeError), profile() as prof:
        with record_function("block"):
            torch.mm(torch.ones(2, 3), torch.ones(2, 3))
    assert STATE.watchers == [] and STATE.w == 0
    assert prof.events()[0].name == "block" and prof.events()[0].cpu_time_total > 0


def test_record_function_without_a_profiler_and_as_a_decorator():
    @record_function("work")
    def work():
        return torch.ones(3).exp()

    work()
    with profile() as prof:
        work()
        work()
    counts = {e.key: e.count for e in prof.key_averages()}
    assert counts["work"] == 2


def test_the_old_interface():
    from chainrule.autograd import profiler

    x = torch.ones(3, requires_grad=True)
    with profiler.profile(record_shapes=True) as prof:
        x.exp().sum().backward()
    assert prof is not None
    total = prof.total_average()
    assert "aten::exp" in str(prof) and total is not None and total.count == len(prof.events())
    assert "aten::exp" in prof.table()
    with profiler.profile(enabled=False) as off:
        x.exp()
    assert off is None
    with profiler.emit_nvtx(), profiler.emit_itt():
        x.exp()
    with pytest.raises(RuntimeError, match="didn't finish running"):
        profiler.profile().key_averages()
    assert supported_activities() == {ProfilerActivity.CPU}
