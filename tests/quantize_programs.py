# ruff: noqa: E501 - each call of a program is a line
"""Programs that quantize tensors and models; PyTorch says what they show."""

from __future__ import annotations

from typing import Any

START = """
nn = torch.nn
Q = torch.ao.quantization
torch.manual_seed(0)
x = torch.tensor([[-1., 0.3, 2.], [0., 1.5, -0.7]])
"""

PROGRAMS = {
    "tensors": """
q = torch.quantize_per_tensor(x, 0.1, 3, torch.quint8)
show(q.int_repr(), q.dequantize(), q.q_scale(), q.q_zero_point(), q.qscheme(), q.dtype, q.is_quantized, q.shape, q.element_size())
c = torch.quantize_per_channel(x, torch.tensor([0.1, 0.02]), torch.tensor([0, 1]), 0, torch.qint8)
show(c.int_repr(), c.dequantize(), c.q_per_channel_scales(), c.q_per_channel_zero_points(), c.q_per_channel_axis(), c.qscheme())
d = torch.quantize_per_tensor_dynamic(x, torch.qint8, False)
show(d.int_repr(), d.q_scale(), d.q_zero_point())
show(q.relu().int_repr(), q.reshape(3, 2).int_repr(), q[0].dequantize(), q.t().dequantize(), torch.dequantize(q), q.max().dequantize(), q.clone().int_repr(), torch.cat([q, q]).int_repr())
show(str(q), str(c), str(d))
show(torch.quantize_per_tensor(x * 1000, 0.1, 0, torch.qint8).int_repr(), torch.quantize_per_tensor(x, 0.1, 3, torch.qint32).int_repr())
show(nn.functional.max_pool2d(torch.quantize_per_tensor(x[None, None].expand(1, 1, 2, 3), 0.1, 3, torch.quint8), 2).dequantize())
""",
    "dynamic": """
m = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3, bias=False))
x = torch.randn(5, 4)
q = Q.quantize_dynamic(m, {nn.Linear}, dtype=torch.qint8)
show(str(q), q(x), q[0].weight().dequantize(), q[0].weight().int_repr(), q[2].bias(), q(x * 0))
show(Q.quantize_dynamic(m, {nn.Linear}, dtype=torch.float16)(x), str(m))
show(str(Q.quantize_dynamic(m, {'0': Q.default_dynamic_qconfig})), str(Q.quantize_dynamic(m)))
""",
    "dynamic recurrent": """
lstm, gru = nn.LSTM(4, 5, 2, batch_first=True, bidirectional=True), nn.GRU(4, 5)
x, h = torch.randn(2, 3, 4), torch.randn(1, 3, 5)
m = Q.quantize_dynamic(nn.ModuleDict({'l': lstm, 'g': gru}), {nn.LSTM, nn.GRU}, dtype=torch.qint8)
out, (hn, cn) = m['l'](x)
show(str(m), out, hn, cn, *m['g'](x), *m['g'](x, h))
""",
    "static": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.quant, self.dequant = Q.QuantStub(), Q.DeQuantStub()
        self.conv, self.bn, self.relu = nn.Conv2d(1, 3, 3, padding=1), nn.BatchNorm2d(3), nn.ReLU()
        self.pool, self.fc, self.relu2, self.fc2 = nn.MaxPool2d(2), nn.Linear(12, 4), nn.ReLU(), nn.Linear(4, 2)
        self.add = torch.ao.nn.quantized.FloatFunctional()
    def forward(self, x):
        x = self.pool(self.relu(self.bn(self.conv(self.quant(x))))).flatten(1)
        y = self.relu2(self.fc(x))
        return self.dequant(self.fc2(self.add.add(y, y)))
m, x = Net(), torch.randn(8, 1, 4, 4)
for _ in range(3):
    m(x)
m.eval()
f = Q.fuse_modules(m, [['conv', 'bn', 'relu'], ['fc', 'relu2']])
show(type(f.conv).__name__, type(f.bn).__name__, f(x))
for weights in (Q.default_per_channel_weight_observer, Q.default_weight_observer):
    f.qconfig = Q.QConfig(Q.default_observer, weights)
    p = Q.prepare(f)
    show(p(x))
    c = Q.convert(p)
    show(c(x), c.quant(x).int_repr(), c.conv(c.quant(x)).int_repr(), type(c.quant).__name__, type(c.add).__name__)
""",
    "training": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.quant, self.fc, self.fc2, self.dequant = Q.QuantStub(), nn.Linear(4, 6), nn.Linear(6, 2), Q.DeQuantStub()
    def forward(self, x):
        return self.dequant(self.fc2(torch.relu(self.fc(self.quant(x)))))
m, x = Net(), torch.randn(16, 4)
y = x[:, :2].sin()
m.qconfig = Q.QConfig(Q.default_fake_quant, Q.default_weight_fake_quant)
p = Q.prepare_qat(m.train())
opt = torch.optim.SGD(p.parameters(), lr=0.1)
for _ in range(20):
    loss = ((p(x) - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
show(loss, p.fc.weight)
p.eval()
show(p(x), Q.convert(p)(x))
""",
}


def run(name: str, torch: Any) -> list[str]:
    """What a program shows."""
    found: list[str] = []
    space = {"torch": torch, "show": lambda *facts: found.extend(map(shown, facts))}
    exec(START, space)
    exec(compile(PROGRAMS[name], f"<{name}>", "exec"), space)
    return found


def shown(fact: Any) -> str:
    """A fact as text, numbers to four digits."""
    if hasattr(fact, "tolist"):
        return _numbers(fact.detach().tolist())
    return _numbers(fact) if isinstance(fact, float) else str(fact)


def _numbers(values: Any) -> str:
    if isinstance(values, list):
        return "[" + ", ".join(map(_numbers, values)) + "]"
    return f"{round(values, 4) + 0:.4g}" if isinstance(values, float) else str(values)
