"""Every collective x dtype x group against NumPy. Each rank knows everybody's values by seeds."""

import datetime
import sys
import warnings

import numpy as np

import chainrule as torch
import chainrule.distributed as dist

warnings.simplefilter("ignore")
dist.init_process_group("gloo")
RANK, SIZE = dist.get_rank(), dist.get_world_size()
FLOATS = ["float32", "float64", "float16", "bfloat16"]
INTS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
DTYPES = [*FLOATS, *INTS, "bool", "complex64", "complex128"]
OPS = dist.ReduceOp


def value(rank, dtype, shape=(3, 5), salt=0):
    """The values of a rank: the same wherever they are made."""
    rng = np.random.default_rng(1000 * salt + rank)
    small = rng.integers(-4, 5, shape)
    if dtype == "bool":
        return torch.tensor(small > 0)
    if dtype.startswith("complex"):
        return torch.tensor(small + 1j * rng.integers(-4, 5, shape)).to(getattr(torch, dtype))
    if dtype.startswith("uint"):
        small = abs(small)
    if dtype in FLOATS:
        small = small + rng.integers(0, 8, shape) / 8
    return torch.tensor(small).to(getattr(torch, dtype))


def wide(t):
    return t.to(torch.float64).numpy() if t.dtype.is_floating_point else t.numpy()


def same(got, want, what):
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape, (what, got.shape, want.shape)
    np.testing.assert_allclose(got, want, rtol=1e-6, err_msg=f"rank {RANK}: {what}")


def combined(op, arrays, dtype):
    if dtype == "bool":
        kind = {"SUM": np.logical_or, "MAX": np.logical_or, "PRODUCT": np.logical_and}
        kind |= {"MIN": np.logical_and, "BAND": np.logical_and, "BOR": np.logical_or}
        kind["BXOR"] = np.logical_xor
        return kind[op].reduce(arrays)
    kind = {"SUM": np.add, "AVG": np.add, "PRODUCT": np.multiply, "MIN": np.minimum}
    kind |= {"MAX": np.maximum, "BAND": np.bitwise_and, "BOR": np.bitwise_or}
    kind["BXOR"] = np.bitwise_xor
    with np.errstate(over="ignore"):
        out = kind[op].reduce(arrays)
    out = out.astype(arrays[0].dtype)
    return (
        np.trunc(out / len(arrays))
        if op == "AVG" and dtype in INTS
        else (out / len(arrays) if op == "AVG" else out)
    )


def rounded(array, dtype):
    """To a narrow format, once."""
    if dtype in ("float16", "bfloat16"):
        return wide(torch.tensor(np.asarray(array, np.float64)).to(getattr(torch, dtype)))
    return array


def ops_for(dtype):
    names = ["SUM", "AVG"]
    if not dtype.startswith("complex"):
        names += ["PRODUCT", "MIN", "MAX"]
    if dtype in (*INTS, "bool"):
        names += ["BAND", "BOR", "BXOR"]
    return [n for n in names if not (dtype == "bool" and n == "AVG")]


def members(group):
    return dist.get_process_group_ranks(group)


def check_reductions(group, dtype):
    ranks = members(group)
    me = ranks.index(RANK)
    for op in ops_for(dtype):
        everybody = [wide(value(r, dtype)) for r in ranks]
        want = rounded(combined(op, everybody, dtype), dtype)
        x = value(RANK, dtype)
        dist.all_reduce(x, getattr(OPS, op), group)
        same(wide(x), want, f"all_reduce {op} {dtype}")
        x = value(RANK, dtype)
        dist.reduce(x, ranks[-1], getattr(OPS, op), group)
        same(wide(x), want if RANK == ranks[-1] else wide(value(RANK, dtype)), f"reduce {op}")
        lists = [[value(r, dtype, (4,), 7 + k) for k in range(len(ranks))] for r in ranks]
        mine = rounded(combined(op, [wide(row[me]) for row in lists], dtype), dtype)
        out = torch.empty(4, dtype=getattr(torch, dtype))
        dist.reduce_scatter(out, lists[me], getattr(OPS, op), group)
        same(wide(out), mine, f"reduce_scatter {op} {dtype}")
        out = torch.empty(4, dtype=getattr(torch, dtype))
        whole = torch.cat(lists[me])
        dist.reduce_scatter_tensor(out, whole, getattr(OPS, op), group)
        same(wide(out), mine, f"reduce_scatter_tensor {op} {dtype}")
        assert torch.equal(whole, torch.cat(lists[me])), "the input was changed"


def check_moves(group, dtype):
    ranks, kind = members(group), getattr(torch, dtype)
    me, n = ranks.index(RANK), len(ranks)
    x = value(RANK, dtype)
    dist.broadcast(x, ranks[-1], group)
    same(wide(x), wide(value(ranks[-1], dtype)), "broadcast")
    x = value(RANK, dtype)
    outs = [torch.empty((3, 5), dtype=kind) for _ in ranks]
    dist.all_gather(outs, x, group)
    everybody = [wide(value(r, dtype)) for r in ranks]
    same([wide(o) for o in outs], everybody, "all_gather")
    for shape in ((3 * n, 5), (n, 3, 5)):
        out = torch.empty(shape, dtype=kind)
        dist.all_gather_into_tensor(out, x, group)
        same(wide(out).reshape(n, 3, 5), everybody, "all_gather_into_tensor")
    uneven = [torch.empty(k + 1, dtype=kind) for k in range(n)]
    dist.all_gather(uneven, value(RANK, dtype, (me + 1,)), group)
    for k, r in enumerate(ranks):
        same(wide(uneven[k]), wide(value(r, dtype, (k + 1,))), "uneven all_gather")
    outs = [torch.empty((3, 5), dtype=kind) for _ in ranks] if me == n - 1 else None
    dist.gather(x, outs, ranks[-1], group)
    if outs is not None:
        same([wide(o) for o in outs], everybody, "gather")
    give = [value(k, dtype, salt=3) for k in range(n)] if me == 0 else None
    out = torch.empty((3, 5), dtype=kind)
    dist.scatter(out, give, ranks[0], group)
    same(wide(out), wide(value(me, dtype, salt=3)), "scatter")
    give = [value(RANK, dtype, (k + 1,), k) for k in range(n)]
    outs = [torch.empty(me + 1, dtype=kind) for _ in ranks]
    dist.all_to_all(outs, give, group)
    for k, r in enumerate(ranks):
        same(wide(outs[k]), wide(value(r, dtype, (me + 1,), me)), "all_to_all")
    check_all_to_all_single(group, dtype)


def check_all_to_all_single(group, dtype):
    ranks, kind = members(group), getattr(torch, dtype)
    me, n = ranks.index(RANK), len(ranks)
    out = torch.empty((2 * n, 2), dtype=kind)
    dist.all_to_all_single(out, value(RANK, dtype, (2 * n, 2)), group=group)
    want = [wide(value(r, dtype, (2 * n, 2)))[2 * me : 2 * me + 2] for r in ranks]
    same(wide(out), np.concatenate(want), "all_to_all_single")
    sizes = [[(r + k) % 3 for k in range(n)] for r in range(n)]  # rows from r to k
    given = [value(r, dtype, (sum(sizes[i]), 2)) for i, r in enumerate(ranks)]
    received = [sizes[i][me] for i in range(n)]
    out = torch.empty((sum(received), 2), dtype=kind)
    dist.all_to_all_single(out, given[me], received, sizes[me], group)
    parts = [wide(given[i])[sum(sizes[i][:me]) : sum(sizes[i][: me + 1])] for i in range(n)]
    same(wide(out), np.concatenate(parts), "all_to_all_single with splits")


def check_messages(group, dtype):
    ranks, kind = members(group), getattr(torch, dtype)
    if len(ranks) == 1:
        return
    me, n = ranks.index(RANK), len(ranks)
    right, left = ranks[(me + 1) % n], ranks[(me - 1) % n]
    got = torch.empty((3, 5), dtype=kind)
    works = dist.batch_isend_irecv([
        dist.P2POp(dist.isend, value(RANK, dtype), right, group),
        dist.P2POp(dist.irecv, got, left, group),
    ])  # fmt: skip
    for work in works:
        work.wait()
    same(wide(got), wide(value(left, dtype)), "batch_isend_irecv")
    if me == 0:
        dist.send(value(RANK, dtype, salt=5), ranks[1], group, tag=3)
    elif me == 1:
        got = torch.zeros((3, 5), dtype=kind)
        assert dist.recv(got, None, group, tag=3) == ranks[0]
        same(wide(got), wide(value(ranks[0], dtype, salt=5)), "recv from anybody")


def check_objects(group):
    ranks = members(group)
    me, n = ranks.index(RANK), len(ranks)
    thing = {"rank": RANK, "text": "x" * (RANK * 50), "t": torch.full((2,), RANK)}
    everything = [None] * n
    dist.all_gather_object(everything, thing, group)
    assert [(t["rank"], len(t["text"]), t["t"].tolist()) for t in everything] == [
        (r, r * 50, [r, r]) for r in ranks
    ]
    target = [None] * n if me == n - 1 else None
    dist.gather_object(RANK * 2, target, ranks[-1], group)
    assert target is None or target == [2 * r for r in ranks]
    values = [RANK, "a" * (RANK + 1)]
    dist.broadcast_object_list(values, ranks[-1], group)
    assert values == [ranks[-1], "a" * (ranks[-1] + 1)]
    out = [None]
    give = [("to", k, "y" * k) for k in range(n)] if me == 0 else None
    dist.scatter_object_list(out, give, ranks[0], group)
    assert out == [("to", me, "y" * me)]
    if n > 1 and me == 0:
        dist.send_object_list([1, "two", {3}], ranks[1], group)
    elif me == 1:
        got = [None] * 3
        assert dist.recv_object_list(got, ranks[0], group) == ranks[0] and got == [1, "two", {3}]


def check_memory():
    """Views that do not lie in one piece are written back; memory in one piece is used as it is."""
    base = torch.full((4, 6), float(RANK))
    view = base.t()[1:4]
    version = base._version
    dist.all_reduce(view)
    total = SIZE * (SIZE - 1) / 2
    assert base[:, 1:4].unique().tolist() == [total] and base._version > version
    assert base[:, 0].unique().tolist() == [float(RANK)]
    scalar = torch.tensor(float(RANK))
    dist.all_reduce(scalar)
    assert scalar.item() == total
    empty = torch.empty(0)
    dist.all_reduce(empty)
    leaf = torch.nn.Parameter(torch.ones(3) * RANK)
    dist.broadcast(leaf, 0)
    assert leaf.tolist() == [0, 0, 0] and leaf.requires_grad and leaf.is_leaf
    half = torch.full((5,), 0.1 * (RANK + 1), dtype=torch.bfloat16)
    dist.all_reduce(half)
    exact = sum(torch.tensor(0.1 * (r + 1)).bfloat16().float() for r in range(SIZE))
    assert half[0] == exact.bfloat16(), (half, exact)
    eight = torch.tensor([0.5, RANK + 1.0]).to(torch.float8_e4m3fn)
    parts = [torch.zeros(2).to(torch.float8_e4m3fn) for _ in range(SIZE)]
    dist.all_gather(parts, eight)
    assert [p.float().tolist() for p in parts] == [[0.5, r + 1.0] for r in range(SIZE)]
    turned = (torch.tensor([1 + 2j]) * (RANK + 1)).conj()  # its memory shows other values
    dist.all_reduce(turned)
    assert turned.tolist() == [(1 - 2j) * SIZE * (SIZE + 1) / 2]
    premul = torch.ones(2) * RANK
    dist.all_reduce(premul, dist._make_nccl_premul_sum(0.5))
    assert premul.tolist() == [total / 2] * 2


def check_nan():
    """The largest of values among which is NaN, or 0.0 and -0.0: one answer on all ranks."""
    for dtype in FLOATS:
        for op in (OPS.MAX, OPS.MIN):
            for who in range(SIZE):
                x = torch.full((5,), RANK + 1.0).to(getattr(torch, dtype))
                x[0] = float("nan") if RANK == who else 1.0
                x[1] = -0.0 if RANK == who else 0.0
                dist.all_reduce(x, op)
                everybody = [None] * SIZE
                dist.all_gather_object(everybody, x.float().numpy().tobytes())
                assert len(set(everybody)) == 1 and x[0].isnan(), (op, x)
                assert x[1:].tolist() == [0.0, *[SIZE if op is OPS.MAX else 1.0] * 3]
    apart = -float("nan") if RANK else float("nan")
    dist.check_same_state({"lost": torch.tensor([apart, 1.0])})  # whatever its sign


def check_large():
    """Messages that do not fit into the buffers of the library, of lengths that do not divide."""
    for dtype in ("float32", "bfloat16", "complex128", "int64"):
        one = torch.arange(300_001).remainder(7).to(getattr(torch, dtype))
        x, want = one * (RANK + 1), one * (SIZE * (SIZE + 1) // 2)
        dist.all_reduce(x)
        assert torch.equal(x, want), dtype
        parts = [torch.empty(100_003 + r, dtype=x.dtype) for r in range(SIZE)]
        dist.all_gather(parts, x[: 100_003 + RANK])
        assert all(torch.equal(part, want[: part.numel()]) for part in parts), dtype


def check_async():
    a, b, c = torch.ones(50_000) * RANK, torch.ones(3), torch.ones(7, dtype=torch.bfloat16)
    d = c.clone()
    works = [dist.all_reduce(t, async_op=True) for t in (a, c, b, d)]
    future = works[0].get_future().then(lambda f: f.value()[0].sum().item())
    assert future.wait() == 50_000 * SIZE * (SIZE - 1) / 2
    for work in reversed(works):
        assert work.wait() and work.is_completed() and work.is_success()
    assert b.tolist() == [SIZE] * 3 and c[0].item() == d[6].item() == SIZE
    assert works[2].result()[0] is b
    with dist._coalescing_manager(async_ops=True) as together:
        dist.all_reduce(a)
        dist.all_reduce(b)
    together.wait()
    assert b.tolist() == [SIZE * SIZE] * 3
    tensors = [torch.ones(2), torch.ones(3)]
    dist.all_reduce_coalesced(tensors)
    assert tensors[1].tolist() == [SIZE] * 3
    dist.barrier(async_op=True).wait()
    dist.monitored_barrier(timeout=datetime.timedelta(seconds=30))


def raises(kind, text, function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except kind as problem:
        assert text in str(problem), f"{text!r} is not in {problem}"
    else:
        raise AssertionError(f"{function} did not raise {text!r}")


def check_errors():
    one = torch.ones(2)
    raises(TypeError, "Expected parameter `tensor` of type torch.Tensor", dist.all_reduce, 3)
    raises(TypeError, "of type List[torch.Tensor]", dist.all_gather, [1], one)
    raises(ValueError, "different dtypes", dist.all_gather, [torch.ones(2).long()] * SIZE, one)
    raises(ValueError, f"expected length {SIZE}", dist.all_gather, [one] * (SIZE + 1), one)
    raises(RuntimeError, f"invalid root rank: {SIZE}", dist.broadcast, one, SIZE)
    raises(ValueError, "should not be the same as the rank", dist.send, one, RANK)
    raises(ValueError, "world_size times input", dist.all_gather_into_tensor, torch.ones(1), one)
    raises(RuntimeError, "Cannot use ReduceOp.BAND", dist.all_reduce, one, OPS.BAND)
    raises(ValueError, "on complex tensors", dist.all_reduce, one.to(torch.cfloat), OPS.MAX)
    raises(ValueError, "must be specified on destination" if RANK == 0 else "must NOT be specified",
           dist.gather, one, None if RANK == 0 else [one] * SIZE, 0)  # fmt: skip
    raises(RuntimeError, "Split sizes doesn't match", dist.all_to_all_single, torch.ones(SIZE),
           torch.ones(SIZE), None, [9] * SIZE)  # fmt: skip
    raises(ValueError, "within the world_size", dist.new_group, [SIZE + 4])
    raises(ValueError, "twice", dist.init_process_group)


def check_groups():
    pair = dist.new_group([0, SIZE - 1])
    alone = dist.new_group([0])
    if RANK in (0, SIZE - 1):
        assert pair.size() == 2 and dist.get_global_rank(pair, 1) == SIZE - 1
        assert dist.get_group_rank(pair, SIZE - 1) == 1
    else:
        assert pair == dist.GroupMember.NON_GROUP_MEMBER and dist.get_rank(pair) == -1
        x = torch.ones(1)
        assert dist.all_reduce(x, group=pair) is None and x.item() == 1
    if RANK == 0:
        x = torch.ones(1)
        dist.all_reduce(x, group=alone)
        assert x.item() == 1
    mine, every = dist.new_subgroups(2 if SIZE % 2 == 0 else 1)
    assert RANK in dist.get_process_group_ranks(mine) and len(every) == SIZE // mine.size()
    return [dist.group.WORLD, *([pair] if RANK in (0, SIZE - 1) else []), mine]


def check_mesh():
    if SIZE != 4:
        mesh = dist.init_device_mesh("cpu", (SIZE,))
        x = torch.ones(1) * RANK
        dist.all_reduce(x, group=mesh.get_group())
        assert x.item() == SIZE * (SIZE - 1) / 2 and mesh.get_local_rank() == RANK
        return
    mesh = dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    assert mesh.get_coordinate() == [RANK // 2, RANK % 2] and mesh.size(0) == 2
    for name, partners in (
        ("dp", [RANK % 2, RANK % 2 + 2]),
        ("tp", [RANK // 2 * 2, RANK // 2 * 2 + 1]),
    ):
        assert dist.get_process_group_ranks(mesh.get_group(name)) == partners
        x = torch.ones(1) * RANK
        dist.all_reduce(x, group=mesh[name].get_group())
        assert x.item() == sum(partners)
    assert mesh["tp"].get_local_rank() == RANK % 2


if "mesh" not in sys.argv:
    for tried in check_groups():
        for dtype in DTYPES:
            check_reductions(tried, dtype)
            check_moves(tried, dtype)
            check_messages(tried, dtype)
        check_objects(tried)
    check_memory()
    check_nan()
    check_large()
    check_async()
    check_errors()
check_mesh()
dist.barrier()
dist.destroy_process_group()
assert not dist.is_initialized()
print(f"rank {RANK} is content")
sys.stdout.flush()
