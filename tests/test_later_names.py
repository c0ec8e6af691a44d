"""Functions that few programs use: products in groups, packed attention, streams, fuzzers."""

import pytest

import chainrule as torch
from chainrule.nn import functional as F
from chainrule.nn.attention.varlen import AuxRequest, varlen_attn


def test_products_in_groups_of_rows_columns_and_summands():
    torch.manual_seed(0)
    a, b, offs = torch.randn(5, 3), torch.randn(2, 3, 4), torch.tensor([2, 5], dtype=torch.int32)
    want = torch.cat([a[:2] @ b[0], a[2:] @ b[1]])
    assert torch.allclose(F.grouped_mm(a, b, offs=offs), want)
    wide = torch.randn(3, 5)
    want = torch.cat([b[0].T @ wide[:, :2], b[1].T @ wide[:, 2:]], 1)
    assert torch.allclose(F.grouped_mm(b.transpose(1, 2), wide, offs=offs), want)
    want = torch.stack([a.T[:, :2] @ wide.T[:2], a.T[:, 2:] @ wide.T[2:]])
    assert torch.allclose(F.grouped_mm(a.T, wide.T, offs=offs), want)
    with pytest.raises(ValueError, match="without offs"):
        F.grouped_mm(a, b)


def test_products_of_scaled_float8():
    a, b = (torch.randn(4, 4).to(torch.float8_e4m3fn) for _ in range(2))
    rows, columns = torch.rand(4, 1), torch.rand(1, 4)
    kind = F.ScalingType.RowWise
    out = F.scaled_mm(a, b, rows, kind, columns, kind, output_dtype=torch.float32)
    assert torch.allclose(out, (rows * a.float()) @ (b.float() * columns))
    with pytest.raises(NotImplementedError, match="BlockWise1x32"):
        F.scaled_mm(a, b, rows, F.ScalingType.BlockWise1x32, columns, kind)


def test_packed_attention_is_attention_of_each_sequence():
    torch.manual_seed(0)
    q, k, v = (torch.randn(6, 2, 4, requires_grad=True) for _ in range(3))
    ends = torch.tensor([0, 2, 6])
    out, lse = varlen_attn(
        q, k, v, ends, ends, 4, 4, window_size=(-1, 0), return_aux=AuxRequest(lse=True)
    )
    parts = [
        F.scaled_dot_product_attention(
            *(t[i:j].transpose(0, 1) for t in (q, k, v)), is_causal=True
        ).transpose(0, 1)
        for i, j in ((0, 2), (2, 6))
    ]
    assert torch.allclose(out, torch.cat(parts), atol=1e-6)
    assert lse.shape == (2, 6)
    out.sum().backward()
    assert q.grad is not None


def test_bags_of_embeddings_with_their_sizes():
    weight, indices = torch.arange(6.0).view(3, 2), torch.tensor([0, 1, 2, 1])
    out, bags, sizes, best = torch.embedding_bag(weight, indices, torch.tensor([0, 2]), False, 2)
    assert out.tolist() == [[2, 3], [4, 5]] and bags.tolist() == [0, 0, 1, 1]
    assert sizes.tolist() == [2, 2] and best.tolist() == [[1, 1], [2, 2]]


def test_statistics_of_batches_move_the_running_ones():
    x, mean, var = torch.randn(4, 3), torch.zeros(3), torch.ones(3)
    layer = torch.nn.BatchNorm1d(3)
    layer(x)
    torch.batch_norm_update_stats(x, mean, var, 0.1)
    assert torch.allclose(mean, layer.running_mean) and torch.allclose(var, layer.running_var)


def test_events_of_the_cpu_measure_time():
    first, second = torch.cpu.Event(), torch.cpu.Event()
    with pytest.raises(RuntimeError, match="must be recorded"):
        first.elapsed_time(second)
    first.record()
    second.record()
    assert first.elapsed_time(second) >= 0
    mine = torch.cpu.Stream()
    with torch.cpu.stream(mine):
        assert torch.cpu.current_stream() is mine
    assert torch.cpu.current_stream() is not mine


def test_fuzzed_tensors_keep_to_their_limits():
    from chainrule.utils.benchmark import FuzzedParameter, FuzzedSparseTensor, FuzzedTensor, Fuzzer

    sizes = [FuzzedParameter(f"k{i}", 4, 64, distribution="loguniform") for i in range(2)]
    x = FuzzedTensor("x", ("k0", "k1"), min_elements=64, max_elements=512)
    s = FuzzedSparseTensor("s", ("k0", "k1"))
    fuzzer = Fuzzer(sizes, [x, s], seed=3)
    for tensors, about, params in fuzzer.take(5):
        assert tensors["x"].shape == (params["k0"], params["k1"])
        assert 64 <= about["x"]["numel"] <= 512 and tensors["s"].is_sparse
    again = Fuzzer(sizes, [x, s], seed=3)
    assert [p for *_, p in again.take(5)] == [p for *_, p in Fuzzer(sizes, [x, s], seed=3).take(5)]


def test_shapes_of_exports_by_tensor_and_by_examples():
    net = torch.nn.Linear(2, 1)
    x = torch.ones(3, 2)
    shapes = torch.export.ShapesCollection()
    shapes[x] = {0: torch.export.Dim.DYNAMIC}
    assert torch.export.export(net, (x,), dynamic_shapes=shapes).module()(torch.ones(7, 2)).shape
    more = torch.export.AdditionalInputs()
    more.add((torch.ones(5, 2),))
    program = torch.export.export(net, (x,), dynamic_shapes=more)
    more.verify(program)
    with pytest.raises(AssertionError, match="Guard failed"):
        program.module()(torch.ones(7, 3))


def test_jacobians_under_their_old_names():
    from chainrule.autograd.gradcheck import get_analytical_jacobian, get_numerical_jacobian

    x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    (slow,) = get_numerical_jacobian(lambda t: t**3, (x,), eps=1e-5)
    (fast,), repeats, *_ = get_analytical_jacobian((x,), x**3)
    assert torch.allclose(slow, fast) and repeats
    assert torch.allclose(fast, torch.diag(3 * x**2))


def test_the_questions_of_collect_env():
    from chainrule.utils import collect_env

    assert collect_env.run_and_read_all(collect_env.run, "echo one") == "one"
    assert collect_env.run_and_parse_first_match(collect_env.run, "echo v 3", r"v (\d)") == "3"
    assert collect_env.run_and_read_all(collect_env.run, "exit 3") is None
    assert collect_env.get_os(lambda command: (1, "", ""))


def test_names_on_annotations():
    from chainrule import _jit_internal as internal
    from chainrule.jit import annotations

    assert internal.is_optional(int | None) and not internal.is_optional(int)
    assert annotations.is_tuple(tuple[int, int]) and annotations.is_list(list[int])
    assert internal.get_callable_argument_names(lambda a, b: a) == ["a", "b"]


def test_hooks_of_a_tensor_can_be_read():
    x = torch.ones(2, requires_grad=True)
    assert x._backward_hooks is None and torch.ones(1)._backward_hooks is None
    handle = x.register_hook(seen := [].append)
    assert list(x._backward_hooks.values()) == [seen]
    handle.remove()
    assert x._backward_hooks == {}


def test_a_profiler_that_runs_is_seen():
    assert not torch.autograd._profiler_enabled()
    with torch.profiler.profile():
        assert torch.autograd._profiler_enabled()


def test_sizes_are_known():
    from chainrule.fx.experimental import symbolic_shapes as shapes

    assert shapes.guard_or_false(3 > 2) and not shapes.is_symbolic(3)
    assert torch.onnx.operators.shape_as_tensor(torch.ones(2, 3)).tolist() == [2, 3]
