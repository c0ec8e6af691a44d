"""Two worker processes, an iterable dataset, samplers, a worker_init_fn, random_split."""

import torch
from torch import nn
from torch.utils.data import (
    DataLoader,
    Dataset,
    IterableDataset,
    TensorDataset,
    WeightedRandomSampler,
    get_worker_info,
    random_split,
)


class Squares(Dataset):
    def __len__(self):
        return 96

    def __getitem__(self, index):
        x = torch.tensor([index / 48.0 - 1.0])
        return {"x": x, "y": x * x, "index": index}


class Stream(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        step = 1 if info is None else info.num_workers
        start = 0 if info is None else info.id
        return iter(range(start, 12, step))


def init_worker(worker_id):
    assert get_worker_info().id == worker_id


def main():
    torch.manual_seed(0)
    train_set, test_set = random_split(
        Squares(), [80, 16], generator=torch.Generator().manual_seed(42)
    )
    loader = DataLoader(
        train_set, batch_size=16, shuffle=True, num_workers=2, worker_init_fn=init_worker
    )
    model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for epoch in range(3):
        total = 0.0
        for batch in loader:
            loss = nn.functional.mse_loss(model(batch["x"]), batch["y"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(
            f"epoch {epoch} loss {total / len(loader):.6f} last index {batch['index'][-1].item()}"
        )
    with torch.no_grad():
        test = next(iter(DataLoader(test_set, batch_size=len(test_set))))
        print(f"test loss {nn.functional.mse_loss(model(test['x']), test['y']).item():.6f}")
    print("stream", sorted(int(i) for i in DataLoader(Stream(), batch_size=None, num_workers=2)))
    sampler = WeightedRandomSampler([0.1, 0.9, 0.4], num_samples=8, replacement=True)
    numbers = TensorDataset(torch.arange(3))
    print("weighted", [b[0].item() for b in DataLoader(numbers, sampler=sampler)])


if __name__ == "__main__":
    main()
