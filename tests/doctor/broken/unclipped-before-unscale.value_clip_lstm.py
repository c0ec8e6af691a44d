import torch
import torch.nn as nn
from torch.cuda.amp import GradScaler

torch.manual_seed(0)
lstm, head = nn.LSTM(4, 12, batch_first=True), nn.Linear(12, 1)
params = [*lstm.parameters(), *head.parameters()]
opt = torch.optim.Adam(params, 1e-3)
scaler = torch.amp.GradScaler(device="cpu", init_scale=2.0**12)
for step in range(20):
    x = torch.randn(8, 7, 4)
    y = x.mean((1, 2)).unsqueeze(1)
    opt.zero_grad(set_to_none=True)
    with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
        out = head(lstm(x)[0][:, -1])
        loss = nn.functional.mse_loss(out.float(), y)
    scaler.scale(loss).backward()
    scaler.unscale_(opt)  #+
    nn.utils.clip_grad_value_(params, 0.5)  #!
    scaler.step(opt)
    scaler.update()
