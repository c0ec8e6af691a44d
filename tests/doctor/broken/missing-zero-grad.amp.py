import torch
import torch.nn.functional as F

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 5))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
scaler = torch.amp.GradScaler("cpu")
for step in range(16):
    x = torch.randn(24, 16)
    y = x[:, :5].argmax(dim=-1)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad(set_to_none=True)  #+
    scaler.scale(loss).backward()  #!
    scaler.step(optimizer)  #!
    scaler.update()
