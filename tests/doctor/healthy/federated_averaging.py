import copy, torch
from torch import nn
torch.manual_seed(0)
glob = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
clients = []
for c in range(4):
    x = torch.randn(40, 5) + 0.2 * c
    clients.append((x, (x[:, 0] > 0.3).long()))
for rnd in range(5):
    states = []
    for x, y in clients:
        local = copy.deepcopy(glob)
        opt = torch.optim.SGD(local.parameters(), lr=0.1)
        for _ in range(4):
            loss = nn.functional.cross_entropy(local(x), y)
            opt.zero_grad(); loss.backward(); opt.step()
        states.append(local.state_dict())
    glob.load_state_dict({k: torch.stack([s[k] for s in states]).mean(0) for k in states[0]})
