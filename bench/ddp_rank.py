"""One rank of the `ddp` benchmark: the same training with either engine, timed; JSON from rank 0.

Started by bench/ddp.py: under mpiexec with chainrule, under torchrun with PyTorch.
"""

import importlib
import json
import resource
import sys
import time


def gpt(torch):
    """The class of a small transformer, in the engine's own modules."""
    nn = torch.nn
    F = nn.functional

    class Attention(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads = heads
            self.inputs, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)

        def forward(self, x):
            n, t, c = x.shape
            q, k, v = (
                part.reshape(n, t, self.heads, c // self.heads).transpose(1, 2)
                for part in self.inputs(x).chunk(3, -1)
            )
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.output(y.transpose(1, 2).reshape(n, t, c))

    class Block(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
            self.attention = Attention(width, heads)
            self.inner = nn.Sequential(
                nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
            )

        def forward(self, x):
            x = x + self.attention(self.first(x))
            return x + self.inner(self.second(x))

    class GPT(nn.Module):
        def __init__(self, words=256, width=128, heads=4, layers=3, length=64):
            super().__init__()
            self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
            self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(layers)])
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

        def forward(self, tokens):
            x = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))
            return self.head(self.norm(self.blocks(x)))

    return GPT()


def build(torch, name, rank):
    """A model, this rank's batch, and the loss of an output."""
    nn = torch.nn
    torch.manual_seed(0)
    if name == "mlp":
        layers = [nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU()]
        model = nn.Sequential(*layers, nn.Linear(512, 10))
        torch.manual_seed(rank)
        x, y = torch.randn(64, 256), torch.randint(0, 10, (64,))
        return model, x, lambda out: nn.functional.cross_entropy(out, y)
    if name == "wide":  # for memory: parameters are nearly all of it
        torch.manual_seed(rank)
        model = nn.Sequential(*[nn.Linear(1500, 1500) for _ in range(8)])
        return model, torch.randn(4, 1500), lambda out: out.square().mean()
    model = gpt(torch)
    torch.manual_seed(rank)
    x, y = torch.randint(0, 256, (8, 64)), torch.randint(0, 256, (8, 64))
    return model, x, lambda out: nn.functional.cross_entropy(out.reshape(-1, 256), y.reshape(-1))


def trained(torch, engine, model, strategy):
    """The model as a strategy trains it, and its optimizer."""
    settings = {"lr": 1e-3}
    if strategy == "alone":  # every rank by itself
        return model, torch.optim.AdamW(model.parameters(), **settings)
    if strategy == "sharded":
        sharded = importlib.import_module(f"{engine}.distributed.fsdp")
        for part in model.blocks if hasattr(model, "blocks") else model:
            if any(True for _ in part.parameters()):
                sharded.fully_shard(part)
        sharded.fully_shard(model)
        return model, torch.optim.AdamW(model.parameters(), **settings)
    parallel = importlib.import_module(f"{engine}.nn.parallel")
    model = parallel.DistributedDataParallel(model)
    if strategy == "zero":
        zero = importlib.import_module(f"{engine}.distributed.optim").ZeroRedundancyOptimizer
        return model, zero(model.parameters(), torch.optim.AdamW, **settings)
    return model, torch.optim.AdamW(model.parameters(), **settings)


def main(engine, model_name, steps, mode="compiled", strategy="ddp"):
    """Train, and report the fastest step of rank 0."""
    torch = importlib.import_module(engine)
    dist = importlib.import_module(f"{engine}.distributed")
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    before = resident()
    model, x, loss_of = build(torch, model_name, dist.get_rank())
    model, optimizer = trained(torch, engine, model, strategy)

    def step():
        optimizer.zero_grad()
        loss = loss_of(model(x))
        loss.backward()
        optimizer.step()
        return loss

    if engine == "chainrule" and mode == "compiled":
        step = torch.compile(step)
    for _ in range(5):
        step()
    times, cpu = [], []
    for _ in range(int(steps)):
        dist.barrier()
        began, used = time.perf_counter(), time.process_time()
        loss = step()
        times.append(time.perf_counter() - began)
        cpu.append(time.process_time() - used)
    report = {
        "step": min(times), "cpu": min(cpu), "loss": loss.item(), "model": model_name,
        "memory": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before,
    }  # fmt: skip
    if engine == "chainrule" and dist.get_world_size() > 1:
        report.update(network(model, step))
    if dist.get_rank() == 0:
        print(json.dumps(report), flush=True)
    dist.destroy_process_group()


def resident():
    """Bytes of memory that are in use: those of the imports."""
    with open("/proc/self/statm") as opened:
        return int(opened.read().split()[1]) * resource.getpagesize()


def network(model, step):
    """The timeline of one step, and what the network does here."""
    from chainrule.distributed import planning

    events = []
    if getattr(model, "reducer", None) is not None:
        model.reducer.timeline = events
        step()
        model.reducer.timeline = None
    bandwidth, latency = planning.measured_network()
    return {"timeline": events, "bandwidth": bandwidth, "latency": latency}


if __name__ == "__main__":
    main(*sys.argv[1:])
