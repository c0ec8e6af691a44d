import torch
from torch import nn

torch.manual_seed(1)
rnn, fc = nn.GRU(3, 12, batch_first=True), nn.Linear(12, 1)
params = list(rnn.parameters()) + list(fc.parameters())
opt = torch.optim.Adam(params, lr=2e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=256.0)
for i in range(20):
    x = torch.randn(16, 9, 3)
    y = x[:, :, 0].mean(1, keepdim=True)
    opt.zero_grad()
    loss = nn.functional.mse_loss(fc(rnn(x)[0][:, -1]), y)
    scaler.scale(loss).backward()
    scaler.unscale_(opt)  #+
    nn.utils.clip_grad_norm_(params, max_norm=0.5)  #!
    scaler.unscale_(opt)  #-
    scaler.step(opt)
    scaler.update()
