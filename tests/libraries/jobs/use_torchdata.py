"""`StatefulDataLoader` stops in the middle of an epoch and goes on, and nodes make batches."""

import json

import torch
from torchdata import nodes
from torchdata.stateful_dataloader import StatefulDataLoader


class Counting(torch.utils.data.IterableDataset):
    """Numbers that know how far they are."""

    def __init__(self):
        self.next = 0

    def __iter__(self):
        while self.next < 9:
            self.next += 1
            yield torch.tensor(float(self.next))

    def state_dict(self):
        return {"next": self.next}

    def load_state_dict(self, state):
        self.next = state["next"]


def stopped_and_resumed(make, shuffle, workers):
    torch.manual_seed(0)
    options = {"batch_size": 2, "shuffle": shuffle, "num_workers": workers}
    loader = StatefulDataLoader(make(), **options)
    batches = iter(loader)
    before = [next(batches).tolist() for _ in range(2)]
    state = loader.state_dict()
    after = [batch.tolist() for batch in batches]
    resumed = StatefulDataLoader(make(), **options)
    resumed.load_state_dict(state)
    return [before, after, [batch.tolist() for batch in resumed]]


def main():
    found = {
        "in order": stopped_and_resumed(lambda: list(range(11)), False, 0),
        "shuffled": stopped_and_resumed(lambda: list(range(11)), True, 0),
        "by workers": stopped_and_resumed(lambda: list(range(11)), True, 2),
        "one by one": stopped_and_resumed(Counting, None, 0),
    }
    squares = nodes.Mapper(nodes.IterableWrapper(range(6)), lambda n: n * n)
    found["nodes"] = list(nodes.Loader(nodes.Batcher(squares, 4, drop_last=False)))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
