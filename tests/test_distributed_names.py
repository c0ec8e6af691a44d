"""Names of `torch.distributed` that one process can use, and honest refusals of the rest."""

import datetime
import importlib
import pickle

import pytest

import chainrule as torch
import chainrule.distributed as dist


@pytest.fixture
def group():
    dist.init_process_group("gloo", rank=0, world_size=1)
    yield dist.group.WORLD
    dist.destroy_process_group()


def test_a_mesh_of_one_process():
    try:
        mesh = dist.init_device_mesh("cpu", (1, 1), mesh_dim_names=("dp", "tp"))
        assert (mesh.size(), mesh.ndim, mesh["tp"].shape) == (1, 2, (1,))
        assert mesh.get_group("dp").size() == 1 and mesh.get_local_rank("tp") == 0
        assert repr(mesh["dp"]) == "DeviceMesh((dp=1), 'cpu', stride=(1,))"
        with pytest.raises(KeyError, match="Invalid mesh_dim_name 'pp'"):
            mesh["pp"]
    finally:
        dist.destroy_process_group()
    with pytest.raises(RuntimeError, match="bigger than default world size 1"):
        dist.init_device_mesh("cpu", (2,))


def test_collectives_that_gradients_flow_through(group):
    functional = importlib.import_module("chainrule.distributed.nn.functional")
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (functional.all_gather(x)[0] * functional.all_reduce(x)).sum().backward()
    assert x.grad.tolist() == [2, 4]


def test_collectives_need_a_group():
    functional = importlib.import_module("chainrule.distributed.nn.functional")
    with pytest.raises((RuntimeError, ValueError), match="has not been initialized"):
        functional.all_reduce(torch.ones(1))


def test_placements_and_settings_are_plain_data():
    tensor = importlib.import_module("chainrule.distributed.tensor")
    fsdp = importlib.import_module("chainrule.distributed.fsdp")
    assert tensor.Shard(1) == tensor.Shard(1) != tensor.Shard(0)
    assert tensor.Shard(1).is_shard(1) and tensor.Replicate().is_replicate()
    assert tensor.Partial().is_partial("sum") and not tensor.Shard(0).is_partial()
    assert fsdp.MixedPrecision(param_dtype=torch.bfloat16).param_dtype is torch.bfloat16
    assert fsdp.ShardingStrategy.FULL_SHARD.value == 1
    assert not isinstance(torch.ones(1), tensor.DTensor)
    with pytest.raises(ValueError, match="process group has not been initialized"):
        fsdp.FullyShardedDataParallel(torch.nn.Linear(1, 1))


def test_sharding_with_one_process(group):
    fsdp = importlib.import_module("chainrule.distributed.fsdp")
    model = fsdp.FullyShardedDataParallel(torch.nn.Linear(3, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    before = model.state_dict()["weight"].clone()
    model(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    assert torch.allclose(model.state_dict()["weight"], before - 1)


def test_stores_share_values():
    store = dist.TCPStore("127.0.0.1", 0, is_master=True)
    client = dist.TCPStore("127.0.0.1", store.port)
    other = dist.PrefixStore("job", client)
    other.set("a", b"\x00\xff")
    assert store.get("job/a") == b"\x00\xff" and other.get("a") == b"\x00\xff"
    assert other.add("n", 3) == 3 and store.add("job/n", 2) == 5
    assert store.compare_set("c", "", "new") == b"new" and store.num_keys() == 3
    assert other.delete_key("a") and not other.check(["a"])
    with pytest.raises(dist.DistStoreError, match="wait timeout after 20ms"):
        store.wait(["never"], datetime.timedelta(milliseconds=20))
    client.close()
    store.close()


def test_a_store_in_a_file(tmp_path):
    first, second = (dist.FileStore(str(tmp_path / "store")) for _ in range(2))
    first.set("a", "1")
    assert second.get("a") == b"1" and second.add("n", 1) + first.add("n", 1) == 3


def test_answers_about_the_group(group, monkeypatch):
    c10d = importlib.import_module("chainrule.distributed.distributed_c10d")
    assert c10d.all_reduce is dist.all_reduce and c10d.default_pg_timeout.seconds == 1800
    assert dist.get_pg_count() == 1 and dist.get_debug_level() is dist.DebugLevel.OFF
    assert dist.get_node_local_rank(fallback_rank=3) == 3
    monkeypatch.setenv("LOCAL_RANK", "2")
    assert dist.get_node_local_rank() == 2
    mine, every = dist.new_subgroups(1)
    assert mine.size() == 1 and every == [mine]
    assert dist.ReduceOp.RedOpType.SUM is dist.ReduceOp.SUM


def test_errors_of_other_processes_can_be_caught():
    errors = importlib.import_module("chainrule.distributed.elastic.multiprocessing.errors")
    try:
        raise KeyError("other")
    except (dist.DistBackendError, errors.ChildFailedError):
        pytest.fail("another error")
    except KeyError:
        pass

    @errors.record
    def main():
        return 5

    assert main() == 5


def test_stores_belong_to_their_process(tmp_path):
    store = dist.FileStore(str(tmp_path / "store"), 1)
    with pytest.raises(TypeError, match=r"cannot pickle 'torch\.distributed\.FileStore' object"):
        pickle.dumps(store)
