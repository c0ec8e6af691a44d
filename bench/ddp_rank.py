"""One rank of the `ddp` benchmark: the same training with either engine, timed; JSON from rank 0.

Started by bench/ddp.py: under mpiexec with chainrule, under torchrun with PyTorch.
"""

import importlib
import json
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
    model = gpt(torch)
    torch.manual_seed(rank)
    x, y = torch.randint(0, 256, (8, 64)), torch.randint(0, 256, (8, 64))
    return model, x, lambda out: nn.functional.cross_entropy(out.reshape(-1, 256), y.reshape(-1))


def main(engine, model_name, steps, *options):
    """Train, and report the fastest step of rank 0."""
    torch = importlib.import_module(engine)
    dist = importlib.import_module(f"{engine}.distributed")
    parallel = importlib.import_module(f"{engine}.nn.parallel")
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    model, x, loss_of = build(torch, model_name, dist.get_rank())
    compiled = engine == "chainrule" and "eager" not in options
    ddp = parallel.DistributedDataParallel(model)
    optimizer = torch.optim.AdamW(ddp.parameters(), lr=1e-3)

    def step():
        optimizer.zero_grad()
        loss = loss_of(ddp(x))
        loss.backward()
        optimizer.step()
        return loss

    if compiled:
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
    report = {"step": min(times), "cpu": min(cpu), "loss": loss.item(), "model": model_name}
    if engine == "chainrule":
        report.update(more(dist, ddp, step, x, loss_of))
    if dist.get_rank() == 0:
        print(json.dumps(report), flush=True)
    dist.destroy_process_group()


def more(dist, ddp, step, x, loss_of):
    """The timeline of one step, and what the model of communication predicts."""
    from chainrule.distributed import planning

    ddp.reducer.timeline = events = []
    step()
    ddp.reducer.timeline = None
    bandwidth, latency = planning.measured_network()
    dist.barrier()
    size = dist.get_world_size()
    found = planning.estimate(ddp.module, x, size, bandwidth, latency, loss=loss_of)
    return {"timeline": events, "bandwidth": bandwidth, "latency": latency,
            "predicted": found[0].step, "compute": found[0].compute}  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
