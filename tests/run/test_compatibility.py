"""The small modules that programs import: what they answer, and what they refuse with a reason."""

import os

import pytest

import chainrule as torch
import chainrule.distributed as dist


@pytest.fixture
def group():
    dist.init_process_group("gloo", rank=0, world_size=1)
    yield
    if dist.is_initialized():
        dist.destroy_process_group()


def test_a_group_of_one_process_answers_and_computes(group):
    assert dist.is_available() and dist.is_initialized()
    assert (dist.get_rank(), dist.get_world_size(), dist.get_backend()) == (0, 1, "gloo")
    x = torch.tensor([1.0, 2.0])
    assert dist.all_reduce(x, op=dist.ReduceOp.SUM) is None
    assert dist.all_reduce(x, async_op=True).wait()
    dist.broadcast(x, src=0)
    dist.barrier()
    gathered, objects = [torch.zeros(2)], [None]
    dist.all_gather(gathered, x)
    dist.all_gather_object(objects, {"loss": 1})
    assert gathered[0].tolist() == x.tolist() == [1.0, 2.0]
    assert objects == [{"loss": 1}]
    assert dist.get_rank(dist.new_group([0])) == 0
    with pytest.raises(ValueError, match="initialize the default process group twice"):
        dist.init_process_group("gloo", rank=0, world_size=1)
    with pytest.raises(RuntimeError, match="invalid root rank: 1"):
        dist.broadcast(x, src=1)
    with pytest.raises(ValueError, match="should not be the same as the rank"):
        dist.send(x, 0)
    dist.destroy_process_group()
    assert not dist.is_initialized()


def test_a_group_is_made_before_it_is_used():
    for use in (dist.get_rank, dist.get_world_size, dist.barrier):
        with pytest.raises(ValueError, match="process group has not been initialized"):
            use()


def test_more_processes_than_were_started_are_refused(monkeypatch):
    with pytest.raises(RuntimeError, match="a group of 4 processes was asked for") as error:
        dist.init_process_group("gloo", rank=0, world_size=4)
    assert "Fix: chainrule launch -n 4 script.py" in str(error.value)
    with pytest.raises(ValueError, match="Unknown backend name 'smoke'"):
        dist.init_process_group("smoke", rank=0, world_size=1)
    monkeypatch.delenv("RANK", raising=False)
    with pytest.raises(ValueError, match="environment variable RANK expected, but not set"):
        dist.init_process_group("gloo")


def test_torchruns_variables_are_read(monkeypatch):
    monkeypatch.setitem(os.environ, "RANK", "0")
    monkeypatch.setitem(os.environ, "WORLD_SIZE", "1")
    dist.init_process_group()
    assert dist.get_world_size() == 1
    dist.destroy_process_group()


def test_scripting_and_tracing_return_the_python_function():
    @torch.jit.script
    def f(x):
        return x * 2 if x.sum() > 0 else -x

    model = torch.nn.Linear(2, 1)
    assert torch.jit.trace(model, torch.ones(1, 2)) is model
    assert f(torch.ones(1)).item() == 2.0 and f(-torch.ones(1)).item() == 1.0
    assert not torch.jit.is_scripting() and not torch.jit.is_tracing()
    with pytest.raises(RuntimeError, match="TorchScript files"):
        torch.jit.save(model, "model.ts")


def test_types_and_the_compiled_cores_names():
    assert torch.types.Number and torch.types.Device
    assert torch.types._TensorOrTensors
    with pytest.raises(torch._C._LinAlgError):
        torch.linalg.inv(torch.zeros(2, 2))
    assert torch._C._LinAlgError is torch.linalg.LinAlgError


def report_rank(rank, folder):
    import chainrule

    with open(os.path.join(folder, str(rank)), "w") as out:
        out.write(str(chainrule.full((2,), float(rank)).sum().item()))
    if folder.endswith("fail") and rank == 1:
        raise ValueError("rank 1 fails")


def test_spawn_runs_a_function_per_rank_and_raises_what_one_raised(tmp_path):
    torch.multiprocessing.spawn(report_rank, args=(str(tmp_path),), nprocs=2, start_method="fork")
    assert [(tmp_path / str(rank)).read_text() for rank in range(2)] == ["0.0", "2.0"]
    failing = tmp_path / "fail"
    failing.mkdir()
    with pytest.raises(torch.multiprocessing.ProcessRaisedException, match="rank 1 fails"):
        torch.multiprocessing.spawn(
            report_rank, args=(str(failing),), nprocs=2, start_method="fork"
        )
    assert torch.multiprocessing.cpu_count() == os.cpu_count()


def test_a_compiled_module_is_a_module_that_shares_everything():
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    model.note = "mine"
    compiled = torch.compile(model, mode="reduce-overhead")
    assert isinstance(compiled, torch.nn.Module) and compiled.note == "mine"
    assert next(iter(compiled.parameters())) is model[0].weight
    assert next(iter(compiled.state_dict())) == "_orig_mod.0.weight"
    compiled.note = "changed"
    compiled.eval()
    assert model.note == "changed" and not model[1].training and not model.training
    x = torch.randn(5, 3)
    with torch.no_grad():
        for _ in range(4):
            torch.testing.assert_close(compiled(x), model(x), rtol=1e-5, atol=1e-6)
    assert "eager" not in compiled.explain()


def test_a_compiled_module_can_be_trained():
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    compiled = torch.compile(model)
    optimizer = torch.optim.SGD(compiled.parameters(), lr=0.1)
    x, losses = torch.randn(5, 3), []
    for _ in range(6):
        loss = compiled(x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses == sorted(losses, reverse=True)


def test_the_compilers_other_words_are_understood():
    import chainrule.compiler as compiler

    @compiler.disable
    def f(x):
        return x, torch.compiler.is_compiling()

    assert f(2) == (2, False)
    assert compiler.disable()(f)(3) == (3, False)
    compiler.reset()
    with pytest.raises(RuntimeError, match="downloads no code"):
        torch.hub.load("owner/repo", "model")
