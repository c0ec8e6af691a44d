"""Loaders of other libraries: made of PyTorch's parts, which they derive from and call."""

import os
import pickle

import pytest

import chainrule as torch
from chainrule.utils.data import DataLoader, IterableDataset, _DatasetKind, get_worker_info
from chainrule.utils.data._utils import signal_handling, worker
from chainrule.utils.data.dataloader import _BaseDataLoaderIter
from chainrule.utils.data.datapipes.datapipe import (
    IterDataPipe,
    _IterDataPipeSerializationWrapper,
    _MapDataPipeSerializationWrapper,
)
from chainrule.utils.data.datapipes.iter import IterableWrapper
from chainrule.utils.data.datapipes.map import SequenceWrapper


class Counted(_BaseDataLoaderIter):
    """Counts the indices that it has taken, and begins again on demand."""

    def __init__(self, loader):
        super().__init__(loader)
        self.taken = 0
        self._dataset_fetcher = _DatasetKind.create_fetcher(
            self._dataset_kind, self._dataset, self._auto_collation, self._collate_fn,
            self._drop_last,
        )  # fmt: skip

    def _reset(self, loader, first_iter=False):
        super()._reset(loader, first_iter)
        self.taken = 0

    def _next_data(self):
        self.taken += 1
        return self._dataset_fetcher.fetch(self._next_index())


class Numbers(IterableDataset):
    def __iter__(self):
        return iter(range(5))


@pytest.mark.parametrize("dataset", [range(5), Numbers()], ids=["by number", "one by one"])
def test_an_iterator_may_derive_from_ours(dataset):
    loader = DataLoader(dataset, batch_size=2)
    found = Counted(loader)
    assert [batch.tolist() for batch in found] == [[0, 1], [2, 3], [4]]
    assert found.taken == 4 and found._num_yielded == 3
    assert (found._num_workers, found._world_size, found._rank) == (0, 1, 0)
    found._reset(loader, first_iter=True)
    assert found.taken == found._num_yielded == 0


def test_the_fetcher_of_an_iterable_dataset_shows_where_it_is():
    fetcher = _DatasetKind.create_fetcher(_DatasetKind.Iterable, Numbers(), True, list, False)
    assert fetcher.fetch([None] * 3) == [0, 1, 2] and not fetcher.ended
    assert list(fetcher.dataset_iter) == [3, 4] and isinstance(fetcher.dataset, Numbers)


def test_a_foreign_worker_says_which_it_is(monkeypatch):
    info = worker.WorkerInfo(id=1, num_workers=2, seed=3, dataset=())
    monkeypatch.setattr(worker, "_worker_info", info)
    assert get_worker_info() is info is torch.utils.data.get_worker_info()


def test_what_foreign_workers_are_made_of():
    watchdog = worker.ManagerWatchdog()
    assert watchdog.is_alive()
    watchdog.manager_pid = os.getpid()  # its parent has ended
    assert not watchdog.is_alive() and watchdog.manager_dead
    for message in (worker._ResumeIteration(4), worker._IterableDatasetStopIteration(1)):
        assert pickle.loads(pickle.dumps(message)) == message
    signal_handling._set_worker_pids(1, (2,))
    signal_handling._remove_worker_pids(1)


def test_pipes_are_wrapped_for_the_way():
    pipe = _IterDataPipeSerializationWrapper(IterableWrapper([1, 2]))
    assert isinstance(pipe, IterDataPipe) and list(pipe) == [1, 2] and len(pipe) == 2
    numbered = _MapDataPipeSerializationWrapper(SequenceWrapper([3, 4]))
    assert numbered[1] == 4 and len(numbered) == 2
