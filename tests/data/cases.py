"""Programs about data that are run with PyTorch (recorded) and with chainrule."""

from __future__ import annotations

import random
from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np

Point = namedtuple("Point", "x y")


def plain(value: Any) -> Any:
    """A batch as JSON can keep it: values, types and the form of containers."""
    if hasattr(value, "dtype") and hasattr(value, "tolist"):
        return [str(value.dtype), list(value.shape), value.tolist()]
    if isinstance(value, dict):
        return [type(value).__name__, [[str(k), plain(v)] for k, v in value.items()]]
    if isinstance(value, list | tuple):
        return [type(value).__name__, [plain(v) for v in value]]
    return repr(value)


def seeded(torch: Any, seed: int) -> Any:
    return torch.Generator().manual_seed(seed)


def _loader(count: int = 11, **options: Any) -> Any:
    """Two epochs over numbers, and the generator's state afterwards."""

    def run(torch: Any) -> Any:
        given = dict(options)
        if "generator" in given:
            given["generator"] = seeded(torch, given["generator"])
        torch.manual_seed(5)
        loader = torch.utils.data.DataLoader(list(range(count)), **given)
        epochs = [[plain(b) for b in loader] for _ in range(2)]
        return [len(loader), epochs, torch.rand(2).tolist()]

    return run


def _loader_over_sampler(make: Any, **options: Any) -> Any:
    def run(torch: Any) -> Any:
        torch.manual_seed(5)
        loader = torch.utils.data.DataLoader(list(range(12)), **make(torch), **options)
        return [[plain(b) for b in loader] for _ in range(2)]

    return run


def _sampler(name: str, *args: Any, **options: Any) -> Any:
    """Two passes of a sampler, without and with a generator of its own."""

    def run(torch: Any) -> Any:
        made = []
        for extra in ({}, {"generator": seeded(torch, 9)}):
            torch.manual_seed(2)
            sampler = getattr(torch.utils.data, name)(*args, **options, **extra)
            made.append([len(sampler), list(sampler), list(sampler), torch.rand(1).tolist()])
        return made

    return run


def _shares(count: int, replicas: int, **options: Any) -> Any:
    def run(torch: Any) -> Any:
        made = []
        for rank in range(replicas):
            sampler = torch.utils.data.DistributedSampler(
                range(count), num_replicas=replicas, rank=rank, **options
            )
            first = list(sampler)
            sampler.set_epoch(3)
            made.append([len(sampler), first, list(sampler)])
        return made

    return run


def _split(count: int, lengths: list[Any], seed: int | None) -> Any:
    def run(torch: Any) -> Any:
        torch.manual_seed(4)
        given = {} if seed is None else {"generator": seeded(torch, seed)}
        return [
            list(part) for part in torch.utils.data.random_split(range(count), lengths, **given)
        ]

    return run


def _collated(*batches: Any) -> Any:
    def run(torch: Any) -> Any:
        return [plain(torch.utils.data.default_collate(b(torch))) for b in batches]

    return run


def _converted(make: Any) -> Any:
    return lambda torch: plain(torch.utils.data.default_convert(make(torch)))


def _worker_draws(torch: Any) -> Any:
    """What workers draw: each stream of random numbers, per worker."""

    class Draws(torch.utils.data.Dataset):
        def __len__(self) -> int:
            return 4

        def __getitem__(self, i: int) -> Any:
            info = torch.utils.data.get_worker_info()
            seeds = [str(info.seed), str(torch.initial_seed())]
            return [i, info.id, info.num_workers, *seeds, torch.rand(1).item(), random.random(),
                    float(np.random.rand())]  # fmt: skip

    made = []
    for options in ({}, {"generator": seeded(torch, 3)}):
        torch.manual_seed(8)
        loader = torch.utils.data.DataLoader(Draws(), num_workers=2, batch_size=None, **options)
        made.append([[plain(sample) for sample in loader] for _ in range(2)])
    return made


def _iterable(**options: Any) -> Any:
    def run(torch: Any) -> Any:
        class Count(torch.utils.data.IterableDataset):
            def __iter__(self) -> Any:
                info = torch.utils.data.get_worker_info()
                if info is None:
                    return iter(range(10))
                return iter(range(info.id * 10, info.id * 10 + 7 - 3 * info.id))

        torch.manual_seed(1)
        loader = torch.utils.data.DataLoader(Count(), **options)
        return [[plain(b) for b in loader] for _ in range(2)]

    return run


def _tensors(torch: Any) -> Any:
    """Rows of tensors, through subsets too."""
    data = torch.utils.data.TensorDataset(
        torch.arange(24.0).reshape(8, 3), torch.arange(8), torch.arange(8) % 2 == 0
    )
    parts = torch.utils.data.random_split(data, [5, 3], generator=seeded(torch, 2))
    torch.manual_seed(0)
    made = []
    for source in (data, parts[0], torch.utils.data.Subset(parts[0], [4, 0, 2])):
        loader = torch.utils.data.DataLoader(source, batch_size=2, shuffle=True)
        made.append([plain(b) for b in loader])
    return made


CASES = {
    "in order": _loader(batch_size=4),
    "in order, last dropped": _loader(batch_size=4, drop_last=True),
    "shuffled": _loader(batch_size=4, shuffle=True),
    "shuffled by a generator": _loader(batch_size=4, shuffle=True, generator=7),
    "shuffled by workers": _loader(batch_size=4, shuffle=True, num_workers=2),
    "shuffled by one worker": _loader(batch_size=3, shuffle=True, num_workers=1, generator=7),
    "persistent workers": _loader(
        batch_size=2, shuffle=True, num_workers=2, persistent_workers=True, prefetch_factor=3
    ),
    "single samples": _loader(batch_size=None, shuffle=True),
    "with a sampler": _loader_over_sampler(
        lambda torch: {"sampler": torch.utils.data.SubsetRandomSampler([1, 4, 7, 9])}, batch_size=3
    ),
    "with a batch sampler": _loader_over_sampler(
        lambda torch: {"batch_sampler": [[1, 2], [3], [4, 5, 6]]}
    ),
    "with a weighted sampler": _loader_over_sampler(
        lambda torch: {"sampler": torch.utils.data.WeightedRandomSampler([0.1] * 6 + [1] * 6, 10)},
        batch_size=4,
    ),
    "random": _sampler("RandomSampler", range(10)),
    "random with replacement": _sampler("RandomSampler", range(10), replacement=True),
    "random, many": _sampler("RandomSampler", range(7), num_samples=17),
    "random, exactly twice": _sampler("RandomSampler", range(7), num_samples=14),
    "random, many with replacement": _sampler(
        "RandomSampler", range(50), replacement=True, num_samples=70
    ),
    "random, blocks with replacement": _sampler(
        "RandomSampler", range(50), replacement=True, num_samples=64
    ),
    "weighted": _sampler("WeightedRandomSampler", [0.1, 0.9, 0.4, 0.7, 3.0], 8),
    "weighted without replacement": _sampler(
        "WeightedRandomSampler", [0.1, 0.9, 0.4, 0.7, 3.0], 4, replacement=False
    ),
    "subset": _sampler("SubsetRandomSampler", [3, 1, 4, 1, 5]),
    "shares": _shares(10, 3),
    "shares in order": _shares(10, 3, shuffle=False),
    "shares, rest dropped": _shares(11, 4, drop_last=True, seed=6),
    "shares of too few": _shares(2, 5),
    "split": _split(10, [7, 3], 42),
    "split by the default generator": _split(10, [5, 3, 2], None),
    "split by fractions": _split(11, [0.33, 0.33, 0.34], 1),
    "collated": _collated(
        lambda torch: [1, 2],
        lambda torch: [1.5, 2.5],
        lambda torch: [True, False],
        lambda torch: [1, 2.5],
        lambda torch: ["a", "b"],
        lambda torch: [b"a"],
        lambda torch: [torch.ones(2), torch.zeros(2)],
        lambda torch: [np.ones(2), np.zeros(2)],
        lambda torch: [np.float32(1.5), np.float32(2)],
        lambda torch: [np.int16(1), np.int16(2)],
        lambda torch: [{"a": 1, "b": [1, 2.0]}, {"a": 2, "b": [3, 4.0]}],
        lambda torch: [OrderedDict(z=1, a=2), OrderedDict(z=3, a=4)],
        lambda torch: [Point(1, 2.0), Point(3, 4.0)],
        lambda torch: [(1, "a", torch.ones(1)), (2, "b", torch.zeros(1))],
        lambda torch: [[], []],
        lambda torch: [range(2), range(2)],
    ),
    "converted": _converted(
        lambda torch: {
            "array": np.ones(2), "list": [1, np.float32(2)], "text": "s", "tuple": (1, np.ones(1)),
            "point": Point(1, np.zeros(1)), "tensor": torch.ones(1), "words": np.array("a"),
        }
    ),
    "draws of workers": _worker_draws,
    "iterable": _iterable(batch_size=4),
    "iterable, last dropped": _iterable(batch_size=4, drop_last=True),
    "iterable, single": _iterable(batch_size=None),
    "iterable by workers": _iterable(batch_size=2, num_workers=2),
    "iterable by workers, last dropped": _iterable(batch_size=2, num_workers=2, drop_last=True),
    "iterable by persistent workers": _iterable(
        batch_size=2, num_workers=2, persistent_workers=True
    ),
    "rows of tensors": _tensors,
}  # fmt: skip
