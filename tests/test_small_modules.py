"""Small modules of PyTorch that programs import: quasirandom, futures, monitor, helpers."""

import datetime
import gc
import inspect
import threading

import pytest

import chainrule as torch
import chainrule.run
from chainrule.utils import weak
from chainrule.utils._contextlib import _DecoratorContextManager, context_decorator

# Drawn by PyTorch.
SCRAMBLED = [
    [0.19947312772274017, 0.17093220353126526, 0.7493569254875183],
    [0.6922082901000977, 0.711494917050004, 0.48982980754226446],
]
AFTER_TEN_MORE = [[0.2561439238488674, 0.10894986987113953, 0.843225035816431]]
THOUSANDTH = [0.7197265625, 0.3447265625, 0.9912109375, 0.7255859375]


def test_sobol_points_are_pytorchs():
    engine = torch.quasirandom.SobolEngine(3, scramble=True, seed=7)
    assert engine.draw(2, dtype=torch.float64).tolist() == SCRAMBLED
    engine.fast_forward(10)
    assert engine.draw(1, dtype=torch.float64).tolist() == AFTER_TEN_MORE
    plain = torch.quasirandom.SobolEngine(20).fast_forward(1000)
    assert plain.draw(1)[0, -4:].tolist() == THOUSANDTH
    assert repr(engine) == "SobolEngine(dimension=3, scramble=True, seed=7)"


def test_sobol_goes_on_where_it_was():
    whole = torch.quasirandom.SobolEngine(5).draw(16)
    engine = torch.quasirandom.SobolEngine(5)
    parts = torch.cat([engine.draw(1), engine.draw(4), engine.draw(11)])
    assert torch.equal(parts, whole) and engine.num_generated == 16
    assert torch.equal(engine.reset().draw_base2(4), whole)
    engine.draw(1)
    with pytest.raises(ValueError, match="balance properties"):
        engine.draw_base2(3)
    with pytest.raises(ValueError, match="range of dimensionality"):
        torch.quasirandom.SobolEngine(0)


def test_futures_carry_results_between_threads():
    first, second = torch.futures.Future(), torch.futures.Future()
    doubled = first.then(lambda f: f.value() * 2)
    failed = first.then(lambda f: 1 / 0)
    together = torch.futures.collect_all([first, second])
    seen = []
    second.add_done_callback(lambda f: seen.append(f.value()))
    assert not first.done() and not together.done()
    with pytest.raises(RuntimeError, match="not complete"):
        first.value()
    threading.Timer(0.01, first.set_result, (21,)).start()
    assert doubled.wait() == 42
    second.set_result("b")
    assert seen == ["b"] and [f.wait() for f in together.wait()] == [21, "b"]
    with pytest.raises(ZeroDivisionError):
        failed.wait()
    with pytest.raises(RuntimeError, match="only be marked completed once"):
        first.set_result(1)
    broken = torch.futures.Future()
    broken.set_exception(ValueError("no"))
    with pytest.raises(ValueError, match="no"):
        torch.futures.wait_all([first, broken])


def test_statistics_are_logged_window_by_window():
    seen = []
    handle = torch.monitor.register_event_handler(seen.append)
    kinds = [torch.monitor.Aggregation.SUM, torch.monitor.Aggregation.MAX]
    stat = torch.monitor.Stat("loss", kinds, datetime.timedelta(0))
    stat.add(1.0)
    assert stat.get() == {kinds[0]: 1.0, kinds[1]: 1.0} and seen == []
    stat.add(5.0)
    torch.monitor.unregister_event_handler(handle)
    stat.add(6.0)
    assert [event.data for event in seen] == [{"loss.sum": 1.0, "loss.max": 1.0}]


def test_weak_dictionaries_go_by_identity():
    names = weak.WeakTensorKeyDictionary()
    a, b = torch.ones(2), torch.ones(2)
    names[a], names[b] = "a", "b"
    assert (names[a], names[b], len(names)) == ("a", "b", 2)
    assert a in names and torch.ones(2) not in names
    reference = weak.TensorWeakRef(a)
    assert reference() is a
    del a
    gc.collect()
    assert reference() is None and list(names.values()) == ["b"]


def test_exceptions_are_raised_again_with_their_text():
    try:
        {}["key"]
    except KeyError:
        wrapped = torch._utils.ExceptionWrapper(where="in a worker")
    with pytest.raises(KeyError, match="Caught KeyError in a worker"):
        wrapped.reraise()


def test_tensors_become_one_vector_and_back():
    given = [torch.arange(3.0), torch.ones(2, 2)]
    flat = torch._utils._flatten_dense_tensors(given)
    back = torch._utils._unflatten_dense_tensors(flat, given)
    assert flat.tolist() == [0, 1, 2, 1, 1, 1, 1]
    assert all(torch.equal(x, y) for x, y in zip(back, given, strict=True))
    groups = list(torch._utils._take_tensors([*given, torch.ones(1, dtype=torch.int32)], 20))
    assert [len(g) for g in groups] == [1, 1, 1]


def test_context_managers_decorate_generators_step_by_step():
    depth = []

    class Noted(_DecoratorContextManager):
        def __enter__(self):
            depth.append(1)

        def __exit__(self, *exc):
            depth.pop()

    @Noted()
    def steps():
        assert depth
        got = yield len(depth)
        assert depth
        yield got

    running = steps()
    assert (next(running), depth) == (1, [])
    assert (running.send("x"), depth) == ("x", [])
    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):
        made = Noted()(type("Some", (), {"__init__": lambda self: depth.append(len(depth))}))
    made()
    assert depth == [1]  # made inside: one more was on the list, and __exit__ took one off
    with pytest.raises(RuntimeError, match="Cannot decorate classes"):
        context_decorator(Noted, type("Some", (), {}))


def test_spawn_is_the_function_and_a_module():
    import importlib

    module = importlib.import_module("chainrule.multiprocessing.spawn")
    assert torch.multiprocessing.spawn is module.spawn
    assert module.ProcessRaisedException is torch.multiprocessing.ProcessRaisedException
    with chainrule.run.installed():
        for path in (
            "multiprocessing.spawn", "nn.parallel.replicate", "distributed.rendezvous",
            "nn.utils.spectral_norm", "autograd.gradcheck", "quantization.fuse_modules",
        ):  # fmt: skip
            assert inspect.ismodule(importlib.import_module(f"torch.{path}"))
            package, _, name = path.rpartition(".")
            function = getattr(importlib.import_module(f"chainrule.{package}"), name)
            assert inspect.isfunction(function)


def test_functions_of_lists_are_the_functions_of_each():
    xs = [torch.tensor([0.25, 4.0]), torch.tensor([[1.0]])]
    ys = [torch.tensor([2.0, 3.0]), torch.tensor([[5.0]])]

    def lists(found):
        return [t.tolist() for t in found]

    assert lists(torch._foreach_sqrt(xs)) == [[0.5, 2], [[1]]]
    assert lists(torch._foreach_add(xs, ys, alpha=2)) == [[4.25, 10], [[11]]]
    assert lists(torch._foreach_addcmul(xs, ys, ys, [1.0, 2.0])) == [[4.25, 13], [[51]]]
    assert lists(torch._foreach_maximum(xs, 2.0)) == [[2, 4], [[2]]]
    assert lists(torch._foreach_lerp(xs, ys, [0.0, 1.0])) == [[0.25, 4], [[5]]]
    assert lists(torch._foreach_pow(2.0, [torch.tensor([3.0])])) == [[8]]
    assert lists(torch._foreach_norm(ys, 1)) == [5, 5]
    assert torch._foreach_mul_(xs, [2.0, 3.0]) is xs and lists(xs) == [[0.5, 8], [[3]]]
    torch._foreach_copy_(xs, ys)
    assert lists(xs) == lists(ys)
    with pytest.raises(RuntimeError, match="same number of tensors, got 2 and 1"):
        torch._foreach_add(xs, ys[:1])
    with pytest.raises(RuntimeError, match="at least one tensor"):
        torch._foreach_neg([])
    with pytest.raises(AttributeError, match="_foreach_nothing"):
        torch._foreach_nothing  # noqa: B018


def test_functions_of_lists_have_gradients():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    sum(t.sum() for t in torch._foreach_mul([x, x], [x, 3.0])).backward()
    assert x.grad.tolist() == [5, 7]


def test_the_cpu_is_named_as_pytorch_names_it(monkeypatch):
    # torchvision resizes bytes by whole numbers where it reads AVX2.
    capability = torch.backends.cpu.get_cpu_capability
    assert capability() in ("DEFAULT", "AVX2", "AVX512")
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "default")
    assert capability() == "DEFAULT"


def test_attention_kernels_of_a_gpu_can_be_asked_for():
    cuda, q = torch.backends.cuda, torch.ones(1, 2, 3, 4)
    asked = cuda.SDPAParams(q, q, q, None, 0.0, True, False)
    assert asked.query is q and asked.attn_mask is None and asked.is_causal
    assert not cuda.can_use_flash_attention(asked, True)
    with pytest.raises(TypeError):
        cuda.SDPAParams(q, q, q, None, 0.0, True)


def test_divergences_of_bases_that_other_libraries_share():
    class Shared:
        pass

    class Mine(torch.distributions.Distribution, Shared):
        def __init__(self):
            super().__init__(validate_args=False)

    @torch.distributions.register_kl(Mine, Shared)
    def own(p, q):
        return 7.0

    assert torch.distributions.kl_divergence(Mine(), Mine()) == 7.0
    with pytest.raises(TypeError, match="Distribution subclass"):
        torch.distributions.register_kl(3, Shared)


def test_switches_of_the_compiler_are_where_programs_import_them():
    from chainrule import _dynamo
    from chainrule._dynamo import decorators

    assert torch.compiler.set_stance is _dynamo.set_stance is decorators.set_stance


def test_modules_as_functions_by_the_old_names():
    layer = torch.nn.Linear(2, 1)
    function, parameters = torch.func.make_functional(layer)
    x = torch.ones(1, 2)
    assert torch.equal(function(parameters, x), layer(x))
    assert torch.equal(function([p * 2 for p in parameters], x), layer(x) * 2)
    with pytest.raises(RuntimeError, match="has buffers"):
        torch.func.make_functional(torch.nn.BatchNorm1d(2))
    norm = torch.nn.BatchNorm1d(2).eval()
    function, parameters, buffers = torch.func.make_functional_with_buffers(norm)
    assert torch.equal(function(parameters, buffers, x), norm(x))


def test_the_fake_mode_that_is_on():
    assert torch._guards.active_fake_mode() is None
    with torch._subclasses.FakeTensorMode() as mode:
        assert torch._guards.active_fake_mode() is mode
        t = torch.ones(2)
    assert torch._guards.detect_fake_mode([t]) is mode


def test_storages_have_a_common_class():
    assert isinstance(torch.ones(2).untyped_storage(), torch.StorageBase)


def test_ranges_of_nvtx_may_be_made_and_not_entered():
    @torch.cuda.nvtx.range("step")  # at import, in libraries that time their steps on GPUs
    def step():
        return 1

    with pytest.raises(RuntimeError, match="CUDA"):
        step()


def test_limits_of_pythons_own_types():
    assert torch.finfo(float).bits == 64 and torch.iinfo(int).bits == 64
    for wrong in (str, [1], 3):
        with pytest.raises(TypeError, match=r"must be torch\.dtype"):
            torch.finfo(wrong)
    assert torch._disable_dynamo(len) is len


def test_a_module_that_loads_when_it_is_used_says_what_it_lacks():
    from chainrule.ops.later import Later

    later = Later(".interrupts", "chainrule.ops")
    for _ in range(2):  # before it is loaded, and afterwards
        with pytest.raises(AttributeError, match="has no attribute 'nothing_of_the_kind'"):
            _ = later.nothing_of_the_kind
