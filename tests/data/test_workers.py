"""Workers: batches through shared memory, errors with tracebacks, no hang and nothing left over."""

import gc
import glob
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

import chainrule as torch
from chainrule.ops.interrupts import undisturbed
from chainrule.utils import owned_folders
from chainrule.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info
from chainrule.utils.data._utils import transport


class Numbers(Dataset):
    """Numbers as tensors of a size; subclasses spoil one of them."""

    def __init__(self, count=8, size=2):
        self.count = count
        self.size = size

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        return torch.full((self.size,), float(i))


def processes() -> list:
    return multiprocessing.active_children()


def folders() -> list[str]:
    return glob.glob(f"/dev/shm/chainrule-{os.getpid()}-*")


@pytest.fixture(autouse=True)
def nothing_left_over():
    before = set(folders())
    yield
    gc.collect()  # a caught error and its frame keep each other, and the iterator, alive
    assert processes() == []
    assert set(folders()) <= before


# ---- batches -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [3, 100_000])
def test_batches_of_workers_can_be_written_and_kept(size):
    batches = list(DataLoader(Numbers(6, size), batch_size=2, num_workers=2))
    for number, batch in enumerate(batches):
        assert batch.shape == (2, size)
        batch += 1
        assert batch[0, 0] == 2 * number + 1 and batch[1, -1] == 2 * number + 2


class Mixed(Numbers):
    def __getitem__(self, i):
        return {
            "half": torch.ones(40_000, dtype=torch.bfloat16) * i,
            "array": np.full(20_000, i),
            "leaf": torch.full((3,), float(i), requires_grad=True),
            "text": str(i),
            "none": torch.zeros(0),
        }


def test_every_kind_of_value_comes_through():
    batch = next(iter(DataLoader(Mixed(2), batch_size=2, num_workers=1)))
    assert batch["half"].dtype is torch.bfloat16 and batch["half"][1, 5] == 1
    assert batch["array"].dtype is torch.int64 and batch["array"][1, 5] == 1
    assert batch["leaf"].requires_grad and batch["text"] == ["0", "1"]
    assert batch["none"].shape == (2, 0)


def test_large_batches_travel_through_shared_memory(tmp_path):
    small = transport.pack(torch.ones(10), str(tmp_path))
    assert os.listdir(tmp_path) == []
    large = transport.pack([torch.arange(50_000.0), "text"], str(tmp_path))
    assert len(large) < 1000 and len(os.listdir(tmp_path)) == 1
    found = transport.unpack(large)
    assert os.listdir(tmp_path) == []  # the name is gone, the memory is not
    assert torch.equal(found[0], torch.arange(50_000.0)) and found[1] == "text"
    assert torch.equal(transport.unpack(small), torch.ones(10))


def test_without_room_in_shared_memory_batches_go_through_the_pipe(tmp_path, monkeypatch):
    class Full:
        def __init__(self, *args, **kwargs):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(transport.os, "fdopen", Full)
    packed = transport.pack(torch.arange(50_000.0), str(tmp_path))
    assert os.listdir(tmp_path) == []
    assert torch.equal(transport.unpack(packed), torch.arange(50_000.0))


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_other_ways_to_start_workers(method):
    loader = DataLoader(
        Numbers(4), batch_size=2, num_workers=1, multiprocessing_context=method, timeout=60
    )
    assert [b[:, 0].tolist() for b in loader] == [[0.0, 1.0], [2.0, 3.0]]


def test_more_tasks_than_a_pipe_holds_do_not_block():
    """Long lists of numbers in, large batches out, both ways full: nobody waits for the other."""

    class Loud(Numbers):
        def __getitems__(self, indices):
            return [bytes(1_000_000)]  # through the pipe: bytes are no array

    loader = DataLoader(
        Loud(120_000), batch_size=30_000, num_workers=1, prefetch_factor=8, timeout=60,
        collate_fn=len,
    )  # fmt: skip
    assert list(loader) == [1, 1, 1, 1]


class Slow(Numbers):
    def __getitem__(self, i):
        if i == 0:
            time.sleep(0.3)
        return i


def test_the_order_is_kept_or_not():
    kept = DataLoader(Slow(4), batch_size=None, num_workers=2)
    assert list(kept) == [0, 1, 2, 3]
    free = list(DataLoader(Slow(6), batch_size=None, num_workers=2, in_order=False))
    assert sorted(free) == [0, 1, 2, 3, 4, 5] and free[0] != 0


# ---- epochs --------------------------------------------------------------------------------------


class Pids(Numbers):
    def __getitem__(self, i):
        return os.getpid(), i


def test_persistent_workers_stay_between_epochs():
    loader = DataLoader(Pids(4), batch_size=None, num_workers=2, persistent_workers=True)
    first = list(loader)
    assert len(processes()) == 2
    second = list(loader)
    assert first == second
    half = iter(loader)  # broken off: what is left of it must not show up in the next epoch
    next(half)
    assert [i for _, i in loader] == [0, 1, 2, 3]
    fresh = DataLoader(Pids(4), batch_size=None, num_workers=1)
    assert {pid for pid, _ in fresh}.isdisjoint(pid for pid, _ in fresh)
    del loader, half


class Counted(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        return iter(range(info.id, 5, info.num_workers))


def test_an_iterable_dataset_starts_again_in_persistent_workers():
    loader = DataLoader(Counted(), batch_size=None, num_workers=2, persistent_workers=True)
    assert list(loader) == list(loader) == [0, 1, 2, 3, 4]
    del loader


def test_the_workers_stop_when_an_error_has_been_dealt_with():
    try:
        for _ in DataLoader(Raises(ValueError("bad")), batch_size=None, num_workers=1):
            pass
    except ValueError:
        pass
    assert processes() == []


def test_breaking_off_stops_the_workers():
    for _ in DataLoader(Numbers(100, 50_000), num_workers=2):
        break
    assert processes() == []


def test_worker_init_runs_in_each_worker():
    def mark(worker_id):
        get_worker_info().dataset.size = worker_id + 5

    loader = DataLoader(Numbers(2), batch_size=None, num_workers=2, worker_init_fn=mark)
    assert [len(sample) for sample in loader] == [5, 6]
    assert get_worker_info() is None


# ---- errors --------------------------------------------------------------------------------------


class TwoArguments(Exception):
    def __init__(self, a, b):
        super().__init__(f"{a} and {b}")


class Raises(Numbers):
    def __init__(self, error):
        super().__init__(4)
        self.error = error

    def __getitem__(self, i):
        if i == 2:
            raise self.error
        return i


@pytest.mark.parametrize(
    ("error", "raised"),
    [(ValueError("bad"), ValueError), (KeyError("key"), KeyError),
     (TwoArguments(1, 2), RuntimeError), (StopIteration(), StopIteration)],
)  # fmt: skip
def test_an_error_is_raised_with_its_traceback(error, raised):
    seen = []
    with pytest.raises(raised) as caught:
        iterator = iter(DataLoader(Raises(error), batch_size=None, num_workers=1))
        while True:
            seen.append(next(iterator))
    text = str(caught.value)
    assert seen == [0, 1]
    assert f"Caught {type(error).__name__} in DataLoader worker process 0.\nOriginal " in text
    assert "Traceback (most recent call last)" in text and "raise self.error" in text
    assert next(iterator) == 3
    del iterator, caught


def test_an_error_at_the_start_of_a_worker_is_raised():
    def spoil(worker_id):
        raise ValueError("not today")

    with pytest.raises(ValueError, match="Caught ValueError in DataLoader worker") as caught:
        list(DataLoader(Numbers(), num_workers=1, worker_init_fn=spoil))
    assert "not today" in str(caught.value)


class Unpicklable(Numbers):
    def __getitem__(self, i):
        return lambda: i


def test_a_batch_that_cannot_be_sent_is_an_error():
    with pytest.raises(
        (AttributeError, RuntimeError, TypeError), match=r"Caught \w+ in DataLoader"
    ):
        list(DataLoader(Unpicklable(), batch_size=None, num_workers=1))


class Dies(Numbers):
    def __init__(self, how):
        super().__init__(4)
        self.how = how

    def __getitem__(self, i):
        if i == 2:
            self.how()
        return i


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(
    ("how", "way"),
    [(killed, "killed by signal SIGKILL"), (lambda: os._exit(3), "exit code 3"),
     (lambda: sys.exit(4), "exit code 4")],
)  # fmt: skip
@pytest.mark.parametrize("workers", [1, 2])
def test_the_death_of_a_worker_is_an_error_and_no_hang(how, way, workers):
    start = time.monotonic()
    with pytest.raises(RuntimeError, match=r"DataLoader worker \(pid\(s\) \d+\) exited") as caught:
        list(DataLoader(Dies(how), batch_size=None, num_workers=workers))
    assert f"exited unexpectedly: {way}" in str(caught.value)
    assert time.monotonic() - start < 4


class Sleeps(Numbers):
    def __getitem__(self, i):
        time.sleep(60)


def test_waiting_too_long_is_an_error():
    from chainrule.utils.data import workers

    before = workers._SHUTDOWN_SECONDS
    workers._SHUTDOWN_SECONDS = 0.1  # they sleep: do not wait for them
    try:
        with pytest.raises(RuntimeError, match=r"DataLoader timed out after 0\.2 seconds"):
            list(DataLoader(Sleeps(), num_workers=1, timeout=0.2))
    finally:
        workers._SHUTDOWN_SECONDS = before


ORPHANS = """
import os
import chainrule as torch
from chainrule.utils.data import DataLoader

class Pids(torch.utils.data.Dataset):
    def __len__(self): return 100
    def __getitem__(self, i): return os.getpid(), torch.zeros(50_000)

def started(worker_id):
    WORKER

iterator = iter(DataLoader(Pids(), batch_size=None, num_workers=2, worker_init_fn=started))
pids = {next(iterator)[0] for _ in range(4)}
print(*pids, iterator._folder, flush=True)
END
"""
WRITES_WITHOUT_PAUSE = """
    import glob, itertools, threading
    folder, = glob.glob(f"/dev/shm/chainrule-{os.getppid()}-*")
    def write():
        for i in itertools.count():
            open(f"{folder}/{worker_id}-{i}", "w").close()
    threading.Thread(target=write, daemon=True).start()
"""


def start(end: str, worker: str = "pass"):
    program = ORPHANS.replace("END", end).replace("WORKER", worker)
    running = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    *pids, folder = running.stdout.readline().split()
    return running, [int(pid) for pid in pids], folder


def gone(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.parametrize("end", ["import time; time.sleep(60)", "pass", "raise SystemExit(1)"])
def test_workers_end_with_the_main_process(end):
    running, pids, folder = start(end)
    assert len(pids) == 2
    if "sleep" in end:
        running.kill()
    running.wait(10)
    running.stdout.close()
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and not (all(map(gone, pids)) and not os.path.exists(folder)):
        time.sleep(0.02)
    assert all(map(gone, pids)) and not os.path.exists(folder)


def test_the_folder_goes_at_exit_though_workers_write_into_it_until_they_end():
    running, pids, folder = start("pass", WRITES_WITHOUT_PAUSE)
    running.wait(10)
    running.stdout.close()
    assert all(map(gone, pids)) and not os.path.exists(folder)


class Leaves(Numbers):
    """Ends with what a dataset may raise that no other process knows."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def __getitem__(self, i):
        if self.kind == "local":

            class Local(ValueError):
                pass

            raise Local("of this function alone")
        if self.kind == "two arguments":

            class Wants(Exception):
                def __init__(self, a, b):
                    super().__init__(a, b)

            raise Wants(1, 2)
        raise KeyboardInterrupt("asked for")


@pytest.mark.parametrize(
    ("kind", "raised", "words"),
    [
        ("local", ValueError, "Caught Local in DataLoader worker process 0"),
        ("two arguments", Exception, "Caught Wants in DataLoader worker process 0"),
        ("interrupt", KeyboardInterrupt, "Caught KeyboardInterrupt in DataLoader worker"),
    ],
)
def test_what_no_other_process_knows_is_raised_with_its_traceback(kind, raised, words):
    with pytest.raises(raised, match=words) as caught:
        list(DataLoader(Leaves(kind), num_workers=1))
    assert "in __getitem__" in str(caught.value)
    del caught


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="no shared memory")
def test_folders_of_killed_processes_are_removed_by_the_next():
    program = (
        "import os, signal; from chainrule.utils.data._utils import transport; "
        "print(transport.make_folder(), flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    left = killed.stdout.strip()
    assert os.path.isdir(left)
    mine = transport.make_folder()
    other = transport.make_folder()
    assert not os.path.exists(left)
    assert os.path.isdir(mine) and os.path.isdir(other)
    for folder in (mine, other):
        owned_folders.remove(folder)
        assert not os.path.exists(folder)


INTERRUPTED = """
import chainrule as torch
from chainrule.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.zeros(64, 20_000))
print("ready", flush=True)
while True:  # iterators are made, used and thrown away all the time
    for k, batch in enumerate(DataLoader(data, batch_size=4, num_workers=1)):
        if k == 2:
            break
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("wait", [0.03, 0.11, 0.18, 0.27])
def test_ctrl_c_is_never_lost_and_leaves_nothing(wait):
    program = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    )  # fmt: skip
    program.stdout.readline()
    time.sleep(wait)
    program.send_signal(signal.SIGINT)
    try:
        _, said = program.communicate(timeout=20)
    finally:
        program.kill()
    assert "KeyboardInterrupt" in said and program.returncode != 0
    assert not glob.glob(f"/dev/shm/chainrule-{program.pid}-*")


def test_ctrl_c_waits_for_what_must_not_be_left_half_done():
    from chainrule.ops.interrupts import undisturbed

    done = []
    with pytest.raises(KeyboardInterrupt):
        with undisturbed():
            signal.raise_signal(signal.SIGINT)
            done.append("all of it")
        time.sleep(5)
    assert done == ["all of it"]


def test_ctrl_c_comes_before_what_it_did_to_workers():
    """A worker that Ctrl-C ends while it starts is not reported in place of the Ctrl-C."""
    loader = DataLoader(list(range(8)), num_workers=1)
    iterator: Any = iter(loader)
    next(iterator)
    with undisturbed(as_object_ends=True):  # as when another iterator goes
        signal.raise_signal(signal.SIGINT)
    iterator._workers[0].process.kill()
    with pytest.raises(KeyboardInterrupt):
        for _ in iterator:
            pass


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="there is no shared memory")
def test_a_folder_is_never_taken_for_abandoned_while_it_is_made(monkeypatch):
    lock = owned_folders.fcntl.flock

    def beside_another_start(handle, how):
        if how == owned_folders.fcntl.LOCK_EX:  # before it is held
            owned_folders.remove_abandoned("chainrule-", "/dev/shm")
        lock(handle, how)

    monkeypatch.setattr(owned_folders.fcntl, "flock", beside_another_start)
    folder = transport.make_folder()
    try:
        assert os.path.isdir(folder)
        owned_folders.remove_abandoned("chainrule-", "/dev/shm")
        assert os.path.isdir(folder)
    finally:
        owned_folders.remove(folder)
