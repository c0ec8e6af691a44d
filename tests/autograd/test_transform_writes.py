"""In-place writes inside transforms reach the memory that was given, and nothing else."""

import pytest

import chainrule as torch
from chainrule.autograd import forward_ad as fwad
from chainrule.func import grad, jacfwd, jacrev, jvp, vjp, vmap


def t(values, **options):
    return torch.tensor(values, dtype=torch.float64, **options)


def test_vmap_writes_into_the_callers_tensor():
    x = t([[1.0, 2], [3, 4]])
    result = vmap(lambda row: row.mul_(2), in_dims=1, out_dims=1)(x)
    assert x.tolist() == [[2, 4], [6, 8]] and result.tolist() == x.tolist()


def test_a_view_written_under_vmap_writes_its_base():
    x = t([[1.0, 2, 3], [4, 5, 6]])
    vmap(lambda row: row[1:].zero_())(x)
    assert x.tolist() == [[1, 0, 0], [4, 0, 0]]


def test_batch_norm_statistics_move_under_vmap():
    data = torch.arange(24.0).reshape(2, 6, 2)
    mean, var = torch.zeros(2, 2), torch.ones(2, 2)

    def run(x, mean, var):
        return torch.nn.functional.batch_norm(x, mean, var, training=True, momentum=1.0)

    vmap(run)(data, mean, var)
    assert torch.allclose(mean, data.mean(1)) and torch.allclose(var, data.var(1))


def _normalise(x, mean, var):
    return torch.nn.functional.batch_norm(x, mean, var, training=True).sum()


SHARED_STATISTICS = {
    "both": lambda x, own, mean, var: vmap(lambda x: _normalise(x, mean, var))(x),
    "mean": lambda x, own, mean, var: vmap(lambda x: _normalise(x, mean, None))(x),
    "own mean": lambda x, own, mean, var: vmap(lambda x, own: _normalise(x, own, var))(x, own),
    "own variance": lambda x, own, mean, var: vmap(lambda x, own: _normalise(x, mean, own))(x, own),
    "native": lambda x, own, mean, var: vmap(
        lambda x: torch.native_batch_norm(x, None, None, mean, var, True, 0.1, 1e-5)
    )(x),
    "instances": lambda x, own, mean, var: vmap(
        lambda x: torch.nn.functional.instance_norm(x, mean, var)
    )(x),
    "gradients": lambda x, own, mean, var: vmap(grad(lambda x: _normalise(x, mean, var)))(x),
    "gradient of all": lambda x, own, mean, var: grad(
        lambda x: vmap(lambda x: _normalise(x, mean, var))(x).sum()
    )(x),
    "one level of two": lambda x, own, mean, var: vmap(
        lambda own: vmap(lambda x: _normalise(x, own, var))(x)
    )(own),
}


@pytest.mark.parametrize("way", SHARED_STATISTICS)
def test_statistics_that_all_examples_share_are_refused_unchanged(way):
    x = torch.arange(48.0).reshape(2, 2, 3, 4).sin()
    own, mean, var = torch.ones(2, 3), t([1.0, 2, 3]).float(), t([4.0, 5, 6]).float()
    with pytest.raises(RuntimeError, match="running_var, which will be updated in place, were not"):
        SHARED_STATISTICS[way](x, own, mean, var)
    assert mean.tolist() == [1, 2, 3] and var.tolist() == [4, 5, 6]
    assert own.tolist() == torch.ones(2, 3).tolist()
    assert mean._version == var._version == own._version == 0


def test_a_batch_norm_refused_under_vmap_keeps_its_running_statistics():
    layer = torch.nn.BatchNorm1d(3)
    layer(torch.arange(12.0).reshape(4, 3).sin())
    before = [layer.running_mean.tolist(), layer.running_var.tolist()]
    with pytest.raises(RuntimeError, match="Batch norm got a batched tensor"):
        vmap(layer)(torch.arange(24.0).reshape(2, 4, 3).cos())
    assert [layer.running_mean.tolist(), layer.running_var.tolist()] == before


def test_examples_with_their_own_weights_share_running_statistics():
    x, weights = torch.arange(12.0).reshape(4, 3).sin(), torch.ones(2, 3)
    want = torch.zeros(3), torch.ones(3)
    torch.nn.functional.batch_norm(x, *want, training=True)
    mean, var = torch.zeros(3), torch.ones(3)
    vmap(lambda w: torch.nn.functional.batch_norm(x, mean, var, w, training=True))(weights)
    assert torch.allclose(mean, want[0]) and torch.allclose(var, want[1])


def test_jvp_writes_primal_and_tangent():
    x, tangent = t([1.0, 2]), t([5.0, 7])
    value, made = jvp(lambda x: x.mul_(3), (x,), (tangent,))
    assert x.tolist() == value.tolist() == [3, 6]
    assert tangent.tolist() == made.tolist() == [15, 21]


def test_a_dual_shares_the_memory_of_its_parts():
    x, tangent = t([1.0, 2]), t([5.0, 7])
    with fwad.dual_level():
        dual = fwad.make_dual(x, tangent)
        dual[0] = 4.0
        parts = fwad.unpack_dual(dual)
        assert parts.primal.data_ptr() == x.data_ptr()
        assert parts.tangent.data_ptr() == tangent.data_ptr()
    assert x.tolist() == [4, 2] and tangent.tolist() == [0, 7]


def test_a_view_taken_before_its_base_is_overwritten_has_the_new_tangent():
    def f(x):
        base = torch.zeros(3, dtype=torch.float64)
        view = base[1:]
        base.copy_(x)
        return view * 2

    x, tangent = t([1.0, 2, 3]), t([1.0, 10, 100])
    value, made = jvp(f, (x,), (tangent,))
    assert value.tolist() == [4, 6] and made.tolist() == [20, 200]
    assert jacrev(f)(x).tolist() == [[0, 2, 0], [0, 0, 2]]
    assert jacfwd(f)(x).tolist() == [[0, 2, 0], [0, 0, 2]]
    batch = t([[1.0, 2, 3], [4, 5, 6]])
    mapped = vmap(lambda x: jvp(lambda x: f(x.clone()), (x,), (x,))[1])
    with pytest.raises(RuntimeError, match="has more elements"):
        mapped(batch)


def test_views_of_duals_under_vmap_follow_writes_to_their_base():
    def f(base, value):
        view = base[:2]
        base.mul_(value)
        return view, base

    base, value = t([[1.0, 2, 3], [4, 5, 6]]), t([[2.0, 2, 2], [3, 3, 3]])

    def both(base, value):
        return jvp(f, (base, value), (torch.ones_like(base), torch.ones_like(value)))[1]

    view, whole = vmap(both)(base.clone(), value)
    assert whole.tolist() == (base + value).tolist() and view.tolist() == whole[:, :2].tolist()


def test_gradients_flow_through_tensors_made_and_filled_inside():
    def f(x):
        out = torch.zeros(3, dtype=torch.float64)
        for k in range(3):
            out[k] = x[k] ** (k + 1)
        return out.sum()

    assert grad(f)(t([2.0, 2, 2])).tolist() == [1, 4, 12]


def test_vmap_of_grad_with_writes_into_mapped_memory():
    def f(x):
        y = x.new_zeros(3)
        y.copy_(x)
        y.mul_(x)
        return y.sum()

    assert vmap(grad(f))(t([[1.0, 2, 3], [4, 5, 6]])).tolist() == [[2, 4, 6], [8, 10, 12]]


@pytest.mark.parametrize("value", [1.0, "argument"])
@pytest.mark.parametrize("transform", ["grad", "jvp", "vjp", "jacrev", "jacfwd"])
def test_captured_tensors_cannot_be_written(transform, value):
    captured, x = t([0.0, 0]), t([1.0, 2])

    def f(x):
        captured.add_(x if value == "argument" else value)
        return (captured * x).sum()

    runs = {
        "grad": lambda: grad(f)(x),
        "jvp": lambda: jvp(f, (x,), (x,)),
        "vjp": lambda: vjp(f, x),
        "jacrev": lambda: jacrev(f)(x),
        "jacfwd": lambda: jacfwd(f)(x),
    }
    with pytest.raises(RuntimeError, match=r"would mutate a captured Tensor|more elements"):
        runs[transform]()
    assert type(captured) is torch.Tensor and captured.tolist() == [0, 0]


def test_arguments_that_are_not_differentiated_may_be_written():
    x, count = t([1.0, 2]), t([0.0, 0])

    def f(x, count):
        count.add_(x)
        return (x * count).sum()

    assert grad(f)(x, count).tolist() == [2, 4]
    assert type(count) is torch.Tensor and count.tolist() == [1, 2]


def test_what_a_rule_saved_may_not_be_overwritten():
    def f(x):
        y = x.sin()
        z = y * y
        y.mul_(2)
        return z.sum()

    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        grad(f)(t([1.0]))


def test_inputs_of_reverse_mode_are_leaves():
    for run in (
        lambda x: grad(lambda x: x.add_(1).sum())(x),
        lambda x: vjp(lambda x: x.add_(1), x),
    ):
        x = t([1.0])
        with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
            run(x)
        assert x.tolist() == [1]


def test_an_input_returned_several_times_gets_every_cotangent():
    x, g = t([1.0, 2]), t([1.0, 10])
    _, back = vjp(lambda x: (x, 2 * x, x), x)
    assert back((g, g, g))[0].tolist() == [4, 40]
    x.requires_grad_()
    assert torch.autograd.grad([x, 2 * x, x], x, [g, g, g])[0].tolist() == [4, 40]
    torch.autograd.backward([2 * x, x, x], [g, g, g])
    assert x.grad.tolist() == [4, 40]


def test_in_place_forms_of_views_carry_tangents():
    x, tangent = t([[1.0, 2, 3]]), t([[4.0, 5, 6]])
    value, made = jvp(lambda x: (x * 1).t_(), (x,), (tangent,))
    assert value.tolist() == [[1], [2], [3]] and made.tolist() == [[4], [5], [6]]
    assert jvp(lambda x: (x * 1).detach_(), (x,), (tangent,))[1].tolist() == [[0, 0, 0]]


def test_out_arguments_are_refused_by_forward_mode_and_vmap():
    x = t([1.0, 2])
    with pytest.raises(NotImplementedError, match="because it is an out= function"):
        jvp(lambda x: torch.sin(x, out=torch.zeros(2, dtype=torch.float64)), (x,), (x,))
    with pytest.raises(RuntimeError, match="doesn't work on out="):
        vmap(lambda x: torch.sin(x, out=torch.zeros((), dtype=torch.float64)))(x)


def test_detach_is_for_all_levels_and_no_grad_too():
    x = t([1.0, 2])
    detached = grad(lambda x: grad(lambda y: (y.detach() * y).sum())(x).sum())
    assert detached(x).tolist() == [0, 0]

    def silent(y):
        with torch.no_grad():
            factor = y * 1
        return (factor * y).sum()

    assert grad(lambda x: grad(silent)(x).sum())(x).tolist() == [0, 0]


VIEWS = {
    "t": lambda x: x.t(),
    "as_strided": lambda x: x.as_strided((2,), (3,), 1),
    "view_dtype": lambda x: x.view(torch.int64),
    "diagonal": lambda x: x.diagonal(),
    "chunk": lambda x: x.chunk(2)[1],
    "chain": lambda x: x.reshape(-1)[1:5].view(2, 2).t()[0],
}


@pytest.mark.parametrize("name", VIEWS)
def test_writes_through_views_of_examples_are_those_of_a_loop(name):
    x = torch.arange(12.0, dtype=torch.float64).reshape(2, 2, 3)
    mapped, looped = x.clone(), x.clone()
    vmap(lambda row: VIEWS[name](row).zero_())(mapped)
    for row in looped:
        VIEWS[name](row.clone()) if name == "as_strided" else VIEWS[name](row).zero_()
    if name == "as_strided":  # an example's own offset counts
        looped[:, 0, 1] = looped[:, 1, 1] = 0
    assert mapped.tolist() == looped.tolist()


def test_an_example_is_contiguous_or_not_by_itself():
    x = torch.arange(12.0).reshape(2, 3, 2)
    vmap(lambda part: part.contiguous().zero_(), in_dims=2)(x)
    assert x.sum() == 66


@pytest.mark.parametrize("jacobian", [jacrev, jacfwd])
def test_arguments_beside_those_of_a_jacobian_may_be_written(jacobian):
    x, count = t([1.0, 2]), t([0.0, 0])

    def f(x, count):
        count.add_(1)
        return x * count

    assert jacobian(f)(x, count).tolist() == [[1, 0], [0, 1]]
    assert count.tolist() == [1, 1]


def test_jacfwd_runs_the_function_once():
    x, y = t([1.0, 2]), t([3.0])
    runs = []

    def f(x, y):
        runs.append(1)
        return x * y

    by_x, by_y = jacfwd(f, argnums=(0, 1))(x, y)
    assert by_x.tolist() == [[3, 0], [0, 3]] and by_y.tolist() == [[1], [2]] and len(runs) == 1


def test_what_a_graph_saved_after_a_write_is_not_captured():
    def f(x):
        scale = torch.zeros(2, dtype=torch.float64)
        scale.add_(3)
        return (x * scale).sum() + (x**3).sum()

    x = t([1.0, 2])
    assert grad(f)(x).tolist() == [6, 15]
    assert jacfwd(jacrev(f))(x).tolist() == [[6, 0], [0, 12]]
    value, back = vjp(f, x)
    assert back(torch.ones_like(value))[0].tolist() == [6, 15]


def test_an_outer_input_written_with_an_inner_value_keeps_its_gradient():
    def outer(x, y):
        def inner(y):
            with torch.no_grad():
                x[1:].add_(y[:1])
            return (x * y).sum()

        return grad(inner)(y).sum()

    x, y = t([1.0, 2]), t([3.0, 4])
    with pytest.raises(RuntimeError, match="would mutate a captured Tensor"):
        grad(outer)(x, y)

    def given(x, y):
        def inner(x, y):
            with torch.no_grad():
                x[1:].add_(y[:1])
            return (x * y).sum()

        return grad(inner, argnums=1)(x, y)

    _, back = vjp(given, x.clone(), y)
    assert back(torch.ones_like(y))[0].tolist() == [1, 1]


def test_tangents_that_were_factors_may_be_overwritten_below_reverse_mode():
    def f(x):
        y = x * 2
        y.tanh_()
        return y

    x = t([0.3, 0.5])
    made = grad(lambda x: jvp(f, (x,), (torch.ones_like(x),))[1].sum())(x)
    tanh = (2 * x).tanh()
    assert torch.allclose(made, 4 * -2 * tanh * (1 - tanh**2))


def test_operands_on_the_written_memory_are_refused_inside_too():
    def f(x):
        y = x * 1
        y[1:].add_(y[:-1])
        return y

    x = t([1.0, 2, 3])
    for run in (lambda: jvp(f, (x,), (x,)), lambda: vmap(f)(x[None]), lambda: jacrev(f)(x)):
        with pytest.raises(RuntimeError, match="refer to a single memory location"):
            run()


@pytest.mark.parametrize("way", ["grad", "jvp", "vjp", "jacfwd", "jacrev", "unrelated"])
def test_a_refused_batch_norm_leaves_its_statistics_alone(way):
    layer, x = torch.nn.BatchNorm1d(4), torch.arange(8.0).reshape(2, 4) ** 2
    calls = {
        "grad": lambda: grad(lambda x: layer(x).sum())(x),
        "jvp": lambda: jvp(layer, (x,), (x.cos(),)),
        "vjp": lambda: vjp(layer, x),
        "jacfwd": lambda: jacfwd(layer)(x),
        "jacrev": lambda: jacrev(layer)(x),
        "unrelated": lambda: grad(lambda w: (layer(x) * w).sum())(torch.tensor(2.0)),
    }
    with pytest.raises(RuntimeError, match="mutate a captured Tensor"):
        calls[way]()
    assert layer.running_mean.tolist() == [0.0] * 4
    assert layer.running_var.tolist() == [1.0] * 4
    assert layer.num_batches_tracked == 0


@pytest.mark.parametrize("used", [True, False])
def test_statistics_without_a_counter_are_updated_in_transforms(used):
    x = torch.arange(8.0).reshape(2, 4)
    mean, var = torch.zeros(4), torch.ones(4)
    layer = torch.nn.InstanceNorm1d(4, track_running_stats=True)

    def loss(w):
        y = torch.nn.functional.batch_norm(x * w if used else x, mean, var, training=True)
        z = layer((x * w if used else x).expand(2, 2, 4).transpose(1, 2))
        return (y.sum() + z.sum()) * w

    grad(loss)(torch.tensor(1.0))
    torch.testing.assert_close(mean, torch.tensor([0.2, 0.3, 0.4, 0.5]))
    torch.testing.assert_close(var, torch.tensor([1.7, 1.7, 1.7, 1.7]))
    assert (layer.running_mean != 0).all()


def test_the_forward_derivative_of_a_cosine_below_its_floor_is_the_true_one():
    x, y, step = t([[0.1, 0.2], [1.0, 2.0]]), t([0.5, -1.5]), t([[0.3, -0.2], [0.1, 0.4]])

    def f(x):
        return torch.nn.functional.cosine_similarity(x, y, -1, 0.5)

    want = (f(x + 1e-6 * step) - f(x - 1e-6 * step)) / 2e-6
    torch.testing.assert_close(jvp(f, (x,), (step,))[1], want, atol=1e-8, rtol=1e-6)
    torch.testing.assert_close((jacfwd(f)(x) * step).sum((1, 2)), want, atol=1e-8, rtol=1e-6)


MASKS = torch.tensor([[True, False, True], [False, True, False]])


def test_masks_of_examples_may_select_different_numbers_of_places():
    x, source = torch.zeros(2, 3), torch.arange(1.0, 7.0).reshape(2, 3)
    want = torch.stack([x[k].masked_scatter(MASKS[k], source[k]) for k in range(2)])
    assert torch.func.vmap(torch.masked_scatter)(x, MASKS, source).tolist() == want.tolist()
    written = torch.func.vmap(lambda x, m, s: x.clone().masked_scatter_(m, s))(x, MASKS, source)
    assert written.tolist() == want.tolist() == [[1.0, 0.0, 2.0], [0.0, 4.0, 0.0]]

    def weighed(x, mask, source):
        return (x.masked_scatter(mask, source) * torch.arange(1.0, 4.0)).sum()

    grads = torch.func.vmap(torch.func.grad(weighed, argnums=(0, 2)))(x, MASKS, source)
    assert grads[0].tolist() == [[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]]
    assert grads[1].tolist() == [[1.0, 3.0, 0.0], [2.0, 0.0, 0.0]]
    with pytest.raises(IndexError, match="out of bounds"):
        torch.func.vmap(torch.masked_scatter)(x, MASKS, source[:, :1])


def test_repeats_of_examples_must_add_up_to_one_size():
    x = torch.arange(4.0).reshape(2, 2)
    repeat = torch.func.vmap(torch.repeat_interleave)
    assert repeat(x, torch.tensor([[1, 2], [2, 1]])).tolist() == [[0, 1, 1], [2, 2, 3]]
    with pytest.raises(RuntimeError, match=r"equal size, but got \[3\] at entry 0 and \[4\] at"):
        repeat(x, torch.tensor([[1, 2], [2, 2]]))
