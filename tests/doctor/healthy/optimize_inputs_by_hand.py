import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)).eval()
x = torch.randn(1, 4, requires_grad=True)
for _ in range(20):
    score = model(x).sum()
    score.backward()
    with torch.no_grad():
        x += 0.1 * x.grad
    x.grad = None
