import torch
import torch.nn.functional as F

torch.manual_seed(0)
encoder = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 8))
opt = torch.optim.Adam(encoder.parameters(), lr=1e-2)
for _ in range(20):
    x = torch.randn(16, 8)
    a = F.normalize(encoder(x + 0.1 * torch.randn_like(x)), dim=1)
    b = F.normalize(encoder(x + 0.1 * torch.randn_like(x)), dim=1)
    logits = a @ b.t() / 0.1
    labels = torch.arange(16)
    loss = (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
