"""A spiking network of leaky neurons learns through surrogate gradients; other neurons step."""

import json

import snntorch as snn
import torch
from snntorch import functional as SF
from snntorch import spikegen, surrogate

torch.manual_seed(0)
x, y = torch.rand(6, 10), torch.randint(0, 3, (6,))
slope = surrogate.fast_sigmoid(slope=10)
first, second = torch.nn.Linear(10, 16), torch.nn.Linear(16, 3)
one = snn.Leaky(beta=0.9, spike_grad=slope, learn_beta=True)
two = snn.Leaky(beta=0.8, spike_grad=slope)
net = torch.nn.ModuleList([first, one, second, two])
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
loss_of = SF.ce_rate_loss()
printed = {"losses": []}
spikes = spikegen.rate(x, num_steps=8)
printed["spikes"] = int(spikes.sum())
for _ in range(4):
    a, b = one.init_leaky(), two.init_leaky()
    out = []
    for step in spikes:
        s, a = one(first(step), a)
        s, b = two(second(s), b)
        out.append(s)
    loss = loss_of(torch.stack(out), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    printed["losses"].append(loss.item())
printed["accuracy"] = float(SF.accuracy_rate(torch.stack(out), y))
for name, cell in {
    "synaptic": snn.Synaptic(alpha=0.9, beta=0.8, init_hidden=True, spike_grad=surrogate.atan()),
    "alpha": snn.Alpha(alpha=0.9, beta=0.8, init_hidden=True),
    "lapicque": snn.Lapicque(beta=0.7, init_hidden=True),
    "rleaky": snn.RLeaky(beta=0.9, all_to_all=True, linear_features=10, init_hidden=True),
}.items():
    current = (x * 3).requires_grad_()
    total = sum(cell(current).sum() + cell.mem.sum() for _ in range(5))
    printed[name] = [total.item(), torch.autograd.grad(total, current)[0].sum().item()]
printed["latency"] = (
    spikegen.latency(x, num_steps=5, normalize=True, linear=True).sum((1, 2)).tolist()
)
print(json.dumps(printed))
