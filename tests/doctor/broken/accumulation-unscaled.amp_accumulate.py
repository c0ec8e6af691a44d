import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 4)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
ACC = 3
for it in range(30):
    x = torch.randn(8, 8)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = model(x)
        loss = nn.functional.cross_entropy(out, x[:, :4].argmax(1))
    scaler.scale(loss).backward()  #-!
    scaler.scale(loss / ACC).backward()  #+
    if it % ACC == ACC - 1:
        scaler.step(opt)
        scaler.update()
        opt.zero_grad()
