"""Mixed precision: autocast in bfloat16 on the CPU, a GradScaler that is off without a GPU."""

import torch
from torch import nn

torch.manual_seed(0)
use_amp = True
device = "cuda" if torch.cuda.is_available() else "cpu"
dtype = torch.float16 if device == "cuda" else torch.bfloat16
net = nn.Sequential(
    nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4)
).to(device)
data = torch.randn(128, 16, device=device)
target = (data @ torch.randn(16, 4, device=device)).argmax(dim=1)
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
scaler = torch.amp.GradScaler(device, enabled=device == "cuda")
loss_fn = nn.CrossEntropyLoss()
for epoch in range(30):
    with torch.autocast(device_type=device, dtype=dtype, enabled=use_amp):
        output = net(data)
        assert output.dtype is dtype
        loss = loss_fn(output, target)
        assert loss.dtype is torch.float32
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), max_norm=1.0)
    scaler.step(opt)
    scaler.update()
    opt.zero_grad(set_to_none=True)
    if epoch % 5 == 0 or epoch == 29:
        print(f"epoch {epoch} loss {loss.item():.4f}")
print(scaler.is_enabled(), all(p.dtype is torch.float32 for p in net.parameters()))
