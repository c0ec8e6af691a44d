"""`torch.compiler.*`, `torch._dynamo.*`, and the wrapper that `compile` makes of a module."""

import copy
import io
import pickle

import numpy as np
import pytest

import chainrule as torch

nn = torch.nn
pytestmark = pytest.mark.jit


def compiled(function, *args, calls=4, **options):
    run = torch.compile(function, **options)
    for _ in range(calls):
        run(*args)
    return run


def plans(run):
    return sum(len(entry.runners) for entry in run._entries.values())


# ---- torch.compiler ------------------------------------------------------------------------------


def test_a_disabled_function_runs_in_every_call():
    seen = []

    class Log:  # what it writes is out of sight
        write = staticmethod(seen.append)

    @torch.compiler.disable
    def log(x):
        Log.write(x.sum())

    def f(x):
        log(x)
        return x * 2

    run = torch.compile(f)
    with pytest.warns(UserWarning, match=r"log is not to be compiled .*test_controls.py:\d+"):
        for k in range(6):
            assert run(torch.full((2,), float(k))).tolist() == [2.0 * k] * 2
    assert [s.item() for s in seen] == [0, 2, 4, 6, 8, 10]


def test_disable_takes_compiled_functions_modules_and_arguments():
    f = compiled(lambda x: x + 1, torch.ones(1))
    assert torch.compiler.disable(f)(torch.ones(1)).item() == 2
    model = nn.Linear(2, 1)
    assert torch.compiler.disable(torch.compile(model)) is model
    outer = torch.compile(torch.compiler.disable(model))
    with pytest.warns(UserWarning, match="forward is not to be compiled"):
        for _ in range(4):
            outer(torch.ones(1, 2))

    inside = []
    probe = torch.compile(lambda x: inside.append(torch.compiler.is_compiling()) or x * 1)

    @torch.compiler.disable(recursive=True, reason="it is a test")
    def eager(x):
        return probe(x)

    for _ in range(3):
        eager(torch.ones(1))
    assert inside == [False] * 3 and not probe._entries


def test_is_compiling_is_true_in_traced_calls_only():
    seen = []

    def f(x):
        seen.append(torch.compiler.is_compiling())
        return x * 1

    run = torch.compile(f)
    with pytest.warns(UserWarning, match="changes the length of a container"):
        for _ in range(3):
            run(torch.ones(1))
    assert seen == [False, True, False]
    assert not torch.compiler.is_compiling() and not torch.compiler.is_exporting()


def test_reset_forgets_plans():
    run = compiled(lambda x: x + 1, torch.ones(1))
    assert plans(run) == 1
    torch._dynamo.reset()
    assert not run._entries
    for _ in range(4):
        assert run(torch.ones(1)).item() == 2
    assert plans(run) == 1
    torch.compiler.reset()
    assert not run._entries


def test_stances():
    run = compiled(lambda x: x + 1, torch.ones(1))
    with torch.compiler.set_stance("force_eager"):
        calls = next(iter(run._entries.values())).calls
        assert run(torch.ones(7)).tolist() == [2.0] * 7
        assert len(run._entries) == 1
    with torch.compiler.set_stance("eager_on_recompile"):
        for _ in range(4):
            run(torch.ones(2))
    assert plans(run) == 1 and next(iter(run._entries.values())).calls == calls
    with torch.compiler.set_stance("fail_on_recompile"):
        run(torch.ones(1))
        with pytest.raises(RuntimeError, match="fail_on_recompile"):
            run(torch.ones(2))
    with pytest.raises(RuntimeError, match=r"invalid .* stance"):
        torch.compiler.set_stance("fast")

    @torch.compiler.set_stance("force_eager")
    def outer(x):
        return run(x)

    before = len(run._entries)
    outer(torch.ones(9))
    assert len(run._entries) == before
    run(torch.ones(9))
    assert len(run._entries) == before + 1


def test_names_of_the_tracer():
    dynamo = torch._dynamo
    assert "loop over [2]" in dynamo.explain(lambda x: x.exp() + 1)(torch.ones(2))
    assert "eager: " in dynamo.explain(lambda x: x.sum().item())(torch.ones(2))
    dynamo.config.cache_size_limit = 64
    dynamo.config.suppress_errors = True
    x = torch.ones(2)
    dynamo.mark_dynamic(x, 0)

    @dynamo.optimize("inductor", nopython=True)
    def f(x):
        return x * 2

    assert f(x).tolist() == [2.0, 2.0]

    def breaking(x):
        dynamo.graph_break()
        return x * 2

    with pytest.warns(UserWarning, match="graph_break"):
        compiled(breaking, x)
    assert "inductor" in torch.compiler.list_backends()


# ---- modules -------------------------------------------------------------------------------------


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))


def test_attributes_go_to_the_module():
    model = network()
    run = compiled(model, torch.ones(2, 6), fullgraph=True)
    run.scale = 3
    assert model.scale == 3 and run.scale == 3 and not hasattr(run, "nothing")
    assert run.get_submodule("0") is model[0] and len(run) == 3
    assert [name for name, _ in run.named_children()] == ["_orig_mod"]
    assert repr(run).startswith("OptimizedModule(\n  (_orig_mod): Sequential(")
    assert type(run).__name__ == "OptimizedModule" and not isinstance(run, nn.Sequential)
    with pytest.raises(TypeError, match="not subscriptable"):
        run[0]  # as in PyTorch
    run.eval()
    assert not model[0].training
    run.train()
    assert model[0].training


def test_states_load_both_ways():
    model, other = network(), network()
    run = compiled(model, torch.ones(2, 6), fullgraph=True)
    with torch.no_grad():
        for p in other.parameters():
            p.fill_(0.1)
    model.load_state_dict(other.state_dict())
    np.testing.assert_allclose(
        run(torch.ones(2, 6)).detach(), other(torch.ones(2, 6)).detach(), rtol=1e-6
    )
    torch.compile(other).load_state_dict(run.state_dict())


@pytest.mark.parametrize("how", ["deepcopy", "pickle", "save"])
def test_copies_have_parameters_of_their_own(how):
    model = network()
    x = torch.ones(2, 6)
    run = compiled(model, x, fullgraph=True)
    if how == "deepcopy":
        twin = copy.deepcopy(run)
    elif how == "pickle":
        twin = pickle.loads(pickle.dumps(run))
    else:
        file = io.BytesIO()
        torch.save(run, file)
        file.seek(0)
        twin = torch.load(file, weights_only=False)
    want = run(x).detach().numpy()
    np.testing.assert_allclose(twin(x).detach(), want, rtol=1e-5, atol=1e-6)
    with torch.no_grad():
        for p in twin.parameters():
            p.zero_()
    for _ in range(4):
        assert twin(x).abs().sum().item() == 0
    np.testing.assert_allclose(run(x).detach(), want, rtol=1e-5, atol=1e-6)
    assert plans(twin._compiled) == 1 and twin._compiled.fullgraph


def test_conversions_and_initialisation_are_noticed():
    model = network()
    run = compiled(model, torch.ones(2, 6), fullgraph=True)
    run.double()
    x = torch.ones(2, 6, dtype=torch.float64)
    for _ in range(4):
        assert run(x).dtype is torch.float64
        np.testing.assert_allclose(run(x).detach(), model(x).detach())
    run.apply(lambda m: nn.init.ones_(m.weight) if isinstance(m, nn.Linear) else None)
    for _ in range(4):
        np.testing.assert_allclose(run(x).detach(), model(x).detach())


def test_methods_static_methods_and_decorators():
    class Model(nn.Module):
        def __init__(self, k):
            super().__init__()
            self.k = k

        @torch.compile(fullgraph=True)
        def forward(self, x):
            return x * self.k

        @staticmethod
        @torch.compile(fullgraph=True)
        def double(x):
            return x * 2

    one, two = Model(1.0), Model(3.0)
    for k in range(8):
        two.k = 3.0 + (k > 5)
        assert one(torch.ones(1)).item() == 1 and two(torch.ones(1)).item() == two.k
        assert Model.double(torch.ones(1)).item() == one.double(torch.ones(1)).item() == 2
    assert plans(Model.forward) >= 2
