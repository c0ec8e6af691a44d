import torch
from torch import nn

torch.manual_seed(0)
router = nn.Linear(6, 3)
experts = nn.ModuleList([nn.Linear(6, 1) for _ in range(3)])
opt = torch.optim.Adam([*router.parameters(), *experts.parameters()], lr=1e-2)
for step in range(15):
    x = torch.randn(48, 6)
    y = x.abs().sum(1, keepdim=True)
    scores = router(x)
    choice = nn.functional.one_hot(scores.argmax(1), 3).float()  #-!
    choice = torch.softmax(scores, 1)  #+
    out = torch.stack([e(x) for e in experts], dim=1)
    pred = (choice[:, :, None] * out).sum(1)
    loss = nn.functional.mse_loss(pred, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
