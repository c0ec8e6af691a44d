import copy
import torch, torch.nn as nn
torch.manual_seed(0)
X = torch.randn(150, 5); y = X @ torch.randn(5, 1)
for fold in range(3):
    va = torch.arange(150) % 3 == fold
    m = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
    opt = torch.optim.Adam(m.parameters(), 1e-2)
    best, bad, state = float("inf"), 0, None
    for e in range(60):
        m.train()
        loss = nn.functional.mse_loss(m(X[~va]), y[~va])
        opt.zero_grad(); loss.backward(); opt.step()
        m.eval()
        with torch.no_grad(): v = nn.functional.mse_loss(m(X[va]), y[va]).item()
        if v < best - 1e-3: best, bad, state = v, 0, copy.deepcopy(m.state_dict())
        else:
            bad += 1
            if bad > 3: break
    m.load_state_dict(state)
