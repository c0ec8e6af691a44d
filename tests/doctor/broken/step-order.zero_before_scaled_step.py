import torch, torch.nn as nn
torch.manual_seed(0)
m = nn.Linear(4, 2); opt = torch.optim.SGD(m.parameters(), .1); sc = torch.amp.GradScaler("cpu", init_scale=64.)
for i in range(15):
    x = torch.randn(8, 4); y = (x[:, 0] > 0).long()
    with torch.autocast("cpu", dtype=torch.bfloat16): l = nn.functional.cross_entropy(m(x), y)
    opt.zero_grad()  #+
    sc.scale(l).backward()
    opt.zero_grad()  #-!
    sc.step(opt); sc.update()
