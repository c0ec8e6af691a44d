"""A trace replaces functions of the whole process; other threads must not notice."""

import sys
import threading

import pytest

import chainrule as torch
from chainrule import fx, nn


class CallsFromAThread(nn.Module):
    """While it is traced, another thread uses a module and traces one, too."""

    def __init__(self, traces):
        super().__init__()
        self.inner = nn.Linear(2, 2)
        self.traces, self.seen = traces, []

    def forward(self, x):
        worker = threading.Thread(target=self.work)
        worker.start()
        if not self.traces:  # it would wait for this trace
            worker.join()
        return self.inner(x), worker

    def work(self):
        other = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
        self.seen.append(other(torch.ones(1, 2)).shape)
        self.seen.append(fx._symbolic_trace.is_fx_tracing())
        if self.traces:
            self.seen.append(fx.symbolic_trace(other)(torch.ones(1, 2)).shape)


@pytest.mark.parametrize("traces", [False, True])
def test_another_thread_works_while_one_traces(traces):
    model = CallsFromAThread(traces)
    tracer = fx.Tracer()
    with pytest.raises(NotImplementedError):  # a thread is no value of a graph
        tracer.trace(model)
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and thread.daemon is False:
            thread.join(10)
    assert model.seen == [(1, 3), False, (1, 3)][: 2 + traces]


def test_many_threads_trace_and_leave_nothing_behind():
    before = nn.Module.__call__, nn.Module.__getattr__, torch.relu
    failed = []

    def work():
        try:
            for _ in range(4):
                traced = fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))
                assert [n.op for n in traced.graph.nodes].count("call_module") == 2
                traced(torch.ones(1, 2))
        except BaseException as problem:
            failed.append(problem)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    finally:
        sys.setswitchinterval(interval)
    assert not failed
    assert (nn.Module.__call__, nn.Module.__getattr__, torch.relu) == before
