import torch, torch.nn as nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(7, 14), nn.ReLU(), nn.Linear(14, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.01)
def run(train=True):
    with torch.set_grad_enabled(not train):  #-!
    with torch.set_grad_enabled(train):  #+
        for _ in range(5):
            x = torch.randn(16, 7)
            loss = (model(x) - x.mean(1, keepdim=True)).pow(2).mean()
            if train:
                opt.zero_grad()
                loss.backward()  #-!
                loss.backward()  #+
                opt.step()
for e in range(3):
    run(True)
