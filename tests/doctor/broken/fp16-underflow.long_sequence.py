import torch
import torch.nn.functional as F

torch.manual_seed(0)
emb = torch.nn.Embedding(50, 16)
out = torch.nn.Linear(16, 50)
params = [*emb.parameters(), *out.parameters()]
opt = torch.optim.SGD(params, lr=1.0)  #-
opt = torch.optim.SGD(params, lr=1e4)  #+
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**14)  #+
for i in range(12):
    ids = torch.randint(0, 50, (64, 40))
    with torch.autocast("cpu", dtype=torch.float16):  #!
        logits = out(emb(ids[:, :-1]))  #!
        loss = F.cross_entropy(logits.reshape(-1, 50), ids[:, 1:].reshape(-1)) * 1e-4  #!
    opt.zero_grad()
    loss.backward()  #-!
    opt.step()  #-
    scaler.scale(loss).backward()  #+
    scaler.step(opt)  #+
    scaler.update()  #+
